//! `arena run`: runs a command in the sandbox of bots, with the stdin, stdout, and stderr of the arena.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::setup::containment::{Confined, Containment};
use crate::setup::program::start;
use crate::setup::runtime::block_on;
use crate::setup::times::duration;
use referee::bots::entrants::Entrant;
use referee::error::Error;
use sandbox::confine::take_back;
use sandbox::{Command, Exit};

/// The base of the exit status for a command that a signal ended. As in a shell, the signal's number is
/// added.
const BY_SIGNAL: i32 = 128;

/// The limits of a build: bytes of its scratch folder, which its own folder may also grow by, open files, and time.
const BUILD_BYTES: u64 = 2 * 1024 * 1024 * 1024;
const BUILD_OPEN_FILES: u64 = 1_024;
const BUILD_TIME: Duration = Duration::from_secs(600);

/// Arguments of `arena run`.
#[derive(Debug, Args)]
#[command(after_help = "Example: arena run -- python3 bot.py\n\
                        Exit status: that of the command; 2 if it cannot start, 75 the machine, 130 interrupted.")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    confined: Confined,
    /// Stop the command after this time [default: no limit, or 10min with --build]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// Build the bot in this folder: run the command there, and let it write there alone, up to 2GiB
    #[arg(long, value_name = "DIR", conflicts_with = "write")]
    build: Option<PathBuf>,
    /// The command and its arguments
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

pub(crate) fn run(args: RunArgs) -> Result<ExitCode, Error> {
    let RunArgs { confined, time, build, command } = args;
    let containment = confined.containment();
    let mut grants = confined.grants;
    let mut entrant = Entrant::parse(&shell_words::join(&command))?;
    let is_build = build.is_some();
    grants.write.extend(build.clone());
    grants.apply(&mut entrant)?;
    let command = &mut entrant.command;
    command.rights.scratch_bytes = command.rights.scratch_bytes.or(is_build.then_some(BUILD_BYTES));
    command.growth_bytes = Some(command.rights.scratch_bytes_max());
    if let Some(folder) = &build {
        command.dir = Some(folder.clone());
        command.rights.open_files.get_or_insert(BUILD_OPEN_FILES);
    }
    let time = time.or(is_build.then_some(BUILD_TIME));
    let ended = block_on(contained(command, &containment, time));
    // A signal leaves processes that are still ending, and could move what this process changes.
    if let (Some(folder), Ok(_)) = (&build, &ended) {
        take_back(folder);
    }
    Ok(match ended?? {
        Some(Exit::Code(code)) => ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)),
        Some(Exit::Signal(number)) => ExitCode::from(u8::try_from(BY_SIGNAL + number).unwrap_or(u8::MAX)),
        None => return Err(Error::host("the command was stopped: it exceeded its memory or disk limit")),
    })
}

/// Runs a command to its end, at most for this time. Returns how it ended, or `None` if it was killed for its use of
/// memory or disk.
async fn contained(
    command: &Command,
    containment: &Containment,
    time: Option<Duration>,
) -> Result<Option<Exit>, Error> {
    let bot = start(command, containment, None).await?;
    let late = || {
        Error::host(format!("the command was stopped: it ran for more than {:?}", time.unwrap_or_default()))
    };
    bot.outlive(time).await.map_err(|_| late())
}

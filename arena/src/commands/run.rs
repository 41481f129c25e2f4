//! `arena run`: runs a command in the sandbox of bots, with the stdin, stdout, and stderr of the arena.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::setup::containment::Confined;
use crate::setup::program::{self, BUILD_TIME, start};
use crate::setup::runtime::block_on;
use crate::setup::times::duration;
use referee::error::Error;
use sandbox::Exit;
use sandbox::confine::take_back;

/// The base of the exit status for a command that a signal ended. As in a shell, the signal's number is
/// added.
const BY_SIGNAL: i32 = 128;

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
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let command = program::command(&words, confined.grants, build.as_deref())?;
    let time = time.or(build.is_some().then_some(BUILD_TIME));
    let ended =
        block_on(async { Ok::<_, Error>(start(&command, &containment, None).await?.outlive(time).await) });
    // A signal leaves processes that are still ending, and could move what this process changes.
    if let (Some(folder), Ok(_)) = (&build, &ended) {
        take_back(folder);
    }
    let ended = ended??.map_err(|_| {
        Error::host(format!("the command was stopped: it ran for more than {:?}", time.unwrap_or_default()))
    })?;
    Ok(match ended.status {
        Some(Exit::Code(code)) => ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)),
        Some(Exit::Signal(number)) => ExitCode::from(u8::try_from(BY_SIGNAL + number).unwrap_or(u8::MAX)),
        None => return Err(Error::host("the command was stopped: it exceeded its memory or disk limit")),
    })
}

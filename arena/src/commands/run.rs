//! `arena run`: runs a command in the sandbox of bots, with the stdin, stdout, and stderr of the arena.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::limits::LimitOptions;
use super::runtime::block_on;
use super::words::word;
use referee::bots::entrants::Entrant;
use referee::bots::size::memory;
use referee::error::Error;
use sandbox::{BotProcess, Exit, SandboxLevel, SpawnError};

/// The base of the exit status for a command that a signal ended. As in a shell, the signal's number is
/// added.
const BY_SIGNAL: i32 = 128;

/// Arguments of `arena run`.
#[derive(Debug, Args)]
#[command(after_help = "Example: arena run -- python3 bot.py\n\
                        Exit status: that of the command; 2 if it cannot start, 75 the machine, 130 interrupted.")]
pub(crate) struct RunArgs {
    /// Choose how strictly the command is confined [default: auto]
    #[arg(long, value_parser = word::<SandboxLevel>(), value_name = "HOW")]
    contain: Option<SandboxLevel>,
    /// Let the command read this file or folder too; repeatable
    #[arg(long, value_name = "PATH")]
    read: Vec<PathBuf>,
    /// Let the command write this folder too; repeatable
    #[arg(long, value_name = "DIR")]
    write: Vec<PathBuf>,
    /// Let the command use the network
    #[arg(long)]
    network: bool,
    /// Limit the memory of the command and its children, such as 512MiB [default: 2GiB]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<u64>,
    /// The command and its arguments
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

pub(crate) fn run(args: RunArgs) -> Result<ExitCode, Error> {
    let RunArgs { contain, read, write, network, memory, command } = args;
    let limits = LimitOptions { contain, read, write, network, memory, ..LimitOptions::default() };
    let mut entrant = Entrant::parse(&shell_words::join(&command))?;
    limits.apply(&mut entrant)?;
    let exit = block_on(async {
        let (host, _) = limits.host(&[], &[], true).await?;
        let bot = BotProcess::spawn_attached(&entrant.command, &host).await.map_err(|error| match error {
            SpawnError::Fault(fault) => Error::usage(format!("cannot start: {}", fault.detail)),
            SpawnError::Host(error) => error.into(),
        })?;
        Ok::<_, Error>(bot.outlive().await)
    })??;
    Ok(match exit {
        Some(Exit::Code(code)) => ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)),
        Some(Exit::Signal(number)) => ExitCode::from(u8::try_from(BY_SIGNAL + number).unwrap_or(u8::MAX)),
        None => return Err(Error::host("the command was stopped: it exceeded its memory or disk limit")),
    })
}

//! A program in the sandbox that is not a bot: how it starts, and the command that builds a bot.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use super::containment::Containment;
use referee::error::Error;
use sandbox::{BotProcess, Command, SpawnError};

/// Starts a command in the sandbox, with the streams of the arena, or with this stdin and stdout.
pub(crate) async fn start(
    command: &Command,
    containment: &Containment,
    pipes: Option<[OwnedFd; 2]>,
) -> Result<BotProcess, Error> {
    let (host, _) = containment.host(&[], &[], Duration::ZERO, true).await?;
    BotProcess::spawn_attached(command, &host, pipes).await.map_err(|error| match error {
        SpawnError::Fault(fault) => Error::usage(format!("cannot start: {}", fault.detail)),
        SpawnError::Host(error) => error.into(),
    })
}

/// Returns the words of a command line that builds the bot in this folder with this program of the arena. Nothing but
/// the folder can be written, and no other folder with bots can be read.
pub(crate) fn build_line(arena: &Path, folder: &str, build: &str) -> String {
    let arena = arena.to_string_lossy();
    let [arena, folder] = [&arena, folder].map(|word| shell_words::quote(word).into_owned());
    format!("{arena} run --contain strict --build {folder} -- {build}")
}

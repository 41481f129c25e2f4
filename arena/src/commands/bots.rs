//! `arena bots` lists the bundled bots, and runs one of them.

use std::io::{stdin, stdout};

use clap::Args;

use crate::report::output::show;
use crate::setup::words::Suggested;
use referee::bots::entrants::bundled_names;
use referee::error::Error;

#[derive(Debug, Args)]
pub(crate) struct BotsArgs {
    /// Run this bot over stdin and stdout [default: list all]
    #[arg(
        hide_possible_values = true,
        value_parser = Suggested::new(bots::BUNDLED.iter().map(|bot| bot.name))
    )]
    pub(crate) name: Option<String>,
    /// Search N nodes for each move instead of using the available time; for bots that search
    #[arg(long, value_name = "N", requires = "name")]
    pub(crate) nodes: Option<u64>,
    /// Use no instructions that some processors lack; the moves are the same
    #[arg(long, requires = "name")]
    pub(crate) portable: bool,
}

/// Lists the bundled bots, or runs one over stdin and stdout.
pub(crate) fn run(args: &BotsArgs) -> Result<(), Error> {
    match &args.name {
        None => list(),
        Some(name) => speak(name, args),
    }
}

fn list() -> Result<(), Error> {
    let lines = bots::BUNDLED.iter().map(|bot| format!("{:<10}{}\n", bot.name, bot.about));
    show(&lines.collect::<String>())
}

fn speak(name: &str, BotsArgs { nodes, portable, .. }: &BotsArgs) -> Result<(), Error> {
    if *portable {
        engine::cpu::avoid_vectors();
    }
    let bot = bots::find(name).ok_or_else(|| unknown(name))?;
    match bots::run(bot, *nodes, stdin().lock(), stdout().lock()) {
        Ok(()) | Err(bots::RunError::Io(_)) => Ok(()),
        Err(error) => Err(Error::usage(error.to_string())
            .hint("this command speaks the protocol of protocol.md on stdin and stdout")),
    }
}

fn unknown(name: &str) -> Error {
    Error::usage(format!("there is no bundled bot {name:?}"))
        .hint(format!("the bundled bots are {}", bundled_names()))
}

#[cfg(test)]
mod tests {
    use referee::bots::bundled::{BUNDLED, Bundled};

    #[test]
    fn the_bundled_bots_are_those_of_the_table() {
        let bots: Vec<Bundled> =
            bots::BUNDLED.iter().map(|bot| Bundled { name: bot.name, by_default: bot.by_default }).collect();
        assert_eq!(bots, BUNDLED);
    }
}

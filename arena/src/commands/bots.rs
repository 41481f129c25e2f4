//! `arena bots` lists the bundled bots, and `arena bot NAME` runs one of them.

use std::io::{stdin, stdout};

use clap::Args;

use crate::report::output::show;
use crate::setup::words::Suggested;
use referee::bots::entrants::bundled_names;
use referee::error::Error;

#[derive(Debug, Args)]
pub(crate) struct BotArgs {
    /// Name of the bot; "arena bots" lists all names
    #[arg(
        hide_possible_values = true,
        value_parser = Suggested::new(bots::BUNDLED.iter().map(|bot| bot.name))
    )]
    pub(crate) name: String,
    /// Search N nodes for each move instead of using the available time; for bots that search
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<u64>,
    /// Use no instructions that some processors lack; the moves are the same
    #[arg(long)]
    pub(crate) portable: bool,
}

/// Lists the bundled bots.
pub(crate) fn list() -> Result<(), Error> {
    let lines = bots::BUNDLED.iter().map(|bot| format!("{:<10}{}\n", bot.name, bot.about));
    show(&lines.collect::<String>())
}

/// Runs a bundled bot over stdin and stdout.
pub(crate) fn speak(BotArgs { name, nodes, portable }: &BotArgs) -> Result<(), Error> {
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

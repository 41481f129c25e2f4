//! `arena match`: plays one match and shows it turn by turn.

use std::path::PathBuf;

use clap::Args;

use crate::setup::single_match::MatchOptions;
use crate::terminal::single_match::{run_bots, run_game};
use referee::error::Error;
use referee::for_game;

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    /// Take the game, the rules, the limits, and the bots from this league file; --bot chooses some by name
    #[arg(value_name = "FILE")]
    league: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: MatchOptions,
    /// Show the boards after each turn
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) boards: bool,
    /// Print only the result
    #[arg(long)]
    pub(crate) quiet: bool,
}

pub(crate) fn run(args: MatchArgs) -> Result<(), Error> {
    let MatchArgs { league, options, boards, quiet } = args;
    let options = match league {
        Some(path) => options.over_league(&path)?,
        None => options,
    };
    for_game!(
        options.game()?,
        G => run_game::<G>(&options, boards, quiet),
        plain G => run_bots::<G>(&options, boards, quiet)
    )
}

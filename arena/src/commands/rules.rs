//! Options that choose the rules and components of a game.

use std::path::PathBuf;

use clap::Args;
use referee::games::{LeatherRule, RulesOptions, StartCardsRule};

use super::words::word;

/// The options for [`RulesOptions`].
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RulesArgs {
    /// Play with the cards of this file instead of the standard deck
    #[arg(long, value_name = "FILE", help_heading = "Doodle", hide_short_help = true)]
    cards: Option<PathBuf>,
    /// Give each seat its own start card, or the same one to all
    #[arg(long, value_parser = word::<StartCardsRule>(), value_name = "RULE", help_heading = "Doodle", hide_short_help = true)]
    start_cards: Option<StartCardsRule>,
    /// Play with the patches and the track of this file
    #[arg(long, value_name = "FILE", help_heading = "Patchwork", hide_short_help = true)]
    patches: Option<PathBuf>,
    /// Place the leather patches as on the first board or on the revised one
    #[arg(long, value_parser = word::<LeatherRule>(), value_name = "BOARD", help_heading = "Patchwork", hide_short_help = true)]
    leather: Option<LeatherRule>,
}

impl From<RulesArgs> for RulesOptions {
    fn from(RulesArgs { cards, start_cards, patches, leather }: RulesArgs) -> RulesOptions {
        RulesOptions { cards, start_cards, patches, leather }
    }
}

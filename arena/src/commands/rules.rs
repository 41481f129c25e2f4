//! Options that choose the rules and components of a game.

use std::path::PathBuf;

use clap::Args;
use serde::Deserialize;

use referee::games::{LeatherRule, RulesOptions, StartCardsRule};

use super::layers::layered;
use super::words::word;

/// The options for [`RulesOptions`], also in a league file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RulesArgs {
    /// Play with the cards of this file instead of the standard deck
    #[arg(long, value_name = "FILE", help_heading = "Doodle", hide_short_help = true)]
    pub(crate) cards: Option<PathBuf>,
    /// Give each seat its own start card, or the same one to all
    #[arg(long, value_parser = word::<StartCardsRule>(), value_name = "RULE", help_heading = "Doodle", hide_short_help = true)]
    pub(crate) start_cards: Option<StartCardsRule>,
    /// Play with the patches and the track of this file
    #[arg(long, value_name = "FILE", help_heading = "Patchwork", hide_short_help = true)]
    pub(crate) patches: Option<PathBuf>,
    /// Place the leather patches as on the first board or on the revised one
    #[arg(long, value_parser = word::<LeatherRule>(), value_name = "BOARD", help_heading = "Patchwork", hide_short_help = true)]
    pub(crate) leather: Option<LeatherRule>,
}

layered!(RulesArgs: values cards, start_cards, patches, leather; flags; typed);

impl From<RulesArgs> for RulesOptions {
    fn from(RulesArgs { cards, start_cards, patches, leather }: RulesArgs) -> RulesOptions {
        RulesOptions { cards, start_cards, patches, leather }
    }
}

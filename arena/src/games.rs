//! The games that can be played, and what the commands need of each beside its rules.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use engine::doodle::{CardFile, Doodle, DoodleSetup, Rules, StartCards};
use engine::game::Game;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::report::board::Show;

/// A game by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameName {
    /// Patchwork Doodle: 1 to 10 seats and more, simultaneous turns.
    #[default]
    Doodle,
}

/// Options that choose the rules and components of a game.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RulesOptions {
    /// Doodle: a card file to play with instead of the standard deck
    #[arg(long, value_name = "FILE")]
    pub cards: Option<PathBuf>,
    /// Doodle: each seat its own start card, or all the same one
    #[arg(long, value_enum, value_name = "RULE")]
    pub start_cards: Option<StartCardsRule>,
}

/// Who gets which start card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartCardsRule {
    /// Each seat its own, as in the rulebook
    Dealt,
    /// All seats the same one; any number of seats
    Shared,
}

/// A game with what the commands need of it.
pub trait Playable: Game + Show {
    /// Seats at a table unless the user says otherwise.
    const SEATS_DEFAULT: usize;
    /// Whether all seats decide at the same time, so that a match keeps that many cores busy.
    const SIMULTANEOUS: bool;
    /// Whether every deal is played once from each seat, because the seats are not equal; else the
    /// seats rotate from deal to deal.
    const EVERY_SEAT_EACH_DEAL: bool;

    /// Rules and components as the options choose them.
    ///
    /// # Errors
    /// A file that cannot be read, or an option of another game.
    fn setup_from(options: &RulesOptions) -> Result<Self::Setup, Error>;
}

impl Playable for Doodle {
    const SEATS_DEFAULT: usize = 2;
    const SIMULTANEOUS: bool = true;
    const EVERY_SEAT_EACH_DEAL: bool = false;

    fn setup_from(options: &RulesOptions) -> Result<DoodleSetup, Error> {
        let start_cards = match options.start_cards {
            Some(StartCardsRule::Shared) => StartCards::Shared,
            Some(StartCardsRule::Dealt) | None => StartCards::Dealt,
        };
        let cards = options.cards.as_ref().map(|path| {
            let text = std::fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))?;
            CardFile::from_json(&text).map_err(|error| Error::usage(format!("{}: {error}", path.display())))
        });
        Ok(DoodleSetup { rules: Rules { start_cards }, cards: cards.transpose()? })
    }
}

/// The equipment for these options.
///
/// # Errors
/// As [`Playable::setup_from`], or components that cannot be played with.
pub fn equip<G: Playable>(options: &RulesOptions) -> Result<G::Equipment, Error> {
    let setup = G::setup_from(options)?;
    let file = options.cards.as_ref().map_or(String::new(), |path| format!("{}: ", path.display()));
    G::equip(&setup).map_err(|error| Error::usage(format!("{file}{error}")))
}

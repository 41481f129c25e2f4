//! The games by name, with settings that commands need in addition to the rules.
//!
//! A game is registered in three lines: a variant of [`GameName`], its entry in [`GameName::ALL`], and an arm of
//! [`for_game!`](crate::for_game). Everything else about a game is in its implementations of the traits.

mod doodle;
mod patchwork;

use engine::wire::WireFormat;
use std::path::PathBuf;

use engine::doodle::Doodle;
use engine::game::Game;
use engine::patchwork::Patchwork;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The name of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameName {
    /// Patchwork Doodle: 1 to 10 seats, or any number with a shared start card. Turns are simultaneous.
    #[default]
    Doodle,
    /// Patchwork: two seats, one turn at a time.
    Patchwork,
}

/// Evaluates an expression for the game of a [`GameName`]. In the expression, the given word is the game's type.
///
/// # Examples
/// ```
/// use engine::game::Game;
/// use referee::games::GameName;
///
/// assert_eq!(referee::for_game!(GameName::Patchwork, G => G::NAME), "patchwork");
/// ```
#[macro_export]
macro_rules! for_game {
    ($name:expr, $game:ident => $value:expr) => {
        match $name {
            $crate::games::GameName::Doodle => {
                type $game = ::engine::doodle::Doodle;
                $value
            }
            $crate::games::GameName::Patchwork => {
                type $game = ::engine::patchwork::Patchwork;
                $value
            }
        }
    };
}

impl GameName {
    /// All games, the default first.
    pub const ALL: [GameName; 2] = [GameName::Doodle, GameName::Patchwork];

    /// Returns the game of this name.
    ///
    /// # Errors
    /// No game has this name.
    pub fn named(name: &str) -> Result<GameName, Error> {
        let found = GameName::ALL.into_iter().find(|game| game.as_str() == name);
        found.ok_or_else(|| Error::usage(format!("there is no game {name:?}")))
    }

    /// See [`GameKind::EVERY_SEAT_EACH_DEAL`].
    pub fn every_seat_each_deal(self) -> bool {
        for_game!(self, G => G::EVERY_SEAT_EACH_DEAL)
    }

    /// See [`GameKind::BY_MARGIN`].
    pub fn is_by_margin(self) -> bool {
        for_game!(self, G => G::BY_MARGIN)
    }

    /// See [`Game::SIMULTANEOUS`].
    pub fn is_simultaneous(self) -> bool {
        for_game!(self, G => G::SIMULTANEOUS)
    }

    /// Returns the name in commands, messages, and records.
    pub const fn as_str(self) -> &'static str {
        for_game!(self, G => G::NAME)
    }

    /// Returns the option that chooses the game in a command, after a blank. It is empty for the default game.
    pub fn option(self) -> String {
        if self == GameName::default() { String::new() } else { format!(" --game {}", self.as_str()) }
    }

    /// See [`GameKind::SUMMARY`].
    pub const fn summary(self) -> &'static str {
        for_game!(self, G => G::SUMMARY)
    }
}

/// Options that choose the rules and components of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesOptions {
    /// The file of the cards that replace the standard deck.
    pub cards: Option<PathBuf>,
    /// The rule for dealing start cards.
    pub start_cards: Option<StartCardsRule>,
    /// The file of the patches and the track that replace the standard ones.
    pub patches: Option<PathBuf>,
    /// The positions of the leather patches.
    pub leather: Option<LeatherRule>,
}

impl RulesOptions {
    /// Checks that all options belong to this game.
    ///
    /// # Errors
    /// An option belongs to another game.
    pub fn only_for(&self, game: &str) -> Result<(), Error> {
        let set = [
            ("--cards", Doodle::NAME, self.cards.is_some()),
            ("--start-cards", Doodle::NAME, self.start_cards.is_some()),
            ("--patches", Patchwork::NAME, self.patches.is_some()),
            ("--leather", Patchwork::NAME, self.leather.is_some()),
        ];
        match set.into_iter().find(|&(_, of, is_set)| is_set && of != game) {
            None => Ok(()),
            Some((option, of, _)) => {
                Err(Error::usage(format!("{option} is a rule of {of}, and the game is {game}"))
                    .hint(format!("leave it out, or play --game {of}")))
            }
        }
    }
}

/// The positions of the leather patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeatherRule {
    /// Spaces 20, 26, 32, 44, and 50, as on the first board.
    Original,
    /// Spaces 26, 32, 38, 44, and 50, as on the revised board.
    Revised,
}

/// The rule for dealing start cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartCardsRule {
    /// Each seat gets its own card, as in the rulebook.
    Dealt,
    /// All seats get the same card. Any number of seats can play.
    Shared,
}

/// How much the difference between two similar bots varies in a reference league. See `docs/statistics.md`.
#[derive(Clone, Copy, Debug)]
pub struct League {
    /// The rule of the league; `None` if the game has only one.
    pub rule: Option<&'static str>,
    /// The variance over deals that comes from the bots, in Elo squared.
    pub bots: f64,
    /// The variance over deals that comes from their meeting, in Elo squared.
    pub meeting: f64,
    /// The Elo that a mean margin of one point is worth.
    pub elo_of_point: f64,
}

/// A game with settings that commands need.
pub trait GameKind: WireFormat {
    /// The game in half a line, for the help of commands.
    const SUMMARY: &'static str;
    /// The advice for a number of seats that the game does not allow.
    const SEATS_HINT: &'static str;
    /// The default number of seats at a table.
    const SEATS_DEFAULT: usize;
    /// True if a table plays every deal once for each rotation of its seats, because the seats are not equal.
    /// Otherwise the seats rotate from deal to deal.
    const EVERY_SEAT_EACH_DEAL: bool;

    /// True if tables show the margin instead of the score, because points count for nothing but to have more.
    const BY_MARGIN: bool = false;
    /// What the reference leagues with two seats measured, for `arena plan`. One entry for each rule that changes it.
    const LEAGUES: &'static [League] = &[];

    /// Returns the rules and components that the options choose.
    ///
    /// # Errors
    /// A file cannot be read or is invalid, or an option belongs to another game.
    fn setup_from(options: &RulesOptions) -> Result<Self::Setup, Error>;

    /// Returns the options that choose this setup, each with a leading blank. For components that are not
    /// standard, a shell comment follows the options.
    fn options_of(setup: &Self::Setup) -> String;
}

/// Returns the option for freezing bots outside of their turns, or for not freezing them, with a leading
/// blank. Returns an empty string if `freeze` is the default of the game.
pub fn freeze_option<G: WireFormat>(freeze: bool) -> &'static str {
    match (freeze, G::SIMULTANEOUS) {
        (true, true) => " --freeze",
        (false, false) => " --no-freeze",
        _ => "",
    }
}

/// Returns the equipment that the options choose.
///
/// # Errors
/// As [`GameKind::setup_from`]. Also if the game cannot be played with the components.
pub fn equip<G: GameKind>(options: &RulesOptions) -> Result<G::Equipment, Error> {
    let setup = G::setup_from(options)?;
    let file = options.cards.as_ref().or(options.patches.as_ref());
    let file = file.map_or(String::new(), |path| format!("{}: ", path.display()));
    G::equip(&setup).map_err(|error| Error::usage(format!("{file}{error}")))
}

//! The games by name, with settings that commands need in addition to the rules.
//!
//! A game is registered in three lines: a variant of [`GameName`], its entry in [`GameName::ALL`], and an arm of
//! [`for_game!`](crate::for_game). Everything else about a game is in its implementations of the traits.

mod doodle;
pub mod external;
mod kind;
mod patchwork;

use engine::game::{Game, SetupError};
use engine::wire::WireFormat;
use serde::{Deserialize, Serialize};

pub use kind::{
    Board, EXTERNAL, GameKind, GameRun, League, LeatherRule, ProgramOptions, RulesOptions, StartCardsRule,
};

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
    /// A game of the user's own, which is a program. Its name in plans and records is `NAME@VERSION`.
    External,
}

/// Evaluates an expression for the game of a [`GameName`]. In the expression, the given word is the game's type. A second
/// expression, after `plain`, is for the games without pictures, oracle, and prepared matches.
///
/// # Examples
/// ```
/// use engine::game::Game;
/// use referee::games::GameName;
///
/// assert_eq!(referee::for_game!(GameName::Patchwork, G => G::NAME), "patchwork");
/// assert_eq!(referee::for_game!(GameName::External, G => G::NAME, plain G => "own"), "own");
/// ```
#[macro_export]
macro_rules! for_game {
    ($name:expr, $game:ident => $value:expr) => {
        $crate::for_game!($name, $game => $value, plain $game => $value)
    };
    ($name:expr, $game:ident => $value:expr, plain $plain:ident => $other:expr) => {
        match $name {
            $crate::games::GameName::Doodle => $crate::with_type!($game, ::engine::doodle::Doodle, $value),
            $crate::games::GameName::Patchwork => $crate::with_type!($game, ::engine::patchwork::Patchwork, $value),
            $crate::games::GameName::External => $crate::with_type!($plain, $crate::games::external::External, $other),
        }
    };
}

/// Evaluates an expression in which the word is this type, for [`for_game!`].
#[doc(hidden)]
#[macro_export]
macro_rules! with_type {
    ($word:ident, $type:ty, $value:expr) => {{
        #[allow(dead_code, reason = "an error may ignore the game")]
        type $word = $type;
        $value
    }};
}

impl GameName {
    /// The games of the arena, the default first.
    pub const ALL: [GameName; 2] = [GameName::Doodle, GameName::Patchwork];

    /// Returns the game of this name.
    ///
    /// # Errors
    /// No game has this name.
    pub fn named(name: &str) -> Result<GameName, Error> {
        let found = GameName::ALL.into_iter().find(|game| game.as_str() == name);
        let found = found.or(external::is_full_name(name).then_some(GameName::External));
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

    /// Returns true if pages and commands can draw the boards of the game, and judge its positions.
    pub fn has_boards(self) -> bool {
        for_game!(self, G => !G::IS_PROGRAM)
    }

    /// Returns the error of a command or an option for the games with pictures and oracle.
    pub fn only_built_in(what: &str) -> Error {
        Error::usage(format!("{what} is for doodle and patchwork so far")).hint(
            "check, match, play, tournament, compare, replay, rerun, feed, view, report, and serve carry a game of your own",
        )
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

#[cfg(feature = "clap")]
impl clap::ValueEnum for GameName {
    fn value_variants<'a>() -> &'a [GameName] {
        &GameName::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.as_str()).help(self.summary()))
    }
}

/// Returns the option for freezing bots outside of their turns, or for not freezing them, with a leading
/// blank. Returns an empty string if `freeze` is the default of the game.
pub fn freeze_option<G: WireFormat>(setup: &G::Setup, freeze: bool) -> &'static str {
    match (freeze, G::is_simultaneous(setup)) {
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
    let equipment = G::equip(&setup).map_err(|error| Error::usage(format!("{file}{error}")))?;
    if let Some(program) = &options.program {
        G::start(&equipment, program.run)?;
    }
    Ok(equipment)
}

/// Returns the equipment of a plan. A game that is a program may start its processes.
///
/// # Errors
/// The game cannot be played with the components, or its program has changed.
pub fn equip_plan<G: GameKind>(setup: &G::Setup, run: GameRun) -> Result<G::Equipment, Error> {
    let equipment = G::equip(setup)?;
    G::start(&equipment, GameRun { is_recorded: true, ..run })?;
    Ok(equipment)
}

/// Checks that the game can be played by this number of seats.
///
/// # Errors
/// It cannot, or the game itself fails.
pub fn check_seats<G: GameKind>(equipment: &G::Equipment, seats: usize, seed: u64) -> Result<(), Error> {
    match G::deal(equipment, seats, seed) {
        Ok(_) => Ok(()),
        Err(SetupError::Seats(why)) => Err(Error::usage(why).hint(G::SEATS_HINT)),
        Err(error) => Err(error.into()),
    }
}

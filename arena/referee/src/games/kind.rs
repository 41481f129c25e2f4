//! What commands need of a game in addition to its rules.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use engine::doodle::Doodle;
use engine::game::Game;
use engine::patchwork::Patchwork;
use engine::wire::WireFormat;
use sandbox::SandboxLevel;
use serde::{Deserialize, Serialize};

use crate::bots::entrants::Entrant;
use crate::error::Error;

/// The name of the games of users among those of the arena. Each has a name of its own in plans and records.
pub const EXTERNAL: &str = "external";

/// How a game runs that is a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameRun {
    /// The level of its sandbox.
    pub contain: SandboxLevel,
    /// The time for an answer; `None` for the default.
    pub time: Option<Duration>,
    /// True if each question is asked of two processes, and not only some.
    pub compares_all: bool,
    /// True if the questions are kept, to be asked again of fresh processes.
    pub is_asked_again: bool,
    /// True if results name the program, and not the user.
    pub is_recorded: bool,
}

/// The program of a game as the user names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramOptions {
    /// The command that starts it.
    pub command: String,
    /// The folder to which the files of the command are relative.
    pub base: Option<PathBuf>,
    /// The working directory, relative to `base`.
    pub dir: Option<PathBuf>,
    /// Options of the rules: names, and values as JSON or as plain text.
    pub options: Vec<(String, String)>,
    /// How it runs.
    pub run: GameRun,
}

/// Options that choose the rules and components of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesOptions {
    /// The program of a game of the user's own.
    pub program: Option<ProgramOptions>,
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
            ("--game-command", EXTERNAL, self.program.is_some()),
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
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum LeatherRule {
    /// Spaces 20, 26, 32, 44, 50
    Original,
    /// Spaces 26, 32, 38, 44, 50
    Revised,
}

/// The rule for dealing start cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum StartCardsRule {
    /// A start card for each seat, as in the rulebook
    Dealt,
    /// One start card for all seats; any number of seats
    Shared,
}

/// How pages draw the text of a board: each letter is a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Board {
    /// The form of the cells.
    pub cells: Cells,
    /// The colours of letters, each as `#rrggbb`.
    #[serde(default)]
    pub colours: BTreeMap<char, String>,
    /// The field of a move that has the row of its cell, from 0.
    pub row: String,
    /// The field of a move that has the column of its cell, from 0.
    pub column: String,
}

/// The form of the cells of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Cells {
    /// Squares, in lines below each other.
    Square,
    /// Hexagons, each line half a cell to the right of the one above.
    Hexagonal,
}

impl Board {
    /// Checks the colours.
    pub(super) fn check(&self) -> Result<(), String> {
        let is_colour = |text: &str| {
            let digits = text.strip_prefix('#').unwrap_or_default();
            digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        };
        match self.colours.values().find(|text| !is_colour(text)) {
            Some(text) => Err(format!("its board has the colour {text:?}, and a colour is #rrggbb")),
            None => Ok(()),
        }
    }
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

    /// True if the rules are a program, which keeps its callers waiting.
    const IS_PROGRAM: bool = false;
    /// True if tables show the margin instead of the score, because points count for nothing but to have more.
    const BY_MARGIN: bool = false;
    /// What the reference leagues with two seats measured, for `arena plan`. One entry for each rule that changes it.
    const LEAGUES: &'static [League] = &[];

    /// How pages draw the text of the board, if the game says so.
    fn board(_setup: &Self::Setup) -> Option<&Board> {
        None
    }

    /// True if records show nothing that a seat could not know while other matches are played.
    fn is_open(_setup: &Self::Setup) -> bool {
        true
    }

    /// The difference in points that counts, between two scores of a match. `None` if the game does not say.
    fn unit(_setup: &Self::Setup) -> Option<f64> {
        None
    }

    /// The number of seats of a match for which the user names none.
    fn seats_default(_setup: &Self::Setup) -> usize {
        Self::SEATS_DEFAULT
    }

    /// Lets a game that is a program start its processes. Without it, every question to the program fails.
    ///
    /// # Errors
    /// The command of the program is wrong.
    fn start(_equipment: &Self::Equipment, _run: GameRun) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the bots that play if no bot is named.
    ///
    /// # Errors
    /// No bundled bot plays by default, or the path of this program is unknown.
    fn default_bots() -> Result<Vec<Entrant>, Error> {
        Entrant::bundled()
    }

    /// Returns the rules and components that the options choose.
    ///
    /// # Errors
    /// A file cannot be read or is invalid, or an option belongs to another game.
    fn setup_from(options: &RulesOptions) -> Result<Self::Setup, Error>;

    /// Returns the options that choose this setup, each with a leading blank. For components that are not
    /// standard, a shell comment follows the options.
    fn options_of(setup: &Self::Setup) -> String;
}

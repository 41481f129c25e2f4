//! What a user's game is: its program, its description of itself, and the options of its rules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use engine::wire::NUMBER_MAX;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answers::Plain;
use super::program::{Program, Question};
use crate::bots::entrants::Entrant;
use crate::bots::identity::Identity;
use crate::bots::names::{fitted, fitted_version};
use crate::error::Error;
use crate::games::kind::{Board, ProgramOptions};
use crate::play::VERSION_MARK;

/// The fields of `start` besides the options.
const OF_START: [&str; 8] = ["type", "match", "game", "seats", "seat", "players", "seed", "limits"];
/// What messages call a program that is a game.
const GAME: &str = "the game";
/// The most seats of a game.
const SEATS_MAX: usize = 64;

/// A user's game with its options, as in plans and records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExternalSetup {
    /// The program, and what it says of itself.
    #[serde(rename = "program")]
    pub game: GameProgram,
    /// The options of the rules, as the program gets them.
    pub options: Value,
}

/// Returns true if a plan or a record may have this name and this version of a game.
pub(in crate::games) fn is_full_name(text: &str) -> bool {
    text.split_once(VERSION_MARK).is_some_and(|(name, version)| is_name(name) && is_version(version))
}

fn is_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    name.chars().all(is_plain) && fitted(name) == name
}

fn is_version(version: &str) -> bool {
    fitted_version(version).as_deref() == Some(version) && !version.contains(VERSION_MARK)
}

/// The program of a game, and its answer to `describe`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameProgram {
    /// The command as the user wrote it. Records have none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The folder to which the files of the command are relative, if it is not the arena's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<PathBuf>,
    /// The working directory, if one was set, relative to `base`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// The name of the game, of lowercase letters, digits, and hyphens.
    pub name: String,
    /// The version of the game.
    pub version: String,
    /// The least and the largest number of seats.
    pub seats: [usize; 2],
    /// True if all seats decide at the same time.
    #[serde(default)]
    pub simultaneous: bool,
    /// The questions that the program answers in addition to those that each one does.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub supports: BTreeSet<Ability>,
    /// The difference in points that counts, above 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<f64>,
    /// How the text of the board is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<Board>,
    /// What learners need. Plans and records have none.
    #[serde(skip)]
    pub(super) spaces: Option<Spaces>,
    /// The SHA-256 of each file that the command names, in hexadecimal, the program first.
    #[serde(default)]
    pub sha256: Vec<String>,
}

/// A question that not every program answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Ability {
    /// The legal moves of a seat.
    Legal,
    /// The board as text.
    Text,
    /// The match without a seat. Otherwise the match ends when a seat is put out.
    Withdraw,
    /// The board as text in the answer to a move.
    #[serde(rename = "play-text")]
    PlayText,
    /// The board as a person in a seat may see it. Without a seat, the text is what all may see.
    #[serde(rename = "seat-text")]
    SeatText,
}

/// The array of numbers that a seat sees, and the number of moves, for learners.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Spaces {
    /// The field of an observation that is an array of numbers.
    array: String,
    /// The shape of the array: its rows, the columns of a row, and so on.
    shape: Vec<usize>,
    /// The least number of the array.
    low: f64,
    /// The largest number of the array.
    high: f64,
    /// How many numbers moves have. They count from 0.
    pub(super) moves: u64,
}

impl Spaces {
    /// Checks what a seat sees.
    ///
    /// # Errors
    /// The observation has no such array.
    pub(super) fn check(&self, seen: &Value) -> Result<(), String> {
        let Spaces { array, shape, low, high, .. } = self;
        match self.is_array(&seen[array], shape) {
            true => Ok(()),
            false => Err(format!("its `spaces` want {array:?} with shape {shape:?}, from {low} to {high}")),
        }
    }

    /// Returns true if this is an array of this shape whose numbers are within the bounds.
    fn is_array(&self, value: &Value, shape: &[usize]) -> bool {
        match (shape, value) {
            ([], _) => value.as_f64().is_some_and(|number| (self.low..=self.high).contains(&number)),
            ([count, rest @ ..], Value::Array(items)) => {
                items.len() == *count && items.iter().all(|item| self.is_array(item, rest))
            }
            _ => false,
        }
    }
}

/// The answer to `describe`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Description {
    /// The name of the game, of lowercase letters, digits, and hyphens.
    name: String,
    /// The version of the game, a word.
    version: String,
    /// The least and the largest number of seats.
    seats: [usize; 2],
    /// True if all seats decide at the same time.
    #[serde(default)]
    simultaneous: bool,
    /// The options of the rules, with their defaults.
    #[serde(default)]
    options: Map<String, Value>,
    /// The questions that the program answers in addition to those that each one does.
    #[serde(default)]
    supports: BTreeSet<Ability>,
    /// The difference in points that counts, above 0.
    unit: Option<f64>,
    /// How the text of the board is drawn.
    board: Option<Board>,
    /// What learners need. `arena check` compares it with observations and moves.
    spaces: Option<Spaces>,
}

impl Plain for Description {}

impl ProgramOptions {
    /// Starts the program once, and asks what the game is.
    ///
    /// # Errors
    /// The command is wrong, the program does not describe a game, or an option is not one of the game.
    pub(super) fn setup(&self) -> Result<ExternalSetup, Error> {
        let ProgramOptions { command, base, dir, .. } = self.clone();
        let bare = GameProgram { command, base, dir, ..GameProgram::default() };
        let command = &self.command;
        let program = Program::new(bare.entrant()?.command, self.run);
        let wrong = |why: String| Error::usage(format!("the game {command:?} cannot be played: {why}"));
        let hint = "docs/reference/game-protocol.md has the dialogue; try it by hand, or with arena check --game-command";
        let described: Description = program.ask(&Question::Describe).map_err(|why| wrong(why).hint(hint))?;
        let Description { name, version, seats, simultaneous, mut options, supports, unit, board, spaces } =
            described;
        for (option, text) in &self.options {
            let Some(value) = options.get_mut(option) else {
                let known: Vec<&str> = options.keys().map(String::as_str).collect();
                let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
                return Err(Error::usage(format!("--game-option {option}: {name} has no such option"))
                    .hint(format!("its options: {known}")));
            };
            *value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()));
        }
        if let Some(option) = options.keys().find(|option| OF_START.contains(&option.as_str())) {
            return Err(
                wrong(format!("its option {option:?} has the name of a field of \"start\"")).hint(hint)
            );
        }
        let sha256 = bare.entrant()?.own_digests()?;
        let game =
            GameProgram { name, version, seats, simultaneous, supports, unit, board, spaces, sha256, ..bare };
        game.check().map_err(|why| wrong(why).hint(hint))?;
        Ok(ExternalSetup { game, options: Value::Object(options) })
    }
}

impl ExternalSetup {
    /// Returns true if the program answers this question.
    pub fn can(&self, ability: Ability) -> bool {
        self.game.supports.contains(&ability)
    }

    /// Returns the options that choose this game in a command, each with a leading blank.
    pub(super) fn options(&self) -> String {
        let mut text = format!(" --game-command {}", shell_words::quote(&self.game.command));
        for (name, value) in self.options.as_object().into_iter().flatten() {
            let pair = format!("{name}={value}");
            text += &format!(" --game-option {}", shell_words::quote(&pair));
        }
        text
    }
}

impl GameProgram {
    /// Returns the program as a bot's command.
    ///
    /// # Errors
    /// The command is wrong.
    pub(super) fn entrant(&self) -> Result<Entrant, Error> {
        let GameProgram { command, base, dir, .. } = self.clone();
        let name = if self.name.is_empty() { "game".to_owned() } else { self.name.clone() };
        Entrant::of(GAME, &Identity { name, command, base, dir, ..Identity::default() })
    }

    /// Checks that the files of the program are those of the description, which results of a tournament have if it
    /// `is_recorded`.
    ///
    /// # Errors
    /// One has changed, or cannot be read, or two files may be meant.
    pub(super) fn check_files(&self, is_recorded: bool) -> Result<(), Error> {
        let entrant = self.entrant()?;
        if is_recorded {
            entrant.check_words(GAME)?;
        }
        let (found, recorded) = (entrant.own_digests()?, &self.sha256);
        if found == *recorded {
            return Ok(());
        }
        let GameProgram { name, command, base, .. } = self;
        if found.len() < recorded.len() {
            let place = base.as_deref().unwrap_or(Path::new(".")).display();
            return Err(Error::usage(format!(
                "a file of the game {name} is not found: {command}, in {place}"
            ))
            .hint("put it there, or name the program with --game-command"));
        }
        Err(Error::usage(format!("a file of the game {name} has changed: {command}"))
            .hint("put the old one back, or begin a new tournament"))
    }

    /// Checks the parts of the description.
    ///
    /// # Errors
    /// A name, the version, or a number of seats is out of bounds.
    pub(super) fn check(&self) -> Result<(), String> {
        let GameProgram { name, version, seats: [least, most], unit, .. } = self;
        if let Some(unit) = unit.filter(|unit| !(0.01..=10_000.0).contains(unit)) {
            return Err(format!("its unit is {unit}, and 0.01 to 10000 points are possible"));
        }
        self.board.as_ref().map_or(Ok(()), Board::check)?;
        if let Some(spaces) = &self.spaces
            && (spaces.moves > NUMBER_MAX || spaces.low > spaces.high)
        {
            let Spaces { low, high, moves, .. } = spaces;
            return Err(format!("its spaces have numbers from {low} to {high}, and {moves} moves"));
        }
        if !is_name(name) {
            return Err(format!("its name {name:?} is not of lowercase letters, digits, and hyphens"));
        }
        if !is_version(version) {
            return Err(format!("its version {version:?} is not a short word"));
        }
        match 1 <= *least && least <= most && *most <= SEATS_MAX {
            true => Ok(()),
            false => Err(format!("its seats are {least} to {most}, and 1 to {SEATS_MAX} are possible")),
        }
    }
}

//! Positions in which matches start, and the options that name them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::Deserialize;

use crate::setup::judged::Store;
use crate::setup::rules::RulesArgs;
use referee::error::Error;
use referee::games::{GameKind, GameName};
use referee::play::Position;
use referee::record::{MatchRecord, TurnRecord};
use referee::user_text;
use sandbox::SandboxLevel;
use tournament::plan::Plan;
use tournament::replay::{Records, Source};

/// The options of a command that starts matches in a position.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FromOptions {
    /// Start in a position: DIR#MATCH@TURN, RECORD@TURN, or FILE:LINE; TURN is an id, from 0
    #[arg(long, value_name = "POSITION", help_heading = "Position", hide_short_help = true)]
    pub(crate) from: Option<Origin>,
    /// Play the cards and rolls of the position's deal instead of dealing what was hidden anew
    #[arg(long, requires = "from", help_heading = "Position", hide_short_help = true)]
    pub(crate) deal_as_recorded: bool,
    /// Replace the move of a bot in that turn by MOVE, in JSON or "best" for the coach's move, and start after the turn
    #[arg(
        long,
        value_name = "BOT=MOVE",
        requires = "from",
        help_heading = "Position",
        hide_short_help = true
    )]
    pub(crate) instead: Option<String>,
}

/// The place of one or several positions.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub(crate) enum Origin {
    /// A turn of a record: the source, the number of the match if the source has several, and the id of the turn.
    Record { source: Source, index: Option<u64>, turn: u32 },
    /// A file of positions, and the number of a line from 1. Without it, all lines.
    File { path: PathBuf, line: Option<usize> },
}

impl From<String> for Origin {
    /// A path that exists as it is written is a file of positions.
    fn from(text: String) -> Origin {
        let text = text.as_str();
        let file = |path: &str, line| Origin::File { path: path.into(), line };
        if Path::new(text).exists() {
            return file(text, None);
        }
        let turn = text.rsplit_once('@').and_then(|(record, turn)| Some((record, turn.parse().ok()?)));
        if let Some((record, turn)) = turn {
            let match_ = record.rsplit_once('#').and_then(|(path, index)| Some((path, index.parse().ok()?)));
            let (path, index) = match_.map_or((record, None), |(path, index)| (path, Some(index)));
            return Origin::Record { source: Source::at(Path::new(path)), index, turn };
        }
        let line = text.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
        line.map_or_else(|| file(text, None), |(path, line)| file(path, Some(line)))
    }
}

/// The field that tells the game of a position.
#[derive(Deserialize)]
struct Head {
    game: String,
}

impl Origin {
    /// Returns the game of the first position.
    ///
    /// # Errors
    /// The file cannot be read, or has no position.
    pub(crate) fn game(&self) -> Result<GameName, Error> {
        match self {
            Origin::Record { source, .. } => source.game(),
            Origin::File { path, line } => {
                let lines = lines(path, *line)?;
                let (number, text) = &lines[0];
                let head: Result<Head, _> = serde_json::from_str(text);
                let head = head.map_err(|error| Error::usage(format!("not a position: {error}")));
                head.and_then(|head| GameName::named(&head.game)).map_err(|error| at(path, *number, error))
            }
        }
    }

    /// Returns the positions, and the rules and components of all of them.
    ///
    /// # Errors
    /// The file cannot be read. A position cannot be played, or has other rules or seats than the first one.
    fn read<G: GameKind>(&self, is_whole: bool, instead: Option<&str>) -> Result<Positions<G>, Error> {
        if G::IS_PROGRAM {
            return Err(GameName::only_built_in("a start from a position"));
        }
        match self {
            Origin::Record { source, index, turn } => {
                let (number, line) = source.find(*index)?;
                let (mut record, _) = Records::<G>::open(source)?.verified(number, &line)?;
                if let Some(instead) = instead {
                    replace(&mut record, *turn, instead, source)?;
                }
                let turn = turn + u32::from(instead.is_some());
                let position = Position::of_record(&record, turn, is_whole)?;
                Positions::new(source.named(), vec![(number as usize, position)], is_whole)
            }
            Origin::File { .. } if instead.is_some() => {
                Err(Error::usage("--instead is for a turn of a record, and this is a file of positions")
                    .hint("add the move to \"moves\" in a copy of the line"))
            }
            Origin::File { path, line } => {
                let read = |(number, text): (usize, String)| {
                    let position = Position::from_line(text.as_bytes());
                    position.map(|position| (number, position)).map_err(|error| at(path, number, error))
                };
                let found = lines(path, *line)?.into_iter().map(read).collect::<Result<_, Error>>()?;
                Positions::new(path, found, is_whole)
            }
        }
    }

    /// Returns the place with a relative path in this folder.
    pub(crate) fn in_folder(self, folder: &Path) -> Origin {
        match self {
            Origin::Record { source, index, turn } => {
                Origin::Record { source: Source::at(&folder.join(source.named())), index, turn }
            }
            Origin::File { path, line } => Origin::File { path: folder.join(path), line },
        }
    }
}

impl FromOptions {
    /// Returns the positions of `--from`, if it is given.
    ///
    /// # Errors
    /// As [`Origin::read`]. The options choose rules too, which the position has, or the sandbox is strict and the deal
    /// as recorded.
    pub(crate) fn read<G: GameKind>(
        &self,
        rules: &RulesArgs,
        contain: Option<SandboxLevel>,
    ) -> Result<Option<Positions<G>>, Error> {
        let Some(from) = &self.from else { return Ok(None) };
        if self.deal_as_recorded && contain.is_some_and(SandboxLevel::is_strict) {
            return Err(Error::usage(
                "--deal-as-recorded is not for --contain strict: bots may know the record",
            )
            .hint("leave out one of them"));
        }
        if *rules != RulesArgs::default() {
            return Err(Error::usage("the position has its rules and components")
                .hint("leave out the options that choose them"));
        }
        from.read(self.deal_as_recorded, self.instead.as_deref()).map(Some)
    }

    /// Returns the asked game, or that of the first position, or else the default.
    ///
    /// # Errors
    /// As [`Origin::game`].
    pub(crate) fn game(&self, asked: Option<GameName>) -> Result<GameName, Error> {
        match (asked, &self.from) {
            (None, Some(from)) => from.game(),
            (asked, _) => Ok(asked.unwrap_or_default()),
        }
    }
}

/// Positions with the same rules and the same number of seats.
pub(crate) struct Positions<G: GameKind> {
    /// The rules and components.
    pub(crate) equipment: Arc<G::Equipment>,
    /// The positions, at least one.
    pub(crate) positions: Vec<Position<G>>,
    /// The number of seats.
    pub(crate) seats: usize,
}

impl<G: GameKind> Positions<G> {
    /// Checks the positions of a file, each with its line, or its place in a plan.
    ///
    /// # Errors
    /// As [`Origin::read`].
    fn new(path: &Path, lines: Vec<(usize, Position<G>)>, is_whole: bool) -> Result<Positions<G>, Error> {
        let (number, first) = &lines[0];
        let setup = first.setup.clone();
        let equipment =
            G::equip(&setup).map_err(|error| at(path, *number, Error::usage(error.to_string())))?;
        let mut found = Positions { equipment: Arc::new(equipment), positions: Vec::new(), seats: 0 };
        for (number, position) in lines {
            let other = |what: String| Err(Error::usage(format!("{what} in the first position")));
            let has_other_rules = position.setup != setup;
            let checked = position.checked(&found.equipment, is_whole).and_then(|position| {
                let game = position.start(&found.equipment, 0).begin(&found.equipment)?;
                match game.seats() {
                    _ if has_other_rules => other("its rules or components are not those".to_owned()),
                    seats if found.seats > 0 && seats != found.seats => {
                        other(format!("it has {seats} seats instead of the {}", found.seats))
                    }
                    seats => Ok((position, seats)),
                }
            });
            let (position, seats) = checked.map_err(|error| at(path, number, error))?;
            found.seats = seats;
            found.positions.push(position);
        }
        Ok(found)
    }

    /// Checks the positions of a plan, which may come from others. Returns `None` if it has none.
    ///
    /// # Errors
    /// As [`Origin::read`].
    pub(crate) fn of_plan(file: &Path, plan: &Plan<G::Setup>) -> Result<Option<Positions<G>>, Error> {
        let positions = plan.positions::<G>()?;
        let Some(first) = positions.first() else { return Ok(None) };
        let equipment = G::equip(&first.setup)?;
        let is_whole = first.is_whole(&equipment);
        Positions::new(file, positions.into_iter().enumerate().collect(), is_whole).map(Some)
    }

    /// Returns the only position.
    ///
    /// # Errors
    /// There are several.
    pub(crate) fn only(&self) -> Result<&Position<G>, Error> {
        match &self.positions[..] {
            [position] => Ok(position),
            several => Err(Error::usage(format!("the file has {} positions", several.len()))
                .hint("say which with its line, such as --from FILE:3")),
        }
    }
}

/// The word for the best move of the coach.
const BEST: &str = "best";

/// Replaces the move of a bot in a turn by that of a text `BOT=MOVE`.
fn replace<G: GameKind>(
    record: &mut MatchRecord<G>,
    turn: u32,
    text: &str,
    source: &Source,
) -> Result<(), Error> {
    let wrong = |what: String| Error::usage(format!("--instead: {what}"));
    let (bot, wire_move) =
        text.split_once('=').ok_or_else(|| wrong("no \"=\" after the name of a bot".into()))?;
    let is_it = |moved: &&mut TurnRecord<_>| moved.id == turn && record.bots[moved.seat] == bot;
    let found = record.turns.iter_mut().find(is_it);
    let found = found
        .ok_or_else(|| wrong(format!("{bot:?} has no move in turn {turn} of match {}", record.index)))?;
    let read = match (wire_move, source.results()) {
        (BEST, Some(folder)) => Store::best(folder, &record.digest, turn, found.seat)?.ok_or_else(|| {
            wrong("the coach has not judged that turn".to_owned()).hint(format!(
                "arena analyze {} --match {}",
                folder.display(),
                record.index
            ))
        })?,
        _ => serde_json::from_str(wire_move).map_err(|error| wrong(format!("{wire_move:?}: {error}")))?,
    };
    let read = serde_json::from_value(read);
    found.wire_move = Some(read.map_err(|error| wrong(format!("no move of {}: {error}", G::NAME)))?);
    Ok(())
}

/// Returns the lines that are not empty with their numbers from 1, or one of them.
fn lines(path: &Path, only: Option<usize>) -> Result<Vec<(usize, String)>, Error> {
    if path.is_dir() {
        return Err(Error::usage(format!("{} is a directory", path.display()))
            .hint("name a turn of one of its matches: DIR#MATCH@TURN"));
    }
    let text = user_text::read(path)?;
    let is_it =
        |(number, line): &(usize, &str)| only.is_none_or(|only| only == *number) && !line.trim().is_empty();
    let found = text.lines().enumerate().map(|(place, line)| (place + 1, line)).filter(is_it);
    let found: Vec<(usize, String)> = found.map(|(number, line)| (number, line.to_owned())).collect();
    match (found.is_empty(), only) {
        (false, _) => Ok(found),
        (true, None) => Err(Error::usage(format!("{} has no position", path.display()))
            .hint("arena matches DIR --match N --position ID prints one")),
        (true, Some(only)) => Err(Error::usage(format!("{} has no position in line {only}", path.display()))
            .hint(format!("it has {} lines", text.lines().count()))),
    }
}

/// Adds the place to an error.
fn at(path: &Path, number: usize, error: Error) -> Error {
    error.at(format!("{} line {number}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_positions_are_told_apart() {
        let read = |text: &str| Origin::from(text.to_owned());
        let record = |path: &str, index, turn| {
            let source = Source::at(Path::new(path));
            Origin::Record { source, index, turn }
        };
        let file = |path: &str, line| Origin::File { path: path.into(), line };
        assert_eq!(read("results/doodle-1#17@12"), record("results/doodle-1", Some(17), 12));
        assert_eq!(read("match.json@3"), record("match.json", None, 3));
        assert_eq!(read("a#b/c@4"), record("a#b/c", None, 4));
        assert_eq!(read("some.jsonl:7"), file("some.jsonl", Some(7)));
        assert_eq!(read("C:x.jsonl"), file("C:x.jsonl", None));
        assert_eq!(read("Cargo.toml"), file("Cargo.toml", None));
    }
}

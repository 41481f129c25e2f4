//! The recorded matches that a command reads: their file, and the options that select them.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::setup::out::named_or_newest;
use referee::error::Error;
use tournament::replay::Source;
use tournament::replay::selection::{MatchRow, Selection};
use tournament::report::words::count;

/// The options of every command that reads recorded matches.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RecordsArgs {
    /// A tournament directory, its matches.jsonl, or a record of "arena match --record" [default: the
    /// newest in results]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) select: Selection,
}

/// A line of a file with its number, from 1.
type Numbered = (u64, Vec<u8>);

impl RecordsArgs {
    /// Returns the options for this file and match.
    pub(crate) fn of(file: &Path, index: Option<u64>) -> RecordsArgs {
        let select = Selection { matched: index, ..Selection::default() };
        RecordsArgs { file: Some(file.to_owned()), select }
    }

    /// Returns the source of the records.
    ///
    /// # Errors
    /// Nothing is named, and there is no tournament in `results`.
    pub(crate) fn source(&self) -> Result<Source, Error> {
        named_or_newest(self.file.as_deref()).map(|path| Source::at(&path))
    }

    /// Returns true if an option selects matches, other than `--match`.
    pub(crate) fn selects(&self) -> bool {
        self.select.selects()
    }

    /// Returns the selected matches of a file.
    ///
    /// # Errors
    /// The file cannot be read, or has no such bot or match.
    pub(crate) fn rows(&self, source: &Source) -> Result<Vec<MatchRow>, Error> {
        let select = &self.select;
        if let Some(name) = select.with.as_ref().filter(|name| select.against.contains(name)) {
            return Err(Error::usage(format!("{name:?} cannot play against itself"))
                .hint("name another bot with --against"));
        }
        let rows = select.rows(source)?;
        if rows.is_empty() && select.matched.is_some() {
            source.find(select.matched)?; // for the error
            let row = Selection { matched: select.matched, ..Selection::default() }.rows(source)?.pop();
            let bots: Vec<String> = row.into_iter().flat_map(|row| row.seats).map(|seat| seat.bot).collect();
            if let Some(name) = select.with.as_ref().filter(|name| !bots.contains(name)) {
                return Err(Error::usage(format!("{name:?} does not play in that match"))
                    .hint(format!("its bots are {}", bots.join(", "))));
            }
        }
        Ok(rows)
    }

    /// Returns the selected lines of a file: the match of `--match`, or the only one, if no other option selects.
    ///
    /// # Errors
    /// The file cannot be read, no match is selected, or the file has several matches and no option selects.
    pub(crate) fn lines(&self, source: &Source) -> Result<Vec<Numbered>, Error> {
        if !self.selects() {
            return Ok(vec![source.find(self.select.matched)?]);
        }
        let rows = self.rows(source)?;
        if rows.is_empty() {
            return Err(Error::usage("the options select no match")
                .hint(format!("arena matches {} lists all", source.path().display())));
        }
        source.lines_of(&rows)
    }

    /// Returns the only selected line of a file.
    ///
    /// # Errors
    /// As [`lines`](Self::lines), or several matches are selected.
    pub(crate) fn line(&self, source: &Source) -> Result<Numbered, Error> {
        let mut lines = self.lines(source)?;
        match (lines.pop(), lines.len()) {
            (Some(line), 0) => Ok(line),
            (_, others) => Err(Error::usage(format!(
                "{} are selected, and this command takes one",
                count(others as u64 + 1, "match")
            ))
            .hint("add --worst 1, or --match N")),
        }
    }

    /// Returns the bot of `--with`.
    pub(crate) fn subject(&self) -> Option<&str> {
        self.select.with.as_deref()
    }
}

/// Checks that each of these bots plays in a selected match.
///
/// # Errors
/// None of the matches has one of them.
pub(crate) fn check_bots(rows: &[MatchRow], bots: &[String]) -> Result<(), Error> {
    let plays = |bot: &&String| rows.iter().any(|row| row.seats.iter().any(|seat| seat.bot == **bot));
    match bots.iter().find(|bot| !plays(bot)) {
        None => Ok(()),
        Some(bot) => Err(Error::usage(format!("no selected match has a bot named {bot:?}"))),
    }
}

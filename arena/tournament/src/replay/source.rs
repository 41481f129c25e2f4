//! Sources of records: a tournament's directory, its journal, or the file of one record.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Difference;
use super::lines::{Lines, ReadAt, Span};
use crate::journal::{End, JOURNAL, Line, READ_BYTES, read_from, results};
use crate::plan::stages;
use crate::plan::{TOURNAMENT, TournamentFile, TournamentHead};
use crate::standings::kept::{Hashed, Kept};
use crate::state::State;
use referee::error::Error;
use referee::games::{GameKind, GameName};
use referee::play::time_control::TimeControl;
use referee::record::Summary;

/// The hint for paths without records.
const NAME_ONE: &str = "name a tournament's directory, its matches.jsonl, or what --record wrote";

/// A file of records, and the file of their tournament, if they have one. Each is opened once.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as the user wrote it.
    named: PathBuf,
    path: PathBuf,
    /// True if the user named the file itself.
    is_named: bool,
    file: OnceLock<Arc<File>>,
    /// The path of the tournament's file, if there is one.
    tournament: Option<PathBuf>,
    /// The text of the tournament's file.
    plan: OnceLock<String>,
}

/// The fields that identify a line.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "match")]
    index: u64,
    game: String,
}

/// Two sources are equal if their paths are.
impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.named == other.named
    }
}

impl Eq for Source {}

impl Source {
    /// Returns the source at a path: a directory of results, or a file of records. Reads nothing yet.
    pub fn at(path: &Path) -> Source {
        let (named, is_named) = (path.to_owned(), !path.is_dir());
        let path = if is_named { path.to_owned() } else { path.join(JOURNAL) };
        let beside = path.with_file_name(TOURNAMENT);
        let is_journal = path.file_name().is_some_and(|name| name == JOURNAL);
        let tournament = Some(beside).filter(|file| is_journal && file.exists());
        Source { named, path, is_named, tournament, file: OnceLock::new(), plan: OnceLock::new() }
    }

    /// The directory of the file.
    pub fn dir(&self) -> &Path {
        let dir = self.path.parent().unwrap_or(&self.path);
        if dir.as_os_str().is_empty() { Path::new(".") } else { dir }
    }

    /// The directory of the tournament, if the records are those of one.
    pub fn results(&self) -> Option<&Path> {
        self.tournament.as_ref().map(|_| self.dir())
    }

    /// Returns the game of the first record.
    ///
    /// # Errors
    /// Fails if the file cannot be read, has no record, or has an unknown game.
    pub fn game(&self) -> Result<GameName, Error> {
        let (mut lines, mut line) = (self.lines()?, Vec::new());
        if !lines.read(&mut line)? {
            return Err(self.empty());
        }
        self.game_of(&line)
    }

    /// The path as the user wrote it: of the file, or of its directory.
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the game of a line. For a damaged line, searches its text for the name of a game.
    fn game_of(&self, line: &[u8]) -> Result<GameName, Error> {
        let place = self.path.display();
        match serde_json::from_slice::<Head>(line) {
            Ok(head) => GameName::named(&head.game).map_err(|_| {
                Error::usage(format!(
                    "{place} has a match of {:?}, which is no game of this arena",
                    head.game
                ))
            }),
            Err(error) => {
                let text = String::from_utf8_lossy(line);
                let has = |game: &GameName| text.contains(&format!("\"game\":\"{}\"", game.as_str()));
                GameName::ALL.into_iter().find(has).ok_or_else(|| {
                    Error::usage(format!("{place} is not a file of match records: {error}")).hint(NAME_ONE)
                })
            }
        }
    }

    /// The lines, from the first.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn lines(&self) -> Result<Lines, Error> {
        let reader = ReadAt { file: Arc::clone(self.file()?), offset: 0 };
        Ok(Lines::new(BufReader::with_capacity(READ_BYTES, reader), self.path.clone()))
    }

    /// Passes every complete record to `take`, as [`read`](crate::journal::read).
    ///
    /// # Errors
    /// As [`read`](crate::journal::read).
    pub fn read<T: DeserializeOwned>(
        &self,
        take: impl FnMut(T, Line<'_>) -> Result<(), Error>,
    ) -> Result<End, Error> {
        self.read_after(0, 0, take)
    }

    /// As [`read`](Self::read), after this number of lines, which have this number of bytes.
    pub(crate) fn read_after<T: DeserializeOwned>(
        &self,
        lines: u64,
        bytes: u64,
        take: impl FnMut(T, Line<'_>) -> Result<(), Error>,
    ) -> Result<End, Error> {
        let file = ReadAt { file: Arc::clone(self.file()?), offset: bytes };
        read_from(&self.path, (lines, bytes), file, take)
    }

    /// Returns the file in the user's cache with what was read of these records.
    pub(crate) fn kept(&self) -> Result<Kept, Error> {
        Ok(Kept::of(&self.path, self.plan()?.unwrap_or_default()))
    }

    /// Returns the line at this place.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is shorter now.
    pub fn line(&self, span: Span) -> Result<Vec<u8>, Error> {
        let mut line = vec![0; span.length as usize];
        let read = self.file()?.read_exact_at(&mut line, span.offset);
        read.map(|()| line).map_err(|error| Error::unreadable(&self.path, &error))
    }

    pub(crate) fn file(&self) -> Result<&Arc<File>, Error> {
        match self.file.get() {
            Some(file) => Ok(file),
            None => {
                let open = if self.is_named { results::open_named } else { results::open };
                let folder = self.path.parent().unwrap_or(Path::new(""));
                let wrong =
                    |error| Error::unreadable(&self.path, &error).hint(stages::hint(folder, NAME_ONE));
                let file = open(&self.path).map_err(wrong)?;
                Ok(self.file.get_or_init(|| Arc::new(file)))
            }
        }
    }

    /// Returns the text of the tournament's file, if the journal's directory has one.
    fn plan(&self) -> Result<Option<&str>, Error> {
        let Some(path) = &self.tournament else { return Ok(None) };
        if let Some(text) = self.plan.get() {
            return Ok(Some(text));
        }
        let text = TournamentHead::text(path)?;
        Ok(Some(self.plan.get_or_init(|| text)))
    }

    /// The file of the tournament without the game's own part, if the journal's directory has it.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn head(&self) -> Result<Option<TournamentHead>, Error> {
        let of = |(text, path): (&str, &PathBuf)| TournamentHead::of_text(text, path);
        self.plan()?.zip(self.tournament.as_ref()).map(of).transpose()
    }

    /// As [`head`](Self::head), for a source that must be of a tournament.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or does not exist.
    pub fn begun(&self) -> Result<TournamentHead, Error> {
        self.head()?.map_or_else(|| TournamentHead::read(&self.named), Ok)
    }

    /// The file of the tournament, if the journal's directory has one.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn tournament<G: GameKind>(&self) -> Result<Option<TournamentFile<G::Setup>>, Error> {
        let without =
            |error: Error| error.hint("to look at the records without it, copy the journal elsewhere");
        self.head().map_err(without)?;
        let Some((text, path)) = self.plan()?.zip(self.tournament.as_ref()) else { return Ok(None) };
        let file = serde_json::from_str(text);
        file.map(Some).map_err(|error| {
            without(Error::usage(format!("{} is not a tournament's file: {error}", path.display())))
        })
    }

    /// The limits of each bot by its name, if the journal's directory has the tournament's file.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn limits(&self) -> Result<HashMap<String, TimeControl>, Error> {
        let limits = |head: TournamentHead| head.plan.names().into_iter().zip(head.plan.bot_limits());
        Ok(self.head()?.into_iter().flat_map(limits).collect())
    }

    /// Returns the tournament, and its state after the matches of the journal. The counts of a large journal
    /// come from the user's cache as far as they are there.
    ///
    /// # Errors
    /// Fails if the source is not of a tournament, or if its journal cannot be read or is not of its plan.
    pub fn state(&self) -> Result<(TournamentHead, State, End), Error> {
        let head = self.begun()?;
        let (mut state, kept) = (State::of(&head)?, self.kept()?);
        let (tally, part) = kept.read(self.file()?, state.tally()).unzip();
        tally.into_iter().for_each(|tally| state.restore(tally));
        let part = part.unwrap_or_default();
        let (lines, bytes) = (part.lines, part.bytes());
        let mut read = Hashed::after(part);
        let end = self.read_after::<Summary>(lines, bytes, |summary, line| {
            read.add(&line);
            state.apply(&summary).map(drop)
        })?;
        state.end()?;
        kept.write(read, state.tally());
        Ok((head, state, end))
    }

    /// Finds the match with this index. Returns the number of its line, from 1, and the line. Without an
    /// index, the file must have exactly one match.
    ///
    /// # Errors
    /// Fails if the match does not exist, or if there are several matches and no index.
    pub fn find(&self, index: Option<u64>) -> Result<(u64, Vec<u8>), Error> {
        let Some(index) = index else { return self.only() };
        let (mut lines, mut line) = (self.lines()?, Vec::new());
        let head = format!("{{\"match\":{index},");
        while lines.read(&mut line)? {
            let is_it = || serde_json::from_slice::<Head>(&line).is_ok_and(|head| head.index == index);
            if line.starts_with(head.as_bytes()) || (!line.starts_with(b"{\"match\":") && is_it()) {
                return Ok((lines.number(), line));
            }
        }
        let (path, count) = (self.path.display(), lines.number());
        Err(Error::usage(format!("there is no match {index} in {path}"))
            .hint(format!("it has {count} matches; their numbers are the \"match\" of its lines")))
    }

    fn only(&self) -> Result<(u64, Vec<u8>), Error> {
        let (mut lines, mut line) = (self.lines()?, Vec::new());
        match lines.read(&mut line)? && !lines.read(&mut Vec::new())? {
            true => Ok((1, line)),
            false => Err(Error::usage(format!("{} has several matches", self.path.display()))
                .hint("say which with --match N")),
        }
    }

    /// Returns true if there is more than one record.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn is_journal(&self) -> Result<bool, Error> {
        let (mut lines, mut line) = (self.lines()?, Vec::new());
        Ok(lines.read(&mut line)? && lines.read(&mut line)?)
    }

    /// The answer "no" for a wrong line.
    pub fn no(&self, number: u64, difference: &Difference) -> Error {
        Error::no(format!("{} line {number}: {difference}", self.path.display()))
    }

    /// The error for a file without records.
    pub fn empty(&self) -> Error {
        Error::usage(format!("{} has no whole record", self.path.display())).hint(NAME_ONE)
    }
}

//! The match files in a tournament's directory: the journal, and the shards of several machines. Finds new
//! files, reads them as they grow, and follows renames.
//!
//! A complete shard file replaces all other files of the same shard, as in `arena merge`. The files of
//! interrupted runs are then no longer read. The caller removes duplicate matches.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::contents::{Contents, Line};
use super::tail::{Seen, Tail};
use referee::error::Error;
use referee::note::note;
use sandbox::text::line;
use tournament::journal::JOURNAL;
use tournament::journal::shard::{ShardFile, shards_in};

/// The time between two looks at the directory, or at a shard that did not grow. A tournament may have many
/// shards, and the directory may be on a file server.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The number of bytes read from a file at once.
const READ_BYTES: usize = 1 << 20;

/// The result of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum News {
    /// No new lines.
    None,
    /// New lines; more may follow.
    Lines,
    /// Matches read earlier are no longer valid. The caller must read all files from the beginning.
    Anew,
}

/// The match files. Each file keeps its number.
#[derive(Debug)]
pub(super) struct Sources {
    dir: PathBuf,
    plan_digest: String,
    /// The files by number; the journal is number 0.
    files: Vec<Source>,
    /// The buffer for all reads.
    buffer: Vec<u8>,
    look_due: Instant,
    /// The error of the last look at the directory, if there was one.
    trouble: Option<String>,
}

#[derive(Debug)]
struct Source {
    file: ShardFile,
    tail: Tail,
    contents: Contents,
    /// True if the next line is invalid. The line is read again at intervals, because recent writes of
    /// another machine may arrive in pieces.
    is_stuck: bool,
    /// True if a complete file of the same shard replaces this one.
    is_aside: bool,
    /// The time of the next read.
    due: Instant,
    trouble: Option<String>,
}

/// The number of shards of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Parts {
    /// The number of complete shards.
    pub whole: u64,
    /// The number of shards in the plan; `None` if the files disagree about it.
    pub of: Option<u64>,
}

impl Sources {
    /// Creates the list of files for the tournament in `dir` with this plan. Reads nothing yet.
    pub(super) fn new(dir: &Path, plan_digest: &str) -> Sources {
        let journal = ShardFile { name: JOURNAL.to_owned(), whole_name: None };
        Sources {
            dir: dir.to_owned(),
            plan_digest: plan_digest.to_owned(),
            files: vec![Source::new(dir, journal)],
            buffer: vec![0; READ_BYTES],
            look_due: Instant::now(),
            trouble: None,
        }
    }

    /// Returns the files by number, with their current names.
    pub(super) fn files(&self) -> Vec<ShardFile> {
        self.files.iter().map(|source| source.file.clone()).collect()
    }

    /// Returns true if `files` are the files with their current names.
    pub(super) fn are(&self, files: &[ShardFile]) -> bool {
        self.files.iter().map(|source| &source.file).eq(files)
    }

    /// Returns the number of files.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Finds new, renamed, and removed files.
    pub(super) fn look(&mut self) -> News {
        if Instant::now() < self.look_due {
            return News::None;
        }
        self.look_due = Instant::now() + LOOK_EVERY;
        let there = shards_in(&self.dir);
        self.trouble = there.as_ref().err().map(|error| error.message().to_owned());
        let Ok(there) = there else { return News::None };
        let names: HashSet<&str> = there.iter().map(|file| file.name.as_str()).collect();
        let known: HashSet<String> = self.files.iter().map(|source| source.file.name.clone()).collect();
        let is_aside =
            |file: &ShardFile| file.whole_name.as_deref().is_some_and(|whole| names.contains(whole));
        for file in there.iter().filter(|file| !known.contains(&file.name) && !is_aside(file)) {
            self.find(file);
        }
        let mut news = News::None;
        for source in &mut self.files[1..] {
            source.is_aside = is_aside(&source.file);
            let is_gone = !source.is_aside && !names.contains(source.file.name.as_str());
            if is_gone && source.contents.matches > 0 {
                news = News::Anew;
            } else if is_gone {
                *source = Source::new(&self.dir, source.file.clone());
            }
        }
        if self.is_contested() { News::Anew } else { news }
    }

    /// Handles a new name, which is a completed run under its final name or a new file.
    fn find(&mut self, file: &ShardFile) {
        let path = self.dir.join(&file.name);
        let facts = fs::metadata(&path).ok();
        let is_run_of = |source: &&mut Source| source.file.whole_name.as_ref() == Some(&file.name);
        let is_it = |source: &&mut Source| facts.as_ref().is_some_and(|facts| source.tail.is_of(facts));
        match self.files.iter_mut().filter(is_run_of).find(is_it) {
            Some(source) => (source.file, source.tail.path) = (file.clone(), path),
            None => self.files.push(Source::new(&self.dir, file.clone())),
        }
    }

    /// Returns true if a complete shard file has an invalid line and matches from another run of the same
    /// shard are counted. The matches may contradict each other, and only the complete file is valid.
    fn is_contested(&self) -> bool {
        let is_run = |run: &Source, whole: &Source| {
            run.file.whole_name.as_ref() == Some(&whole.file.name) && run.contents.matches > 0
        };
        let mut wrong = self.files.iter().filter(|source| source.is_stuck);
        wrong.any(|whole| self.files.iter().any(|run| is_run(run, whole)))
    }

    /// Passes the next matches of the file with this number to `take`. If `take` refuses a match, stops
    /// before it.
    pub(super) fn read(
        &mut self,
        number: usize,
        mut take: impl FnMut(Line<'_>) -> Result<(), Error>,
    ) -> News {
        let Sources { plan_digest, files, buffer, .. } = self;
        let source = &mut files[number];
        let is_shard = number > 0;
        if source.contents.is_whole || source.is_aside || Instant::now() < source.due {
            return News::None;
        }
        let (contents, mut wrong) = (&mut source.contents, None);
        let seen = source.tail.read(buffer, |offset, bytes| {
            if wrong.is_none() {
                let taken =
                    contents.take(is_shard, plan_digest, Line { offset, bytes, head: None }, &mut take);
                wrong = taken.err().map(|error| (offset, error));
            }
        });
        if let Some((offset, error)) = wrong {
            source.stick(offset, &error);
            return News::None;
        }
        match seen {
            Ok(Seen::Lines) => {
                (source.is_stuck, source.trouble) = (false, None);
                News::Lines
            }
            Ok(Seen::Another) => News::Anew,
            Ok(Seen::Gone) if !is_shard => News::Anew,
            Ok(Seen::Gone) => {
                // The file has a new name now, or the next look at the directory shows the reason.
                self.look_due = Instant::now();
                News::None
            }
            Ok(Seen::Same) => {
                source.rest(is_shard, None);
                News::None
            }
            Err(error) => {
                let path = source.tail.path.clone();
                source.rest(is_shard, Some(Error::unreadable(&path, &error).message().to_owned()));
                News::None
            }
        }
    }

    /// Returns the share of readable bytes that have been read, in percent.
    pub(super) fn percent(&self) -> u8 {
        let is_open = |source: &&Source| !source.contents.is_whole && !source.is_aside && !source.is_stuck;
        let open = || self.files.iter().filter(is_open).map(|source| &source.tail);
        let (seen, length) = (open().map(|tail| tail.seen_bytes), open().map(|tail| tail.length));
        let (seen, length): (u64, u64) = (seen.sum(), length.sum());
        // A file may have grown since its length was read.
        (100 * seen).checked_div(length).map_or(100, |percent| percent.min(100)) as u8
    }

    /// Returns the number of shards, or `None` for a tournament without shards.
    pub(super) fn parts(&self) -> Option<Parts> {
        let shards = || self.files.iter().filter_map(|source| Some((source, source.contents.shard?)));
        let of = shards().next()?.1.of;
        let of = shards().all(|(_, shard)| shard.of == of).then_some(of);
        let is_whole = |source: &Source| source.contents.is_whole && source.file.whole_name.is_none();
        let whole = shards().filter(|(source, _)| is_whole(source)).map(|(_, shard)| shard);
        Some(Parts { whole: whole.collect::<HashSet<_>>().len() as u64, of })
    }

    /// Describes the problems with the files in one line, if there are any.
    pub(super) fn trouble(&self) -> Option<String> {
        let files = self.files.iter().filter(|source| !source.is_aside);
        let mut all = self.trouble.iter().chain(files.filter_map(|source| source.trouble.as_ref()));
        let first = all.next()?;
        Some(match all.count() {
            0 => line(first).into_owned(),
            1 => line(first).into_owned() + "; another file is in trouble too",
            more => line(first).into_owned() + &format!("; {more} other files are in trouble too"),
        })
    }
}

impl Source {
    fn new(dir: &Path, file: ShardFile) -> Source {
        let tail = Tail::new(dir.join(&file.name));
        Source {
            file,
            tail,
            contents: Contents::default(),
            is_stuck: false,
            is_aside: false,
            due: Instant::now(),
            trouble: None,
        }
    }

    /// Notes that the file has no new lines, with the error if it cannot be read.
    fn rest(&mut self, is_shard: bool, trouble: Option<String>) {
        if is_shard {
            self.due = Instant::now() + LOOK_EVERY;
        }
        (self.is_stuck, self.trouble) = (false, trouble);
    }

    /// Notes that the line at this offset is invalid.
    fn stick(&mut self, offset: u64, error: &Error) {
        let (path, what) = (self.tail.path.display(), error.message());
        let trouble = Some(format!("{path} at byte {offset}: {what}; nothing behind it is read"));
        if let Some(new) = trouble.as_ref().filter(|_| self.trouble != trouble) {
            note(&format!("note: {}", line(new)));
        }
        self.tail.back_to(offset);
        (self.is_stuck, self.trouble, self.due) = (true, trouble, Instant::now() + LOOK_EVERY);
    }
}

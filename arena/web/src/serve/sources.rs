//! The files of matches in a tournament's directory, as they come, grow and get their names: the journal, and the
//! parts that machines play there.
//!
//! The file of a part that is whole stands for all runs of that part, as it does for `arena merge`: beside it those
//! that did not come to their end are not read. What must not be counted twice is for whoever counts.

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
use tournament::journal::shard::{PartFile, parts_in};

/// How long until a part that did not grow, and the directory, are looked at again: many machines may write many
/// parts, and the directory may be that of a file server.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Read at once of a file.
const READ_BYTES: usize = 1 << 20;

/// What came of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum News {
    /// Nothing new.
    None,
    /// Lines, and perhaps more of them.
    Lines,
    /// What was read does not stand any more: all must be read from its beginning.
    Anew,
}

/// The files. Each keeps its number.
#[derive(Debug)]
pub(super) struct Sources {
    dir: PathBuf,
    plan_digest: String,
    /// The journal first.
    files: Vec<Source>,
    /// What is read goes through it.
    buffer: Vec<u8>,
    look_due: Instant,
    /// Why the directory cannot be looked through, if so.
    trouble: Option<String>,
}

#[derive(Debug)]
struct Source {
    file: PartFile,
    tail: Tail,
    contents: Contents,
    /// A line cannot stand where it stands. It is read again now and then: what another machine has just written may
    /// come in pieces.
    is_stuck: bool,
    /// A whole part stands for it.
    is_aside: bool,
    /// When it is looked at again.
    due: Instant,
    trouble: Option<String>,
}

/// How many parts of a tournament are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Parts {
    /// Those that are whole.
    pub whole: u64,
    /// All of them, where those that are there are of one number.
    pub of: Option<u64>,
}

impl Sources {
    /// Those in this directory of the tournament with this plan; none is read yet.
    pub(super) fn new(dir: &Path, plan_digest: &str) -> Sources {
        let journal = PartFile { name: JOURNAL.to_owned(), whole_name: None };
        Sources {
            dir: dir.to_owned(),
            plan_digest: plan_digest.to_owned(),
            files: vec![Source::new(dir, journal)],
            buffer: vec![0; READ_BYTES],
            look_due: Instant::now(),
            trouble: None,
        }
    }

    /// The files, by number, under the names that they have now.
    pub(super) fn files(&self) -> Vec<PartFile> {
        self.files.iter().map(|source| source.file.clone()).collect()
    }

    /// Whether these are the files, under their names.
    pub(super) fn are(&self, files: &[PartFile]) -> bool {
        self.files.iter().map(|source| &source.file).eq(files)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Finds files that were not there before, have another name, or are gone.
    pub(super) fn look(&mut self) -> News {
        if Instant::now() < self.look_due {
            return News::None;
        }
        self.look_due = Instant::now() + LOOK_EVERY;
        let there = parts_in(&self.dir);
        self.trouble = there.as_ref().err().map(|error| error.message().to_owned());
        let Ok(there) = there else { return News::None };
        let names: HashSet<&str> = there.iter().map(|file| file.name.as_str()).collect();
        let known: HashSet<String> = self.files.iter().map(|source| source.file.name.clone()).collect();
        let is_aside =
            |file: &PartFile| file.whole_name.as_deref().is_some_and(|whole| names.contains(whole));
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

    /// A new name: of a run that has come to its end, or of another file.
    fn find(&mut self, file: &PartFile) {
        let path = self.dir.join(&file.name);
        let facts = fs::metadata(&path).ok();
        let is_run_of = |source: &&mut Source| source.file.whole_name.as_ref() == Some(&file.name);
        let is_it = |source: &&mut Source| facts.as_ref().is_some_and(|facts| source.tail.is_of(facts));
        match self.files.iter_mut().filter(is_run_of).find(is_it) {
            Some(source) => (source.file, source.tail.path) = (file.clone(), path),
            None => self.files.push(Source::new(&self.dir, file.clone())),
        }
    }

    /// Whether a whole part does not fit to what was read of another run of it, which does not count beside it.
    fn is_contested(&self) -> bool {
        let is_run = |run: &Source, whole: &Source| {
            run.file.whole_name.as_ref() == Some(&whole.file.name) && run.contents.matches > 0
        };
        let mut wrong = self.files.iter().filter(|source| source.is_stuck);
        wrong.any(|whole| self.files.iter().any(|run| is_run(run, whole)))
    }

    /// Hands the next matches of the file with this number to `take`. Behind what `take` refuses nothing is read.
    pub(super) fn read(
        &mut self,
        number: usize,
        mut take: impl FnMut(Line<'_>) -> Result<(), Error>,
    ) -> News {
        let Sources { plan_digest, files, buffer, .. } = self;
        let source = &mut files[number];
        let is_part = number > 0;
        if source.contents.is_whole || source.is_aside || Instant::now() < source.due {
            return News::None;
        }
        let (contents, mut wrong) = (&mut source.contents, None);
        let seen = source.tail.read(buffer, |offset, bytes| {
            if wrong.is_none() {
                let taken =
                    contents.take(is_part, plan_digest, Line { offset, bytes, head: None }, &mut take);
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
            Ok(Seen::Gone) if !is_part => News::Anew,
            Ok(Seen::Gone) => {
                // It has another name now, or the directory knows why.
                self.look_due = Instant::now();
                News::None
            }
            Ok(Seen::Same) => {
                source.rest(is_part, None);
                News::None
            }
            Err(error) => {
                let path = source.tail.path.clone();
                source.rest(is_part, Some(Error::unreadable(&path, &error).message().to_owned()));
                News::None
            }
        }
    }

    /// How much of all that can be read was read, in percent.
    pub(super) fn percent(&self) -> u8 {
        let is_open = |source: &&Source| !source.contents.is_whole && !source.is_aside && !source.is_stuck;
        let open = || self.files.iter().filter(is_open).map(|source| &source.tail);
        let (seen, length) = (open().map(|tail| tail.seen_bytes), open().map(|tail| tail.length));
        let (seen, length): (u64, u64) = (seen.sum(), length.sum());
        // A file may have grown after its length was asked for.
        (100 * seen).checked_div(length).map_or(100, |percent| percent.min(100)) as u8
    }

    /// How many parts are there; `None` where it is not played in parts.
    pub(super) fn parts(&self) -> Option<Parts> {
        let shards = || self.files.iter().filter_map(|source| Some((source, source.contents.shard?)));
        let of = shards().next()?.1.of;
        let of = shards().all(|(_, shard)| shard.of == of).then_some(of);
        let is_whole = |source: &Source| source.contents.is_whole && source.file.whole_name.is_none();
        let whole = shards().filter(|(source, _)| is_whole(source)).map(|(_, shard)| shard);
        Some(Parts { whole: whole.collect::<HashSet<_>>().len() as u64, of })
    }

    /// What is wrong with the files, if anything is, in a line.
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
    fn new(dir: &Path, file: PartFile) -> Source {
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

    /// Nothing came; what is in the way, if so.
    fn rest(&mut self, is_part: bool, trouble: Option<String>) {
        if is_part {
            self.due = Instant::now() + LOOK_EVERY;
        }
        (self.is_stuck, self.trouble) = (false, trouble);
    }

    /// The line there cannot stand there.
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

//! Follows a tournament's directory, on a thread of its own.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::live::Book;
use super::running::{Look, looking};
use super::tail::{Seen, Tail};
use super::{List, Live};
use crate::error::Error;
use crate::games::GameName;
use crate::journal::JOURNAL;
use crate::plan::{TOURNAMENT, TournamentHead};
use crate::record::Summary;
use crate::report::tables::{Format, render};
use crate::resume::pairing_of;
use crate::schedule::Course;
use crate::standings::{Standings, Tally};

/// How long until the directory is looked at again. Looked at, not watched: so that it also does where
/// another machine writes.
const PAUSE: Duration = Duration::from_millis(200);
/// Tables are made no more often than this.
const TABLES_EVERY: Duration = Duration::from_secs(1);
/// And take no more than one part in so many of the time.
const TABLES_SHARE: u32 = 10;

/// Read at once of the journal.
const READ_BYTES: usize = 1 << 20;

/// The plan of a tournament, and nothing counted yet.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) head: TournamentHead,
    pub(super) game: GameName,
    course: Course,
    tally: Tally,
}

impl Read {
    fn plan(dir: &Path) -> Result<Read, Error> {
        let head = TournamentHead::read(dir)?;
        let course = head.course()?;
        let game = GameName::named(&head.game).expect("it has a course, so the game is known");
        let tally = Tally::new(&head.game, &head.names(), &head.limits);
        Ok(Read { head, game, course, tally })
    }

    /// Counts a line of the journal; its summary and the numbers of its bots where it is a match that
    /// was not there before.
    fn count(&mut self, names: &[String], line: &[u8]) -> Result<Option<(Summary, Vec<usize>)>, Error> {
        let summary: Summary = serde_json::from_slice(line)
            .map_err(|error| Error::usage(format!("this is not a match record: {error}")))?;
        let before = self.tally.matches();
        self.tally.add(&summary)?;
        let pairing = pairing_of(&summary, names)?;
        self.course.take(&pairing, &summary.result);
        Ok((self.tally.matches() > before).then_some((summary, pairing.bots)))
    }

    fn tables(&self) -> String {
        let outcome = self.course.outcome(&self.head.names());
        render(&Standings { outcome, ..self.tally.standings() }, Format::Json)
    }
}

/// Reads what is new and leaves it in a [`Live`].
pub struct Follower {
    dir: PathBuf,
    live: Weak<Live>,
    read: Read,
    tail: Tail,
    /// Looks for the matches that are being played.
    lookout: Box<dyn Look>,
    plan_stamp: Option<Stamp>,
    /// A line that cannot be counted ends reading, until there is another file.
    is_stuck: bool,
    is_dirty: bool,
    tables_due: Instant,
}

/// What tells one version of a file from another.
type Stamp = (u64, u64, i64, i64);

impl Follower {
    /// Reads the plan of the tournament in `dir`.
    ///
    /// # Errors
    /// Where there is none.
    pub fn new(dir: &Path) -> Result<(Follower, Arc<Live>), Error> {
        let plan_stamp = stamp(dir);
        let read = Read::plan(dir)?;
        let lookout = looking(dir, read.game)?;
        let live = Arc::new(Live::new(dir, &read));
        let follower = Follower {
            dir: dir.to_owned(),
            live: Arc::downgrade(&live),
            read,
            tail: Tail::new(dir.join(JOURNAL), READ_BYTES),
            lookout,
            plan_stamp,
            is_stuck: false,
            is_dirty: true,
            tables_due: Instant::now(),
        };
        Ok((follower, live))
    }

    /// Follows on a thread of its own until nobody has the [`Live`] any more.
    ///
    /// # Errors
    /// Where there can be no thread.
    pub fn start(mut self) -> Result<(), Error> {
        let run = move || {
            while let Some(live) = self.live.upgrade() {
                let is_idle = !self.step(&live);
                drop(live);
                if is_idle {
                    thread::sleep(PAUSE);
                }
            }
        };
        let thread = thread::Builder::new().name("follower".to_owned()).spawn(run);
        thread.map(drop).map_err(|error| Error::host(format!("cannot start a thread: {error}")))
    }

    /// Looks once; whether something was read.
    fn step(&mut self, live: &Live) -> bool {
        if stamp(&self.dir) != self.plan_stamp && !self.anew(live) {
            return false;
        }
        self.lookout.look(live);
        let seen = self.lines(live);
        let is_moving = match seen {
            Ok(Seen::Another) => self.anew(live),
            Ok(seen) => {
                live.tell(|status| status.trouble = status.trouble.take().filter(|_| self.is_stuck));
                seen == Seen::Lines
            }
            Err(error) => {
                live.tell(|status| status.trouble = Some(error.message().to_owned()));
                false
            }
        };
        self.tables(live);
        is_moving
    }

    /// Begins again from the first line: the plan or the journal is another file.
    fn anew(&mut self, live: &Live) -> bool {
        let plan_stamp = stamp(&self.dir);
        let plan = Read::plan(&self.dir).and_then(|read| Ok((looking(&self.dir, read.game)?, read)));
        match plan {
            Ok((lookout, read)) => {
                live.change(|book| *book = Book { tables: book.tables.clone(), ..Book::of(&read) });
                live.tell(|status| (status.plan, status.trouble) = (status.plan + 1, None));
                self.read = read;
                self.tail = Tail::new(self.dir.join(JOURNAL), READ_BYTES);
                self.lookout = lookout;
                (self.plan_stamp, self.is_stuck, self.is_dirty) = (plan_stamp, false, true);
                true
            }
            Err(error) => {
                live.tell(|status| status.trouble = Some(error.message().to_owned()));
                false
            }
        }
    }

    /// Takes the next lines of the journal.
    fn lines(&mut self, live: &Live) -> Result<Seen, Error> {
        if self.is_stuck {
            return Ok(Seen::Same);
        }
        let names = self.read.head.names();
        let mut added = Vec::new();
        let mut wrong = None;
        let read = &mut self.read;
        let seen = self.tail.read(|offset, line| {
            if wrong.is_some() {
                return;
            }
            match read.count(&names, line) {
                Ok(Some((summary, bots))) => added.push((summary, bots, offset, line.len())),
                Ok(None) => {}
                Err(error) => wrong = Some((offset, error)),
            }
        });
        let path = self.dir.join(JOURNAL);
        let seen = seen.map_err(|error| Error::unreadable(&path, &error))?;
        self.is_dirty |= !added.is_empty();
        self.add(live, &added);
        match wrong {
            None => Ok(seen),
            Some((offset, error)) => {
                self.is_stuck = true;
                let (path, what) = (path.display(), error.message());
                Err(Error::usage(format!("{path} at byte {offset}: {what}; nothing behind it is read")))
            }
        }
    }

    fn add(&self, live: &Live, added: &[(Summary, Vec<usize>, u64, usize)]) {
        let add = |list: &mut List| {
            added
                .iter()
                .for_each(|(summary, bots, offset, length)| list.add(summary, bots, *offset, *length));
            list.latest().map(|entry| entry.index)
        };
        let latest = live.change(|book| add(&mut book.list));
        live.tell(|status| {
            status.matches = self.read.tally.matches();
            status.total = self.read.course.total();
            status.is_over = self.read.course.is_over();
            status.latest = latest;
            status.read = (100 * self.tail.offset).checked_div(self.tail.length).unwrap_or(100) as u8;
        });
    }

    /// Makes the tables where there is something new and it is time.
    fn tables(&mut self, live: &Live) {
        let begun = Instant::now();
        if !self.is_dirty || begun < self.tables_due {
            return;
        }
        let tables = self.read.tables();
        live.change(|book| book.tables = tables.into());
        live.tell(|status| status.tables += 1);
        self.is_dirty = false;
        self.tables_due = begun + TABLES_EVERY.max(TABLES_SHARE * begun.elapsed());
    }
}

fn stamp(dir: &Path) -> Option<Stamp> {
    let facts = fs::metadata(dir.join(TOURNAMENT)).ok()?;
    Some((facts.ino(), facts.len(), facts.mtime(), facts.mtime_nsec()))
}

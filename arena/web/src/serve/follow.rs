//! Follows a tournament's directory on its own thread, and counts the matches in it.

use std::convert::Infallible;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use tokio::time::sleep;

use super::Live;
use super::hosts::Speeds;
use super::live::Book;
use super::read::Read;
use super::running::{Look, looking};
use super::silence::Silence;
use super::sources::{News, Sources};
use super::speed::NOTE_EVERY;
use crate::web::answer;
use referee::error::Error;
use tournament::plan::TOURNAMENT;

/// The pause between two looks at the directory. Polling also works if another machine writes the files.
const PAUSE: Duration = Duration::from_millis(200);
/// The shortest time between two updates of the tables.
const TABLES_EVERY: Duration = Duration::from_secs(1);
/// The time between two updates of the tables is at least this multiple of an update's duration.
const TABLES_SHARE: u32 = 10;

/// Reads new matches and updates a [`Live`].
pub struct Follower {
    dir: PathBuf,
    live: Weak<Live>,
    read: Read,
    sources: Sources,
    speeds: Speeds,
    /// The scanner for running matches.
    scanner: Box<dyn Look>,
    silence: Silence,
    plan_stamp: Option<Stamp>,
    /// The number of restarts from the beginning, with another plan or the same one.
    plans: u64,
    is_dirty: bool,
    tables_due: Instant,
    hosts_due: Instant,
}

/// Inode, length, and modification time (seconds and nanoseconds), to detect another version of a file.
type Stamp = (u64, u64, i64, i64);

/// Follows each stage of a league from the moment at which `begun` returns its name and its directory. Passes all of them,
/// in that order, to `show` at first and whenever one has begun.
///
/// # Errors
/// A plan cannot be read, or `show` fails.
pub async fn follow_stages(
    begun: impl Fn() -> Vec<(String, PathBuf)>,
    mut show: impl FnMut(Vec<(String, Arc<Live>)>) -> Result<(), Error>,
) -> Result<Infallible, Error> {
    let (mut stages, mut shown) = (Vec::new(), None);
    loop {
        let names = begun();
        for (name, dir) in &names {
            if stages.iter().all(|(known, _)| known != name) {
                let (follower, live) = Follower::new(dir)?;
                follower.start()?;
                stages.push((name.clone(), live));
            }
        }
        if shown.replace(stages.len()) != Some(stages.len()) {
            stages.sort_by_key(|(name, _)| names.iter().position(|(begun, _)| begun == name));
            show(stages.clone())?;
        }
        sleep(PAUSE).await;
    }
}

impl Follower {
    /// Reads the plan of the tournament in `dir`.
    ///
    /// # Errors
    /// Fails if the plan is missing or cannot be read.
    pub fn new(dir: &Path) -> Result<(Follower, Arc<Live>), Error> {
        let plan_stamp = stamp(dir);
        let read = Read::plan(dir)?;
        let scanner = looking(dir, read.game)?;
        let live = Arc::new(Live::new(dir, &read));
        let sources = Sources::new(dir, &read.head.plan_digest);
        let follower = Follower {
            dir: dir.to_owned(),
            live: Arc::downgrade(&live),
            read,
            sources,
            speeds: Speeds::default(),
            scanner,
            silence: Silence::new(dir),
            plan_stamp,
            plans: 0,
            is_dirty: true,
            tables_due: Instant::now(),
            hosts_due: Instant::now(),
        };
        Ok((follower, live))
    }

    /// Starts a thread that follows the tournament until all references to the [`Live`] are gone.
    ///
    /// # Errors
    /// Fails if the thread cannot be started.
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

    /// Looks at the directory once. Returns true if it read something.
    fn step(&mut self, live: &Live) -> bool {
        if stamp(&self.dir) != self.plan_stamp && !self.anew(live) {
            return false;
        }
        self.scanner.look(live);
        let news = self.lines(live);
        if news == News::Anew {
            return self.anew(live);
        }
        if news == News::Lines {
            self.silence.hear();
        }
        self.tell(live);
        self.tables(live);
        self.hosts(live);
        news == News::Lines
    }

    /// Restarts from the first lines, because the plan has changed or counted matches are no longer valid.
    /// Keeps the old tables until new ones are made. Returns true if the plan could be read.
    fn anew(&mut self, live: &Live) -> bool {
        let plan_stamp = stamp(&self.dir);
        let plan = Read::plan(&self.dir).and_then(|read| Ok((looking(&self.dir, read.game)?, read)));
        match plan {
            Ok((scanner, read)) => {
                live.change(|book| {
                    let [tables, notes, hosts, comparison] =
                        [&book.tables, &book.notes, &book.hosts, &book.comparison].map(Clone::clone);
                    let (csv, rows) = (book.csv.clone(), std::mem::take(&mut book.rows));
                    *book = Book { tables, notes, comparison, csv, hosts, rows, ..Book::of(&read) };
                });
                live.forget_lists();
                self.sources = Sources::new(&self.dir, &read.head.plan_digest);
                self.read = read;
                self.speeds = Speeds::default();
                self.scanner = scanner;
                (self.plan_stamp, self.is_dirty) = (plan_stamp, true);
                self.plans += 1;
                true
            }
            Err(error) => {
                live.tell(|status| status.trouble = Some(error.message().to_owned()));
                false
            }
        }
    }

    /// Reads the next lines of each file.
    fn lines(&mut self, live: &Live) -> News {
        let mut news = self.sources.look();
        if news == News::Anew {
            return news;
        }
        if !self.sources.are(&live.book().files) {
            let files = self.sources.files();
            live.change(|book| book.files = files);
        }
        for number in 0..self.sources.len() {
            let (read, mut added) = (&mut self.read, Vec::new());
            let seen = self.sources.read(number, |line| {
                added.extend(read.count(number as u32, line)?);
                Ok(())
            });
            self.is_dirty |= !added.is_empty();
            if !added.is_empty() {
                let limits = &self.read.head.plan.bot_limits();
                live.change(|book| {
                    let list = &mut book.list;
                    added.iter().for_each(|(summary, bots, place)| list.add(summary, bots, limits, *place))
                });
            }
            news = news.max(seen);
        }
        news
    }

    /// Publishes the whole progress at once, so that a page hears of a match together with its shard.
    fn tell(&mut self, live: &Live) {
        let (has_shards, is_running) = (self.sources.parts().is_some(), !live.book().running.is_empty());
        let silent_since = self.silence.since(&self.dir, has_shards, is_running);
        let latest = live.book().list.latest().map(|entry| entry.index);
        live.tell(|status| {
            status.matches = self.read.state.tally().matches();
            // The answer of a comparison ends it before its last deals.
            let is_decided = self.read.is_decided();
            status.total = if is_decided { status.matches } else { self.read.state.schedule().total() };
            status.is_over = is_decided || self.read.state.schedule().is_over();
            status.latest = latest;
            status.silent_since = silent_since.filter(|_| !status.is_over);
            status.parts = self.sources.parts();
            status.plan = self.plans;
            status.read = self.sources.percent();
            status.trouble = self.sources.trouble();
        });
    }

    /// Updates the tables if there are new matches and the pause is over.
    fn tables(&mut self, live: &Live) {
        let started = Instant::now();
        if !self.is_dirty || started < self.tables_due {
            return;
        }
        let ([tables, csv, notes], rows) = self.read.tables();
        let [tables, notes, comparison] = [tables, notes, self.read.comparison()].map(answer::packed_json);
        live.change(|book| {
            (book.tables, book.csv, book.notes, book.rows) = (tables, csv.into(), notes, rows);
            book.comparison = comparison;
        });
        live.tell(|status| status.tables += 1);
        self.is_dirty = false;
        self.hosts_due = started;
        self.tables_due = started + TABLES_EVERY.max(TABLES_SHARE * started.elapsed());
    }

    /// Updates the table of machines after the other tables, and also at intervals, because the speed of an
    /// idle machine changes too.
    fn hosts(&mut self, live: &Live) {
        let now = Instant::now();
        if now < self.hosts_due {
            return;
        }
        self.hosts_due = now + NOTE_EVERY;
        let is_all_read = self.sources.percent() == 100;
        let hosts: Bytes = self.speeds.table(&self.read.hosts, &self.dir, is_all_read).into();
        if live.book().hosts.plain() != &hosts {
            live.change(|book| book.hosts = answer::packed_json(hosts));
            live.tell(|status| status.hosts += 1);
        }
    }
}

fn stamp(dir: &Path) -> Option<Stamp> {
    let facts = fs::metadata(dir.join(TOURNAMENT)).ok()?;
    Some((facts.ino(), facts.len(), facts.mtime(), facts.mtime_nsec()))
}

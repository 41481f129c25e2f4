//! A contest: what is handed in, who waits for what, and what is played next.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fs::{self, File, Metadata, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, RwLock};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::events::{Event, Events, Received, State, now, rfc3339};
use super::orders::Order;
use super::play::{Goal, Played, SETTINGS, Table, dir};
use super::staging::{Staged, copy, remove, stage, stem};
use super::version::{CHECKS, Examiner, PLAYS, Told};
use crate::report::output::{say, show};
use crate::setup::args::Seats;
use crate::setup::contest::ContestOptions;
use crate::setup::league::League;
use referee::bots::entrants::Entrant;
use referee::bots::identity::Identity;
use referee::bots::names::{check_new_name, composed, fitted, look_alikes, same_but_for_case};
use referee::error::{Error, ErrorKind};
use referee::games::GameName;
use referee::record::hex;
use sandbox::confine::paths::{CONTEST_MARK, VERSIONS, settled};
use sandbox::{SandboxLevel, is_being_written, text};
use tournament::journal::files::write_whole;
use tournament::journal::results;
use tournament::run::stop::Level;
use tournament::schedule::ScheduleName;

/// The folder that others fill.
pub(super) const SUBMISSIONS: &str = "submissions";
/// The folder of files that come through the door, and the beginning of their names in the journal.
pub(super) const SCRATCH: &str = "door";
const DOOR: &str = "door/";
/// The time for which a hand-in must not have changed before it is taken, and for which a field plays at least before new
/// versions join it, unless the settings have others.
const SETTLE: Duration = Duration::from_secs(5);
const ACCEPT: Duration = Duration::from_secs(60);
/// The pause of a thread that has nothing to do.
pub(super) const PAUSE_TO_WORK: Duration = Duration::from_millis(100);
/// The pause after a problem of the machine.
const PAUSE_TO_RETRY: Duration = Duration::from_secs(10);
/// The longest pause between two looks at the submissions, how many fit into the time in which a hand-in must not change, and
/// how many times as long as a look it is at least.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSES: u32 = 3;
const PAUSE_TO_LOOK: u32 = 20;
/// The most bytes of all versions of a bot with what their builds left, and the most files that are looked at to find it.
const BYTES_MAX: u64 = 4 << 30;
const FILES_MAX: usize = 1_000_000;
/// The most names of a hand-in that are looked at before it is copied.
const NAMES_MAX: usize = 50_000;
/// The number of matches in one process of a bot, to find memory leaks, and the time for them.
const MATCHES: u32 = 40;
const PATIENCE: Duration = Duration::from_secs(5);
/// The time for which hand-ins of an author are counted.
const HOUR: Duration = Duration::from_secs(3600);

/// A contest whose folder this process holds.
pub(super) struct Contest {
    pub(super) folder: PathBuf,
    pub(super) options: ContestOptions,
    /// The names of the bots in the settings.
    pub(super) bots: Vec<String>,
    examiner: Examiner,
    events: Mutex<Events>,
    queue: Mutex<Queue>,
    /// Held while a hand-in is copied: two of them may want the same name.
    taking: Mutex<()>,
    pub(super) table: Table,
    pub(super) visits: Visits,
    /// The title of the contest, and what else its pages say about it.
    pub(super) announced: (String, Vec<String>),
}

/// What authors have done through the door since the arena started.
#[derive(Default)]
pub(super) struct Visits {
    /// The moments of their hand-ins within the last hour.
    taken: Mutex<HashMap<String, Vec<Instant>>>,
    /// The last match of each author that does not count.
    unrated: Mutex<HashMap<String, Unrated>>,
}

/// A match that does not count.
pub(super) struct Unrated {
    pub(super) asked: Instant,
    /// Its state in words.
    pub(super) said: String,
    pub(super) is_over: bool,
}

impl Visits {
    /// Passes the moments of an author's hand-ins within the last hour to `see`.
    pub(super) fn of<T>(&self, author: &str, see: impl FnOnce(&mut Vec<Instant>) -> T) -> T {
        let mut taken = self.taken.lock().expect("nobody panics while holding it");
        let taken = taken.entry(author.to_owned()).or_default();
        taken.retain(|time| time.elapsed() < HOUR);
        see(taken)
    }

    pub(super) fn unrated(&self) -> MutexGuard<'_, HashMap<String, Unrated>> {
        self.unrated.lock().expect("nobody panics while holding it")
    }
}

/// The waiting and running jobs, and the problems of the machine.
#[derive(Default)]
pub(super) struct Queue {
    pub(super) waiting: VecDeque<Job>,
    /// The bots and hand-ins whose jobs run, at most one job each.
    running: Vec<String>,
    /// The hand-ins that wait or are being taken.
    busy: BTreeSet<String>,
    /// The prints of hand-ins that were refused, and may be taken after the next start.
    refused: HashMap<String, String>,
    pub(super) troubles: Vec<Error>,
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }

    /// Takes the next job: what is handed in first, and then matches that do not count.
    fn next(&mut self) -> Option<Job> {
        let is_next = |job: &&Job, is_try| {
            matches!(job, Job::Try { .. }) == is_try && !self.running.iter().any(|name| name == job.whose())
        };
        let find = |is_try| self.waiting.iter().position(|job| is_next(&job, is_try));
        let job = self.waiting.remove(find(false).or_else(|| find(true))?)?;
        self.running.push(job.whose().to_owned());
        Some(job)
    }
}

impl Job {
    /// Returns the bot, or the hand-in that may become one.
    fn whose(&self) -> &str {
        match self {
            Job::Take(HandIn { from, .. }) => from,
            Job::Check { name, .. } | Job::Try { name, .. } => name,
        }
    }
}

/// A file or folder that was handed in.
#[derive(PartialEq, Eq)]
pub(super) struct HandIn {
    /// Its name.
    pub(super) from: String,
    /// The digest of the names, sizes, and times of its files.
    pub(super) print: String,
    /// The time of its last change, in seconds since 1970.
    pub(super) time: i64,
}

/// A job for a hand-in.
pub(super) enum Job {
    /// Copy it.
    Take(HandIn),
    /// Build and check a version that was copied.
    Check { name: String, number: u32 },
    /// Play a match that does not count between a version and a bundled bot.
    Try { name: String, number: u32, run: String, against: String },
}

impl Contest {
    pub(super) fn open(folder: PathBuf) -> Result<Contest, Error> {
        let file = folder.join(SETTINGS);
        let (league, bots) = League::read(&file)?;
        let text = fs::read_to_string(&file).map_err(|error| Error::unreadable(&file, &error))?;
        let mut lineup = league.lineup();
        lineup.containment.contain.get_or_insert(SandboxLevel::Strict);
        let contain = lineup.containment.contain;
        let of_game = league.game.command.as_deref().map(|command| (command, league.game.dir.as_deref()));
        let commands = bots.iter().map(|bot| (bot.command.as_str(), bot.dir.as_deref())).chain(of_game);
        let is_closed = contain != Some(SandboxLevel::Off);
        let mut closed = commands.filter(|_| is_closed);
        closed.try_for_each(|(command, dir)| check_outside(&folder, command, dir))?;
        let own = league.game.equipment(contain, false)?;
        let settings = &league.tournament;
        let is_other = |schedule| schedule != ScheduleName::RoundRobin;
        if settings.schedule.is_some_and(is_other)
            || settings.seats.is_some_and(|seats| seats != Seats::Count(2))
        {
            return Err(Error::usage(format!("{SETTINGS}: a contest is a round robin of two seats"))
                .hint("play another schedule when it is over: arena tournament"));
        }
        let game = league.game.game(league.tournament.game)?.unwrap_or(GameName::Doodle);
        let (settings, host) = lineup.examined((vec![game], own), (MATCHES, PATIENCE), &[], false)?;
        let cores = RwLock::default();
        let examiner = Examiner { contest: folder.clone(), lineup, settings, host, cores };
        let events = Mutex::new(Events::open(&folder)?);
        let bots = names_of(&bots)?;
        let known = events.lock().expect("it is new").state.bots.keys().cloned().collect::<Vec<_>>();
        for bot in &bots {
            check_distinct(bot, known.iter())
                .map_err(|error| error.at(SETTINGS).hint("give the bot in the settings another name"))?;
        }
        let (options, table) = (league.contest.unwrap_or_default(), Table::new(&folder, text, game, contain));
        let (queue, taking, visits) = (Mutex::default(), Mutex::default(), Visits::default());
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let title = league.tournament.title.unwrap_or(name);
        let announced = (title, league.tournament.text.into_iter().chain(league.tournament.dates).collect());
        Ok(Contest { folder, options, bots, examiner, events, queue, taking, table, visits, announced })
    }

    pub(super) fn events(&self) -> MutexGuard<'_, Events> {
        self.events.lock().expect("nobody panics while holding it")
    }

    /// Returns the folder of a version, and the one of its files before they are built.
    fn places(&self, name: &str, number: u32) -> [PathBuf; 2] {
        let place = self.folder.join(dir(name, number));
        [place.clone(), place.with_file_name(format!(".{number}"))]
    }

    /// Removes what a killed arena left: copies of which the journal does not know.
    pub(super) fn clear(&self) -> Result<(), Error> {
        let events = self.events();
        let entries = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
        for entry in entries(&self.folder.join(SCRATCH)) {
            remove(&entry.path()).map_err(|error| Error::unwritable(&entry.path(), &error))?;
        }
        let versions = self.folder.join(VERSIONS);
        if events.state.bots.is_empty() && entries(&versions).any(|bot| entries(&bot.path()).next().is_some())
        {
            return Err(Error::usage(format!("{CONTEST_MARK} knows no version, and {VERSIONS} has some"))
                .hint("put back the journal, or move the versions away"));
        }
        for bot in entries(&versions) {
            let name = bot.file_name().to_string_lossy().into_owned();
            for entry in entries(&bot.path()) {
                let place = entry.file_name().to_string_lossy().into_owned();
                let Some(hidden) = place.strip_prefix('.') else { continue };
                let number = hidden.parse();
                if number.is_err() && !hidden.starts_with("in-") {
                    continue;
                }
                let version = number.ok().and_then(|number| events.state.version(&name, number));
                if version.is_none_or(|version| version.state.is_some()) {
                    remove(&entry.path()).map_err(|error| Error::unwritable(&entry.path(), &error))?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nobody panics while holding it")
    }

    /// Does the next job. Returns false if there is none. If the machine has one core, jobs and matches take turns.
    pub(super) fn perform_next(&self, take_turns: bool) -> bool {
        let next = self.queue().next();
        let Some(job) = next else { return false };
        let whose = job.whose().to_owned();
        let turn = take_turns.then(|| self.table.turn());
        let done = match job {
            Job::Check { name, number } => self.check(&name, number),
            Job::Try { name, number, run, against } => {
                let played = self.table.play_unrated(&name, (number, run), &against);
                let said = played.unwrap_or_else(|error| error.message().to_owned());
                if let Some(unrated) = self.visits.unrated().get_mut(&name) {
                    unrated.said = format!("Version {number} against {against}: {said}");
                    unrated.is_over = true;
                }
                Ok(())
            }
            Job::Take(hand_in) => {
                let taken = self.take(&hand_in);
                self.queue().busy.remove(&hand_in.from);
                taken.and_then(|taken| match taken {
                    Some((name, number)) => self.check(&name, number),
                    None => Ok(()),
                })
            }
        };
        drop(turn);
        let mut queue = self.queue();
        queue.running.retain(|name| *name != whose);
        match done {
            // A signal: what waits is done when the contest goes on.
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::Evicted) => {
                queue.waiting.clear();
            }
            done => queue.troubles.extend(done.err()),
        }
        true
    }

    /// Plays whatever passed its check. New versions have their trials and join when the others have played for some time;
    /// with `once`, when nothing else is to do.
    pub(super) fn keep_playing(&self, once: bool, is_over: &AtomicBool) {
        let mut begun: Option<Instant> = None;
        while !is_over.load(Ordering::Relaxed) {
            let goal = self.goal();
            let is_time = match once {
                true => self.queue().is_empty(),
                false => begun.is_none_or(|begun| begun.elapsed() >= self.options.accept.unwrap_or(ACCEPT)),
            };
            if is_time && self.is_to_play(&goal) {
                begun = Some(Instant::now());
                let played = self.try_waiting(&goal).and_then(|()| self.play());
                self.queue().troubles.extend(played.err());
            }
            std::thread::sleep(PAUSE_TO_WORK);
        }
    }

    /// Plays the trials of the versions that wait. Those that pass play for points from then on.
    fn try_waiting(&self, goal: &Goal) -> Result<(), Error> {
        let mut versions = BTreeMap::new();
        for (name, (number, _)) in &goal.waiting {
            let is_alone = self.bots.is_empty() && goal.field.keys().all(|other| other == name);
            let Played { is_whole, broken } = match is_alone {
                true => Played { is_whole: true, ..Played::default() },
                false => self.table.play(goal, Some(name))?,
            };
            match broken.first() {
                // A signal or an order has ended the trial, which goes on later.
                _ if !is_whole => break,
                Some((_, why)) => self.breaks(name, *number, why)?,
                None => _ = versions.insert(name.clone(), *number),
            }
        }
        if versions.is_empty() { Ok(()) } else { self.events().add(Event::Accepted { versions }) }
    }

    /// Plays for points.
    fn play(&self) -> Result<(), Error> {
        let goal = self.goal();
        if !self.is_to_play(&goal) {
            return Ok(());
        }
        let number = |name: &str| goal.field.get(name).map_or(0, |(number, _)| *number);
        let broken = self.table.play(&goal, None)?.broken;
        broken.iter().try_for_each(|(name, why)| self.breaks(name, number(name), why))
    }

    /// Takes a version out of the field, and tells its author why. The one before it plays again.
    fn breaks(&self, name: &str, number: u32, why: &str) -> Result<(), Error> {
        let told = self.events().state.version(name, number).map(Told::of);
        let Some(told) = told else { return Ok(()) };
        let told = told.stopped("broken", &Error::usage(why).hint("mend these faults, and hand in again"));
        self.write(&told)?;
        let state = told.state.to_owned();
        self.events().add(Event::Checked { name: name.to_owned(), number, state, run: None })?;
        self.tell(&told)
    }

    /// Returns what is to be played, without the versions whose folder somebody has removed.
    fn goal(&self) -> Goal {
        let events = self.events();
        let mut goal = Goal { field: events.state.field(), waiting: events.state.waiting() };
        drop(events);
        for versions in [&mut goal.field, &mut goal.waiting] {
            versions.retain(|name, (number, _)| self.places(name, *number)[0].is_dir());
        }
        goal
    }

    fn is_to_play(&self, goal: &Goal) -> bool {
        let is_paused = self.events().state.is_paused;
        let new = goal.waiting.keys().filter(|name| !goal.field.contains_key(*name));
        self.options.play != Some(false)
            && !is_paused
            && goal.field.len() + new.count() + self.bots.len() >= 2
            && !self.table.is_done(goal)
    }

    /// Looks at the submissions until nothing is left to do, if `once`.
    pub(super) async fn look(&self, once: bool) -> Result<(), Error> {
        let submissions = self.folder.join(SUBMISSIONS);
        let settle = self.options.settle.unwrap_or(SETTLE);
        // Prints of hand-ins that are not taken yet, each with the moment from which it is the same.
        let mut seen: HashMap<String, (String, Instant)> = HashMap::new();
        // Those that somebody has open.
        let mut open = HashSet::new();
        // The moment from which everything is tried that is not done.
        let mut again = Some(Instant::now());
        loop {
            for error in std::mem::take(&mut self.queue().troubles) {
                if once {
                    return Err(error);
                }
                say(&error.to_string());
                seen.clear();
                again = Some(Instant::now() + PAUSE_TO_RETRY);
            }
            if again.is_some_and(|again| again <= Instant::now()) && self.queue().is_empty() {
                let unchecked = self.events().state.unchecked();
                let unchecked = unchecked.into_iter().map(|(name, number)| Job::Check { name, number });
                self.queue().waiting.extend(unchecked);
                again = None;
            }
            let begin = Instant::now();
            let mut is_waiting = false;
            let is_resting = again.is_some_and(|again| again > begin);
            let looked =
                if is_resting { Ok(Vec::new()) } else { self.obey().and_then(|()| handed_in(&submissions)) };
            for hand_in in looked.unwrap_or_else(|error| {
                self.queue().troubles.push(error);
                Vec::new()
            }) {
                let HandIn { from, print, .. } = &hand_in;
                let mut queue = self.queue();
                let is_known = queue.refused.get(from) == Some(print);
                if is_known || self.is_early() || self.events().state.is_taken(from, print) {
                    continue;
                }
                is_waiting = true;
                let now = (print.clone(), Instant::now());
                let last = seen.entry(from.clone()).or_insert_with(|| now.clone());
                if last.0 != *print {
                    *last = now;
                } else if last.1.elapsed() < settle || queue.busy.contains(from) {
                    continue;
                } else if is_written(&submissions.join(from)) {
                    *last = now;
                    drop(queue);
                    if open.insert(from.clone()) {
                        let shown = text::quote(format!("{SUBMISSIONS}/{from}").as_bytes());
                        say(&format!("note: waiting for {shown}: a process has it open to write"));
                    }
                } else {
                    open.remove(from);
                    queue.busy.insert(from.clone());
                    queue.waiting.push_back(Job::Take(hand_in));
                }
            }
            let (goal, is_paused) = (self.goal(), self.events().state.is_paused);
            if is_paused {
                self.table.ask(Level::Finish, |_, _| true);
            }
            let is_idle = self.queue().is_empty() && self.queue().troubles.is_empty();
            if once && !is_waiting && is_idle && !self.is_to_play(&goal) {
                return Ok(());
            }
            self.table.offer(&goal, self.options.accept.unwrap_or(ACCEPT));
            let pause = (settle / PAUSES).clamp(PAUSE_TO_WORK, PAUSE);
            tokio::time::sleep(pause.max(begin.elapsed() * PAUSE_TO_LOOK)).await;
        }
    }

    /// Carries out what the organiser has ordered meanwhile. To carry it out twice is the same.
    pub(super) fn obey(&self) -> Result<(), Error> {
        for (path, order) in Order::all(&self.folder) {
            let unwritable = |error: std::io::Error| Error::unwritable(&path, &error);
            let order = match order {
                Err(error) if error.kind() == ErrorKind::Usage => {
                    say(&error.to_string());
                    fs::rename(&path, path.with_extension("wrong")).map_err(unwritable)?;
                    continue;
                }
                order => order?,
            };
            let is_out = |name: &String| self.events().state.withdrawn.contains_key(name);
            match &order {
                Order::Publish => self.table.publish()?,
                Order::Withdraw { name, .. } if !is_out(name) => self.swap_text(name, ["", "."]),
                Order::TakeBack { name } if is_out(name) => self.swap_text(name, [".", ""]),
                _ => {}
            }
            self.events().add(Event::Ordered(order.clone()))?;
            if let Order::Withdraw { name, reason } = order {
                self.tell_withdrawn(&name, reason)?;
            }
            fs::remove_file(&path).map_err(unwritable)?;
        }
        Ok(())
    }

    /// Hides the text for the author of a bot, or shows it again.
    fn swap_text(&self, name: &str, [from, to]: [&str; 2]) {
        for end in ["txt", "json"] {
            let place = |prefix| self.folder.join(CHECKS).join(format!("{prefix}{name}.{end}"));
            // Without a text there is nothing to hide.
            let _ = fs::rename(place(from), place(to));
        }
    }

    /// Tells the author of a bot that it plays no more.
    fn tell_withdrawn(&self, name: &str, reason: Option<String>) -> Result<(), Error> {
        let told = self.events().state.last(name).map(Told::of);
        let Some(told) = told else { return Ok(()) };
        let state = if reason.is_some() { "disqualified" } else { "withdrawn" };
        let told = told.stopped(state, &out(reason));
        told.write(&self.folder, "")?;
        self.tell(&told)
    }

    pub(super) fn is_early(&self) -> bool {
        self.options.opens.is_some_and(|opens| SystemTime::now() < opens)
    }

    /// Returns true if a hand-in of this moment, in seconds since 1970, came too late.
    pub(super) fn is_late(&self, state: &State, time: u64) -> bool {
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(time);
        self.options.closes.is_some_and(|closes| then >= closes) || state.is_closed_at(time)
    }

    /// Checks that a bot may be handed in at this moment.
    ///
    /// # Errors
    /// It plays no more, or it comes too late.
    pub(super) fn may_hand_in(&self, state: &State, name: &str, time: u64) -> Result<(), Error> {
        if let Some(reason) = state.withdrawn.get(name) {
            return Err(out(reason.clone()));
        }
        match self.is_late(state, time) {
            true => Err(Error::usage("it came after the close of the contest").hint("ask the organiser")),
            false => Ok(()),
        }
    }

    fn versions_of(&self, name: &str) -> PathBuf {
        self.folder.join(VERSIONS).join(name)
    }

    /// Copies a hand-in, and returns its bot and the number of its version if it is a new one.
    fn take(&self, hand_in: &HandIn) -> Result<Option<(String, u32)>, Error> {
        let HandIn { from, print, time, .. } = hand_in;
        let _taking = self.taking.lock().expect("nobody panics while holding it");
        let submissions = self.folder.join(SUBMISSIONS);
        let is_file = submissions.join(from).is_file();
        let (author, name, named) = self.name(from, is_file);
        // A bot with versions keeps its text unless its author can mend the hand-in.
        let own = name.clone();
        let last = self.events().state.last(&name).map(|last| last.received.number);
        let refuse = |name: String, error: &Error, stays: bool| {
            let told = Told { bot: name, from: from.clone(), received: rfc3339(now()), ..Told::default() };
            let mut told = told.stopped("not taken", error);
            let last = last.filter(|_| told.bot == own);
            told.notes.extend(last.map(|last| format!("version {last} stays as it was")));
            let text = self.folder.join(CHECKS).join(format!("{}.txt", told.bot));
            let note = format!("note: {} was not taken: {}\n", text::quote(from.as_bytes()), told.reason);
            match results::read(&text) {
                Ok(known) if !stays && last.is_some() => {
                    let is_new = !known.contains(&note);
                    if is_new {
                        write_whole(&text, (known + &note).as_bytes())?
                    }
                }
                _ => told.write(&self.folder, "")?,
            }
            self.tell(&told)?;
            let (from, print) = (from.clone(), print.clone());
            if !stays {
                self.queue().refused.insert(from.clone(), print.clone());
            }
            self.events()
                .add(Event::Refused { from, print, reason: told.reason, again: !stays })
                .map(|()| None)
        };
        if let Err(error) = named {
            // Another one's file would be written over.
            return refuse(format!("{name}-{}", hex(&Sha256::digest(from)[..3])), &error, false);
        }
        let time = u64::try_from(*time).unwrap_or_default();
        let may = self.may_hand_in(&self.events().state, &name, time);
        if let Err(error) = may {
            return refuse(name, &error, false);
        }
        let scratch = match self.scratch(&name) {
            Err(error) if error.kind() == ErrorKind::Usage => return refuse(name, &error, false),
            scratch => scratch?,
        };
        let staged = stage(&submissions, from, scratch.path());
        // Somebody may have written meanwhile. Then it is taken later.
        if looked_at(&submissions, from) != *hand_in || is_written(&submissions.join(from)) {
            return Ok(None);
        }
        let mut staged = match staged {
            Err(error) if error.kind() == ErrorKind::Usage => return refuse(name, &error, true),
            staged => staged?,
        };
        if name != composed(stem(from, is_file)) {
            staged.notes.insert(0, format!("its name is {name}"));
        }
        match self.keep(&name, &author, time, [from, print], staged) {
            Err(error) if error.kind() == ErrorKind::Usage => refuse(name, &error, false),
            kept => kept.map(|(number, is_new)| is_new.then_some((name, number))),
        }
    }

    /// Takes a file of this name, which an author has handed in at the door. Returns the number of the version.
    pub(super) fn take_from_door(&self, author: &str, folder: &Path, from: &str) -> Result<u32, Error> {
        let _taking = self.taking.lock().expect("nobody panics while holding it");
        let time = now();
        self.may_hand_in(&self.events().state, author, time)?;
        let scratch = self.scratch(author)?;
        let staged = stage(folder, from, scratch.path())?;
        // No file in the submissions has such a name.
        let (from, print) = (format!("{DOOR}{from}"), staged.digest.clone());
        let (number, is_new) = self.keep(author, author, time, [&from, &print], staged)?;
        if is_new {
            self.queue().waiting.push_back(Job::Check { name: author.to_owned(), number });
        }
        Ok(number)
    }

    /// Returns a new folder beside the versions of a bot.
    fn scratch(&self, name: &str) -> Result<TempDir, Error> {
        let all = self.versions_of(name);
        let mut bytes = 0;
        each(&all, &mut { FILES_MAX }, &mut |_, facts| bytes += facts.len());
        if bytes > BYTES_MAX {
            let what =
                format!("your versions have {} MB, and at most {} are kept", bytes >> 20, BYTES_MAX >> 20);
            return Err(Error::usage(what).hint("ask the organiser to remove old ones"));
        }
        let unwritable = |error: std::io::Error| Error::unwritable(&all, &error);
        fs::create_dir_all(&all).map_err(unwritable)?;
        tempfile::Builder::new().prefix(".in-").tempdir_in(&all).map_err(unwritable)
    }

    /// Makes a copy of a hand-in a version of the bot, unless its last one has the same files. Returns the number of the
    /// version, and whether it is new, once all of it is on the disk.
    fn keep(
        &self,
        name: &str,
        author: &str,
        time: u64,
        [from, print]: [&String; 2],
        staged: Staged,
    ) -> Result<(u32, bool), Error> {
        let all = self.versions_of(name);
        let unwritable = |error: std::io::Error| Error::unwritable(&all, &error);
        // Whatever the journal knows survives a loss of power.
        File::open(&all).and_then(|folder| Ok(rustix::fs::syncfs(&folder)?)).map_err(unwritable)?;
        let mut events = self.events();
        // Meanwhile the contest may have closed.
        self.may_hand_in(&events.state, name, time)?;
        let last = events.state.last(name).map(|last| &last.received);
        let same = last.filter(|last| last.digest == staged.digest).map(|last| last.number);
        // A folder that is copied once more is no new version, whatever came by the door since.
        let became = events.state.became.get(from).filter(|_| !from.starts_with(DOOR));
        let same = same.or(became.filter(|(_, digest)| *digest == staged.digest).map(|(number, _)| *number));
        let number = same.unwrap_or_else(|| last.map_or(1, |last| last.number + 1));
        let [_, place] = self.places(name, number);
        if same.is_none() {
            let _ = remove(&place); // an event that could not be written left it
            fs::rename(&staged.folder, &place).map_err(unwritable)?;
            File::open(&all).and_then(|folder| folder.sync_all()).map_err(unwritable)?;
        }
        let copies = events.state.copies(name, &staged.digest);
        events.add(Event::Received(Received {
            name: name.to_owned(),
            number,
            from: from.clone(),
            author: author.to_owned(),
            print: print.clone(),
            digest: staged.digest,
            notes: staged.notes,
        }))?;
        drop(events);
        if !copies.is_empty() {
            say(&format!("note: {name} {number} has the same files as {}", text::few(&copies)));
        }
        if same.is_some() {
            show(&format!("{name}: handed in again, the same as version {number}\n"))?;
        }
        Ok((number, same.is_none()))
    }

    /// Returns the author of a hand-in, the name of the bot, and whether the bot may have it.
    fn name(&self, from: &str, is_file: bool) -> (String, String, Result<(), Error>) {
        let from = composed(from);
        let plain = stem(&from, is_file);
        let groups =
            self.options.names.as_ref().and_then(|names| names.captures(&from).or(names.captures(plain)));
        let wanted = groups.map_or(plain, |groups| groups.get(1).map_or(plain, |group| group.as_str()));
        // Browsers number a file that they download again.
        let counted = wanted.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
        let author =
            counted.filter(|(_, number)| number.parse::<u32>().is_ok()).map_or(wanted, |(rest, _)| rest);
        let name = fitted(author).trim_end_matches('-').to_owned();
        let events = self.events();
        let named = check_new_name(&name).and_then(|_| {
            let others = events.state.bots.iter().filter(|(_, versions)| {
                versions.values().all(|version| ![author, &name].contains(&version.received.author.as_str()))
            });
            check_distinct(&name, others.map(|(name, _)| name).chain(&self.bots))
        });
        (author.to_owned(), name, named)
    }

    /// Builds and checks a version, and tells its author.
    fn check(&self, name: &str, number: u32) -> Result<(), Error> {
        let told = self.events().state.version(name, number).map(Told::of);
        let Some(told) = told else { return Ok(()) };
        let [place, source] = self.places(name, number);
        let unwritable = |error: std::io::Error| Error::unwritable(&place, &error);
        if source.exists() {
            // A build that was killed may have left anything.
            if place.exists() {
                remove(&place).map_err(unwritable)?;
            }
            copy(&source, &place).map_err(unwritable)?;
        }
        let last = || self.events().state.last(name).map(|last| last.received.number);
        let told = match last() == Some(number) {
            true => self.examiner.examine(&place, told)?,
            // The newest version alone counts.
            false => Told { state: "replaced", ..told },
        };
        if last() == Some(number) {
            self.write(&told)?;
        }
        File::open(&self.folder).and_then(|folder| Ok(rustix::fs::syncfs(&folder)?)).map_err(unwritable)?;
        let (bot, state) = (name.to_owned(), told.state.to_owned());
        let run = told.run.clone().filter(|_| told.state == PLAYS);
        self.events().add(Event::Checked { name: bot, number, state, run })?;
        let _ = remove(&source);
        self.tell(&told)
    }

    /// Writes the text for an author. That of a withdrawn bot waits until it is taken back.
    fn write(&self, told: &Told) -> Result<(), Error> {
        let is_out = self.events().state.withdrawn.contains_key(&told.bot);
        told.write(&self.folder, if is_out { "." } else { "" })
    }

    /// Prints a line for the organiser.
    fn tell(&self, told: &Told) -> Result<(), Error> {
        let Told { bot, version, state, reason, .. } = told;
        let number = version.map_or(String::new(), |number| format!(" {number}"));
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        show(&format!("{}\n", text::line(&format!("{bot}{number}: {state}{reason}"))))
    }
}

/// Returns the names of the bots in the settings.
pub(super) fn names_of(bots: &[Identity]) -> Result<Vec<String>, Error> {
    let name = |bot: &Identity| match Entrant::new(bot)?.identity.name {
        name if name.is_empty() => Err(Error::usage(format!("{SETTINGS}: a bot has no name"))
            .hint("write name = \"NAME\" into each [[bot]]")),
        name => Ok(name),
    };
    bots.iter().map(name).collect()
}

/// Checks that a command of the settings names no file or folder of the contest, which the sandbox closes to all programs.
fn check_outside(folder: &Path, command: &str, dir: Option<&Path>) -> Result<(), Error> {
    let start = settled(&dir.map_or(folder.to_owned(), |dir| folder.join(dir)));
    let words = shell_words::split(command).unwrap_or_default();
    // A first word without a slash is a program of the system, or a bundled bot.
    let files = words.iter().skip(usize::from(words.first().is_some_and(|word| !word.contains('/'))));
    let files = files.map(|word| start.join(word)).filter(|path| path.is_file());
    let mut named = files.chain(dir.map(|_| start.clone())).map(|path| settled(&path));
    // A bot sees its own version.
    let is_own = |path: &Path| start.starts_with(folder.join(VERSIONS)) && path.starts_with(&start);
    match named.find(|path| path.starts_with(folder) && !is_own(path)) {
        None => Ok(()),
        Some(path) => Err(Error::usage(format!("{SETTINGS}: no program sees {}", text::path(&path))).hint(
            "the sandbox closes the folder of a contest: move it beside that folder, and name it as ../NAME",
        )),
    }
}

/// Checks that nobody takes one of these names for the name of a new bot.
pub(super) fn check_distinct<'a>(
    name: &str,
    mut taken: impl Iterator<Item = &'a String>,
) -> Result<(), Error> {
    let is_like = |other: &&String| {
        let both = [other.as_str(), name];
        **other == *name || look_alikes(both).or_else(|| same_but_for_case(both)).is_some()
    };
    match taken.find(is_like) {
        None => Ok(()),
        Some(other) => Err(Error::usage(format!("another bot is called {other:?}"))
            .hint("hand in under another name, or ask the organiser")),
    }
}

/// Returns a moment as a text in UTC.
pub(super) fn moment(time: SystemTime) -> String {
    rfc3339(time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

/// Returns why a bot plays no more.
fn out(reason: Option<String>) -> Error {
    Error::usage(reason.unwrap_or_else(|| "the organiser has withdrawn it".to_owned()))
        .hint("ask the organiser")
}

/// Returns the hand-ins in a folder, sorted by their names.
pub(super) fn handed_in(folder: &Path) -> Result<Vec<HandIn>, Error> {
    let entries = fs::read_dir(folder).map_err(|error| Error::unreadable(folder, &error))?;
    let names = entries.flatten().map(|entry| entry.file_name());
    let names = names.filter(|name| !name.as_bytes().starts_with(b"."));
    // No file has the name of another one in this form, which is refused.
    let mut names: Vec<String> = names.map(|name| text::lines_of(name.as_bytes())).collect();
    names.sort_unstable();
    Ok(names.into_iter().map(|from| looked_at(folder, &from)).collect())
}

/// Looks at a hand-in.
fn looked_at(folder: &Path, from: &str) -> HandIn {
    let (mut hasher, mut time, top) = (Sha256::new(), 0, folder.join(from));
    each(&top, &mut { NAMES_MAX }, &mut |path, facts| {
        let path = path.strip_prefix(folder).unwrap_or(path);
        hasher.update(path.as_os_str().as_bytes());
        let times = [facts.mtime(), facts.mtime_nsec(), facts.ctime(), facts.ctime_nsec()];
        for number in times.into_iter().chain([facts.size().cast_signed(), facts.mode().into()]) {
            hasher.update(number.to_le_bytes());
        }
        time = time.max(facts.ctime());
    });
    HandIn { from: from.to_owned(), print: hex(&hasher.finalize()[..16]), time }
}

/// Returns true if a process writes a file, or one in a folder.
fn is_written(path: &Path) -> bool {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut is_written = false;
    each(path, &mut { NAMES_MAX }, &mut |path, facts| {
        let file = || OpenOptions::new().read(true).custom_flags(flags).open(path);
        is_written = is_written || facts.is_file() && file().is_ok_and(|file| is_being_written(&file));
    });
    is_written
}

/// Passes a file, or a folder and everything in it in the order of the paths, to `see`.
fn each(path: &Path, names_left: &mut usize, see: &mut dyn FnMut(&Path, &Metadata)) {
    let Ok(facts) = fs::symlink_metadata(path) else { return };
    let Some(left) = names_left.checked_sub(1) else { return };
    *names_left = left;
    see(path, &facts);
    if facts.is_dir() {
        let below = fs::read_dir(path).into_iter().flatten().flatten();
        let mut below: Vec<PathBuf> = below.map(|entry| entry.path()).collect();
        below.sort_unstable();
        below.iter().for_each(|path| each(path, names_left, see));
    }
}

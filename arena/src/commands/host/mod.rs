//! `arena host`: runs a contest. It takes hand-ins, builds and checks them, tells their authors, and plays.
//!
//! A folder has all of the contest: `submissions`, which others fill; the settings `contest.toml`; `versions`, with copies
//! that nobody changes; `checks`, with a text for each author; `results`, a tournament; and the journal `contest.jsonl`, from
//! which everything else follows after a crash.

mod events;
mod orders;
mod play;
mod staging;
mod version;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, RwLock};
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use self::events::{Event, Events, Received, now, rfc3339};
use self::orders::{Order, OrderArgs};
use self::play::{Field, Table};
use self::staging::{stage, stem};
use self::version::{CHECKS, Examiner, PLAYS, Told, copy};
use crate::check::Settings;
use crate::report::output::{say, show};
use crate::setup::args::Seats;
use crate::setup::contest::ContestOptions;
use crate::setup::league::League;
use crate::setup::runtime::block_on;
use engine::game::Game;
use engine::wire::WireFormat;
use referee::bots::names::{check_new_name, fitted, look_alikes, same_but_for_case};
use referee::error::{Error, ErrorKind};
use referee::games::GameName;
use referee::games::external::External;
use sandbox::confine::paths::{CONTEST_MARK, VERSIONS};
use sandbox::{SandboxLevel, cores, is_being_written, text};
use tournament::journal::claim::Claim;
use tournament::journal::results;
use tournament::run::stop::Level;
use tournament::schedule::ScheduleName;

/// The files and folders of a contest.
const SETTINGS: &str = "contest.toml";
const SUBMISSIONS: &str = "submissions";
/// The settings of a new contest.
const NEW_SETTINGS: &str = include_str!("contest.toml");
/// The pause of whoever has nothing to do.
const PAUSE_TO_WORK: Duration = Duration::from_millis(100);
/// The pause after a problem of the machine.
const PAUSE_TO_RETRY: Duration = Duration::from_secs(10);
/// The pause between two looks at the submissions, and how many times as long as a look it is at least.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSE_TO_LOOK: u32 = 20;
/// The most names of a hand-in that are looked at before it is copied.
const NAMES_MAX: usize = 50_000;
/// The number of matches in one process of a bot, to find memory leaks, and the time for them.
const MATCHES: u32 = 40;
const PATIENCE: Duration = Duration::from_secs(5);

/// Arguments of `arena host`.
#[derive(Debug, Args)]
pub(crate) struct HostArgs {
    /// The folder of the contest; made if it is not there
    #[arg(value_name = "CONTEST", value_hint = clap::ValueHint::DirPath)]
    contest: PathBuf,
    /// Take, check, and play what is handed in, then end
    #[arg(long, conflicts_with = "order")]
    once: bool,
    #[command(flatten)]
    order: OrderArgs,
}

/// A contest whose folder this process holds.
struct Contest {
    folder: PathBuf,
    options: ContestOptions,
    /// The bots in the settings, some without a name.
    bots: Vec<String>,
    examiner: Examiner,
    events: Mutex<Events>,
    queue: Mutex<Queue>,
    table: Table,
}

/// What is to be done, and what went wrong with the machine.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<Job>,
    running: usize,
    troubles: Vec<Error>,
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.running == 0
    }
}

/// What is to be done for a hand-in.
enum Job {
    /// Copy it; if its name in the submissions and its print are these.
    Take { from: String, print: String },
    /// Build and check a version that was copied.
    Check { name: String, number: u32 },
}

pub(crate) fn run(args: &HostArgs) -> Result<(), Error> {
    if let Some(order) = args.order.order() {
        return order.send(&args.contest);
    }
    let folder = prepared(&args.contest)?;
    let _claim = Claim::begun(&folder)?;
    let contest = Contest::open(folder)?;
    contest.clear()?;
    contest.work(args.once)
}

/// Makes what a contest needs, and returns its canonical folder.
fn prepared(folder: &Path) -> Result<PathBuf, Error> {
    let unwritable = |error: std::io::Error| Error::unwritable(folder, &error);
    fs::create_dir_all(folder).map_err(unwritable)?;
    let (mark, settings) = (folder.join(CONTEST_MARK), folder.join(SETTINGS));
    let is_empty = fs::read_dir(folder).map_err(unwritable)?.next().is_none();
    if !is_empty && !mark.exists() && !settings.exists() {
        return Err(Error::usage(format!("{} has files, but no {SETTINGS}", folder.display()))
            .hint("name a new folder, or the one of a contest"));
    }
    // The mark comes first: with it, no bot sees the others.
    results::append(&mark).map_err(unwritable)?;
    for name in [SUBMISSIONS, VERSIONS, CHECKS] {
        results::folder(&folder.join(name)).map_err(unwritable)?;
    }
    if !settings.exists() {
        fs::write(&settings, NEW_SETTINGS).map_err(unwritable)?;
        say(&format!("made {}: change it, and start again", settings.display()));
    }
    folder.canonicalize().map_err(unwritable)
}

impl Contest {
    fn open(folder: PathBuf) -> Result<Contest, Error> {
        let (league, bots) = League::read(&folder.join(SETTINGS))?;
        let mut lineup = league.lineup();
        lineup.containment.contain.get_or_insert(SandboxLevel::Strict);
        let contain = lineup.containment.contain;
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
        let is_simultaneous = match &own {
            Some(own) => External::is_simultaneous(External::setup(own)),
            None => game.is_simultaneous(),
        };
        let (host, _) = block_on(lineup.host(&[], &[is_simultaneous], false))??;
        let freeze = if lineup.containment.freezes(is_simultaneous) { vec![game] } else { Vec::new() };
        let time = lineup.times.time_control();
        let settings =
            Settings { games: vec![game], own, freeze, time, matches: MATCHES, patience: PATIENCE };
        let cores = RwLock::default();
        let examiner = Examiner { contest: folder.clone(), lineup, settings, host, cores };
        let events = Mutex::new(Events::open(&folder)?);
        let bots = bots.into_iter().map(|bot| bot.name).collect();
        let (options, queue, table) =
            (league.contest.unwrap_or_default(), Mutex::default(), Table::new(&folder, SETTINGS, contain));
        Ok(Contest { folder, options, bots, examiner, events, queue, table })
    }

    fn events(&self) -> MutexGuard<'_, Events> {
        self.events.lock().expect("nobody panics while holding it")
    }

    /// Returns the folder of a version, and the one of its files before they are built.
    fn places(&self, name: &str, number: u32) -> [PathBuf; 2] {
        let all = self.folder.join(VERSIONS).join(name);
        [all.join(number.to_string()), all.join(format!(".{number}"))]
    }

    /// Removes what a killed arena left: copies of which the journal does not know.
    fn clear(&self) -> Result<(), Error> {
        let events = self.events();
        let of_bots = fs::read_dir(self.folder.join(VERSIONS)).into_iter().flatten().flatten();
        for bot in of_bots {
            let name = bot.file_name().to_string_lossy().into_owned();
            for entry in fs::read_dir(bot.path()).into_iter().flatten().flatten() {
                let place = entry.file_name().to_string_lossy().into_owned();
                let number = place.trim_start_matches('.').parse().ok();
                let version = number.and_then(|number: u32| events.state.version(&name, number));
                let is_known = version.is_some_and(|one| one.state.is_none() || !place.starts_with('.'));
                if !is_known {
                    fs::remove_dir_all(entry.path())
                        .map_err(|error| Error::unwritable(&entry.path(), &error))?;
                }
            }
        }
        Ok(())
    }

    /// Takes, checks, and plays until a signal comes, or until nothing is left to do.
    fn work(&self, once: bool) -> Result<(), Error> {
        let cores = if cores::are_told() { cores::allowed() } else { Vec::new() };
        let is_over = AtomicBool::new(false);
        let workers = cores::given().max(1);
        std::thread::scope(|scope| {
            for worker in 0..workers {
                let (core, is_over) = (cores.get(worker).copied(), &is_over);
                scope.spawn(move || {
                    core.into_iter().for_each(|core| cores::stay_on(&[core]));
                    while !is_over.load(Ordering::Relaxed) {
                        // The matches have all cores but the first.
                        let is_free = worker == 0 || !self.table.is_playing();
                        if !(is_free && self.perform_next(workers == 1)) {
                            std::thread::sleep(PAUSE_TO_WORK);
                        }
                    }
                });
            }
            scope.spawn(|| {
                cores::stay_on(cores.get(1..).filter(|others| !others.is_empty()).unwrap_or(&cores));
                self.keep_playing(once, &is_over);
            });
            let looking = block_on(self.look(once));
            is_over.store(true, Ordering::Relaxed);
            self.table.ask(Level::Now, |_, _| true);
            match looking {
                Ok(result) => result,
                Err(error) if error.kind() == ErrorKind::Evicted => Err(Error::evicted(self.rests())),
                Err(_) => Err(Error::interrupted(self.rests())),
            }
        })
    }

    fn rests(&self) -> String {
        format!("the contest rests; \"arena host {}\" goes on with it", self.folder.display())
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nobody panics while holding it")
    }

    /// Does the next job. Returns false if there is none. If the machine has one core, jobs and matches take turns.
    fn perform_next(&self, take_turns: bool) -> bool {
        let next = {
            let mut queue = self.queue();
            let next = queue.waiting.pop_front();
            queue.running += usize::from(next.is_some());
            next
        };
        let Some(job) = next else { return false };
        let turn = take_turns.then(|| self.table.turn());
        let done = match job {
            Job::Check { name, number } => self.check(&name, number),
            Job::Take { from, print } => self.take(&from, &print).and_then(|taken| match taken {
                Some((name, number)) => self.check(&name, number),
                None => Ok(()),
            }),
        };
        drop(turn);
        let mut queue = self.queue();
        queue.running -= 1;
        queue.troubles.extend(done.err());
        true
    }

    /// Plays whatever passed its check. New versions join when a field has played for some time; with `once`, when nothing
    /// else is to do.
    fn keep_playing(&self, once: bool, is_over: &AtomicBool) {
        let mut begun: Option<Instant> = None;
        while !is_over.load(Ordering::Relaxed) {
            let field = self.events().state.field();
            let is_time = match once {
                true => self.queue().is_empty(),
                false => begun.is_none_or(|begun| begun.elapsed() >= self.options.accept()),
            };
            if is_time && self.is_to_play(&field) {
                begun = Some(Instant::now());
                let played = self.table.play(&field).and_then(|broken| {
                    let number = |name: &str| field.get(name).map_or(0, |(number, _)| *number);
                    broken.iter().try_for_each(|(name, why)| self.breaks(name, number(name), why))
                });
                self.queue().troubles.extend(played.err());
            }
            std::thread::sleep(PAUSE_TO_WORK);
        }
    }

    /// Takes a version out of the field, and tells its author why. The one before it plays again.
    fn breaks(&self, name: &str, number: u32, why: &str) -> Result<(), Error> {
        let told = self.events().state.version(name, number).map(|one| Told::of(&one.received, one.time));
        let Some(told) = told else { return Ok(()) };
        let told = told.stopped("broken", &Error::usage(why).hint("mend these faults, and hand in again"));
        told.write(&self.folder)?;
        let state = told.state.to_owned();
        self.events().add(Event::Checked { name: name.to_owned(), number, state, run: None })?;
        self.tell(&told)
    }

    fn is_to_play(&self, field: &Field) -> bool {
        let is_paused = self.events().state.is_paused;
        self.options.is_played()
            && !is_paused
            && field.len() + self.bots.len() >= 2
            && !self.table.is_done(field)
    }

    /// Looks at the submissions until nothing is left to do, if `once`.
    async fn look(&self, once: bool) -> Result<(), Error> {
        // Prints of hand-ins that are not taken yet, each with the moment from which it is the same.
        let mut seen: HashMap<String, (String, Instant)> = HashMap::new();
        let mut given: BTreeSet<String> = BTreeSet::new();
        // The moment from which everything is tried that is not done.
        let mut again = Some(Instant::now());
        loop {
            for error in std::mem::take(&mut self.queue().troubles) {
                if once {
                    return Err(error);
                }
                say(&error.to_string());
                again = Some(Instant::now() + PAUSE_TO_RETRY);
            }
            if again.is_some_and(|again| again <= Instant::now()) && self.queue().is_empty() {
                let unchecked = self.events().state.unchecked();
                let unchecked = unchecked.into_iter().map(|(name, number)| Job::Check { name, number });
                self.queue().waiting.extend(unchecked);
                given.clear();
                again = None;
            }
            self.obey()?;
            let begin = Instant::now();
            let mut is_waiting = false;
            for (from, print, is_open) in handed_in(&self.folder.join(SUBMISSIONS))? {
                if self.events().state.prints.get(&from) == Some(&print) || self.is_early() {
                    continue;
                }
                is_waiting = true;
                let now = (print.clone(), Instant::now());
                let last = seen.entry(from.clone()).or_insert_with(|| now.clone());
                if last.0 != print || is_open {
                    *last = now;
                } else if last.1.elapsed() >= self.options.settle()
                    && given.insert(format!("{from}\0{print}"))
                {
                    self.queue().waiting.push_back(Job::Take { from, print });
                }
            }
            let (field, is_paused) = (self.events().state.field(), self.events().state.is_paused);
            if is_paused {
                self.table.ask(Level::Finish, |_, _| true);
            }
            if once && !is_waiting && self.queue().is_empty() && !self.is_to_play(&field) {
                return Ok(());
            }
            self.table.offer(&field, self.options.accept());
            tokio::time::sleep(PAUSE.max(begin.elapsed() * PAUSE_TO_LOOK)).await;
        }
    }

    /// Carries out what the organiser has ordered meanwhile. To carry it out twice is the same.
    fn obey(&self) -> Result<(), Error> {
        for (path, order) in Order::all(&self.folder) {
            match order {
                Err(error) => say(&error.to_string()),
                Ok(order) => {
                    self.events().add(Event::Ordered(order.clone()))?;
                    if let Order::Withdraw { name, reason } = order {
                        self.tell_withdrawn(&name, reason)?;
                    }
                }
            }
            fs::remove_file(&path).map_err(|error| Error::unwritable(&path, &error))?;
        }
        Ok(())
    }

    /// Tells the author of a bot that it plays no more.
    fn tell_withdrawn(&self, name: &str, reason: Option<String>) -> Result<(), Error> {
        let last = self.events().state.bots.get(name).and_then(|versions| {
            versions.last_key_value().map(|(_, version)| Told::of(&version.received, version.time))
        });
        let Some(told) = last else { return Ok(()) };
        let state = if reason.is_some() { "disqualified" } else { "withdrawn" };
        let told = told.stopped(state, &out(reason));
        told.write(&self.folder)?;
        self.tell(&told)
    }

    fn is_early(&self) -> bool {
        self.options.opens.is_some_and(|opens| SystemTime::now() < opens)
    }

    /// Copies a hand-in, and returns its bot and the number of its version if it is a new one.
    fn take(&self, from: &str, print: &str) -> Result<Option<(String, u32)>, Error> {
        let (name, mut notes, named) = self.name(from);
        let refuse = |name: String, error: &Error| {
            let told = Told { bot: name, from: from.to_owned(), received: rfc3339(now()), ..Told::default() };
            let told = told.stopped("not taken", error);
            told.write(&self.folder)?;
            self.tell(&told)?;
            let (from, print) = (from.to_owned(), print.to_owned());
            self.events().add(Event::Refused { from, print, reason: told.reason })
        };
        // Another one's file would be written over.
        let apart = || {
            format!(
                "{name}-{:.6}",
                Sha256::digest(from)[..3].iter().map(|byte| format!("{byte:02x}")).collect::<String>()
            )
        };
        if let Err(error) = named {
            return refuse(apart(), &error).map(|()| None);
        }
        let withdrawn = self.events().state.withdrawn.get(&name).cloned();
        if let Some(reason) = withdrawn {
            return refuse(name, &out(reason)).map(|()| None);
        }
        let is_over = self.options.closes.is_some_and(|closes| SystemTime::now() >= closes);
        if is_over || self.events().state.is_closed {
            let late = Error::usage("it came after the close of the contest").hint("ask the organiser");
            return refuse(name, &late).map(|()| None);
        }
        let all = self.folder.join(VERSIONS).join(&name);
        fs::create_dir_all(&all).map_err(|error| Error::unwritable(&all, &error))?;
        let scratch = tempfile::Builder::new().prefix(".in-").tempdir_in(&all);
        let scratch = scratch.map_err(|error| Error::unwritable(&all, &error))?;
        let staged = match stage(&self.folder.join(SUBMISSIONS), from, scratch.path()) {
            Err(error) if error.kind() == ErrorKind::Usage => return refuse(name, &error).map(|()| None),
            staged => staged?,
        };
        notes.extend(staged.notes);
        let mut events = self.events();
        let versions = events.state.bots.get(&name);
        let last = versions.and_then(|versions| versions.last_key_value());
        let same = last.filter(|(_, last)| last.received.digest == staged.digest).map(|(number, _)| *number);
        let next = same.unwrap_or_else(|| last.map_or(1, |(number, _)| number + 1));
        let [_, place] = self.places(&name, next);
        if same.is_none() {
            fs::rename(&staged.folder, &place).map_err(|error| Error::unwritable(&place, &error))?;
        }
        let copies = events.state.copies(&name, &staged.digest);
        let (from, print, digest) = (from.to_owned(), print.to_owned(), staged.digest);
        events.add(Event::Received(Received {
            name: name.clone(),
            number: next,
            from,
            print,
            digest,
            notes,
        }))?;
        drop(events);
        if !copies.is_empty() {
            say(&format!("note: {name} {next} has the same files as {}", text::few(&copies)));
        }
        match same {
            Some(number) => {
                show(&format!("{name}: handed in again, the same as version {number}\n")).map(|()| None)
            }
            None => Ok(Some((name, next))),
        }
    }

    /// Returns the name of the bot of a hand-in, what was mended in it, and whether the bot may have it.
    fn name(&self, from: &str) -> (String, Vec<String>, Result<(), Error>) {
        let whole =
            self.options.names.as_ref().and_then(|names| names.captures(from).or(names.captures(stem(from))));
        let wanted = whole.map_or(stem(from), |groups| groups.get(1).map_or(from, |group| group.as_str()));
        // Browsers number a file that they download again.
        let counted = wanted.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
        let plain =
            counted.filter(|(_, number)| number.parse::<u32>().is_ok()).map_or(wanted, |(rest, _)| rest);
        let name = fitted(plain).trim_end_matches('-').to_owned();
        let is_mended = name != stem(from);
        let notes = if is_mended { vec![format!("its name is {name}")] } else { Vec::new() };
        let events = self.events();
        let named = check_new_name(&name).and_then(|_| {
            if from.contains(char::REPLACEMENT_CHARACTER) {
                return Err(Error::usage("its name is not UTF-8").hint("hand in under another name"));
            }
            if events.state.bot_of(from).is_some_and(|bot| *bot == name) {
                return Ok(());
            }
            let taken = events.state.bots.iter().filter(|(_, versions)| {
                !versions.values().any(|version| stem(&version.received.from) == stem(from))
            });
            let taken = taken.map(|(name, _)| name.as_str()).chain(self.bots.iter().map(String::as_str));
            let all: Vec<&str> = taken.chain([name.as_str()]).collect();
            let is_taken = all[..all.len() - 1].contains(&name.as_str()).then_some([name.as_str(); 2]);
            match is_taken.or(look_alikes(all.iter().copied())).or_else(|| same_but_for_case(all)) {
                None => Ok(()),
                Some([other, _]) => Err(Error::usage(format!("another bot is called {other:?}"))
                    .hint("hand in under another name, or ask the organiser")),
            }
        });
        drop(events);
        (name, notes, named)
    }

    /// Builds and checks a version, and tells its author.
    fn check(&self, name: &str, number: u32) -> Result<(), Error> {
        let told = self.events().state.version(name, number).map(|one| Told::of(&one.received, one.time));
        let Some(told) = told else { return Ok(()) };
        let [place, source] = self.places(name, number);
        let unwritable = |error: std::io::Error| Error::unwritable(&place, &error);
        if source.exists() {
            // A build that was killed may have left anything.
            if place.exists() {
                fs::remove_dir_all(&place).map_err(unwritable)?;
            }
            copy(&source, &place).map_err(unwritable)?;
        }
        let told = self.examiner.examine(&place, told)?;
        told.write(&self.folder)?;
        let (bot, state) = (name.to_owned(), told.state.to_owned());
        let run = told.run.clone().filter(|_| told.state == PLAYS);
        self.events().add(Event::Checked { name: bot, number, state, run })?;
        let _ = fs::remove_dir_all(source);
        self.tell(&told)
    }

    /// Prints a line for the organiser.
    fn tell(&self, told: &Told) -> Result<(), Error> {
        let Told { bot, version, state, reason, .. } = told;
        let number = version.map_or(String::new(), |number| format!(" {number}"));
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        show(&format!("{}\n", text::line(&format!("{bot}{number}: {state}{reason}"))))
    }
}

/// Returns why a bot plays no more.
fn out(reason: Option<String>) -> Error {
    Error::usage(reason.unwrap_or_else(|| "the organiser has withdrawn it".to_owned()))
        .hint("ask the organiser")
}

/// Returns the hand-ins in a folder: the name of each, the print of its files, and true if one of them is being written.
fn handed_in(folder: &Path) -> Result<Vec<(String, String, bool)>, Error> {
    let entries = fs::read_dir(folder).map_err(|error| Error::unreadable(folder, &error))?;
    let is_hidden = |name: &OsStr| name.as_bytes().starts_with(b".");
    let mut found = Vec::new();
    for entry in entries.flatten().filter(|entry| !is_hidden(&entry.file_name())) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let (mut hasher, mut names_left, mut is_open) = (Sha256::new(), NAMES_MAX, false);
        print(&entry.path(), &mut hasher, &mut names_left, &mut is_open);
        let print = hasher.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        found.push((name, print, is_open));
    }
    found.sort();
    Ok(found)
}

/// Hashes the names, sizes, and times of a file, or of everything in a folder.
fn print(path: &Path, hasher: &mut Sha256, names_left: &mut usize, is_open: &mut bool) {
    let Ok(facts) = fs::symlink_metadata(path) else { return };
    let Some(left) = names_left.checked_sub(1) else { return };
    *names_left = left;
    hasher.update(path.as_os_str().as_bytes());
    let times = [facts.mtime(), facts.mtime_nsec(), facts.ctime(), facts.ctime_nsec()];
    for number in times.into_iter().chain([facts.size().cast_signed(), facts.mode().into()]) {
        hasher.update(number.to_le_bytes());
    }
    if facts.is_dir() {
        let mut below: Vec<PathBuf> =
            fs::read_dir(path).into_iter().flatten().flatten().map(|one| one.path()).collect();
        below.sort();
        below.iter().for_each(|path| print(path, hasher, names_left, is_open));
    } else if facts.is_file() {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file: std::io::Result<File> = OpenOptions::new().read(true).custom_flags(flags).open(path);
        *is_open |= file.is_ok_and(|file| is_being_written(&file));
    }
}

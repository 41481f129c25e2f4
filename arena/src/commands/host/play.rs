//! Plays the versions of a contest that passed their checks: a round robin in which bots join, are replaced, and withdraw.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::setup::args::{Seats, TournamentArgs, TournamentOptions};
use crate::setup::asked::Asked;
use crate::setup::league::bot_section;
use referee::bots::identity::Identity;
use referee::error::{Error, ErrorKind};
use referee::for_game;
use referee::games::{GameKind, GameName};
use sandbox::SandboxLevel;
use sandbox::confine::paths::VERSIONS;
use tournament::journal::files::write_whole;
use tournament::plan::TOURNAMENT;
use tournament::plan::earlier::earlier_file;
use tournament::run::owner::Finished;
use tournament::run::stop::{Level, Stop};
use tournament::schedule::ScheduleName;
use tournament::standings::Tally;

/// The settings of a contest.
pub(super) const SETTINGS: &str = "contest.toml";
/// The folder of the results, and the league file that is played: the settings, and a section for each version.
const RESULTS: &str = "results";
const LEAGUE: &str = "league.toml";

/// The reason why no lock is poisoned.
const UNPOISONED: &str = "nobody panics while holding it";

/// The versions that play: the number of each and the command that runs it, by the names of the bots.
pub(super) type Field = BTreeMap<String, (u32, String)>;

/// Where the versions play.
pub(super) struct Table {
    contest: PathBuf,
    game: GameName,
    /// The sandbox, which the settings may leave open.
    contain: Option<SandboxLevel>,
    /// The field that is playing since this moment, and what stops it.
    now: Mutex<Option<(Field, Instant, Stop)>>,
    /// The field that has played everything, or cannot.
    done: Mutex<Option<Field>>,
    /// Held while matches are played.
    turn: Mutex<()>,
}

impl Table {
    pub(super) fn new(contest: &Path, game: GameName, contain: Option<SandboxLevel>) -> Table {
        let (now, done, turn) = (Mutex::default(), Mutex::default(), Mutex::default());
        Table { contest: contest.to_owned(), game, contain, now, done, turn }
    }

    pub(super) fn is_playing(&self) -> bool {
        self.now.lock().expect(UNPOISONED).is_some()
    }

    /// Returns true if nothing is left to do for this field.
    pub(super) fn is_done(&self, field: &Field) -> bool {
        self.done.lock().expect(UNPOISONED).as_ref() == Some(field)
    }

    /// Waits for the end of the running matches, and keeps others from beginning.
    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        self.ask(Level::Finish, |_, _| true);
        self.turn.lock().expect(UNPOISONED)
    }

    /// Lets the running matches end, and then another field play, if the field has played for this time.
    pub(super) fn offer(&self, field: &Field, least: Duration) {
        self.ask(Level::Finish, |playing, since| playing != field && since.elapsed() >= least);
    }

    /// Asks this of the matches that are running, if that is so.
    pub(super) fn ask(&self, level: Level, is_so: impl Fn(&Field, &Instant) -> bool) {
        let now = self.now.lock().expect(UNPOISONED);
        now.iter().filter(|(field, since, _)| is_so(field, since)).for_each(|(.., stop)| stop.ask(level));
    }

    /// Plays until every pair of the field has played all of its deals, or until that is stopped. Returns the bots with more
    /// faults of their own than other matches, each with what happened.
    ///
    /// # Errors
    /// The settings are wrong, or the machine fails.
    pub(super) fn play(&self, field: &Field) -> Result<Vec<(String, String)>, Error> {
        let _turn = self.turn.lock().expect(UNPOISONED);
        let settings = self.contest.join(SETTINGS);
        let text = fs::read_to_string(&settings).map_err(|error| Error::unreadable(&settings, &error))?;
        let bots = field.iter().map(|(name, (number, run))| bot_section(name, &dir(name, *number), run));
        let league = self.contest.join(LEAGUE);
        write_whole(&league, (text + "\n" + &bots.collect::<String>()).as_bytes())?;
        let settings = TournamentOptions {
            out: Some(self.contest.join(RESULTS)),
            schedule: Some(ScheduleName::RoundRobin),
            seats: Some(Seats::Count(2)),
            ..TournamentOptions::default()
        };
        let resume = self.contest.join(RESULTS).join(TOURNAMENT).exists();
        let (league, skip_broken, quiet) = (Some(league), true, true);
        let mut args =
            TournamentArgs { league, settings, resume, skip_broken, quiet, ..TournamentArgs::default() };
        args.lineup.containment.contain = self.contain;
        let stop = Stop::default();
        *self.now.lock().expect(UNPOISONED) = Some((field.clone(), Instant::now(), stop.clone()));
        let played = for_game!(self.game, G => self.play_game::<G>(args, field, &stop));
        *self.now.lock().expect(UNPOISONED) = None;
        // The machine may be better later, the settings are not.
        let is_done = match &played {
            Ok((is_whole, _)) => *is_whole,
            Err(error) => error.kind() == ErrorKind::Usage,
        };
        if is_done {
            *self.done.lock().expect(UNPOISONED) = Some(field.clone());
        }
        played.map(|(_, broken)| broken)
    }

    /// Returns true if nothing is left to play, and the bots with too many faults.
    fn play_game<G: GameKind>(
        &self,
        mut args: TournamentArgs,
        field: &Field,
        stop: &Stop,
    ) -> Result<(bool, Vec<(String, String)>), Error> {
        if let Some(file) = earlier_file::<G>(&self.contest.join(RESULTS))? {
            let is_of_contest =
                |bot: &&Identity| bot.dir.as_ref().is_some_and(|dir| dir.starts_with(VERSIONS));
            let is_another = |bot: &&Identity| {
                let now = field.get(&bot.name).map(|(number, _)| PathBuf::from(dir(&bot.name, *number)));
                now.is_some() && bot.dir != now
            };
            let all = file.plan.bots.iter().filter(is_of_contest);
            let gone = all.clone().filter(|bot| !field.contains_key(&bot.name));
            args.without = gone.map(|bot| bot.name.clone()).collect();
            let back = file.withdrawn.iter().filter(|bot| field.contains_key(&bot.name));
            args.replace = all.filter(is_another).chain(back).map(|bot| bot.name.clone()).collect();
        }
        let (tournament, claim, concurrency) = Asked::new(args)?.growing().prepare::<G>()?;
        let silent = tournament.file.skipped.iter().filter(|one| field.contains_key(&one.bot));
        let silent: Vec<_> = silent.map(|one| (one.bot.clone(), one.reason.clone())).collect();
        let Finished { left, standings, .. } =
            tournament.run(&claim, concurrency, stop, |_: &Tally, _| ())?;
        let broken =
            standings.rows.into_iter().filter(|row| field.contains_key(&row.bot)).filter_map(|row| {
                let (faults, matches) = (row.faults.values().sum::<u64>(), row.matches);
                let kinds = row.faults.iter().filter(|(_, count)| **count > 0);
                let kinds: Vec<String> =
                    kinds.map(|(kind, count)| format!("{} {count}", kind.as_str())).collect();
                let told = || {
                    format!("{faults} of its {matches} matches had a fault of its own: {}", kinds.join(", "))
                };
                (2 * faults > matches).then(|| (row.bot, told()))
            });
        Ok((left == 0, silent.into_iter().chain(broken).collect()))
    }
}

/// Returns the folder of a version, relative to that of the contest.
pub(super) fn dir(name: &str, number: u32) -> String {
    format!("{VERSIONS}/{name}/{number}")
}

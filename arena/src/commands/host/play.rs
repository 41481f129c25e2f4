//! Plays the versions of a contest that passed their checks: first a trial against all others, and then a round robin in
//! which bots join, are replaced, and withdraw.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::events::Field;
use crate::setup::args::{Seats, TournamentArgs, TournamentOptions};
use crate::setup::asked::Asked;
use crate::setup::containment::Containment;
use crate::setup::league::bot_section;
use referee::bots::identity::Identity;
use referee::bots::preflight::Greetings;
use referee::error::{Error, ErrorKind};
use referee::for_game;
use referee::games::{GameKind, GameName};
use referee::record::Summary;
use sandbox::SandboxLevel;
use sandbox::confine::paths::VERSIONS;
use tournament::journal::claim::Claim;
use tournament::journal::files::write_whole;
use tournament::journal::{JOURNAL, read, results};
use tournament::plan::earlier::earlier_file;
use tournament::plan::tag::tell_deals;
use tournament::plan::{TOURNAMENT, TournamentHead};
use tournament::replay::Source;
use tournament::run::owner::Finished;
use tournament::run::stop::{Level, Stop};
use tournament::schedule::ScheduleName;
use tournament::standings::ratings::{in_contest, ratings};
use tournament::standings::{Row, Standings, Tally};
use web::serve::page_for;

/// The settings of a contest.
pub(super) const SETTINGS: &str = "contest.toml";
/// The folder of the results, and the league file that is played: the settings, and a section for each version.
pub(super) const RESULTS: &str = "results";
const LEAGUE: &str = "league.toml";
/// The folder of the final.
pub(super) const FINAL: &str = "final";
/// The folder with the trials of versions that do not play for points yet, and the league file of the last one.
const TRIALS: &str = "trials";
const TRIAL: &str = ".trial.toml";
/// A trial has this number of deals, or one of this number of all deals if that is more.
const TRIAL_ROUNDS: u64 = 8;
const TRIAL_PART: u64 = 10;
/// The folder with the last match of each author that does not count.
pub(super) const UNRATED: &str = "unrated";
/// The pause before the matches are asked to end once more.
const PAUSE: Duration = Duration::from_millis(20);
/// The shortest time after which the tables are computed anew.
const SHOW_EVERY: Duration = Duration::from_secs(1);

/// The reason why no lock is poisoned.
const UNPOISONED: &str = "nobody panics while holding it";

/// The versions whose matches a contest plays.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Goal {
    /// The versions that play for points.
    pub(super) field: Field,
    /// The versions that wait for their trial.
    pub(super) waiting: Field,
}

/// What was played.
#[derive(Default)]
pub(super) struct Played {
    /// True if nothing is left to play.
    pub(super) is_whole: bool,
    /// The bots with more faults of their own than other matches, each with what happened.
    pub(super) broken: Vec<(String, String)>,
}

/// Where the versions play.
pub(super) struct Table {
    contest: PathBuf,
    /// The settings, as they were at the start.
    settings: String,
    game: GameName,
    /// The sandbox, which the settings may leave open.
    contain: Option<SandboxLevel>,
    /// What is being played since this moment, and what stops it.
    now: Mutex<Option<(Goal, Instant, Stop)>>,
    /// What was played to its end, or cannot be played.
    done: Mutex<Option<Goal>>,
    /// Held while matches are played.
    turn: Mutex<()>,
    /// Held while a match is played that does not count, with what stops it.
    unrated: Mutex<()>,
    unrated_stop: Mutex<Stop>,
    shown: Mutex<Option<Arc<Progress>>>,
    /// The greetings of bots that have started.
    greeted: Arc<Mutex<Greetings>>,
    /// The rating of each version that has played for points, and the number of its matches.
    rated: Mutex<BTreeMap<(String, u32), (f64, u64)>>,
}

/// The tables of the matches so far.
pub(super) struct Progress {
    pub(super) standings: Standings,
    /// The number of all matches.
    pub(super) total: u64,
    since: Instant,
}

impl Table {
    /// Returns the matches of a contest with these settings.
    pub(super) fn new(
        contest: &Path,
        settings: String,
        game: GameName,
        contain: Option<SandboxLevel>,
    ) -> Table {
        Table {
            contest: contest.to_owned(),
            settings,
            game,
            contain,
            now: Mutex::default(),
            done: Mutex::default(),
            turn: Mutex::default(),
            unrated: Mutex::default(),
            unrated_stop: Mutex::default(),
            shown: Mutex::default(),
            greeted: Arc::default(),
            rated: Mutex::default(),
        }
    }

    pub(super) fn is_own_game(&self) -> bool {
        !self.game.has_boards()
    }

    /// Returns the tables of the matches so far; `None` before the first one.
    pub(super) fn shown(&self) -> Option<Arc<Progress>> {
        let mut shown = self.shown.lock().expect(UNPOISONED);
        let results = self.contest.join(RESULTS);
        // While the contest pauses, nobody reads the matches of an earlier arena.
        if shown.is_none() && !self.is_playing() && results.join(TOURNAMENT).exists() {
            let state = Source::at(&results).state().ok().map(|(_, state, _)| state);
            *shown = state.map(|state| {
                let (standings, total) = (state.standings(), state.schedule().total());
                let _ = self.rate(); // without ratings, the tables are there
                Arc::new(Progress { standings, total, since: Instant::now() })
            });
        }
        shown.clone()
    }

    /// Returns the rating of each version that has played for points, and the number of its matches, by its bot and number.
    /// All are on one scale.
    pub(super) fn rated(&self) -> BTreeMap<(String, u32), (f64, u64)> {
        self.rated.lock().expect(UNPOISONED).clone()
    }

    fn rate(&self) -> Result<(), Error> {
        let out = self.contest.join(RESULTS);
        let playing = TournamentHead::read(&out)?.plan.bots;
        // The version of the plan has the name of its bot, and others have their number behind it.
        let version = |row: String| match row.split_once('@') {
            Some((bot, number)) => Some((bot.to_owned(), number.parse().ok()?)),
            None => {
                playing.iter().find(|bot| bot.name == row).and_then(in_contest).map(|number| (row, number))
            }
        };
        let rows = ratings(&[out])?.into_iter().flat_map(|(_, standings)| standings.rows);
        let rated = rows.filter_map(|row| Some((version(row.bot)?, (row.rating?.elo, row.matches))));
        *self.rated.lock().expect(UNPOISONED) = rated.collect();
        Ok(())
    }

    pub(super) fn is_playing(&self) -> bool {
        self.now.lock().expect(UNPOISONED).is_some()
    }

    /// Returns true if nothing is left to play.
    pub(super) fn is_done(&self, goal: &Goal) -> bool {
        self.done.lock().expect(UNPOISONED).as_ref() == Some(goal)
    }

    /// Waits for the end of the running matches, and keeps others from beginning.
    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        loop {
            self.ask(Level::Finish, |_, _| true);
            // Matches may be about to begin, which hear of it only then.
            match self.turn.try_lock() {
                Ok(turn) => return turn,
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Lets the running matches end, and then this be played, if something else was played for this time.
    pub(super) fn offer(&self, goal: &Goal, least: Duration) {
        self.ask(Level::Finish, |playing, since| playing != goal && since.elapsed() >= least);
    }

    /// Asks this of the matches that are running, if that is so.
    pub(super) fn ask(&self, level: Level, is_so: impl Fn(&Goal, &Instant) -> bool) {
        let now = self.now.lock().expect(UNPOISONED);
        now.iter().filter(|(goal, since, _)| is_so(goal, since)).for_each(|(.., stop)| stop.ask(level));
        if level == Level::Now {
            self.unrated_stop.lock().expect(UNPOISONED).ask(level);
        }
    }

    /// Notes in the results, and in those of the final, that everybody may know the deals.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn publish(&self) -> Result<(), Error> {
        let _turn = self.turn();
        for out in [RESULTS, FINAL].map(|name| self.contest.join(name)) {
            if out.join(TOURNAMENT).exists() {
                for_game!(self.game, G => tell_deals::<G>(&Claim::begun(&out)?))?;
            }
        }
        Ok(())
    }

    /// Plays until every pair of the field has played all of its deals, or until that is stopped. With a `waiting` bot, only
    /// that one plays, on some of the deals; its matches count once it is in the field. Without a tournament for it to join,
    /// a trial has no matches.
    ///
    /// # Errors
    /// The settings are wrong, or the machine fails.
    pub(super) fn play(&self, goal: &Goal, waiting: Option<&str>) -> Result<Played, Error> {
        let _turn = self.turn.lock().expect(UNPOISONED);
        let results = self.contest.join(RESULTS);
        let has_begun = results.join(TOURNAMENT).exists();
        if waiting.is_some() && !has_begun {
            return Ok(Played { is_whole: true, ..Played::default() });
        }
        let mut field = goal.field.clone();
        let tried = waiting.and_then(|name| goal.waiting.get_key_value(name));
        field.extend(tried.map(|(name, version)| (name.clone(), version.clone())));
        let league = league_file(
            &self.contest,
            if waiting.is_some() { TRIAL } else { LEAGUE },
            &self.settings,
            &field,
        )?;
        let mut settings = of_two(results);
        if let Some(name) = waiting {
            let plan = TournamentHead::read(&self.contest.join(RESULTS))?.plan;
            settings.out = Some(self.contest.join(TRIALS).join(name));
            settings.schedule = Some(ScheduleName::Gauntlet);
            settings.challenger = Some(name.to_owned());
            settings.rounds = Some(TRIAL_ROUNDS.max(plan.rounds / TRIAL_PART).min(plan.rounds));
            settings.seed = Some(plan.seed);
        }
        if has_begun && self.rated().is_empty() {
            let _ = self.rate(); // the ratings of an earlier arena, until this run has others
        }
        let args = self.arguments(league, settings);
        let stop = Stop::default();
        *self.now.lock().expect(UNPOISONED) = Some((goal.clone(), Instant::now(), stop.clone()));
        let played = for_game!(self.game, G => self.play_game::<G>(args, (goal, &field), waiting, &stop));
        let is_fixed = |error: &Error| has_begun && error.kind() == ErrorKind::Usage;
        let played = played.map_err(|error| match is_fixed(&error) {
            true => Error::usage(error.message()).hint(format!(
                "what decides matches stays as it was when they began: put back {SETTINGS}, or begin a new contest"
            )),
            false => error,
        });
        *self.now.lock().expect(UNPOISONED) = None;
        // Broken versions give way to others, and the machine may be better later; the settings are not.
        let is_done = match &played {
            Ok(played) => {
                played.is_whole && played.broken.is_empty() && waiting.is_none() && goal.waiting.is_empty()
            }
            Err(error) => error.kind() == ErrorKind::Usage,
        };
        if is_done {
            *self.done.lock().expect(UNPOISONED) = Some(goal.clone());
        }
        played
    }

    fn play_game<G: GameKind>(
        &self,
        mut args: TournamentArgs,
        (goal, field): (&Goal, &Field),
        waiting: Option<&str>,
        stop: &Stop,
    ) -> Result<Played, Error> {
        let out = args.settings.out.clone().unwrap_or_default();
        if let Some(file) = earlier_file::<G>(&out)? {
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
        let trials = fs::read_dir(self.contest.join(TRIALS)).into_iter().flatten().flatten();
        let joining = trials.filter(|_| waiting.is_none()).map(|trial| trial.path()).collect::<Vec<_>>();
        let asked = Asked::new(args)?.growing(joining.clone(), Arc::clone(&self.greeted));
        let (tournament, claim, concurrency) = asked.prepare::<G>()?;
        let is_judged = |bot: &String| waiting.map_or(field.contains_key(bot), |waiting| bot == waiting);
        let silent = tournament.file.skipped.iter().filter(|one| is_judged(&one.bot));
        let silent: Vec<_> = silent.map(|one| (one.bot.clone(), one.reason.clone())).collect();
        let mut faults_before = None;
        let mut observe = |tally: &Tally, total: u64| {
            faults_before.get_or_insert(tally.faults());
            let is_old = |shown: &Progress| shown.since.elapsed() >= SHOW_EVERY || shown.total != total;
            if waiting.is_none() && self.shown().is_none_or(|shown| is_old(&shown)) {
                self.show(tally.standings(), total);
            }
        };
        if waiting.is_some() && !silent.is_empty() {
            return Ok(Played { is_whole: true, broken: silent });
        }
        let Finished { left, standings, total } = tournament.run(&claim, concurrency, stop, &mut observe)?;
        if waiting.is_none() {
            self.show(standings.clone(), total);
            self.rate()?;
        }
        if faults_before != Some(standings.rows.iter().map(Row::faults_total).sum()) {
            // After a fault: something that no digest covers may have changed, such as a library of the system.
            self.greeted.lock().expect(UNPOISONED).clear();
        }
        let broken = standings.rows.into_iter().filter(|row| is_judged(&row.bot)).filter_map(|row| {
            let (faults, matches) = (row.faults_total(), row.matches);
            let kinds = row.faults.iter().filter(|(_, count)| **count > 0);
            let all: Vec<_> = kinds.map(|(kind, count)| format!("{} {count}", kind.as_str())).collect();
            let told =
                format!("{faults} of its {matches} matches had a fault of its own: {}", all.join(", "));
            let is_enough = left == 0 || matches >= TRIAL_ROUNDS;
            (is_enough && 2 * faults > matches).then_some((row.bot, told))
        });
        // Their matches have joined. The trial of a version that waits goes on.
        for trial in joining {
            let name = trial.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !goal.waiting.contains_key(&name) {
                fs::remove_dir_all(&trial).map_err(|error| Error::unwritable(&trial, &error))?;
            }
        }
        Ok(Played { is_whole: left == 0, broken: silent.into_iter().chain(broken).collect() })
    }
}

/// Returns the settings of a round robin of two seats in this directory.
fn of_two(out: PathBuf) -> TournamentOptions {
    let (schedule, seats) = (Some(ScheduleName::RoundRobin), Some(Seats::Count(2)));
    TournamentOptions { out: Some(out), schedule, seats, ..TournamentOptions::default() }
}

impl Table {
    /// Returns the arguments of a tournament of this league file, which goes on if it has begun.
    fn arguments(&self, league: PathBuf, settings: TournamentOptions) -> TournamentArgs {
        let resume = settings.out.as_ref().is_some_and(|out| out.join(TOURNAMENT).exists());
        let (league, skip_broken, quiet) = (Some(league), true, true);
        let mut args =
            TournamentArgs { league, settings, resume, skip_broken, quiet, ..TournamentArgs::default() };
        args.lineup.containment.contain = self.contain;
        args
    }

    fn show(&self, standings: Standings, total: u64) {
        let progress = Progress { standings, total, since: Instant::now() };
        *self.shown.lock().expect(UNPOISONED) = Some(Arc::new(progress));
    }

    /// Plays a match that does not count between a version and a bundled bot, on a deal of its own. Returns its result in
    /// words.
    ///
    /// # Errors
    /// The settings are wrong, or the machine fails.
    pub(super) fn play_unrated(
        &self,
        name: &str,
        version: (u32, String),
        against: &str,
    ) -> Result<String, Error> {
        let _only = self.unrated.lock().expect(UNPOISONED);
        let stop = Stop::default();
        *self.unrated_stop.lock().expect(UNPOISONED) = stop.clone();
        let out = self.contest.join(UNRATED).join(name);
        if out.exists() {
            fs::remove_dir_all(&out).map_err(|error| Error::unwritable(&out, &error))?;
        }
        let field = Field::from([(name.to_owned(), version)]);
        let mut settings: toml::Table =
            toml::from_str(&self.settings).map_err(|error| Error::usage(error.to_string()))?;
        settings.remove("bot");
        // The positions are those of matches that count.
        let tournament = settings.get_mut("tournament").and_then(toml::Value::as_table_mut);
        tournament.and_then(|tournament| tournament.remove("positions"));
        // Names are distinct.
        let its_name = if name == against { format!("the-{against}") } else { against.to_owned() };
        let other = format!("\n[[bot]]\nname = \"{its_name}\"\ncommand = \"{against}\"\n");
        let file = format!(".{UNRATED}-{name}.toml");
        let league = league_file(&self.contest, &file, &(settings.to_string() + &other), &field)?;
        let seed = Some(Containment::default().seed(None, false)?);
        let settings = TournamentOptions { rounds: Some(1), seed, ..of_two(out.clone()) };
        let args = TournamentArgs { keep_stderr: true, ..self.arguments(league, settings) };
        for_game!(self.game, G => {
            let (tournament, claim, concurrency) = Asked::new(args)?.prepare::<G>()?;
            tournament.run(&claim, concurrency, &stop, &mut |_: &Tally, _| ()).map(drop)
        })?;
        let mut said = String::new();
        read::<Summary>(&out, |Summary { bots, result, .. }, _| {
            let scores = bots.iter().zip(&result.scores).map(|(bot, score)| format!("{bot} {score}"));
            said = scores.collect::<Vec<_>>().join(", ");
            Ok(())
        })?;
        Ok(said)
    }

    /// Returns the page of the last match of this author that did not count, if there is one.
    ///
    /// # Errors
    /// The match cannot be read.
    pub(super) fn unrated(&self, name: &str) -> Result<Option<String>, Error> {
        let out = self.contest.join(UNRATED).join(name);
        let Ok(journal) = results::read(&out.join(JOURNAL)) else { return Ok(None) };
        let Some(line) = journal.split_inclusive('\n').find(|line| line.ends_with('\n')) else {
            return Ok(None);
        };
        let per_move = TournamentHead::read(&out)?.plan.limits.per_move;
        page_for(self.game, line.as_bytes(), per_move, name, Some(&out)).map(Some)
    }
}

/// Writes a league file with this name into the folder of a contest: these settings, and a section for each version.
pub(super) fn league_file(
    contest: &Path,
    name: &str,
    settings: &str,
    field: &Field,
) -> Result<PathBuf, Error> {
    let file = contest.join(name);
    write_whole(&file, league_text(settings, field).as_bytes())?;
    Ok(file)
}

/// Returns a league file: these settings, and a section for each version.
pub(super) fn league_text(settings: &str, field: &Field) -> String {
    let bots = field.iter().map(|(name, (number, run))| bot_section(name, &dir(name, *number), run));
    format!("{settings}\n{}", bots.collect::<String>())
}

/// Returns the folder of a version, relative to that of the contest.
pub(super) fn dir(name: &str, number: u32) -> String {
    format!("{VERSIONS}/{name}/{number}")
}

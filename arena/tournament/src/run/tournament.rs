//! A tournament: workers that play the schedule, and the one owner of everything they share.
//!
//! The workers take the next match, play it and hand the record to the owner. The owner alone writes
//! files and counts: a match counts when its line is on the disk. Records that came in together are
//! flushed together.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::bot::Host;
use crate::clock::TimeControl;
use crate::entrants::Entrant;
use crate::error::Error;
use crate::games::Playable;
use crate::journal::results;
use crate::journal::{DirLock, Journal, sync_folder};
use crate::plan::{TOURNAMENT, TournamentFile};
use crate::record::Summary;
use crate::referee::{MatchPlan, SetupWords};
use crate::report::tables::{Format, render};
use crate::run::evidence::EvidenceRoom;
use crate::run::games_alone::GamesAlone;
use crate::run::live::LiveRoom;
use crate::run::resume::{Begun, pairing_of};
use crate::run::shard::{self, Shard};
use crate::run::stop::{Level, Stop};
use crate::run::worker::{self, Crew, Event, Events, Shared, Work};
use crate::schedule::{Course, Indices, Pairing, Stage};
use crate::standings::{Standings, Tally};

/// A tournament ready to be played.
#[derive(Debug)]
pub struct Tournament<G: Playable> {
    /// What determines it.
    pub file: TournamentFile<G>,
    /// Rules and components.
    pub equipment: Arc<G::Equipment>,
    /// The bots, in the order of the plan.
    pub entrants: Vec<Entrant>,
    /// What all bots share.
    pub host: Host,
    /// Whether what sound bots write to stderr is kept as well.
    pub keep_stderr: bool,
    /// Whether its matches can be watched while they are played.
    pub live: bool,
    /// Which part of it is played here.
    pub shard: Shard,
}

/// What became of a tournament.
#[derive(Debug)]
pub struct Finished {
    /// The tables of what was played.
    pub standings: Standings,
    /// Matches of the whole plan, as far as they are known.
    pub total: u64,
    /// Matches of this part of it that are still to be played, as far as they are known; 0 where it is
    /// done.
    pub left: u64,
}

/// Whoever follows a tournament while it is played. A function of the tally and the number of matches is
/// one that never has enough.
pub trait Observer {
    /// A match counts: one from the journal of an earlier run, or one that has just been written to it.
    fn counted(&mut self, _summary: &Summary) {}

    /// Whether enough was played: then the running matches are dropped. Asked before the first match, and
    /// whenever some were counted. `total` is the number of matches of the whole plan, as far as it is
    /// known by then.
    fn is_enough(&mut self, tally: &Tally, total: u64) -> bool;
}

impl<F: FnMut(&Tally, u64)> Observer for F {
    fn is_enough(&mut self, tally: &Tally, total: u64) -> bool {
        self(tally, total);
        false
    }
}

impl<G: Playable> Tournament<G> {
    /// The options under which its matches are played, for the command that plays one again.
    pub(crate) fn options(&self) -> String {
        let plan = &self.file.plan;
        let memory = plan.memory_bytes.map_or(String::new(), |bytes| format!(" --memory {bytes}B"));
        plan.limits.options() + &memory + G::GAME.freeze_option(plan.freeze) + &G::options_of(&plan.setup)
    }

    /// Number of matches of the whole plan, as far as it is known before any result.
    ///
    /// # Errors
    /// A schedule that cannot be played.
    pub fn total(&self) -> Result<u64, Error> {
        Ok(self.file.plan.course()?.total())
    }

    fn names(&self) -> Vec<String> {
        self.entrants.iter().map(|entrant| entrant.name.clone()).collect()
    }

    /// Plays the matches that the journal in the directory `out`, which must be there, does not
    /// have, stage by stage, until the observer has enough. Of a part the journal is its own file there.
    ///
    /// # Errors
    /// Where files cannot be written or processes not be started, or the journal is not of this
    /// plan. What was counted before is safe.
    pub fn run(
        &self,
        out: &Path,
        crew: Crew,
        stop: &Stop,
        mut observer: impl Observer,
    ) -> Result<Finished, Error> {
        let course = self.file.plan.course()?;
        let tally = Tally::new(G::NAME, &self.names(), &self.file.plan.limits);
        let names = self.names();
        let is_part = self.shard != Shard::WHOLE;
        // Parts have a file each, so that many can be played into one directory.
        let _lock = if is_part { None } else { Some(DirLock::take(out)?) };
        // The plan is there before the journal, so that whatever ends this run can be resumed.
        let Begun { journal, tally, course } = if is_part {
            shard::write_plan(out, &self.file)?;
            shard::begin(out, &self.file, self.shard, (tally, course), &mut observer)?
        } else {
            write_json(&out.join(TOURNAMENT), &self.file)?;
            Begun::new(out, tally, &names, course, &mut observer)?
        };
        let games = GamesAlone::new(journal.path(), crew.jobs);
        // What is kept beside the matches has a folder for each part too.
        let folder = self.shard.folder_in(out);
        if is_part {
            results::check_folder(&folder).map_err(|error| Error::unwritable(&folder, &error))?;
        }
        let live = LiveRoom::open(&folder, self.live)?;
        let evidence = EvidenceRoom::new(&folder);
        let (shard, open) = (self.shard, 0);
        let mut owner = Owner { journal, tally, course, evidence, names, games: &games, shard, open };
        self.look_up(&games, owner.earliest_round())?;
        if owner.has_enough(&mut observer) {
            stop.ask(Level::Now);
        }
        // A stage that is not finished when nobody plays any more was stopped, or is played in parts.
        let mut last = None;
        while let Some((number, first, stage)) = owner.course.now().filter(|now| last != Some(now.0)) {
            last = Some(number);
            let done = owner.course.done().clone();
            let (shard, by_table, next) = (self.shard, self.goes_by_table(), AtomicU64::new(0));
            let work = StageWork { stage: &stage, first, done, shard, by_table, next };
            let follow = |events: Events| owner.follow(events, stop, &mut observer);
            let shared = Shared { games: &games, live: live.as_ref(), stop };
            worker::play_all(self, &work, shared, crew, follow)?;
        }
        let standings = owner.standings();
        let left = owner.left();
        let total = owner.course.total();
        match is_part {
            true if left == 0 => shard::finish(owner.journal, self.shard, standings.matches)?,
            false if left == 0 || owner.has_enough(&mut observer) => write_standings(out, &standings)?,
            _ => {}
        }
        Ok(Finished { standings, total, left })
    }

    /// Whether processes are kept that may meet a deal once, for bots that meet it at every table.
    fn goes_by_table(&self) -> bool {
        let plan = &self.file.plan;
        plan.reuse && !plan.trusting && !self.entrants.iter().all(|entrant| entrant.solitary)
    }

    /// Looks up the games that bots played alone, from this round on. After a change nothing says that they would play
    /// so again.
    fn look_up(&self, games: &GamesAlone<G>, from: u64) -> Result<(), Error> {
        let is_of_use = self.entrants.iter().any(|entrant| entrant.solitary) && self.file.changes.is_empty();
        if is_of_use { games.look_up(from, &self.equipment, &self.names()) } else { Ok(()) }
    }
}

/// The matches of a stage that are still to be played, handed out one by one.
struct StageWork<'a> {
    stage: &'a Stage,
    /// The index of its first match.
    first: u64,
    done: Indices,
    shard: Shard,
    /// Whether they come table by table, so that processes which may meet a deal once are of use for long; else round by
    /// round.
    by_table: bool,
    next: AtomicU64,
}

impl Work for StageWork<'_> {
    async fn next(&self) -> Option<(u64, Pairing)> {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.stage.total() {
                return None;
            }
            let place = if self.by_table { self.stage.place_by_table(number) } else { number };
            let index = self.first + place;
            if self.shard.has(index) && !self.done.contains(index) {
                return Some((index, self.stage.pairing(place)));
            }
        }
    }
}

/// The match of a seed between these bots.
///
/// # Errors
/// Where so many seats cannot play.
pub fn match_plan<G: Playable>(
    equipment: &Arc<G::Equipment>,
    setup: &Arc<SetupWords<G>>,
    index: u64,
    round: u64,
    seed: u64,
    bots: Vec<String>,
    time: TimeControl,
) -> Result<MatchPlan<G>, Error> {
    let deal = G::deal(equipment, bots.len(), seed).map_err(|error| Error::usage(error.to_string()))?;
    let (equipment, setup) = (Arc::clone(equipment), Arc::clone(setup));
    Ok(MatchPlan { index, round, seed, bots, equipment, setup, deal, time })
}

/// The owner of what the workers share: the journal, what it counts, and the evidence.
struct Owner<'a, G: Playable> {
    journal: Journal,
    tally: Tally,
    course: Course,
    evidence: EvidenceRoom,
    names: Vec<String>,
    games: &'a GamesAlone<G>,
    shard: Shard,
    /// No match before this one is still to be played here.
    open: u64,
}

impl<G: Playable> Owner<'_, G> {
    /// The tables of what is counted.
    fn standings(&self) -> Standings {
        Standings { outcome: self.course.outcome(&self.names), ..self.tally.standings() }
    }

    /// The earliest round of which a match is still to be played here. Where later matches follow from results no round
    /// is ever over.
    fn earliest_round(&mut self) -> u64 {
        if self.course.is_adaptive() {
            return 0;
        }
        self.open = self.course.next_open(self.open, |index| self.shard.has(index));
        self.course.pairing(self.open).map_or(u64::MAX, |pairing| pairing.round)
    }

    /// Matches of a part of the tournament that are still to be played, as far as they are known.
    fn left(&self) -> u64 {
        let shard = self.shard;
        let Some((_, first, _)) = self.course.now() else { return 0 };
        let done = self.course.done().iter().filter(|&index| shard.has(index)).count() as u64;
        shard.share_of(self.course.total()) - shard.share_of(first) - done
    }

    /// Whether the observer has enough of what is counted.
    fn has_enough(&self, observer: &mut impl Observer) -> bool {
        observer.is_enough(&self.tally, self.course.total())
    }

    /// Takes events until all workers have ended; after an error they are stopped first.
    fn follow(&mut self, mut events: Events, stop: &Stop, observer: &mut impl Observer) -> Result<(), Error> {
        let mut outcome = Ok(());
        let mut batch = Vec::new();
        while worker::receive(&mut events, &mut batch) {
            let batch = std::mem::take(&mut batch);
            if outcome.is_ok() {
                outcome = self.count(batch, observer);
                if self.has_enough(observer) || outcome.is_err() {
                    stop.ask(Level::Now);
                }
            }
        }
        outcome
    }

    /// Writes a batch to the disk, then counts it.
    fn count(&mut self, batch: Vec<Event>, observer: &mut impl Observer) -> Result<(), Error> {
        let (mut played, mut failed) = (Vec::new(), None);
        for event in batch {
            match event {
                Event::Played(one) => played.push(one),
                Event::Failed(error) => failed = Some(error),
            }
        }
        let lines: Vec<&[u8]> = played.iter().map(|one| one.line.as_slice()).collect();
        let mut offset = self.journal.append(&lines.concat())?;
        for one in &played {
            one.alone.iter().for_each(|&(key, seat)| self.games.is_written(key, (offset, seat)));
            offset += one.line.len() as u64;
            self.tally.add(&one.summary)?;
            observer.counted(&one.summary);
            self.course.take(&pairing_of(&one.summary, &self.names)?, &one.summary.result);
            self.evidence.keep(&one.evidence)?;
        }
        self.games.forget_before(self.earliest_round());
        failed.map_or(Ok(()), Err)
    }
}

/// Writes the three files of the standings.
///
/// # Errors
/// Where one cannot be written.
pub fn write_standings(out: &Path, standings: &Standings) -> Result<(), Error> {
    for (name, format) in [("json", Format::Json), ("csv", Format::Csv), ("md", Format::Markdown)] {
        write_whole(&out.join(format!("standings.{name}")), render(standings, format).as_bytes())?;
    }
    Ok(())
}

/// Writes plain data as a JSON file, whole or not at all.
///
/// # Errors
/// Where it cannot be written.
pub fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), Error> {
    let json = serde_json::to_string_pretty(value).expect("plain data") + "\n";
    write_whole(path, json.as_bytes())
}

/// Writes a file whole or not at all.
///
/// # Errors
/// Where it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".{}.tmp", std::process::id()));
    let aside = PathBuf::from(aside);
    let write = || {
        let mut file = results::create(&aside)?;
        std::io::Write::write_all(&mut file, bytes)?;
        file.sync_all()?;
        std::fs::rename(&aside, path)?;
        sync_folder(path)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&aside);
        Error::unwritable(path, &error)
    })
}

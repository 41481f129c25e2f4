//! Plays a tournament: the one owner of what its workers share.
//!
//! The workers take the next match, play it and hand the record to the owner. The owner alone writes
//! files and counts: a match counts when its line is on the disk. Records that came in together are
//! flushed together.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::evidence::EvidenceRoom;
use super::games_alone::GamesAlone;
use super::live::LiveRoom;
use super::observer::Observer;
use super::resume::Begun;
use super::shard;
use super::stop::{Level, Stop};
use super::tournament::Tournament;
use super::worker::{self, Crew, Event, Events, Shared, Work};
use crate::journal::files::write_json;
use crate::journal::shard::Shard;
use crate::journal::{DirLock, Journal, results};
use crate::plan::TOURNAMENT;
use crate::report::write_standings;
use crate::schedule::{Course, Indices, Pairing, Stage};
use crate::standings::{Standings, Tally};
use crate::state::pairing_of;
use referee::error::Error;
use referee::games::Playable;

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

impl<G: Playable> Tournament<G> {
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

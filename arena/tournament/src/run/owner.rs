//! Plays a tournament: the single owner of the data that its workers share.
//!
//! The workers take the next match, play it, and send the record to the owner. Only the owner writes the
//! journal and counts. A match counts once its line is on the disk. Records that arrive together are flushed
//! together.

use std::sync::atomic::{AtomicU64, Ordering};

use super::concurrency::Concurrency;
use super::fault_reports::FaultReportDir;
use super::live::LiveDir;
use super::observer::Observer;
use super::resume::{Resumed, supersede};
use super::shard;
use super::solo_cache::SoloCache;
use super::stop::{Level, Stop};
use super::tournament::Tournament;
use super::worker::{self, Event, Events, Shared, Work};
use crate::journal::claim::Claim;
use crate::journal::shard::Shard;
use crate::journal::{Journal, results};
use crate::plan::tag::write_file;
use crate::report::write_standings;
use crate::schedule::{Indices, Order, Pairing, Stage};
use crate::standings::Standings;
use crate::state::State;
use referee::bots::held::Store;
use referee::error::Error;
use referee::games::GameKind;
use referee::seats::pool::SPARE_MAX;

/// The outcome of [`Tournament::run`].
#[derive(Debug)]
pub struct Finished {
    /// The tables of the counted matches.
    pub standings: Standings,
    /// The number of matches of the whole plan, as far as known.
    pub total: u64,
    /// The number of unfinished matches of this shard, as far as known; 0 once the shard is finished.
    pub left: u64,
}

impl<G: GameKind> Tournament<G> {
    /// Plays the matches that the journal in the claimed directory lacks, stage by stage, until the observer
    /// stops it. The journal of a shard is a file of its own there.
    ///
    /// # Errors
    /// Fails if files cannot be written, if processes cannot be started, or if the journal belongs to another
    /// plan. Matches counted before are safe.
    pub fn run(
        &self,
        out: &Claim,
        concurrency: Concurrency,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Result<Finished, Error> {
        let (plan, out) = (&self.file.plan, out.path());
        let copies: Vec<&String> = plan.bots.iter().filter_map(|bot| bot.held.as_ref()).collect();
        let store = if copies.is_empty() { None } else { Store::open().ok() };
        store.iter().for_each(|store| store.keep(out, &copies));
        let state = State::new(&self.file, plan.progress(G::EVERY_SEAT_EACH_DEAL)?);
        let is_shard = self.shard != Shard::WHOLE;
        // The plan is written before the journal, so that any interrupted run can be resumed.
        let Resumed { journal, state } = if is_shard {
            shard::write_plan::<G>(out, &self.file)?;
            shard::begin(out, &self.file, self.shard, state, observer)?
        } else {
            // The journal loses lines before the plan changes: matches that it lacks are played, whatever happens.
            supersede(out, &self.superseded)?;
            write_file(out, &self.file, self.is_own)?;
            Resumed::new(out, state, (&self.joining, &plan.bots), observer)?
        };
        let games = SoloCache::new(journal.path(), concurrency.jobs);
        // Each shard also has its own folder for the files other than the journal.
        let folder = self.shard.folder_in(out);
        if is_shard {
            results::check_folder(&folder).map_err(|error| Error::unwritable(&folder, &error))?;
        }
        let live = LiveDir::open(&folder, self.live)?;
        let fault_reports = FaultReportDir::new(&folder);
        let (shard, open) = (self.shard, 0);
        let mut owner = Owner { journal, state, fault_reports, games: &games, shard, open };
        self.look_up(&games, owner.earliest_round())?;
        if owner.has_enough(observer) {
            stop.ask(Level::Now);
        }
        // If the workers end before the stage is finished, it was stopped or other shards have the rest.
        let mut last = None;
        while let Some((number, first, stage)) =
            owner.state.schedule().now().filter(|now| last != Some(now.0))
        {
            last = Some(number);
            let done = owner.state.schedule().done().clone();
            let (shard, order, next) = (self.shard, self.order(&stage), AtomicU64::new(0));
            let work = StageWork { stage: &stage, first, done, shard, order, next };
            let follow = |events: Events| owner.follow(events, stop, observer);
            let shared = Shared { games: &games, live: live.as_ref(), stop };
            worker::play_all(self, &work, shared, concurrency, follow)?;
        }
        let standings = owner.state.standings();
        let left = owner.left();
        let total = owner.state.schedule().total();
        match is_shard {
            true if left == 0 => shard::finish(owner.journal, self.shard, standings.matches)?,
            false if left == 0 || owner.has_enough(observer) => {
                store.iter().for_each(|store| store.release(out));
                write_standings(out, &standings)?;
                if self.file.commitment.is_some() {
                    write_file(out, &self.file.clone().told(), self.is_own)?;
                }
            }
            _ => {}
        }
        Ok(Finished { standings, total, left })
    }

    /// Returns the order that needs the fewest starts. A kept process may meet a deal only once. A trusted one
    /// may meet it again, but a worker keeps only some processes.
    fn order(&self, stage: &Stage) -> Order {
        let plan = &self.file.plan;
        match plan.reuse && !self.entrants.iter().all(|entrant| entrant.identity.solitary) {
            true if !plan.trusting => Order::Tables,
            true if self.entrants.len() > SPARE_MAX => stage.order_in_blocks(SPARE_MAX),
            _ => Order::Rounds,
        }
    }

    /// Looks up solo games in the journal, from this round on. After a change of the plan they may no longer
    /// be valid, so nothing is looked up.
    fn look_up(&self, games: &SoloCache<G>, from: u64) -> Result<(), Error> {
        let is_of_use =
            self.entrants.iter().any(|entrant| entrant.identity.solitary) && self.file.changes.is_empty();
        if is_of_use { games.look_up(from, &self.rules.equipment, &self.names()) } else { Ok(()) }
    }
}

/// The unfinished matches of a stage, handed out one by one.
struct StageWork<'a> {
    stage: &'a Stage,
    /// The index of its first match.
    first: u64,
    done: Indices,
    shard: Shard,
    order: Order,
    next: AtomicU64,
}

impl Work for StageWork<'_> {
    async fn next(&self) -> Option<(u64, Pairing)> {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.stage.total() {
                return None;
            }
            let place = self.stage.place_in(&self.order, number);
            let index = self.first + place;
            if self.shard.has(index) && !self.done.contains(index) {
                return Some((index, self.stage.pairing(place)));
            }
        }
    }
}

/// The owner of the workers' shared data: the journal, the counts, and the fault reports.
struct Owner<'a, G: GameKind> {
    journal: Journal,
    state: State,
    fault_reports: FaultReportDir,
    games: &'a SoloCache<G>,
    shard: Shard,
    /// All matches of this shard before this index are finished.
    open: u64,
}

impl<G: GameKind> Owner<'_, G> {
    /// The earliest round with an unfinished match of this shard; 0 for an adaptive schedule, because no
    /// round of it is ever over.
    fn earliest_round(&mut self) -> u64 {
        let schedule = self.state.schedule();
        if schedule.is_adaptive() {
            return 0;
        }
        self.open = schedule.next_open(self.open, |index| self.shard.has(index));
        schedule.pairing(self.open).map_or(u64::MAX, |pairing| pairing.round)
    }

    /// The number of unfinished matches of this shard, as far as known.
    fn left(&self) -> u64 {
        let (shard, schedule) = (self.shard, self.state.schedule());
        let Some((_, first, _)) = schedule.now() else { return 0 };
        let done = schedule.done().iter().filter(|&index| shard.has(index)).count() as u64;
        shard.share_of(schedule.total()) - shard.share_of(first) - done
    }

    /// Returns true if the observer stops the tournament.
    fn has_enough(&self, observer: &mut dyn Observer) -> bool {
        observer.is_enough(self.state.tally(), self.state.schedule().total())
    }

    /// Handles events until all workers have ended. After an error it stops the workers.
    fn follow(&mut self, mut events: Events, stop: &Stop, observer: &mut dyn Observer) -> Result<(), Error> {
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
    fn count(&mut self, batch: Vec<Event>, observer: &mut dyn Observer) -> Result<(), Error> {
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
            self.state.apply_pairing(&one.summary, one.pairing.clone())?;
            observer.counted(&one.summary);
            self.fault_reports.keep(&one.reports)?;
        }
        self.games.forget_before(self.earliest_round());
        failed.map_or(Ok(()), Err)
    }
}

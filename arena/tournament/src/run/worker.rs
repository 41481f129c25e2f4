//! Workers: threads that play matches, one for each core, with their bots on the same cores.
//!
//! Each worker has a runtime of its own and plays its share of the matches at once. It takes the next match,
//! plays it, and sends the record to the owner. Workers share nothing else, except for solo games, the stop
//! request, and the detector of thinking bots.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::thread::Scope;
use std::time::{Duration, Instant};

use engine::game::Seat;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::runtime::Builder;
use tokio::sync::mpsc;
use tracing::{debug, info};

use crate::plan::MatchSeeds;
use crate::run::concurrency::{Concurrency, CoreSlice};
use crate::run::fault_reports::FaultReports;
use crate::run::live::{LiveDir, LiveMatch};
use crate::run::solo_cache::{Key, SoloCache};
use crate::run::stop::{Level, Stop};
use crate::run::think_time::ThinkTimeDetector;
use crate::run::tournament::Tournament;
use crate::schedule::Pairing;
use referee::bots::entrants::Entrant;
use referee::bots::held::{Place, places};
use referee::error::Error;
use referee::games::GameKind;
use referee::play::MatchPlan;
use referee::record::Summary;
use referee::seats::pool::Pool;
use referee::seats::solo::SoloGame;
use referee::seats::table::{Played, SeatSource, play};
use sandbox::text;

/// The number of finished matches that may wait for the owner. Workers play on while the disk is busy. If the
/// arena is killed, the waiting matches are lost and played again.
const EVENTS_WAITING_MAX: usize = 256;

/// The time for which the owner collects finished matches before it flushes them to the disk.
const GATHER: Duration = Duration::from_millis(5);

/// The maximum wait for a place of copies that is gone, and the pause between looks.
const GONE_MAX: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The open matches, handed out one by one.
pub trait Work: Sync {
    /// Returns the index and the pairing of the next match; `None` after the last one.
    fn next(&self) -> impl Future<Output = Option<(u64, Pairing)>>;
}

/// A message from a worker to the owner.
pub enum Event {
    /// A match is finished.
    Played(Box<PlayedMatch>),
    /// The machine failed, and no more matches can be played.
    Failed(Error),
}

/// The messages to the owner.
pub type Events = mpsc::Receiver<Event>;

/// Collects events for a moment, so that matches that end together are flushed together. Returns false once
/// all workers have ended.
pub fn receive(events: &mut Events, batch: &mut Vec<Event>) -> bool {
    let Some(first) = events.blocking_recv() else { return false };
    batch.push(first);
    if !events.is_closed() {
        std::thread::sleep(GATHER);
    }
    while let Ok(event) = events.try_recv() {
        batch.push(event);
    }
    true
}

/// A finished match for the owner.
pub struct PlayedMatch {
    /// The journal's line, newline included.
    pub line: Vec<u8>,
    /// The facts for the tables.
    pub summary: Summary,
    /// Its round, and its bots by seat.
    pub pairing: Pairing,
    /// The fault reports of the match.
    pub reports: FaultReports,
    /// The solo games in the match, and their seats.
    pub alone: Vec<(Key, Seat)>,
}

/// The data that all workers share, in addition to the tournament.
pub struct Shared<'a, G: GameKind> {
    /// The cache of solo games.
    pub games: &'a SoloCache<G>,
    /// The folder of live files, if matches can be watched.
    pub live: Option<&'a LiveDir>,
    /// The stop request.
    pub stop: &'a Stop,
}

impl<G: GameKind> Clone for Shared<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: GameKind> Copy for Shared<'_, G> {}

/// Plays all matches of `work`. `follow` is the owner and receives each match.
///
/// # Errors
/// Fails if a worker cannot be started. Returns the error of the owner.
pub fn play_all<G: GameKind>(
    tournament: &Tournament<G>,
    work: &impl Work,
    shared: Shared<'_, G>,
    concurrency: Concurrency,
    follow: impl FnOnce(Events) -> Result<(), Error>,
) -> Result<(), Error> {
    let limits = tournament.file.plan.bot_limits();
    let per_move = limits.iter().map(|limits| limits.per_move).min().unwrap_or_default();
    let pace = ThinkTimeDetector::new(per_move);
    std::thread::scope(|scope| {
        let (sender, events) = mpsc::channel(EVENTS_WAITING_MAX);
        let mut begin = 0;
        for share in concurrency.shares() {
            // The number of its matches that may begin while bots think.
            let thinking = concurrency.jobs_thinking.saturating_sub(begin).min(share.tables);
            begin += share.tables;
            let (pace, events) = (&pace, sender.clone());
            Worker { tournament, work, shared, pace, events, share, thinking }.start(scope)?;
        }
        drop(sender);
        follow(events)
    })
}

/// A worker.
struct Worker<'a, G: GameKind, W> {
    tournament: &'a Tournament<G>,
    work: &'a W,
    shared: Shared<'a, G>,
    pace: &'a ThinkTimeDetector,
    events: mpsc::Sender<Event>,
    share: CoreSlice,
    /// The number of its matches at once that do not wait for quick bots.
    thinking: usize,
}

/// The data that the matches of a worker share.
struct WorkerContext {
    pool: Pool,
    /// The number of each bot of the tournament among the copies of the same bot.
    copies: Vec<u32>,
    seeds: MatchSeeds,
    was_quick: Cell<Option<bool>>,
    /// The last known places of the copies of each bot.
    places: RefCell<HashMap<usize, Vec<Place>>>,
}

impl WorkerContext {
    /// Returns true if a place is another one than the last time.
    fn moved(&self, pairing: &Pairing, now: &[Vec<Place>]) -> bool {
        let mut known = self.places.borrow_mut();
        let put = |(&bot, now): (&usize, &Vec<Place>)| {
            known.insert(bot, now.clone()).is_some_and(|then| then != *now)
        };
        pairing.bots.iter().zip(now).map(put).fold(false, |any, moved| any | moved)
    }
}

impl<'scope, G: GameKind, W: Work> Worker<'scope, G, W> {
    fn start<'env>(self, scope: &'scope Scope<'scope, 'env>) -> Result<(), Error> {
        let (number, stop) = (self.share.number, self.shared.stop);
        let wrong = |error: std::io::Error| {
            stop.ask(Level::Now);
            Error::host(format!("cannot start worker {number}: {error}")).hint("lower --jobs")
        };
        let runtime = Builder::new_current_thread().enable_all().build().map_err(wrong)?;
        std::thread::Builder::new()
            .name(format!("worker {number}"))
            .spawn_scoped(scope, move || runtime.block_on(self.run()))
            .map_err(wrong)?;
        Ok(())
    }

    /// Plays until there are no more matches or the tournament is stopped.
    async fn run(&self) {
        let (host, plan) = (&self.tournament.host, &self.tournament.file.plan);
        let context = WorkerContext {
            pool: match plan.reuse {
                true => Pool::keeping(host, self.share.tables * plan.seats).trusting(plan.trusting),
                false => Pool::fresh(host),
            },
            copies: self.tournament.file.copies(),
            seeds: plan.seeds(),
            was_quick: Cell::new(None),
            places: RefCell::default(),
        };
        let tables: FuturesUnordered<_> =
            (0..self.share.tables).map(|table| self.play_on(&context, table < self.thinking)).collect();
        tokio::select! {
            () = tables.collect() => context.pool.close().await,
            () = self.shared.stop.now() => self.pace.end(),
        }
    }

    /// Plays one match after another.
    async fn play_on(&self, context: &WorkerContext, thinking: bool) {
        loop {
            if !thinking {
                self.pace.quick().await;
            }
            if self.shared.stop.level() != Level::Run {
                break;
            }
            let Some((index, pairing)) = self.work.next().await else { break };
            if self.change_pace(context) {
                context.pool.close().await; // the kept processes run on other cores or in another session
            }
            let bots = pairing.bots.clone();
            if self.tournament.is_over(index, &bots) {
                continue;
            }
            let played = match self.play_held(index, &pairing, context).await {
                // The file of a bot has changed: nobody knows which version played.
                Ok(_) if self.tournament.is_over(index, &bots) => continue,
                other => other,
            };
            let event = match played {
                Ok(Some(played)) => {
                    self.pace.learn(&played.summary);
                    Event::Played(Box::new(played))
                }
                Ok(None) => break,
                Err(error) => Event::Failed(error),
            };
            if self.events.send(event).await.is_err() {
                break;
            }
        }
        self.pace.end();
    }

    /// Plays a match in which the bots see the copies of their files from the beginning to the end. If a copy fell off, it is
    /// played again. Returns `None` if the tournament is stopped.
    async fn play_held(
        &self,
        index: u64,
        pairing: &Pairing,
        context: &WorkerContext,
    ) -> Result<Option<PlayedMatch>, Error> {
        loop {
            let Some(before) = self.places(pairing).await? else { return Ok(None) };
            if context.moved(pairing, &before) {
                context.pool.close().await; // kept processes may have lost their copies
            }
            let played = self.tournament.play(index, pairing.clone(), self.shared, context).await;
            let after: Vec<_> =
                pairing.bots.iter().map(|&bot| places(&self.tournament.entrants[bot]).ok()).collect();
            if before.iter().map(Some).eq(after.iter().map(Option::as_ref)) {
                return played.map(Some);
            }
            info!(index, "the place of a copy was removed, match replayed");
        }
    }

    /// Returns the places of the copies of each bot. Waits for a place that is gone, because a build may make it again. Returns
    /// `None` if the tournament is stopped.
    async fn places(&self, pairing: &Pairing) -> Result<Option<Vec<Vec<Place>>>, Error> {
        let begin = Instant::now();
        loop {
            let all = pairing.bots.iter().map(|&bot| places(&self.tournament.entrants[bot]));
            let gone = match all.collect::<Result<Vec<_>, &Path>>() {
                Ok(places) => return Ok(Some(places)),
                Err(gone) => text::path(gone),
            };
            if self.shared.stop.level() != Level::Run {
                return Ok(None);
            }
            if begin.elapsed() > GONE_MAX {
                let seconds = GONE_MAX.as_secs();
                return Err(Error::host(format!(
                    "{gone} has been gone for {seconds} seconds, and bots start there"
                )));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Moves the worker to the best cores for its bots. Bots that think at the same time get sessions of
    /// their own, so that they share the processors fairly, even if one of them starts many threads or
    /// processes. Returns true if something changed.
    fn change_pace(&self, context: &WorkerContext) -> bool {
        let (quick, was_quick) = (self.pace.is_quick(), context.was_quick.get());
        let is_simultaneous = self.tournament.rules.is_simultaneous;
        if is_simultaneous {
            context.pool.host.set_apart(!quick);
        }
        let changes = is_simultaneous && was_quick.is_some_and(|was_quick| was_quick != quick);
        if changes {
            debug!(worker = self.share.number, quick, "pace changed");
        }
        self.share.move_for(quick, &context.was_quick) || changes
    }
}

impl<G: GameKind> Tournament<G> {
    /// Returns true if a file of one of these bots has changed. The match then counts for nobody.
    fn is_over(&self, index: u64, bots: &[usize]) -> bool {
        bots.iter().any(|&bot| self.entrants[bot].watched.is_over(index))
    }

    async fn play(
        &self,
        index: u64,
        pairing: Pairing,
        Shared { games, live, .. }: Shared<'_, G>,
        context: &WorkerContext,
    ) -> Result<PlayedMatch, Error> {
        let limits = self.file.plan.limits;
        let entrants: Vec<&Entrant> = pairing.bots.iter().map(|&bot| &self.entrants[bot]).collect();
        let seat = |&bot: &usize| self.entrants[bot].seat(context.copies[bot], limits);
        let plan =
            self.match_plan(&context.seeds, index, pairing.round, pairing.bots.iter().map(seat).collect())?;
        let (mut sources, mut alone) = (Vec::new(), Vec::new());
        for (seat, &bot) in pairing.bots.iter().enumerate() {
            let entrant = entrants[seat];
            sources.push(match entrant.identity.solitary.then(|| plan.alone(seat)).flatten() {
                None => SeatSource::Process(entrant),
                Some((place, plan)) => {
                    let key = Key { bot, round: plan.round, place };
                    alone.push((key, seat));
                    SeatSource::Alone(
                        games.get(key, || Box::pin(play_alone(&plan, entrant, &context.pool))).await?,
                    )
                }
            });
        }
        debug!(index, round = plan.round, bots = ?plan.names(), "match begins");
        let Played { record, ended, .. } = play_fairly(&plan, &sources, &context.pool, live).await?;
        debug!(index, scores = ?record.result.scores, digest = record.digest, "match over");
        for turn in &record.turns {
            if let Some(fault) = &turn.fault {
                let (bot, kind) = (&record.bots[turn.seat], fault.kind);
                info!(index, bot, turn = turn.id, %kind, detail = ?fault.detail, "fault");
            }
        }
        let line = record.to_line();
        let reports = FaultReports::gather(&record, &ended, &entrants, || self.options(), self.keep_stderr);
        Ok(PlayedMatch { line, summary: Summary::from(&record), pairing, reports, alone })
    }
}

/// Plays the solo game of a bot.
async fn play_alone<G: GameKind>(
    plan: &MatchPlan<G>,
    entrant: &Entrant,
    pool: &Pool,
) -> Result<SoloGame<G>, Error> {
    let Played { record, mut ended, .. } =
        play_fairly(plan, &[SeatSource::Process(entrant)], pool, None).await?;
    Ok(SoloGame::new(record, ended.pop().flatten()))
}

/// Plays a match. If something other than the bot may have caused a fault, replays the match once with fresh
/// processes. The second result then counts, and the record has the reason.
async fn play_fairly<G: GameKind>(
    plan: &MatchPlan<G>,
    sources: &[SeatSource<'_, G>],
    pool: &Pool,
    live: Option<&LiveDir>,
) -> Result<Played<G>, Error> {
    let shown = |is_again| live.map(|live| live.begin(plan, is_again));
    let played = play_shown(plan, sources, pool, None, shown(false)).await?;
    let Some(doubt) = played.doubt(plan) else { return Ok(played) };
    info!(index = plan.index, reason = ?doubt, "match replayed");
    let host = pool.host.clone().apart(plan.rules.is_simultaneous);
    Box::pin(play_shown(plan, sources, &Pool::fresh(&host), Some(doubt), shown(true))).await
}

/// Plays a match, and writes its live file if there is one.
async fn play_shown<G: GameKind>(
    plan: &MatchPlan<G>,
    sources: &[SeatSource<'_, G>],
    pool: &Pool,
    replayed: Option<String>,
    shown: Option<LiveMatch>,
) -> Result<Played<G>, Error> {
    match shown {
        None => play(plan, sources, pool, replayed, &mut |_, _| ()).await,
        Some(mut shown) => play(plan, sources, pool, replayed, &mut |_, turns| shown.add(turns)).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::doodle::Doodle;
    use engine::patchwork::Patchwork;

    struct Never;

    impl Work for Never {
        async fn next(&self) -> Option<(u64, Pairing)> {
            None
        }
    }

    /// Returns the size of the future that plays one match after another.
    fn size<'a, G: GameKind, F: Future>(
        _: impl FnOnce(&'a Worker<'a, G, Never>, &'a WorkerContext, bool) -> F,
    ) -> usize {
        size_of::<F>()
    }

    /// Each match at once has such a future, so rare branches are boxed.
    #[test]
    fn the_future_of_a_match_is_small() {
        for size in [size(Worker::<Doodle, Never>::play_on), size(Worker::<Patchwork, Never>::play_on)] {
            assert!(size <= 4 * 1_024, "{size} bytes");
        }
    }
}

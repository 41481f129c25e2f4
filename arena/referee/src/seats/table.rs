//! A match with real processes: starts the bots, lets the referee play, ends the bots.

use engine::wire::WireFormat;
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

use futures_util::future::join_all;

use crate::bots::entrants::Entrant;
use crate::bots::preflight::QUIT_GRACE;
use crate::error::Error;
use crate::play::answer::read_hello;
use crate::play::{MatchPlan, Provenance, Seated, Watch, freezing, hello_line, play_match, quit_line};
use crate::record::MatchRecord;
use crate::seats::bot::{Answered, Bot, SeatAnswer};
use crate::seats::fault::{Owed, of_process};
use crate::seats::human::HumanSeat;
use crate::seats::pool::Pool;
use crate::seats::solo::{SoloGame, SoloSeat};
use sandbox::{BotProcess, Ended, Host, SpawnError, Started};

/// The source of a seat's answers: a process, a game played alone, or a person.
#[derive(Debug)]
pub enum SeatSource<'a, G: WireFormat> {
    /// A process, fresh or from the pool.
    Process(&'a Entrant),
    /// The recorded game of a bot that played the deal alone.
    Alone(Arc<SoloGame<G>>),
    /// A person.
    Human(HumanSeat),
}

/// A finished match with its processes' ends and origins, by seat.
#[derive(Debug)]
pub struct Played<G: WireFormat> {
    /// The record.
    pub record: MatchRecord<G>,
    /// The end of each process. `None` for a person, or for a process that never started.
    pub ended: Vec<Option<Ended>>,
    /// True for each seat whose process was kept from an earlier match.
    pub kept: Vec<bool>,
}

/// Plays a match with processes from the pool. Ends all processes that the pool does not keep. `replayed` is the
/// reason if the match is a replay.
///
/// # Errors
/// The machine cannot start processes, or the plan's start cannot be played. A bot's failure is never an error.
pub async fn play<G: WireFormat>(
    plan: &MatchPlan<G>,
    sources: &[SeatSource<'_, G>],
    pool: &Pool,
    replayed: Option<String>,
    watch: &mut Watch<'_, G>,
) -> Result<Played<G>, Error> {
    let hello = hello_line();
    let starts = sources.iter().zip(&plan.seats);
    let starts = starts.map(|(source, to)| seat(source, pool, plan.round, &hello, to.time.startup));
    let seated = match plan.rules.is_simultaneous {
        true => join_all(starts).await.into_iter().collect::<Result<Vec<_>, _>>()?,
        false => seat_in_turn(starts).await?,
    };
    let (mut seats, kept): (Vec<_>, Vec<_>) = seated.into_iter().unzip();
    let record = play_match(plan, provenance(sources, replayed), &mut seats, watch).await;
    let quit = quit_line();
    let ended = join_all(seats.into_iter().map(|seat| release(seat, pool, plan.round, &quit))).await;
    Ok(Played { record: record?, ended, kept })
}

/// Returns what the record says about these seats. A match is a replay if one of its solo games is.
fn provenance<G: WireFormat>(sources: &[SeatSource<'_, G>], replayed: Option<String>) -> Provenance {
    let mut provenance = Provenance { replayed, alone: Vec::new() };
    for (seat, source) in sources.iter().enumerate() {
        if let SeatSource::Alone(game) = source {
            provenance.alone.push(seat);
            provenance.replayed = provenance.replayed.or_else(|| game.replayed.clone());
        }
    }
    provenance
}

impl<G: WireFormat> Played<G> {
    /// Returns why the match should be replayed with fresh processes. The machine may be to blame for a time
    /// fault, or an earlier match for the fault of a kept process.
    pub fn doubt(&self, plan: &MatchPlan<G>) -> Option<String> {
        self.record.doubtful_timeout(|seat| plan.seats[seat].time).or_else(|| self.fault_of_a_kept_process())
    }

    fn fault_of_a_kept_process(&self) -> Option<String> {
        let record = &self.record;
        let faults = record.result.faults.iter().zip(&self.kept).zip(&record.bots);
        faults.filter(|((_, kept), _)| **kept).find_map(|((fault, _), bot)| {
            let fault = fault.as_ref()?;
            Some(format!(
                "{bot}, kept alive from an earlier match, failed with {} in {}",
                fault.kind,
                G::turn_name(fault.id)
            ))
        })
    }
}

/// Plays a match in which every seat has a process.
///
/// # Errors
/// As [`play`].
pub async fn play_together<G: WireFormat>(
    plan: &MatchPlan<G>,
    entrants: &[&Entrant],
    pool: &Pool,
    watch: &mut Watch<'_, G>,
) -> Result<Played<G>, Error> {
    let sources: Vec<SeatSource<'_, G>> =
        entrants.iter().map(|entrant| SeatSource::Process(entrant)).collect();
    play(plan, &sources, pool, None, watch).await
}

/// The player in a seat.
#[expect(clippy::large_enum_variant, reason = "there are few, and most are processes")]
enum Participant<G: WireFormat> {
    Process(BotProcess),
    Alone(SoloSeat<G>),
    Human(HumanSeat),
}

impl<G: WireFormat> Bot for Participant<G> {
    type Move = G::WireMove;

    async fn ask(&mut self, line: &[u8], owed: Owed, limit: Duration) -> Answered<'_, G::WireMove> {
        match self {
            Participant::Process(bot) => {
                let reply = bot.ask(line, limit).await;
                reply.map(SeatAnswer::from).map_err(|failure| of_process(failure, owed))
            }
            Participant::Alone(game) => game.answer(),
            Participant::Human(person) => person.ask(line, owed, limit).await,
        }
    }

    fn listens(&self) -> bool {
        !matches!(self, Participant::Alone(_))
    }

    fn keep_frozen(&mut self, cx: &mut Context<'_>) {
        if let Participant::Process(bot) = self {
            bot.keep_frozen(cx);
        }
    }

    fn begin_decision(&mut self, id: u32) {
        if let Participant::Process(bot) = self {
            bot.label_stderr(id);
        }
    }

    fn take_cpu_off_turn(&mut self) -> Duration {
        match self {
            Participant::Process(bot) => bot.take_cpu_off_turn(),
            Participant::Alone(_) | Participant::Human(_) => Duration::ZERO,
        }
    }

    fn send(&mut self, line: &[u8]) {
        match self {
            Participant::Process(bot) => bot.send(line),
            Participant::Alone(_) => {}
            Participant::Human(person) => person.pass_on(line),
        }
    }

    fn disqualify(&mut self, line: &[u8]) {
        match self {
            Participant::Process(bot) => bot.disqualify(line),
            Participant::Alone(_) => {}
            Participant::Human(person) => person.pass_on(line),
        }
    }
}

/// Starts and greets one bot after the other, and freezes the bots that are already seated.
async fn seat_in_turn<G: WireFormat>(
    starts: impl Iterator<Item = impl Future<Output = Result<(Seated<Participant<G>>, bool), Error>>>,
) -> Result<Vec<(Seated<Participant<G>>, bool)>, Error> {
    let mut seated: Vec<(Seated<Participant<G>>, bool)> = Vec::new();
    for start in starts {
        let freeze = |cx: &mut Context<'_>| {
            seated.iter_mut().filter_map(|(seat, _)| seat.bot.as_mut()).for_each(|bot| bot.keep_frozen(cx));
        };
        let next = freezing(start, freeze).await?;
        seated.push(next);
    }
    Ok(seated)
}

/// Prepares the player of one seat. Returns true with it if its process was kept from an earlier match.
async fn seat<G: WireFormat>(
    source: &SeatSource<'_, G>,
    pool: &Pool,
    round: u64,
    hello: &[u8],
    limit: Duration,
) -> Result<(Seated<Participant<G>>, bool), Error> {
    let here = |bot| (Seated { bot: Some(bot), fault: None, startup_left: limit }, false);
    let entrant = match source {
        SeatSource::Process(entrant) => entrant,
        SeatSource::Alone(game) => return Ok(here(Participant::Alone(SoloSeat::new(Arc::clone(game))))),
        SeatSource::Human(human) => return Ok(here(Participant::Human(human.clone()))),
    };
    if let Some(bot) = pool.take(entrant, round) {
        let bot = Participant::Process(bot);
        return Ok((Seated { bot: Some(bot), fault: None, startup_left: limit }, true));
    }
    let started = Box::pin(start(entrant, &pool.host, hello, limit)); // large, and rare if processes are kept
    let Seated { bot, fault, startup_left } = started.await?;
    Ok((Seated { bot: bot.map(Participant::Process), fault, startup_left }, false))
}

/// Starts one bot and reads its `hello`.
async fn start(
    entrant: &Entrant,
    host: &Host,
    hello: &[u8],
    limit: Duration,
) -> Result<Seated<BotProcess>, Error> {
    let out = |bot, fault| Seated { bot, fault: Some(fault), startup_left: Duration::ZERO };
    let start = || BotProcess::start(&entrant.command, host, hello, limit);
    let mut replaced = entrant.watched.replaced();
    let mut started = start().await;
    // The sandbox shows a file, not a name. A file that is replaced during a start does not exist for the bot.
    while entrant.watched.look() != replaced
        && matches!(started, Err(SpawnError::Fault(_)) | Ok(Started { hello: Err(_), .. }))
    {
        replaced = entrant.watched.replaced();
        started = start().await;
    }
    match started {
        Ok(Started { bot, hello }) => {
            let hello = hello.map_err(|failure| of_process(failure, Owed::Greeting));
            Ok(match hello.and_then(|(line, took)| read_hello(&line).map(|_| took)) {
                Ok(took) => Seated { bot: Some(bot), fault: None, startup_left: limit.saturating_sub(took) },
                Err(fault) => out(Some(bot), fault),
            })
        }
        Err(SpawnError::Fault(fault)) => Ok(out(None, of_process(fault, Owed::Greeting))),
        Err(SpawnError::Host(error)) => Err(error.into()),
    }
}

/// Returns a process to the pool, or ends it.
async fn release<G: WireFormat>(
    seat: Seated<Participant<G>>,
    pool: &Pool,
    round: u64,
    quit: &[u8],
) -> Option<Ended> {
    let mut bot = match seat.bot? {
        Participant::Process(bot) => bot,
        Participant::Alone(bot) => return bot.game().take_ended(),
        Participant::Human(_) => return None,
    };
    if pool.wants(&mut bot) {
        let interim = bot.interim();
        if let Some(oldest) = pool.give(bot, round) {
            oldest.quit(quit, QUIT_GRACE).await;
        }
        return Some(interim);
    }
    Some(if bot.is_usable() { bot.quit(quit, QUIT_GRACE).await } else { bot.kill().await })
}

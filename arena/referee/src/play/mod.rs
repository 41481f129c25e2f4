//! One match: asks the seats that owe a decision, judges their answers, and writes the record.
//!
//! Only this module turns a bot's line into an action of the rules. It works with every [`Bot`], so tests
//! need no process. Decisions are timed by the bots: each reply includes its time.

pub mod answer;
mod did_you_mean;
mod mend;
mod plan;
pub mod position;
pub mod seeds;
pub mod time_control;

use std::cell::Cell;
use std::convert::Infallible;
use std::future::{pending, poll_fn};
use std::task::{Context, Poll};
use std::time::Duration;

use engine::game::{Seat, first_pending};
use engine::wire::json;
use engine::wire::{self, FaultKind, Limits, PROTOCOL, ToBot, WireFormat};
use futures_util::future::join_all;
use serde::Serialize;

pub use plan::{MatchPlan, Rules, SeatPlan, Start, VERSION_MARK};
pub use position::Position;

use crate::error::Error;
use crate::play::answer::{action, illegal, ready};
use crate::play::did_you_mean::did_you_mean;
use crate::play::seeds::bot_seed;
use crate::play::time_control::{Clock, whole_ms, whole_us};
use crate::record::{FaultMark, FaultText, MatchRecord, Refused, Remarks, ResultRecord, TurnRecord};
use crate::seats::bot::{Answered, Bot, Message, SeatAnswer};
use crate::seats::fault::{Fault, Owed};
use sandbox::{Timing, text};

/// The usual length of a line without the components, in bytes. Buffers of this size are allocated once.
const USUAL_LINE_BYTES: usize = 1_024;

/// The usual number of decisions in a match of two. Their records are allocated at once.
const USUAL_TURNS: usize = 40;

/// A bot in its seat after its `hello`, or the fault of its start.
#[derive(Debug)]
pub struct Seated<B> {
    /// The bot. It stays here after a fault, so that its process can be ended and inspected.
    pub bot: Option<B>,
    /// The fault of its start, if there was one.
    pub fault: Option<Fault>,
    /// The rest of the start-up limit.
    pub startup_left: Duration,
}

/// An observer of a match, called once at the beginning and after every decision, also after those that were given. It gets
/// the current game and the turns since the previous call.
pub type Watch<'w, G> = dyn FnMut(&G, &[TurnRecord<<G as WireFormat>::WireMove>]) + 'w;

/// What a record says about the circumstances of its match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The reason for the replay, if the match is one.
    pub replayed: Option<String>,
    /// The seats whose bots played the deal alone.
    pub alone: Vec<Seat>,
}

/// Plays a match to its end. Returns its record, which is final.
///
/// # Errors
/// The plan's start cannot be played, or the game itself fails. A bot's failure is never an error.
pub async fn play_match<G: WireFormat, B: Bot<Move = G::WireMove>>(
    plan: &MatchPlan<G>,
    provenance: Provenance,
    seats: &mut [Seated<B>],
    watch: &mut Watch<'_, G>,
) -> Result<MatchRecord<G>, Error> {
    let mut referee = Referee::new(plan, seats, watch)?;
    referee.check_game()?;
    let given = referee.turns.len();
    referee.start().await;
    if given == 0 || referee.turns.len() > given {
        watch(&referee.game, &referee.turns[given..]);
    }
    let mut left = plan.decisions.unwrap_or(u32::MAX);
    while left > 0 && first_pending(&referee.game).is_some() {
        left -= 1;
        let before = referee.turns.len();
        referee.decide().await?;
        watch(&referee.game, &referee.turns[before..]);
    }
    referee.finish(provenance)
}

/// Returns the `hello` line, with its newline.
pub fn hello_line() -> Vec<u8> {
    line_of(&ToBot::<(), ()>::Hello { protocol: PROTOCOL })
}

/// Returns the `quit` line, with its newline.
pub fn quit_line() -> Vec<u8> {
    line_of(&ToBot::<(), ()>::Quit)
}

/// Waits for `future`, and calls `freeze` after each poll that leaves it pending.
pub(crate) async fn freezing<T>(
    future: impl Future<Output = T>,
    mut freeze: impl FnMut(&mut Context<'_>),
) -> T {
    let mut future = std::pin::pin!(future);
    poll_fn(|cx| {
        let result = future.as_mut().poll(cx);
        if result.is_pending() {
            freeze(cx);
        }
        result
    })
    .await
}

/// Returns the `retry` line for the answer to this decision, with its newline.
pub fn retry_line(id: u32, why: &FaultText) -> Vec<u8> {
    let FaultText { kind, detail } = why.clone();
    line_of(&ToBot::<(), ()>::Retry { id, kind, detail })
}

fn line_of(message: &impl Serialize) -> Vec<u8> {
    let mut line = Vec::new();
    write_line(&mut line, message);
    line
}

fn write_line(line: &mut Vec<u8>, message: &impl Serialize) {
    line.clear();
    serde_json::to_writer(&mut *line, message).expect("a message is plain data");
    line.push(b'\n');
}

/// A match in progress.
struct Referee<'a, G: WireFormat, B> {
    plan: &'a MatchPlan<G>,
    game: G,
    players: Vec<Player<'a, B>>,
    /// The most recently written state, as JSON.
    state: Vec<u8>,
    /// The answers to the current decision, by seat.
    returned: Vec<Option<Returned<G::Action>>>,
    turns: Vec<TurnRecord<G::WireMove>>,
}

/// The bot of one seat with its clock and a buffer for lines to the bot.
struct Player<'a, B> {
    seated: &'a mut Seated<B>,
    clock: Clock,
    line: Vec<u8>,
    out: Option<FaultMark>,
    /// How often the bot may answer a turn again.
    retries: usize,
    /// The refused answers of the current decision, and their time.
    refused: Vec<Refused>,
    spent: Timing,
    /// True if the bot must be asked again.
    is_again: bool,
}

/// The answer of a seat with its measurements.
struct Returned<A> {
    /// The action with the bot's remarks, or the fault.
    answer: Result<(A, Remarks), Fault>,
    timing: Timing,
    /// The line in quotes, if the bot may answer again.
    line: Option<String>,
}

impl<'a, G: WireFormat, B: Bot<Move = G::WireMove>> Referee<'a, G, B> {
    fn new(
        plan: &'a MatchPlan<G>,
        seats: &'a mut [Seated<B>],
        watch: &mut Watch<'_, G>,
    ) -> Result<Referee<'a, G, B>, Error> {
        let (game, mut turns) = plan.start.begin_watched(&plan.rules.equipment, watch)?;
        let line_bytes = plan.rules.full.len() + USUAL_LINE_BYTES;
        let returned = seats.iter().map(|_| None).collect();
        let player = |(seated, seat): (&'a mut Seated<B>, &SeatPlan)| {
            let line = Vec::with_capacity(line_bytes);
            let (clock, retries) = (Clock::new(&seat.time), seat.retries as usize);
            let (refused, spent) = (Vec::new(), Timing::default());
            Player { seated, clock, line, out: None, retries, refused, spent, is_again: false }
        };
        let players = seats.iter_mut().zip(&plan.seats).map(player).collect();
        turns.reserve(USUAL_TURNS);
        let state = Vec::with_capacity(USUAL_LINE_BYTES);
        Ok(Referee { plan, game, players, state, returned, turns })
    }

    /// Sends `start` to every bot, and waits until each bot is ready or out of the match.
    async fn start(&mut self) {
        let (plan, first) = (self.plan, self.game.decision());
        for (seat, player) in self.players.iter_mut().enumerate().filter(|(_, player)| player.listens()) {
            write_start(&mut player.line, plan, seat);
        }
        let answers = match self.plan.rules.is_simultaneous {
            true => join_all(self.players.iter_mut().map(Player::start)).await,
            false => self.start_in_turn().await,
        };
        for (seat, answer) in answers.into_iter().enumerate() {
            if let Err(fault) = answer {
                self.put_out(seat, first, &fault);
            }
        }
    }

    /// Sends `start` to one bot after the other, and freezes all others meanwhile.
    async fn start_in_turn(&mut self) -> Vec<Result<(), Fault>> {
        let mut answers = Vec::new();
        for seat in 0..self.players.len() {
            let (before, rest) = self.players.split_at_mut(seat);
            let (player, after) = rest.split_first_mut().expect("the seat is one of them");
            let freeze = |cx: &mut Context<'_>| {
                before.iter_mut().chain(&mut *after).for_each(|other| other.keep_frozen(cx));
            };
            answers.push(freezing(player.start(), freeze).await);
        }
        answers
    }

    /// Plays one decision. All seats that owe an action are asked at once. Their answers are judged in seat
    /// order, so the order of arrival does not affect the result. Then all bots that may answer again are asked at once.
    async fn decide(&mut self) -> Result<(), Error> {
        let id = self.game.decision();
        self.write_turns(id);
        self.check_game()?;
        loop {
            self.ask(id).await;
            for seat in 0..self.returned.len() {
                if let Some(returned) = self.returned[seat].take() {
                    self.judge(seat, id, returned)?;
                }
            }
            if !self.write_retries(id) {
                break;
            }
        }
        let text = self.game.text().map_err(|why| self.failed(&why))?;
        self.turns.last_mut().expect("a decision has a turn").text = text;
        Ok(())
    }

    /// Fails if the game itself has failed.
    fn check_game(&self) -> Result<(), Error> {
        self.game.failure().map_or(Ok(()), |why| Err(self.failed(&why)))
    }

    fn failed(&self, why: &str) -> Error {
        Error::host(format!("the game {} failed in {}: {why}", self.plan.rules.name, self.turn()))
            .hint("no bot is to blame; the match does not count, and --resume plays it again")
    }

    /// The match and the turn, for people.
    fn turn(&self) -> String {
        format!("match {}, {}", self.plan.index, G::turn_name(self.game.decision()))
    }

    /// Writes the `retry` lines of all seats that are asked again. Returns false without such a seat.
    fn write_retries(&mut self, id: u32) -> bool {
        let mut is_any = false;
        for player in &mut self.players {
            if std::mem::take(&mut player.is_again) {
                player.line = retry_line(id, &player.refused.last().expect("it was refused").why);
                is_any = true;
            }
        }
        is_any
    }

    /// Writes the `turn` lines of all seats that owe an action.
    fn write_turns(&mut self, id: u32) {
        let game = &self.game;
        let mut written_for = None;
        let hears = |(seat, player): &(Seat, &mut Player<'_, B>)| game.owes(*seat) && player.listens();
        for (seat, player) in self.players.iter_mut().enumerate().filter(hears) {
            if written_for.is_none_or(|other| !game.sees_like(seat, other)) {
                self.state.clear();
                game.write_state(seat, &mut self.state);
            }
            written_for = Some(seat);
            player.write_turn(id, &self.state);
            if let Some(bot) = &mut player.seated.bot {
                bot.begin_decision(id);
            }
        }
    }

    /// Asks all seats that owe an action, and waits for their answers. Freezes all other bots meanwhile, and
    /// the bots that have answered. If all answers come at the first poll, no bot is frozen.
    async fn ask(&mut self, id: u32) {
        let (game, equipment) = (&self.game, &*self.plan.rules.equipment);
        let seats = self.players.iter_mut().zip(&mut self.returned).enumerate();
        let (asked, mut others): (Vec<_>, Vec<_>) = seats.partition(|(seat, _)| game.owes(*seat));
        let (missing, waits) = (Cell::new(asked.len()), Cell::new(false));
        let mut questions: Vec<_> = asked
            .into_iter()
            .map(|(_, (player, returned))| {
                let (missing, waits) = (&missing, &waits);
                Box::pin(async move {
                    let is_kept = player.refused.len() < player.retries;
                    *returned = Some(Returned::read::<G>(player.ask().await, equipment, id, is_kept));
                    missing.set(missing.get() - 1);
                    let freeze = |cx: &mut Context<'_>| {
                        if waits.get() {
                            player.keep_frozen(cx)
                        }
                    };
                    freezing(pending::<Infallible>(), freeze).await
                })
            })
            .collect();
        // Unlike `join_all`, this polls every question each time, so that every bot that has answered is frozen.
        let mut poll_all = |cx: &mut Context<'_>| {
            for question in &mut questions {
                let _: Poll<Infallible> = question.as_mut().poll(cx);
            }
            missing.get() == 0
        };
        poll_fn(|cx| {
            // The first wait polls twice: the second time freezes the bots that have just answered.
            if poll_all(cx) || !waits.replace(true) && poll_all(cx) {
                return Poll::Ready(());
            }
            others.iter_mut().for_each(|(_, (player, _))| player.keep_frozen(cx));
            Poll::Pending
        })
        .await;
    }

    /// Plays the move. After a fault, asks the bot again if it may be asked, or puts the seat out. Fails if the game does.
    fn judge(&mut self, seat: Seat, id: u32, returned: Returned<G::Action>) -> Result<(), Error> {
        let Returned { answer, timing, line } = returned;
        let player = &mut self.players[seat];
        player.clock.charge(timing.elapsed);
        if !self.game.owes(seat) {
            // A seat before it was put out, and with that the match is over, or what this seat owed.
            player.clock.end_decision();
            player.refused.clear();
            return Ok(());
        }
        let timing = both(std::mem::take(&mut player.spent), timing);
        let played = answer.and_then(|(action, remarks)| {
            let equipment = &self.plan.rules.equipment;
            if let Err(why) = self.game.play(seat, &action) {
                return Err(match did_you_mean(&self.game, equipment, seat, &action) {
                    Some(advice) => illegal(format!("{why}; {advice}")),
                    None => illegal(why),
                });
            }
            Ok((G::write(equipment, &action), remarks))
        });
        // A game that fails refuses moves, too.
        self.check_game()?;
        match played {
            Ok((wire_move, mut remarks)) => {
                let player = &mut self.players[seat];
                player.clock.end_decision();
                remarks.refused.append(&mut player.refused);
                self.turns.push(TurnRecord {
                    wire_move: Some(wire_move),
                    remarks,
                    ..TurnRecord::new(id, seat, timing)
                });
            }
            Err(fault) => match line.filter(|_| self.players[seat].listens()) {
                Some(line) if matches!(fault.kind, FaultKind::Malformed | FaultKind::Illegal) => {
                    let player = &mut self.players[seat];
                    let why = FaultText { kind: fault.kind, detail: fault.detail };
                    player.refused.push(Refused { why, line });
                    (player.spent, player.is_again) = (timing, true);
                }
                _ => self.put_out(seat, id, &Fault { timing: Box::new(timing), ..fault }),
            },
        }
        self.check_game()
    }

    /// Records a fault, sends it to the bot, and withdraws the seat from the match.
    fn put_out(&mut self, seat: Seat, id: u32, fault: &Fault) {
        let text = FaultText { kind: fault.kind, detail: fault.detail.clone() };
        let player = &mut self.players[seat];
        let remarks = Remarks { refused: std::mem::take(&mut player.refused), ..Remarks::default() };
        let turn = TurnRecord::new(id, seat, *fault.timing);
        self.turns.push(TurnRecord { fault: Some(text), remarks, ..turn });
        player.out = Some(FaultMark { kind: fault.kind, id });
        if let Some(bot) = &mut player.seated.bot {
            let message = ToBot::<(), ()>::Fault { id, kind: fault.kind, detail: fault.detail.clone() };
            write_line(&mut player.line, &message);
            bot.disqualify(&player.line);
        }
        self.game.withdraw(seat);
    }

    /// Sends the result to the bots that remain, and seals the record. Fails if the game does.
    fn finish(mut self, provenance: Provenance) -> Result<MatchRecord<G>, Error> {
        let outcome = self.game.outcome();
        self.check_game()?;
        let end = ToBot::<(), ()>::End { scores: outcome.scores.clone(), ranks: outcome.ranks.clone() };
        let line = line_of(&end);
        for player in self.players.iter_mut().filter(|player| player.out.is_none()) {
            if let Some(bot) = &mut player.seated.bot {
                bot.send(&line);
            }
        }
        let faults = self.players.iter().map(|player| player.out).collect();
        let off_turn_us = self.off_turn_us();
        self.turns.sort_unstable_by_key(|turn| (turn.id, turn.seat));
        let plan = self.plan;
        let record = MatchRecord {
            index: plan.index,
            round: plan.round,
            game: plan.rules.name.clone(),
            seed: plan.seed,
            bots: plan.names(),
            deal: plan.start.deal.clone(),
            turns: self.turns,
            start: plan.start.record(),
            result: ResultRecord::new(outcome, faults),
            replayed: provenance.replayed,
            alone: provenance.alone,
            copies: plan.copies(),
            limits: plan.limits(),
            off_turn_us,
            digest: String::new(),
            setup: plan.rules.portable.clone(),
        };
        Ok(record.sealed())
    }
}

impl<G: WireFormat, B: Bot<Move = G::WireMove>> Referee<'_, G, B> {
    /// Returns the processor time of each seat's bot while it owed no answer, in microseconds. Returns an
    /// empty list if no such time was measured.
    fn off_turn_us(&mut self) -> Vec<u64> {
        let bots = self.players.iter_mut().map(|player| player.seated.bot.as_mut());
        let used: Vec<u64> =
            bots.map(|bot| whole_us(bot.map_or(Duration::ZERO, Bot::take_cpu_off_turn))).collect();
        if used.iter().any(|&us| us > 0) { used } else { Vec::new() }
    }
}

impl<B: Bot> Player<'_, B> {
    fn listens(&self) -> bool {
        self.seated.bot.as_ref().is_some_and(B::listens)
    }

    /// Sends the prepared `start` line and waits for `ready`.
    async fn start(&mut self) -> Result<(), Fault> {
        if let Some(fault) = self.seated.fault.take() {
            return Err(fault);
        }
        let bot = self.seated.bot.as_mut().expect("a seat without a bot has a fault");
        let limit = self.seated.startup_left;
        let SeatAnswer { message, timing } = bot.ask(&self.line, Owed::Greeting, limit).await?;
        ready(&message).map_err(|fault| Fault { timing: Box::new(timing), ..fault })
    }

    /// Freezes the bot, if bots are frozen, while the arena waits for others.
    fn keep_frozen(&mut self, cx: &mut Context<'_>) {
        if let Some(bot) = &mut self.seated.bot {
            bot.keep_frozen(cx);
        }
    }

    /// Writes the `turn` line with this state, before the clock starts.
    fn write_turn(&mut self, id: u32, state: &[u8]) {
        let time_ms = whole_ms(self.clock.budget());
        let line = &mut self.line;
        line.clear();
        json::raw(line, r#"{"type":"turn","id":"#);
        json::number(line, id);
        json::raw(line, r#","time_ms":"#);
        json::number(line, time_ms);
        json::raw(line, r#","state":"#);
        line.extend_from_slice(state);
        line.extend_from_slice(b"}\n");
    }

    /// Sends the prepared line and waits for the answer.
    async fn ask(&mut self) -> Answered<'_, B::Move> {
        let budget = self.clock.budget();
        if self.listens() && whole_ms(budget) == 0 {
            let why = match self.refused.last() {
                None => "the time bank of the match was empty before the question".to_owned(),
                Some(Refused { why, .. }) => {
                    format!("no time was left to answer again after {}: {}", why.kind, why.detail)
                }
            };
            return Err(Fault::new(FaultKind::Timeout, why));
        }
        let bot = self.seated.bot.as_mut().expect("a seat that is asked has a bot");
        bot.ask(&self.line, Owed::Move, budget).await
    }
}

impl<A> Returned<A> {
    fn read<G: WireFormat<Action = A>>(
        answer: Result<SeatAnswer<'_, G::WireMove>, Fault>,
        equipment: &G::Equipment,
        id: u32,
        is_kept: bool,
    ) -> Returned<A> {
        match answer {
            Ok(SeatAnswer { message, timing }) => {
                let line = match message {
                    Message::Line { line, .. } if is_kept => Some(text::quote(line)),
                    _ => None,
                };
                Returned { timing, answer: action::<G>(equipment, message, id), line }
            }
            Err(fault) => Returned { timing: *fault.timing, answer: Err(fault), line: None },
        }
    }
}

/// Returns the measurements of two answers as those of one decision.
fn both(first: Timing, second: Timing) -> Timing {
    let sum = |one: Option<Duration>, other: Option<Duration>| match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or_default() + other.unwrap_or_default()),
    };
    Timing {
        elapsed: first.elapsed + second.elapsed,
        credit: first.credit + second.credit,
        is_untold: first.is_untold || second.is_untold,
        lateness: first.lateness.max(second.lateness),
        cpu: sum(first.cpu, second.cpu),
        starved: sum(first.starved, second.starved),
        stolen: sum(first.stolen, second.stolen),
    }
}

/// Writes the `start` line of a seat.
fn write_start<G: WireFormat>(line: &mut Vec<u8>, plan: &MatchPlan<G>, seat: Seat) {
    let SeatPlan { copy, time, .. } = plan.seats[seat];
    let message = ToBot::<(), ()>::Start(wire::Start {
        match_index: plan.index,
        game: plan.rules.name_alone().to_owned(),
        seats: plan.seats.len(),
        seat,
        players: plan.names(),
        seed: bot_seed(plan.seed, seat, copy),
        limits: Limits::from(time),
        setup: (),
    });
    line.clear();
    serde_json::to_writer(&mut *line, &message).expect("a message is plain data");
    // The setup's fields, if it has some, follow the others in the same JSON object.
    if plan.rules.full != b"{}" {
        line.pop();
        line.push(b',');
        line.extend_from_slice(&plan.rules.full[1..]);
    }
    line.push(b'\n');
}

#[cfg(test)]
mod tests;

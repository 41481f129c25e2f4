//! The players of a prepared match: the bot under test, and scripted opponents with legal moves.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use engine::dealer::Dealer;
use engine::game::Seat;
use engine::wire::{FaultKind, Hello, WireFormat};
use serde::Deserialize;

use super::scenes::Scenes;
use super::variant::Variant;
use referee::seats::bot::{Answered, Bot, Message, SeatAnswer};
use referee::seats::fault::{Fault, Owed, of_process};
use sandbox::BotProcess;

/// The dealer's stream of random numbers for scripted opponents.
pub(super) const CHANCE_STREAM: u64 = 0;

/// The referee's current game, from which scripted opponents choose legal moves.
pub(super) type Table<G> = Rc<RefCell<Option<G>>>;

/// The bot under test, with the dialogue of its process.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) bot: BotProcess,
    /// The bot's `hello`.
    pub(super) hello: Hello,
    pub(super) variant: Variant,
    /// All lines to this process, from `hello` on.
    pub(super) heard: Vec<u8>,
    /// The number of those lines that need an answer.
    pub(super) questions: usize,
}

impl Candidate {
    fn hears(&mut self, line: &[u8]) -> Vec<u8> {
        let line = self.variant.apply(line);
        self.heard.extend_from_slice(&line);
        line
    }
}

/// A scripted opponent with random but reproducible legal moves.
pub(super) struct ScriptedOpponent<G: WireFormat> {
    equipment: Arc<G::Equipment>,
    table: Table<G>,
    seat: Seat,
    chance: Dealer,
    leaves_at: Option<u32>,
    wire_move: Option<G::WireMove>,
}

/// The field of a question that a scripted opponent needs.
#[derive(Deserialize)]
struct Question {
    id: Option<u32>,
}

impl<G: Scenes> ScriptedOpponent<G> {
    /// Creates a scripted opponent. `leaves_at` is the decision in which it drops out, if it does.
    pub(super) fn new(
        equipment: &Arc<G::Equipment>,
        table: &Table<G>,
        seat: Seat,
        leaves_at: Option<u32>,
    ) -> ScriptedOpponent<G> {
        let (equipment, table) = (Arc::clone(equipment), Rc::clone(table));
        let chance = Dealer::new(seat as u64, CHANCE_STREAM);
        ScriptedOpponent { equipment, table, seat, chance, leaves_at, wire_move: None }
    }

    /// Returns the answer to a question: `ready`, or a move.
    fn answer(&mut self, id: Option<u32>) -> Answered<'_, G::WireMove> {
        let Some(id) = id else { return Ok(SeatAnswer::at_once(Message::Ready)) };
        if self.leaves_at.is_some_and(|leaves_at| id >= leaves_at) {
            return Err(Fault::new(FaultKind::Exit, "it drops out, as prepared"));
        }
        let wire_move = {
            let table = self.table.borrow();
            let game = table.as_ref().expect("the referee shows the game before its first question");
            let action = game.any_action(self.seat, &mut self.chance);
            G::write(&self.equipment, &action)
        };
        Ok(SeatAnswer::at_once(Message::Move { wire_move: self.wire_move.insert(wire_move), remarks: None }))
    }
}

/// The player of a seat in a prepared match.
pub(super) enum CheckSeat<G: WireFormat> {
    /// The bot under test.
    Candidate(Box<Candidate>),
    /// A scripted opponent.
    Other(Box<ScriptedOpponent<G>>),
}

impl<G: WireFormat> CheckSeat<G> {
    /// Returns the bot under test, if this is its seat.
    pub(super) fn into_subject(self) -> Option<Candidate> {
        match self {
            CheckSeat::Candidate(subject) => Some(*subject),
            CheckSeat::Other(_) => None,
        }
    }
}

fn id_of(line: &[u8]) -> Option<u32> {
    serde_json::from_slice::<Question>(line).expect("the referee writes JSON").id
}

impl<G: Scenes> Bot for CheckSeat<G> {
    type Move = G::WireMove;

    async fn ask(&mut self, line: &[u8], owed: Owed, limit: Duration) -> Answered<'_, G::WireMove> {
        match self {
            CheckSeat::Candidate(subject) => {
                let line = subject.hears(line);
                subject.questions += 1;
                let reply = subject.bot.ask(&line, limit).await;
                reply.map(SeatAnswer::from).map_err(|failure| of_process(failure, owed))
            }
            CheckSeat::Other(player) => player.answer(id_of(line)),
        }
    }

    fn send(&mut self, line: &[u8]) {
        if let CheckSeat::Candidate(subject) = self {
            let line = subject.hears(line);
            subject.bot.send(&line);
        }
    }

    fn disqualify(&mut self, line: &[u8]) {
        if let CheckSeat::Candidate(subject) = self {
            let line = subject.variant.apply(line);
            subject.bot.disqualify(&line);
        }
    }
}

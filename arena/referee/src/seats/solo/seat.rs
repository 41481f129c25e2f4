//! A seat that reuses a game which its bot played alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::wire::{FaultKind, FromBot, MoveLine, Ready, WireFormat};

use crate::seats::bot::Bot;
use crate::seats::fault::Fault;
use crate::seats::solo::SoloGame;
use sandbox::Reply;

/// A player that repeats the decisions of a recorded game, in order. It ignores its input.
#[derive(Debug)]
pub(crate) struct SoloSeat<G: WireFormat> {
    game: Arc<SoloGame<G>>,
    /// The number of decisions given so far.
    given: usize,
    is_started: bool,
    line: Vec<u8>,
}

impl<G: WireFormat> SoloSeat<G> {
    /// Creates a seat at the beginning of the game.
    pub(crate) fn new(game: Arc<SoloGame<G>>) -> SoloSeat<G> {
        SoloSeat { game, given: 0, is_started: false, line: Vec::new() }
    }

    /// Returns the recorded game.
    pub(crate) fn game(&self) -> &SoloGame<G> {
        &self.game
    }

    fn say(&mut self, message: &FromBot<'_, &G::WireMove>) {
        self.line.clear();
        serde_json::to_writer(&mut self.line, message).expect("a message is plain data");
    }
}

impl<G: WireFormat> Bot for SoloSeat<G> {
    async fn ask(&mut self, _line: &[u8], _deadline: Instant) -> Result<Reply<'_>, Fault> {
        let sound = Reply {
            line: &[],
            elapsed: Duration::ZERO,
            early: false,
            lateness: Duration::ZERO,
            cpu: None,
            starved: None,
        };
        if !self.is_started {
            self.is_started = true;
            self.say(&FromBot::Ready(Ready {}));
            return Ok(Reply { line: &self.line, ..sound });
        }
        let game = Arc::clone(&self.game);
        let over = || Fault::new(FaultKind::Exit, "the game that it played alone has no more decisions");
        let turn = game.turns.get(self.given).ok_or_else(over)?;
        self.given += 1;
        match (&turn.word, turn.to_fault()) {
            (Some(word), None) => {
                let note = turn.note.as_deref().map(Into::into);
                self.say(&FromBot::Move(MoveLine { id: turn.id.into(), word, note }));
                let (elapsed, lateness) = (Duration::from_micros(turn.us), turn.late_us.unwrap_or(0));
                let (lateness, cpu) =
                    (Duration::from_micros(lateness), turn.cpu_us.map(Duration::from_micros));
                Ok(Reply { line: &self.line, elapsed, lateness, cpu, ..sound })
            }
            (_, fault) => Err(fault.unwrap_or_else(over)),
        }
    }

    fn listens(&self) -> bool {
        false
    }

    fn send(&mut self, _line: &[u8]) {}

    fn disqualify(&mut self, _line: &[u8]) {}
}

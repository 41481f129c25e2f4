//! A seat that answers from a record. A program may listen in its place.

use std::time::Duration;

use engine::game::Seat;
use engine::wire::{FaultKind, WireFormat};

use super::fed::{Differing, Fed, Feed, Table};
use super::program::{Ending, Program};
use crate::replay::compare::shown;
use crate::replay::start_faults;
use referee::play::answer::{read_move, read_ready};
use referee::play::retry_line;
use referee::record::{Refused, TurnRecord};
use referee::seats::bot::{Answered, Bot, Message, SeatAnswer};
use referee::seats::fault::{Fault, Owed};
use sandbox::Timing;

/// The turns of one seat, in the order of the questions.
pub(super) struct RecordedBot<'a, G: WireFormat> {
    feed: &'a Feed<'a, G>,
    table: Table<G>,
    start_fault: Option<Fault>,
    turns: std::vec::IntoIter<&'a TurnRecord<G::WireMove>>,
    is_started: bool,
    listener: Option<Program>,
    fed: Fed,
}

impl<'a, G: WireFormat> RecordedBot<'a, G> {
    pub(super) fn new(
        feed: &'a Feed<'a, G>,
        game: &G,
        seat: Seat,
        table: Table<G>,
        listener: Option<Program>,
    ) -> RecordedBot<'a, G> {
        let early = start_faults(feed.record, game).into_iter().find(|turn| turn.seat == seat);
        let turns = feed.record.played().iter().filter(|turn| turn.seat == seat);
        let fed = Fed { answers: 0, differing: Vec::new(), ending: Ending::Whole };
        RecordedBot {
            feed,
            table,
            start_fault: early.and_then(TurnRecord::to_fault),
            turns: turns.collect::<Vec<_>>().into_iter(),
            is_started: false,
            listener,
            fed,
        }
    }

    /// Returns the result and the program.
    pub(super) fn leave(mut self) -> Option<(Fed, Program)> {
        let program = self.listener?;
        self.fed.ending = program.ending;
        Some((self.fed, program))
    }

    /// The program, while the dialogue with it goes on.
    fn program(&mut self) -> Option<&mut Program> {
        self.listener.as_mut().filter(|program| program.ending == Ending::Whole)
    }

    /// Answers `start`.
    fn start(&mut self, line: &[u8]) -> Answered<'a, G::WireMove> {
        self.is_started = true;
        if let Some(program) = self.program() {
            program.send(line);
            if let Err(fault) = program.answer().and_then(read_ready) {
                program.ending = Ending::Silent;
                self.fed.answers += 1;
                self.note(None, "\"ready\"".to_owned(), &Err(fault));
            }
        }
        self.start_fault.take().map_or(Ok(SeatAnswer::at_once(Message::Ready)), Err)
    }

    /// Answers a turn.
    fn turn(&mut self, line: &[u8]) -> Answered<'a, G::WireMove> {
        let over = || Fault::new(FaultKind::Exit, "the record has no more decisions of this seat");
        let turn = self.turns.next().ok_or_else(over)?;
        self.listen(turn, line);
        match (&turn.wire_move, turn.to_fault()) {
            (Some(wire_move), None) => {
                let timing = Timing::of(Duration::from_micros(turn.us));
                Ok(SeatAnswer { message: Message::Move { wire_move, remarks: None }, timing })
            }
            (_, fault) => Err(fault.unwrap_or_else(over)),
        }
    }

    /// Asks the program and compares its answer with the record.
    fn listen(&mut self, turn: &TurnRecord<G::WireMove>, line: &[u8]) {
        let until = self.feed.until.unwrap_or(u32::MAX);
        let Some(program) = self.program() else { return };
        if turn.id > until {
            program.ending = Ending::Held;
            return;
        }
        program.send(line);
        let mut answer = program.answer().and_then(|line| read_move::<G::WireMove>(line, turn.id, false));
        for Refused { why, .. } in &turn.remarks.refused {
            program.send(&retry_line(turn.id, why));
            answer = program.answer().and_then(|line| read_move::<G::WireMove>(line, turn.id, false));
        }
        if turn.id == until && program.ending == Ending::Whole {
            program.ending = Ending::Held;
        }
        let answer = answer.and_then(|answer| self.judged(turn.seat, &answer.wire_move));
        self.fed.answers += 1;
        let agrees = match (&answer, &turn.wire_move, &turn.fault) {
            (Ok(wire_move), Some(recorded), _) => wire_move == recorded,
            (Err(fault), _, Some(recorded)) => fault.kind == recorded.kind,
            _ => false,
        };
        if !agrees {
            let recorded = match (&turn.fault, &turn.wire_move) {
                (Some(fault), _) => format!("a fault, {}: {}", fault.kind, fault.detail),
                (None, wire_move) => move_text(wire_move),
            };
            self.note(Some(turn.id), recorded, &answer);
        }
    }

    /// Returns the program's move in the engine's form, or a fault if it is illegal.
    fn judged(&self, seat: Seat, wire_move: &G::WireMove) -> Result<G::WireMove, Fault> {
        let illegal = |why: G::Illegal| Fault::new(FaultKind::Illegal, why.to_string());
        let action = G::read(&self.feed.equipment, wire_move).map_err(illegal)?;
        if let Some(mut game) = self.table.borrow().clone() {
            game.play(seat, &action).map_err(illegal)?;
        }
        Ok(G::write(&self.feed.equipment, &action))
    }

    fn note(&mut self, turn: Option<u32>, recorded: String, answer: &Result<G::WireMove, Fault>) {
        let answered = match answer {
            Ok(wire_move) => move_text(wire_move),
            Err(fault) => format!("a fault, {fault}"),
        };
        self.fed.differing.push(Differing { turn, recorded, answered });
    }
}

fn move_text(wire_move: &impl serde::Serialize) -> String {
    shown(&serde_json::to_value(wire_move).expect("a move is plain data"))
}

impl<G: WireFormat> Bot for RecordedBot<'_, G> {
    type Move = G::WireMove;

    async fn ask(&mut self, line: &[u8], _owed: Owed, _limit: Duration) -> Answered<'_, G::WireMove> {
        match self.is_started {
            false => self.start(line),
            true => self.turn(line),
        }
    }

    fn send(&mut self, line: &[u8]) {
        if let Some(program) = self.program() {
            program.send(line);
        }
    }

    fn disqualify(&mut self, line: &[u8]) {
        if let Some(program) = self.program() {
            program.send(line);
            program.hang_up();
        }
    }
}

//! The interface to a player: a process of the [sandbox], a recorded game, a person, or a script.

pub mod scripted;

use std::task::Context;
use std::time::Duration;

use sandbox::{Reply, Timing};

use crate::record::Remarks;
use crate::seats::fault::{Fault, Owed};

/// What a seat answers, with its measurements.
#[derive(Clone, Copy, Debug)]
pub struct SeatAnswer<'a, W> {
    /// The message.
    pub message: Message<'a, W>,
    /// The measurements of the decision.
    pub timing: Timing,
}

/// A seat's answer, or the fault that ended its bot.
pub type Answered<'a, W> = Result<SeatAnswer<'a, W>, Fault>;

/// The message of a seat. A program and a person write lines, which only the referee parses. Other seats have
/// their moves in the wire form.
#[derive(Clone, Copy, Debug)]
pub enum Message<'a, W> {
    /// A line of a program or a person.
    Line {
        /// The line without its newline.
        line: &'a [u8],
        /// True if the bot wrote the line before the question.
        early: bool,
    },
    /// The answer to `start`.
    Ready,
    /// The answer to `turn`.
    Move {
        /// The move.
        wire_move: &'a W,
        /// The bot's remarks, if it made any.
        remarks: Option<&'a Remarks>,
    },
}

impl<'a, W> SeatAnswer<'a, W> {
    /// Returns a message that took no time.
    pub fn at_once(message: Message<'a, W>) -> Self {
        SeatAnswer { message, timing: Timing::default() }
    }
}

impl<'a, W> From<Reply<'a>> for SeatAnswer<'a, W> {
    fn from(reply: Reply<'a>) -> Self {
        let Reply { line, early, timing } = reply;
        SeatAnswer { message: Message::Line { line, early }, timing }
    }
}

/// A player that answers each question of the referee.
#[expect(async_fn_in_trait, reason = "futures stay on the worker's thread and need not be Send")]
pub trait Bot {
    /// The form of its moves.
    type Move;

    /// Writes `line`, newline included, and waits for the line that the bot then owes, at most for `limit`. The first
    /// poll writes the line.
    ///
    /// # Errors
    /// The fault that ended the bot.
    async fn ask(&mut self, line: &[u8], owed: Owed, limit: Duration) -> Answered<'_, Self::Move>;

    /// Returns true if the seat reads its input. The referee writes no lines for other seats.
    fn listens(&self) -> bool {
        true
    }

    /// Freezes a bot that owes no answer until the next line for it, if bots are frozen outside of their
    /// turns. Call it each time the task of `cx` is polled. The bot may wake the task to be frozen again.
    fn keep_frozen(&mut self, _cx: &mut Context<'_>) {}

    /// Returns the measured processor time of the bot while it owed no answer, since the last call.
    fn take_cpu_off_turn(&mut self) -> Duration {
        Duration::ZERO
    }

    /// Attributes the later debugging output of the bot to this decision.
    fn begin_decision(&mut self, _id: u32) {}

    /// Writes `line`, newline included, without waiting. The line is dropped if the bot does not read.
    fn send(&mut self, line: &[u8]);

    /// Writes `line` as [`send`](Bot::send) does, then kills the bot.
    fn disqualify(&mut self, line: &[u8]);
}

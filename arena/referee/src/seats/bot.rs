//! The interface to a player: a process of the [sandbox], a recorded game, a person, or a script.

pub mod scripted;

use std::task::Context;
use std::time::{Duration, Instant};

use crate::seats::fault::{Fault, of_process};
use sandbox::{BotProcess, Reply};

use crate::play::time_control::TimeControl;

/// A player that answers one line with one line.
#[expect(async_fn_in_trait, reason = "futures stay on the worker's thread and need not be Send")]
pub trait Bot {
    /// Writes `line`, newline included, and waits for one line until `deadline`. The first poll writes the
    /// line.
    ///
    /// # Errors
    /// The fault that ended the bot.
    async fn ask(&mut self, line: &[u8], deadline: Instant) -> Result<Reply<'_>, Fault>;

    /// Returns true if the seat reads its input. The referee writes no lines for other seats.
    fn listens(&self) -> bool {
        true
    }

    /// Returns the time limits of this seat. A program has the limits of the table; a person has different
    /// ones.
    fn limits(&self, table: TimeControl) -> TimeControl {
        table
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

impl Bot for BotProcess {
    async fn ask(&mut self, line: &[u8], deadline: Instant) -> Result<Reply<'_>, Fault> {
        BotProcess::ask(self, line, deadline).await.map_err(of_process)
    }

    fn keep_frozen(&mut self, cx: &mut Context<'_>) {
        BotProcess::keep_frozen(self, cx);
    }

    fn take_cpu_off_turn(&mut self) -> Duration {
        BotProcess::take_cpu_off_turn(self)
    }

    fn begin_decision(&mut self, id: u32) {
        self.label_stderr(id);
    }

    fn send(&mut self, line: &[u8]) {
        BotProcess::send(self, line);
    }

    fn disqualify(&mut self, line: &[u8]) {
        BotProcess::disqualify(self, line);
    }
}

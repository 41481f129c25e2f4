//! A seat that answers lines: a process of the [sandbox], or a script in a test.

pub mod canned;

use std::task::Context;
use std::time::{Duration, Instant};

use crate::seats::fault::{Fault, of_process};
use sandbox::{BotProcess, Reply};

use crate::play::clock::TimeControl;

/// Something that answers one line with one line: a process, or a script in a test.
#[expect(async_fn_in_trait, reason = "futures stay on the worker's thread and need not be Send")]
pub trait Bot {
    /// Writes `line`, newline included, and waits for one line until `deadline`.
    ///
    /// # Errors
    /// The fault that ended the bot.
    async fn ask(&mut self, line: &[u8], deadline: Instant) -> Result<Reply<'_>, Fault>;

    /// Writes the question that is to be asked next, if it can be written before it is waited for: [`ask`](Bot::ask) with
    /// the same line follows, and only waits. True if the answer is there, so that it does not even do that.
    fn put(&mut self, _line: &[u8], _deadline: Instant) -> bool {
        false
    }

    /// Whether it hears anything at all: for one that does not, nothing need be written.
    fn listens(&self) -> bool {
        true
    }

    /// The time limits of this seat at a table with these: the same for every program. A person has others.
    fn limits(&self, table: TimeControl) -> TimeControl {
        table
    }

    /// Stops the bot, where bots are stopped in the turns of others, until it is asked or told something. Only for a
    /// bot that owes no answer. The caller repeats the call whenever the task of `cx` is polled; the bot may wake the
    /// task for that.
    fn keep_held(&mut self, _cx: &mut Context<'_>) {}

    /// Processor time that it used since this was asked last while it owed no answer, as far as it was
    /// measured.
    fn take_used_at_rest(&mut self) -> Duration {
        Duration::ZERO
    }

    /// Writes `line`, newline included, without waiting for anything. Dropped if the bot does not
    /// read.
    fn tell(&mut self, line: &[u8]);

    /// Writes `line` as [`tell`](Bot::tell) does and ends the bot at once: it is out of the match.
    fn dismiss(&mut self, line: &[u8]);
}

impl Bot for BotProcess {
    async fn ask(&mut self, line: &[u8], deadline: Instant) -> Result<Reply<'_>, Fault> {
        BotProcess::ask(self, line, deadline).await.map_err(of_process)
    }

    fn put(&mut self, line: &[u8], deadline: Instant) -> bool {
        BotProcess::put(self, line, deadline)
    }

    fn keep_held(&mut self, cx: &mut Context<'_>) {
        BotProcess::keep_held(self, cx);
    }

    fn take_used_at_rest(&mut self) -> Duration {
        BotProcess::take_used_at_rest(self)
    }

    fn tell(&mut self, line: &[u8]) {
        BotProcess::tell(self, line);
    }

    fn dismiss(&mut self, line: &[u8]) {
        BotProcess::dismiss(self, line);
    }
}

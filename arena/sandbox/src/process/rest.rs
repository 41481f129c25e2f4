//! A bot's rest: from its answer to its next question, while others have their turn. It is stopped there, where
//! that is wanted, and what it uses of the processors all the same is added up.
//!
//! Where the bot has a control group, that is frozen: nothing in a frozen group runs, whatever it does. Elsewhere the
//! stop is a signal to the bot's process group. It reaches everything that the bot has started as long as nothing can
//! leave the group or wake it. The seccomp layer sees to that but for timers with that signal, so the signal is sent
//! again and again while somebody else is waited for.

use std::task::Context;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process_group};

use crate::SLOW_AFTER;
use crate::process::BotProcess;
use crate::process::resting::{Before, Stopped};

/// A rest shorter than this is not measured: what can be used in it is not worth the system calls. Where many bots
/// that answer at once share a core, some milliseconds pass between the questions to one.
const MEASURED_MIN: Duration = Duration::from_millis(5);
/// A bot that uses more than this in a rest is looked at closely in all rests that follow: waiting takes nothing.
const NOTICED_MIN: Duration = Duration::from_micros(500);
/// How often a bot is stopped again while it rests, once it has rested for [`SLOW_AFTER`].
const STOP_AGAIN_EVERY: Duration = Duration::from_millis(5);

impl BotProcess {
    /// The bot has answered at `now`, and owes nothing until it is woken.
    pub(crate) fn rest(&mut self, now: Instant) {
        self.rest.since = Some(now);
        self.rest.before = None;
        if !self.rest.when_held {
            self.hold();
        }
        if self.rest.was_long {
            self.measure();
        }
    }

    /// Stops it, if it rests and is to be stopped then.
    pub fn hold(&mut self) {
        if self.rest.freezes && self.rest.since.is_some() && self.rest.stopped.is_none() {
            self.rest.stopped = self.stop_running();
            if self.rest.stopped.is_some() {
                self.measure(); // its processes had to be known for that, or their group is
            }
        }
    }

    fn stop_running(&self) -> Option<Stopped> {
        if self.keep.freeze(true) {
            return Some(Stopped::Frozen);
        }
        let group = self.keep.group()?;
        let is_sent = kill_process_group(group, Signal::STOP).is_ok();
        is_sent.then(|| Stopped::Signalled(group, Instant::now() + SLOW_AFTER))
    }

    /// Begins the bot's rest if it owes no answer, and stops the bot as [`hold`](Self::hold) does. Where the bot may
    /// have ways to go on, each later call stops it again; the task is woken for that every few milliseconds.
    pub fn keep_held(&mut self, cx: &mut Context<'_>) {
        if self.rest.since.is_none() && self.put.is_none() && self.over.is_none() {
            self.rest(Instant::now());
        }
        self.hold();
        while let Some(Stopped::Signalled(group, due)) = self.rest.stopped
            && self.timer.poll_until(cx, due).is_ready()
        {
            let _ = kill_process_group(group, Signal::STOP);
            self.rest.stopped = Some(Stopped::Signalled(group, Instant::now() + STOP_AGAIN_EVERY));
        }
    }

    fn measure(&mut self) {
        if self.rest.before.is_none() {
            let all = if self.rest.is_noticed { self.keep.cpu_total() } else { self.keep.cpu_of_group() };
            self.rest.before = Some(all.map_or_else(|| Before::Known(self.keep.cpu_times()), Before::All));
        }
    }

    /// Ends the bot's rest at `now`, before anything is written to it.
    pub(crate) fn end_rest(&mut self, now: Instant) {
        let Some(since) = self.rest.since.take() else { return };
        self.rest.was_long = now.duration_since(since) >= MEASURED_MIN;
        if let Some(before) = self.rest.before.take().filter(|_| self.rest.was_long) {
            let used = match before {
                Before::Known(times) => times.used_since(),
                Before::All(before) => self.keep.cpu_total().unwrap_or(before).saturating_sub(before),
            };
            self.rest.is_noticed |= used >= NOTICED_MIN;
            self.rest.used += used;
        }
    }

    /// Puts it out if it used more in its rests than it may.
    pub(crate) fn check_rests(&mut self) {
        if let Some(fault) = self.rest.excess() {
            self.keep.kill();
            self.over = Some(fault);
        }
    }

    /// Lets the bot run again.
    pub(crate) fn wake(&mut self) {
        match self.rest.stopped.take() {
            None => {}
            Some(Stopped::Frozen) => drop(self.keep.freeze(false)),
            // Whoever is gone need not be woken.
            Some(Stopped::Signalled(group, _)) => drop(kill_process_group(group, Signal::CONT)),
        }
    }

    /// Processor time that its processes used in the rests since this was asked last. Counted are rests of
    /// five milliseconds and more, if the one before was such a one too, and processes that were seen before.
    pub fn take_used_at_rest(&mut self) -> Duration {
        std::mem::take(&mut self.rest.used)
    }
}

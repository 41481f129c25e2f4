//! A bot's rest: from its answer to its next question, while others have their turn. It is stopped there, where
//! that is wanted, and what it uses of the processors all the same is added up.
//!
//! The stop is a signal to the bot's process group. It reaches everything that the bot has started as long as
//! nothing can leave the group or wake it, which the seccomp layer sees to but for timers with that signal; without
//! that layer it is best effort.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::process::BotProcess;
use super::tree::CpuTimes;

/// A rest shorter than this is not measured: what can be used in it is not worth the system calls. Where many bots
/// that answer at once share a core, some milliseconds pass between the questions to one.
const MEASURED_MIN: Duration = Duration::from_millis(5);

/// What is known of a bot's rests.
#[derive(Debug)]
pub(super) struct Rest {
    /// Whether it is stopped in them.
    freezes: bool,
    /// Whether it is stopped no sooner than that is said.
    when_held: bool,
    /// The group that is stopped now.
    stopped: Option<Pid>,
    /// Since when the bot rests, if it does.
    since: Option<Instant>,
    /// What its processes had used by then, where that is measured.
    before: Option<CpuTimes>,
    /// Whether the last rest was one that is measured: the next one is taken to be like it, so that bots
    /// which are asked again at once cost no measurement.
    was_long: bool,
    /// What was used in the rests of this match.
    used: Duration,
}

impl Rest {
    /// None yet. With `freezes` the bot is stopped in them, with `when_held` only once that is said.
    pub(super) fn new(freezes: bool, when_held: bool) -> Rest {
        let (was_long, used) = (false, Duration::ZERO);
        Rest { freezes, when_held, stopped: None, since: None, before: None, was_long, used }
    }
}

impl BotProcess {
    /// The bot has answered at `now`, and owes nothing until it is woken.
    pub(super) fn rest(&mut self, now: Instant) {
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
        if self.rest.freezes
            && self.rest.since.is_some()
            && self.rest.stopped.is_none()
            && let Some(group) = self.keep.group()
            && kill_process_group(group, Signal::STOP).is_ok()
        {
            self.rest.stopped = Some(group);
            // Its processes had to be known for that anyway.
            self.measure();
        }
    }

    fn measure(&mut self) {
        if self.rest.before.is_none() {
            self.rest.before = Some(self.keep.cpu_times());
        }
    }

    /// Ends the bot's rest at `now`, before anything is written to it.
    pub(super) fn end_rest(&mut self, now: Instant) {
        let Some(since) = self.rest.since.take() else { return };
        self.rest.was_long = now.duration_since(since) >= MEASURED_MIN;
        if let Some(before) = self.rest.before.take().filter(|_| self.rest.was_long) {
            self.rest.used += before.used_since();
        }
    }

    /// Lets the bot run again.
    pub(super) fn wake(&mut self) {
        if let Some(group) = self.rest.stopped.take() {
            // Whoever is gone need not be woken.
            let _ = kill_process_group(group, Signal::CONT);
        }
    }

    /// Processor time that its processes used in the rests since this was asked last. Counted are rests of
    /// five milliseconds and more, if the one before was such a one too, and processes that were seen before.
    pub fn take_used_at_rest(&mut self) -> Duration {
        std::mem::take(&mut self.rest.used)
    }
}

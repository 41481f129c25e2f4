//! A bot's rest: from its answer to its next question, while others have their turn. It is stopped there, where
//! that is wanted, and what it uses of the processors all the same is added up.
//!
//! Where the bot has a control group, that is frozen: nothing in a frozen group runs, whatever it does. Elsewhere the
//! stop is a signal to the bot's process group. It reaches everything that the bot has started as long as nothing can
//! leave the group or wake it. The seccomp layer sees to that but for timers with that signal, so the signal is sent
//! again and again while somebody else is waited for.

use std::task::Context;
use std::time::{Duration, Instant};

use engine::wire::FaultKind;
use rustix::process::{Pid, Signal, kill_process_group};

use super::SLOW_AFTER;
use super::fault::Fault;
use super::process::BotProcess;
use super::tree::CpuTimes;

/// A rest shorter than this is not measured: what can be used in it is not worth the system calls. Where many bots
/// that answer at once share a core, some milliseconds pass between the questions to one.
const MEASURED_MIN: Duration = Duration::from_millis(5);
/// A bot that uses more than this in a rest is looked at closely in all rests that follow: waiting takes nothing.
const NOTICED_MIN: Duration = Duration::from_micros(500);
/// How often a bot is stopped again while it rests, once it has rested for [`SLOW_AFTER`].
const STOP_AGAIN_EVERY: Duration = Duration::from_millis(5);

/// What is known of a bot's rests.
#[derive(Debug)]
pub(super) struct Rest {
    /// Whether it is stopped in them.
    freezes: bool,
    /// Whether it is stopped no sooner than that is said.
    when_held: bool,
    /// What it may use in the rests of a match; no bound if none.
    used_max: Option<Duration>,
    /// How it is stopped now, if it is.
    stopped: Option<Stopped>,
    /// Since when the bot rests, if it does.
    since: Option<Instant>,
    /// What its processes had used by then, where that is measured.
    before: Option<Before>,
    /// Whether the last rest was one that is measured: the next one is taken to be like it, so that bots
    /// which are asked again at once cost no measurement.
    was_long: bool,
    /// Whether it was seen to compute in a rest.
    is_noticed: bool,
    /// What was used in the rests of this match.
    used: Duration,
}

/// How a bot is stopped.
#[derive(Clone, Copy, Debug)]
enum Stopped {
    /// Its control group is frozen.
    Frozen,
    /// Its process group got the signal, and is to get it again at this moment.
    Signalled(Pid, Instant),
}

/// What a bot had used of the processors when its rest began.
#[derive(Debug)]
enum Before {
    /// The processes that were known, each by itself: cheap to read.
    Known(CpuTimes),
    /// All its processes together, also those that had ended.
    All(Duration),
}

impl Rest {
    /// None yet. With `freezes` the bot is stopped in them, with `when_held` only once that is said; `used_max`
    /// bounds what it may use in those of a match.
    pub(super) fn new(freezes: bool, when_held: bool, used_max: Option<Duration>) -> Rest {
        Rest {
            freezes,
            when_held,
            used_max,
            stopped: None,
            since: None,
            before: None,
            was_long: false,
            is_noticed: false,
            used: Duration::ZERO,
        }
    }

    /// Why the bot is out, if it used more than it may.
    fn excess(&self) -> Option<Fault> {
        let max = self.used_max.filter(|max| self.used > *max)?;
        let (used_ms, max_ms) = (self.used.as_millis(), max.as_millis());
        let detail = format!(
            "{used_ms} ms of processor time while it owed no answer, at most {max_ms} ms a match are allowed: \
             compute between a question and your answer only"
        );
        Some(Fault::new(FaultKind::OffTurn, detail))
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

    /// Stops it as [`hold`](Self::hold) does, and again every few milliseconds as long as the task is polled, where
    /// it may have ways to go on. The task is woken for that.
    pub fn keep_held(&mut self, cx: &mut Context<'_>) {
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
    pub(super) fn end_rest(&mut self, now: Instant) {
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
    pub(super) fn check_rests(&mut self) {
        if let Some(fault) = self.rest.excess() {
            self.keep.kill();
            self.over = Some(fault);
        }
    }

    /// Lets the bot run again.
    pub(super) fn wake(&mut self) {
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

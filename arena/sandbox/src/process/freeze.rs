//! A bot is off turn from its answer to its next question, while others have their turn. If the host asks for it, the
//! bot is frozen meanwhile. The processor time that it uses all the same is added up.
//!
//! If the bot has a control group, the kernel freezes the group, and nothing in it runs. Otherwise the bot's process
//! group gets SIGSTOP. The signal reaches everything that the bot has started, as long as no process leaves the group
//! or wakes it. The seccomp layer prevents that, except for timers that send SIGCONT. The signal is therefore repeated
//! while the arena waits for another bot.

use std::task::Context;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::process::fault::{Failure, Fault};
use crate::process::reply::SLOW_AFTER;
use crate::process::timer::LazyTimer;
use crate::start::handle::SupervisorHandle;
use crate::system::tree::CpuTimes;

/// Shorter times off turn are not measured: a bot gains too little in them to justify the system calls. If many quick bots share
/// a core, some milliseconds pass between two questions to one of them.
const MEASURED_MIN: Duration = Duration::from_millis(5);
/// A bot that uses more than this while off turn is measured exactly from then on. A waiting bot uses nothing.
const NOTICED_MIN: Duration = Duration::from_micros(500);
/// The interval at which a frozen bot is stopped again, after the first [`SLOW_AFTER`].
const STOP_AGAIN_EVERY: Duration = Duration::from_millis(5);

/// The state of a bot off turn.
#[derive(Debug, Default)]
pub(crate) struct OffTurn {
    /// True if the bot is frozen off turn.
    freezes: bool,
    /// True if the bot is frozen only when the host calls `keep_frozen`, and not right after its answer.
    only_on_call: bool,
    /// The most processor time that it may use off turn in a match; unlimited if `None`.
    used_max: Option<Duration>,
    /// The way in which it is frozen now.
    stopped: Option<Stopped>,
    /// The moment from which the bot is off turn now.
    since: Option<Instant>,
    /// The processor time at that moment, if this time is measured.
    before: Option<Before>,
    /// True if the last time off turn was long enough to be measured. The next one is assumed to be like it, so that
    /// quick bots cost no measurement.
    was_long: bool,
    /// True once the bot has computed off turn.
    is_noticed: bool,
    /// The processor time used off turn in this match.
    used: Duration,
}

/// A way to stop a bot.
#[derive(Clone, Copy, Debug)]
enum Stopped {
    /// Its control group is frozen.
    Frozen,
    /// Its process group got SIGSTOP. The next signal is due at this moment.
    Signalled(Pid, Instant),
}

/// The processor time that a bot had used when it was no longer its turn.
#[derive(Debug)]
enum Before {
    /// The times of each known process. Cheap to read.
    Known(CpuTimes),
    /// The time of all processes together, including ended ones.
    All(Duration),
}

impl OffTurn {
    /// Returns the state before the first answer; the arguments are the fields of the same names.
    pub(crate) fn new(freezes: bool, only_on_call: bool, used_max: Option<Duration>) -> OffTurn {
        OffTurn { freezes, only_on_call, used_max, ..OffTurn::default() }
    }

    /// The bot is off turn. It answered at `now` and owes nothing until it is woken.
    pub(crate) fn begin(&mut self, now: Instant, handle: &SupervisorHandle) {
        self.since = Some(now);
        self.before = None;
        if !self.only_on_call {
            self.freeze(handle);
        }
        if self.was_long {
            self.measure(handle);
        }
    }

    /// Freezes the bot if it is off turn and the host freezes such bots.
    pub(crate) fn freeze(&mut self, handle: &SupervisorHandle) {
        if self.freezes && self.since.is_some() && self.stopped.is_none() {
            self.stopped = stop_running(handle);
            if self.stopped.is_some() {
                self.measure(handle); // cheap here: the stop has just looked up the processes or their group
            }
        }
    }

    /// Returns true while the bot is off turn.
    pub(crate) fn is_now(&self) -> bool {
        self.since.is_some()
    }

    /// Repeats the signal that stopped the bot each time it is due.
    pub(crate) fn stop_again(&mut self, cx: &mut Context<'_>, timer: &mut LazyTimer) {
        while let Some(Stopped::Signalled(group, due)) = self.stopped
            && timer.poll_until(cx, due).is_ready()
        {
            let _ = kill_process_group(group, Signal::STOP);
            self.stopped = Some(Stopped::Signalled(group, Instant::now() + STOP_AGAIN_EVERY));
        }
    }

    fn measure(&mut self, handle: &SupervisorHandle) {
        if self.before.is_none() {
            let all = if self.is_noticed { handle.cpu_total() } else { handle.cpu_of_group() };
            self.before = Some(all.map_or_else(|| Before::Known(handle.cpu_times()), Before::All));
        }
    }

    /// Ends the time off turn at `now`, before anything is written to it.
    pub(crate) fn end(&mut self, now: Instant, handle: &SupervisorHandle) {
        let Some(since) = self.since.take() else { return };
        self.was_long = now.duration_since(since) >= MEASURED_MIN;
        if let Some(before) = self.before.take().filter(|_| self.was_long) {
            let used = match before {
                Before::Known(times) => times.used_since(),
                Before::All(before) => handle.cpu_total().unwrap_or(before).saturating_sub(before),
            };
            self.is_noticed |= used >= NOTICED_MIN;
            self.used += used;
        }
    }

    /// Returns the fault of a bot that used too much processor time off turn.
    pub(crate) fn excess(&self) -> Option<Fault> {
        let max = self.used_max.filter(|max| self.used > *max)?;
        let (used_ms, max_ms) = (self.used.as_millis(), max.as_millis());
        let detail = format!(
            "{used_ms} ms of processor time while it owed no answer, at most {max_ms} ms a match are allowed: \
             compute between a question and your answer only"
        );
        Some(Fault::new(Failure::OffTurn, detail))
    }

    /// Lets the bot run again.
    pub(crate) fn wake(&mut self, handle: &SupervisorHandle) {
        match self.stopped.take() {
            None => {}
            Some(Stopped::Frozen) => drop(handle.freeze(false)),
            // The group may be gone.
            Some(Stopped::Signalled(group, _)) => drop(kill_process_group(group, Signal::CONT)),
        }
    }

    /// Returns the processor time that was used off turn since the last call.
    pub(crate) fn take_used(&mut self) -> Duration {
        std::mem::take(&mut self.used)
    }
}

fn stop_running(handle: &SupervisorHandle) -> Option<Stopped> {
    if handle.freeze(true) {
        return Some(Stopped::Frozen);
    }
    let group = handle.group()?;
    let is_sent = kill_process_group(group, Signal::STOP).is_ok();
    is_sent.then(|| Stopped::Signalled(group, Instant::now() + SLOW_AFTER))
}

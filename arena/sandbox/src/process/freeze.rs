//! A bot's rest: the time from its answer to its next question, while others have their turn. If the host asks for it,
//! the bot is stopped during its rests. The processor time that it uses all the same is added up.
//!
//! If the bot has a control group, the kernel freezes the group, and nothing in it runs. Otherwise the bot's process
//! group gets SIGSTOP. The signal reaches everything that the bot has started, as long as no process leaves the group
//! or wakes it. The seccomp layer prevents that, except for timers that send SIGCONT. The signal is therefore repeated
//! while the arena waits for another bot.

use std::task::Context;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process_group};

use crate::SLOW_AFTER;
use crate::process::BotProcess;
use crate::process::frozen::{Before, Stopped};

/// Shorter rests are not measured: a bot gains too little in them to justify the system calls. If many quick bots share
/// a core, some milliseconds pass between two questions to one of them.
const MEASURED_MIN: Duration = Duration::from_millis(5);
/// A bot that uses more than this in a rest is measured exactly in all later rests. A waiting bot uses nothing.
const NOTICED_MIN: Duration = Duration::from_micros(500);
/// The interval at which a resting bot is stopped again, after the first [`SLOW_AFTER`].
const STOP_AGAIN_EVERY: Duration = Duration::from_millis(5);

impl BotProcess {
    /// Begins a rest. The bot answered at `now` and owes nothing until it is woken.
    pub(crate) fn rest(&mut self, now: Instant) {
        self.idle.since = Some(now);
        self.idle.before = None;
        if !self.idle.when_held {
            self.freeze();
        }
        if self.idle.was_long {
            self.measure();
        }
    }

    /// Stops the bot if it rests and the host stops resting bots.
    pub fn freeze(&mut self) {
        if self.idle.freezes && self.idle.since.is_some() && self.idle.stopped.is_none() {
            self.idle.stopped = self.stop_running();
            if self.idle.stopped.is_some() {
                self.measure(); // cheap here: the stop has just looked up the processes or their group
            }
        }
    }

    fn stop_running(&self) -> Option<Stopped> {
        if self.handle.freeze(true) {
            return Some(Stopped::Frozen);
        }
        let group = self.handle.group()?;
        let is_sent = kill_process_group(group, Signal::STOP).is_ok();
        is_sent.then(|| Stopped::Signalled(group, Instant::now() + SLOW_AFTER))
    }

    /// Begins the bot's rest if it owes no answer, and stops the bot as [`freeze`](Self::freeze) does. A bot that was
    /// stopped by a signal may wake itself, so each later call stops it again. The task is woken for that every few
    /// milliseconds.
    pub fn keep_frozen(&mut self, cx: &mut Context<'_>) {
        if self.idle.since.is_none() && self.over.is_none() {
            self.rest(Instant::now());
        }
        self.freeze();
        while let Some(Stopped::Signalled(group, due)) = self.idle.stopped
            && self.timer.poll_until(cx, due).is_ready()
        {
            let _ = kill_process_group(group, Signal::STOP);
            self.idle.stopped = Some(Stopped::Signalled(group, Instant::now() + STOP_AGAIN_EVERY));
        }
    }

    fn measure(&mut self) {
        if self.idle.before.is_none() {
            let all = if self.idle.is_noticed { self.handle.cpu_total() } else { self.handle.cpu_of_group() };
            self.idle.before = Some(all.map_or_else(|| Before::Known(self.handle.cpu_times()), Before::All));
        }
    }

    /// Ends the bot's rest at `now`, before anything is written to it.
    pub(crate) fn thaw(&mut self, now: Instant) {
        let Some(since) = self.idle.since.take() else { return };
        self.idle.was_long = now.duration_since(since) >= MEASURED_MIN;
        if let Some(before) = self.idle.before.take().filter(|_| self.idle.was_long) {
            let used = match before {
                Before::Known(times) => times.used_since(),
                Before::All(before) => self.handle.cpu_total().unwrap_or(before).saturating_sub(before),
            };
            self.idle.is_noticed |= used >= NOTICED_MIN;
            self.idle.used += used;
        }
    }

    /// Ends the bot if it used too much processor time in its rests.
    pub(crate) fn check_rests(&mut self) {
        if let Some(fault) = self.idle.excess() {
            self.handle.kill();
            self.over = Some(fault);
        }
    }

    /// Lets the bot run again.
    pub(crate) fn wake(&mut self) {
        match self.idle.stopped.take() {
            None => {}
            Some(Stopped::Frozen) => drop(self.handle.freeze(false)),
            // The group may be gone.
            Some(Stopped::Signalled(group, _)) => drop(kill_process_group(group, Signal::CONT)),
        }
    }

    /// Returns the processor time that the bot's processes used in rests since the last call. Only rests of at least
    /// five milliseconds count, if the rest before was as long, and only processes that were known before.
    pub fn take_cpu_off_turn(&mut self) -> Duration {
        std::mem::take(&mut self.idle.used)
    }
}

//! The time for which others had the processors while a bot owed an answer. This time is not the bot's: its clock
//! stands still, and its deadline moves.
//!
//! The kernel tells for each thread how long it ran, and how long it waited for a processor before it ran again. It
//! tells nothing of a wait that goes on. So the arena looks at slow bots now and then: a thread that is ready and has
//! the same counts as at an earlier look has waited since that look.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::system::stolen::Stolen;
use crate::system::tree::ThreadTimes;

/// The kernel updates the counts of a thread that runs at least a hundred times a second. A thread whose counts stay the
/// same for longer does not run.
pub(crate) const TOLD_AFTER: Duration = Duration::from_millis(12);
/// A credit below this is none.
const CREDIT_MIN: Duration = Duration::from_millis(1);

/// What the arena has seen of a bot since the first look at a slow decision.
#[derive(Debug)]
pub(crate) struct Watch {
    /// The first look.
    begun: Instant,
    /// The last look.
    last: Instant,
    /// The delay of the first look.
    late: Duration,
    /// The processor time of the bot, all processes together, at the first and the last look.
    ran: [Duration; 2],
    /// The time that the host of this virtual machine had taken at the last look, and what it took from a ready bot.
    stolen: (Option<Stolen>, Duration),
    /// True if a thread of the bot ran or was ready since the look before the last.
    is_ready: bool,
    threads: BTreeMap<i32, Watched>,
}

/// A thread of the bot.
#[derive(Debug)]
struct Watched {
    /// Its times when it was first seen, or zeros if it is younger than the watch.
    ran: Duration,
    waited: Duration,
    now: ThreadTimes,
    /// The first look at which it had the times of `now`.
    since: Instant,
}

impl Watched {
    /// Returns the time that this thread waited for a processor, with a wait that goes on at `at`.
    fn waited(&self, at: Instant) -> Duration {
        let same_for = at.saturating_duration_since(self.since);
        let goes_on = self.now.is_ready && same_for >= TOLD_AFTER;
        self.now.waited.saturating_sub(self.waited) + if goes_on { same_for } else { Duration::ZERO }
    }
}

impl Watch {
    /// Begins a watch with a look that is late by this time.
    pub(crate) fn begin(now: Instant, late: Duration, threads: Vec<ThreadTimes>, ran: Duration) -> Watch {
        let watched = |now: ThreadTimes, since| Watched { ran: now.ran, waited: now.waited, now, since };
        let threads = threads.into_iter().map(|it| (it.id, watched(it, now))).collect();
        let (ran, stolen) = ([ran; 2], (Stolen::now(), Duration::ZERO));
        Watch { begun: now, last: now, late, ran, stolen, is_ready: false, threads }
    }

    /// Adds what a look shows.
    pub(crate) fn look(&mut self, now: Instant, threads: Vec<ThreadTimes>, ran: Duration) {
        let age = now.duration_since(self.begun);
        (self.last, self.ran[1], self.is_ready) = (now, ran.max(self.ran[1]), false);
        // A thread that is no longer there has ended, and waits for nothing.
        self.threads.values_mut().for_each(|thread| thread.now.is_ready = false);
        for times in threads {
            // A thread that was busy for longer than the watch is old, and was hidden among too many others.
            let is_young = times.ran + times.waited <= age;
            let before = if is_young { ThreadTimes::default() } else { times };
            let fresh = Watched { ran: before.ran, waited: before.waited, now: before, since: now };
            let thread = self.threads.entry(times.id).or_insert(fresh);
            if (thread.now.runs, thread.now.ran) != (times.runs, times.ran) {
                (thread.since, self.is_ready) = (now, true);
            }
            self.is_ready |= times.is_ready;
            thread.now = times;
        }
        let (stolen, is_told) = (Stolen::now(), self.is_told());
        if let ((Some(before), sum), Some(now)) = (&mut self.stolen, &stolen)
            && (self.is_ready || !is_told)
        {
            *sum += now.since(before);
        }
        self.stolen.0 = stolen;
    }

    /// Returns the time since the first look, and the processor time that the bot had in it.
    pub(crate) fn had(&self) -> (Duration, Duration) {
        (self.last.duration_since(self.begun), self.ran[1].saturating_sub(self.ran[0]))
    }

    /// Returns the longest wait of one thread for a processor that others had. The threads of a busy bot wait for each
    /// other, so it is at most the time in which the bot left processors idle that it may use.
    pub(crate) fn starved(&self) -> Duration {
        let (time, ran) = self.had();
        let idle = |thread: &Watched| time.saturating_sub(ran / thread.now.cores.max(1));
        let waits = self.threads.values().map(|thread| thread.waited(self.last).min(idle(thread)));
        waits.max().unwrap_or_default()
    }

    /// Returns the time for which the host of a virtual machine kept a processor from the bot while it was ready.
    pub(crate) fn stolen(&self) -> Option<Duration> {
        self.stolen.0.is_some().then_some(self.stolen.1)
    }

    /// Returns true if the kernel tells which threads waited.
    pub(crate) fn is_told(&self) -> bool {
        self.threads.values().any(|thread| thread.now.runs > 0)
    }

    /// Returns the time that does not count. Waits, the host's share, and the delay of the first look are added, but a
    /// bot with a thread that ran meanwhile has no more than the rest of the time from them together.
    pub(crate) fn credit(&self) -> Duration {
        let starved = self.starved();
        let late = if self.is_ready { self.late } else { Duration::ZERO };
        let ran = self.threads.values().map(|thread| thread.now.ran.saturating_sub(thread.ran)).max();
        let idle = (self.had().0 + late).saturating_sub(ran.unwrap_or_default());
        let credit = starved.max((starved + self.stolen.1 + late).min(idle));
        if credit < CREDIT_MIN || !self.is_told() { Duration::ZERO } else { credit }
    }

    /// Returns true if a thread is ready, and another look must show if it runs or waits.
    pub(crate) fn may_wait(&self) -> bool {
        let is_new = |thread: &Watched| self.last.duration_since(thread.since) < TOLD_AFTER;
        self.threads.values().any(|thread| thread.now.is_ready && is_new(thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn thread(id: i32, ran: u64, waited: u64, is_ready: bool) -> ThreadTimes {
        ThreadTimes { id, ran: ms(ran), waited: ms(waited), runs: 1 + ran + waited, is_ready, cores: 1 }
    }

    /// Returns the credit after looks at these milliseconds, the first of which begins the watch.
    fn watched(late: u64, looks: &[(u64, u64, &[ThreadTimes])]) -> Watch {
        let start = Instant::now();
        let (at, ran, threads) = looks[0];
        let mut watch = Watch::begin(start + ms(at), ms(late), threads.to_vec(), ms(ran));
        for &(at, ran, threads) in &looks[1..] {
            watch.look(start + ms(at), threads.to_vec(), ms(ran));
        }
        watch.stolen = (None, Duration::ZERO);
        watch
    }

    #[test]
    fn waits_that_ended_and_one_that_goes_on_count() {
        let first: &[_] = &[thread(1, 7, 5, false)];
        let ended = watched(0, &[(20, 7, first), (200, 37, &[thread(1, 37, 105, true)])]);
        assert_eq!((ended.credit(), ended.had()), (ms(100), (ms(180), ms(30))));
        assert!(ended.may_wait(), "it ran since the last look, and may wait again");
        let still = &[thread(1, 37, 105, true)][..];
        let goes_on = watched(0, &[(20, 7, first), (100, 37, still), (130, 37, still)]);
        assert_eq!(goes_on.credit(), ms(80), "it left no more of the time");
        let goes_on = watched(0, &[(20, 7, first), (200, 37, still), (240, 37, still)]);
        assert_eq!((goes_on.credit(), goes_on.may_wait()), (ms(140), false));
        let asleep = &[thread(1, 37, 105, false)][..];
        assert_eq!(watched(0, &[(20, 7, first), (200, 37, asleep), (240, 37, asleep)]).credit(), ms(100));
    }

    #[test]
    fn threads_that_wait_for_each_other_earn_nothing() {
        let two = |ran| [thread(1, ran, ran, true), thread(2, ran, ran, true)];
        let own = watched(0, &[(20, 0, &two(0)), (220, 200, &two(100))]);
        assert_eq!(own.credit(), Duration::ZERO);
        let on_two_cores = two(100).map(|thread| ThreadTimes { cores: 2, ..thread });
        assert_eq!(watched(0, &[(20, 0, &two(0)), (220, 200, &on_two_cores)]).credit(), ms(100));
    }

    #[test]
    fn the_longest_wait_counts_and_that_of_a_young_or_ended_thread_too() {
        let first: &[_] = &[thread(1, 0, 0, false)];
        let more = [thread(1, 0, 0, false), thread(2, 10, 60, false), thread(3, 10, 40, false)];
        assert_eq!(watched(0, &[(20, 0, first), (220, 20, &more)]).credit(), ms(60));
        assert_eq!(watched(0, &[(20, 0, first), (220, 20, &more), (320, 20, first)]).credit(), ms(60));
        let waits = [thread(1, 0, 0, false), thread(2, 10, 60, true)];
        let looks: &[(u64, u64, &[ThreadTimes])] = &[(20, 0, first), (120, 10, &waits), (920, 10, first)];
        assert_eq!(watched(0, looks).credit(), ms(60), "an ended thread waits no more");
        let old = [thread(1, 0, 0, false), thread(2, 1_000, 6_000, false)];
        assert_eq!(watched(0, &[(20, 0, first), (220, 0, &old)]).credit(), Duration::ZERO, "it was hidden");
    }

    #[test]
    fn causes_are_added_up_to_the_time_in_which_no_thread_ran() {
        let first: &[_] = &[thread(1, 0, 0, true)];
        let late = |ran, waited| watched(50, &[(70, 0, first), (170, ran, &[thread(1, ran, waited, true)])]);
        assert_eq!(late(30, 20).credit(), ms(70));
        assert_eq!(late(90, 10).credit(), ms(60));
        let asleep: &[_] = &[thread(1, 0, 0, false)];
        assert_eq!(watched(50, &[(70, 0, asleep), (170, 0, asleep)]).credit(), Duration::ZERO);
        let mut stolen = late(30, 20);
        stolen.stolen.1 = ms(20);
        assert_eq!(stolen.credit(), ms(90));
    }

    #[test]
    fn a_kernel_that_tells_nothing_gives_no_credit() {
        let zeros: &[_] = &[ThreadTimes { is_ready: true, cores: 1, ..ThreadTimes::default() }];
        for threads in [zeros, &[]] {
            let watch = watched(50, &[(70, 0, threads), (170, 0, threads)]);
            assert!(!watch.is_told() && watch.credit().is_zero());
        }
    }
}

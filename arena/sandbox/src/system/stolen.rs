//! Stolen time: the time for which the host of a virtual machine withheld processors from it. No process in the
//! virtual machine can compute then, so a bot is not responsible for it.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use crate::system::cores;

/// The time for which one reading serves all bots of a thread. The kernel counts in hundredths of a second.
const FRESH_FOR: Duration = Duration::from_millis(10);

/// The stolen time of each processor that the current thread may use, since the machine was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stolen(Vec<(usize, Duration)>);

impl Stolen {
    /// Returns a reading that is at most `FRESH_FOR` old. Returns `None` if the system does not provide it.
    pub(crate) fn now() -> Option<Stolen> {
        thread_local!(static LAST: RefCell<Option<(Instant, Stolen)>> = const { RefCell::new(None) });
        let now = Instant::now();
        LAST.with_borrow_mut(|last| {
            if last.as_ref().is_none_or(|(read, _)| now.duration_since(*read) >= FRESH_FOR) {
                let text = std::fs::read_to_string("/proc/stat").ok();
                *last = text.map(|text| (now, Stolen::read(&text, &cores::allowed())));
            }
            last.as_ref().map(|(_, stolen)| stolen.clone())
        })
    }

    /// Parses the text of `/proc/stat` for these processors.
    fn read(text: &str, cores: &[usize]) -> Stolen {
        let tick = Duration::from_secs(1) / rustix::param::clock_ticks_per_second().max(1) as u32;
        let of_core = |line: &str| {
            let mut fields = line.strip_prefix("cpu")?.split(' ');
            let core = fields.next()?.parse().ok()?;
            // Seven other fields come first: user, nice, system, idle, iowait, irq, softirq.
            let ticks: u32 = fields.nth(7)?.parse().ok()?;
            cores.contains(&core).then_some((core, tick * ticks))
        };
        Stolen(text.lines().filter_map(of_core).collect())
    }

    /// Returns the maximum of the stolen time since `earlier`, over the processors that the thread might use at both
    /// times.
    pub(crate) fn since(&self, earlier: &Stolen) -> Duration {
        let taken = self.0.iter().filter_map(|(core, now)| {
            let (_, before) = earlier.0.iter().find(|(other, _)| other == core)?;
            Some(now.saturating_sub(*before))
        });
        taken.max().unwrap_or(Duration::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_that_lost_most_counts_and_others_do_not() {
        let text = |[first, second, third]: [u32; 3]| {
            format!(
                "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 {first} 0 0\ncpu1 1 2 3 4 5 6 7 {second} 0 0\n\
                 cpu10 1 2 3 4 5 6 7 {third} 0 0\nintr 1 2 3\n"
            )
        };
        let at = |stolen| Stolen::read(&text(stolen), &[1, 0]);
        let tick = Duration::from_secs(1) / rustix::param::clock_ticks_per_second() as u32;
        assert_eq!(at([5, 70, 900]).since(&at([2, 60, 0])), tick * 10);
        assert_eq!(at([5, 70, 900]).since(&at([5, 70, 0])), Duration::ZERO);
        let elsewhere = Stolen::read(&text([0, 0, 0]), &[10]);
        assert_eq!(at([5, 70, 900]).since(&elsewhere), Duration::ZERO, "a thread that has moved");
        assert!(Stolen::now().is_some());
    }
}

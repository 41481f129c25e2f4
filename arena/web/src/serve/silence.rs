//! Tells if an arena still plays the tournament.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tournament::journal::JOURNAL;
use tournament::journal::claim::is_written;

/// The time between two looks at the lock of the directory. An arena that has released its lock may have written
/// lines since the last look at the journal, so two looks decide.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The silence after which no arena counts as playing, if the directory's lock does not tell: the machines that play
/// shards take no lock.
const PATIENCE: Duration = Duration::from_secs(60);

/// The last sign of an arena that plays the tournament.
#[derive(Debug)]
pub(super) struct Silence {
    heard: SystemTime,
    look_due: Instant,
    /// The number of looks since the last sign that found the directory without a lock.
    unlocked: u32,
}

impl Silence {
    /// The last sign is the last line of the journal in `dir`.
    pub(super) fn new(dir: &Path) -> Silence {
        let written = fs::metadata(dir.join(JOURNAL)).and_then(|facts| facts.modified());
        Silence {
            heard: written.unwrap_or_else(|_| SystemTime::now()),
            look_due: Instant::now(),
            unlocked: 0,
        }
    }

    /// Notes a sign, such as a new match.
    pub(super) fn hear(&mut self) {
        (self.heard, self.unlocked) = (SystemTime::now(), 0);
    }

    /// Returns the time of the last sign, in milliseconds since 1970, if no arena plays the tournament now. A running
    /// match is a sign where the lock does not tell: a killed arena leaves its match running for a while.
    pub(super) fn since(&mut self, dir: &Path, has_shards: bool, is_running: bool) -> Option<u64> {
        if Instant::now() >= self.look_due {
            self.look_due = Instant::now() + LOOK_EVERY;
            match is_written(dir) {
                Some(true) => self.hear(),
                Some(false) if !has_shards => self.unlocked += 1,
                Some(false) | None if is_running => self.hear(),
                Some(false) | None => {}
            }
        }
        let is_old = || self.heard.elapsed().is_ok_and(|silence| silence > PATIENCE);
        let is_silent = self.unlocked > 1 || is_old();
        let heard = self.heard.duration_since(UNIX_EPOCH).unwrap_or_default();
        is_silent.then_some(heard.as_millis() as u64)
    }
}

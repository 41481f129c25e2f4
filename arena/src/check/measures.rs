//! Checks of the measurements: times and stderr output against their limits.

use std::time::Duration;

use super::examiner::Examiner;
use super::report::{Times, Verdict};
use super::times::{shown_us, times_of};
use referee::play::time_control::whole_us;
use sandbox::STDERR_BYTES_MAX;

impl Examiner<'_> {
    pub(super) fn writes_little_to_stderr(&mut self) {
        let (check, title) = ("stderr", "what it writes to stderr");
        let kept = STDERR_BYTES_MAX as u64;
        match self.stderr_bytes {
            0 => self.pass(check, title, "nothing"),
            bytes if bytes <= kept => self.pass(check, title, format!("up to {bytes} bytes a process")),
            bytes => {
                let detail = format!("{bytes} bytes in one process, of which {kept} are kept");
                let hint = "write less: it costs time, and the middle of it is dropped";
                self.find(check, title, Verdict::Warn, detail, Some(hint.to_owned()));
            }
        }
    }

    /// Warns if parts of the `data` of its moves were dropped.
    pub(super) fn sends_numbers(&mut self) {
        if let dropped @ 1.. = self.data_dropped {
            let detail = format!("{dropped} of its values are no numbers that the record keeps");
            let hint = "send an object of up to 16 finite numbers in 2,048 bytes; names have up to 24 letters, digits, _ . -";
            self.find("data", "numbers with its moves", Verdict::Warn, detail, Some(hint.to_owned()));
        }
    }

    pub(super) fn is_quick(&mut self) {
        let limits = self.settings.time;
        let starts = times_of("start", self.starts_us.clone());
        self.is_within("start-time", "time from start to hello", starts, limits.startup);
        for (game, us) in self.moves_us.clone() {
            let title = format!("{game}: time of a decision");
            self.is_within(&format!("{game}-time"), &title, times_of(&game, us), limits.per_move);
        }
    }

    /// Compares times with a limit. Warns if the longest time is at least 80 % of the limit.
    fn is_within(&mut self, check: &str, title: &str, times: Option<Times>, limit: Duration) {
        let Some(Times { median_us, p99_us, max_us, count, .. }) = times else { return };
        let [median, p99, max, of] = [median_us, p99_us, max_us, whole_us(limit)].map(shown_us);
        let detail = format!("{count} times: median {median}, 99 % {p99}, longest {max} of {of}");
        if max_us * 5 < whole_us(limit) * 4 {
            return self.pass(check, title, detail);
        }
        let hint = "aim at half of the limit: the machine of a tournament runs other bots too";
        self.find(check, title, Verdict::Warn, detail, Some(hint.to_owned()));
    }
}

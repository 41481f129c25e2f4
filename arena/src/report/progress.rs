//! The progress of a tournament on stderr: one updated line on a terminal, otherwise a new line every 30
//! seconds.

use std::cell::Cell;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::say;
use sandbox::text::line;
use tournament::report::words::count;
use tournament::standings::Tally;

/// The time between two updates of the line on a terminal.
const DRAW_EVERY: Duration = Duration::from_millis(125);
/// The time between two lines if stderr is not a terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);
/// The layout of the line. A narrow terminal cuts off its end.
const TEMPLATE: &str = "{bar:16} {wide_msg}";

/// The layout of a bar for work without results in between.
const BAR: &str = "{bar:16} {pos} of {len}, {eta} left";

/// Returns a bar on a terminal with what is done of `total`, and the remaining time. It draws nothing in quiet mode.
pub(crate) fn bar(total: usize, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template(BAR).expect("the template is sound");
    ProgressBar::with_draw_target(Some(total as u64), target).with_style(style)
}

/// A progress display with the finished matches, the speed, the remaining time, the leader, and faults.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    begin: Instant,
    /// The number of matches at the first update. A resumed tournament did not play these now.
    found: Cell<Option<u64>>,
    /// The time of the next line. `None` in quiet mode.
    due: Cell<Option<Instant>>,
    /// True after the first line.
    is_told: Cell<bool>,
}

impl Progress {
    /// Creates a display for `total` matches, and starts its clock.
    pub fn new(total: u64, quiet: bool) -> Progress {
        let target = match quiet || !stderr().is_terminal() {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        bar.set_style(ProgressStyle::with_template(TEMPLATE).expect("the template is sound"));
        let begin = Instant::now();
        let due = begin + if bar.is_hidden() { LINE_EVERY } else { DRAW_EVERY };
        Progress {
            bar,
            begin,
            found: Cell::new(None),
            due: Cell::new((!quiet).then_some(due)),
            is_told: Cell::new(false),
        }
    }

    /// Shows these results if the next update is due. `total` is the number of matches known so far.
    pub fn show(&self, tally: &Tally, total: u64) {
        let done = tally.matches();
        let found = self.found.get().unwrap_or(done);
        self.found.set(Some(found));
        let now = Instant::now();
        // The first line of a long tournament tells how long it takes, as soon as each bot has played.
        let is_long = || {
            let left_s = self.begin.elapsed().as_secs().saturating_mul(total.saturating_sub(done));
            left_s / (done - found).max(1) > LINE_EVERY.as_secs()
        };
        let is_early = || !self.is_told.get() && is_long() && tally.has_each();
        if self.due.get().is_none_or(|due| now < due && !is_early()) {
            return;
        }
        self.is_told.set(true);
        let text = text(tally, total, done - found, self.begin.elapsed());
        if self.bar.is_hidden() {
            self.due.set(Some(now + LINE_EVERY));
            return say(&text);
        }
        self.due.set(Some(now + DRAW_EVERY));
        self.bar.set_length(total);
        self.bar.set_message(text);
        self.bar.set_position(done);
    }

    /// Removes the line from the terminal.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn text(tally: &Tally, total: u64, played: u64, time: Duration) -> String {
    let done = tally.matches();
    let a_second = played as f64 / time.as_secs_f64().max(0.001);
    let speed = if a_second < 10.0 { format!("{a_second:.1}/s") } else { format!("{a_second:.0}/s") };
    let mut parts = vec![format!("{done}/{total}"), speed];
    if played > 0 && total > done {
        let left = Duration::from_secs_f64((total - done) as f64 / a_second);
        parts.push(format!("{:#} left", HumanDuration(left)));
    }
    let leaders = tally.leaders();
    if !leaders.is_empty() {
        let leader = |(name, points): &(&str, f64)| format!("{} {points:.1}", line(name));
        parts.push(leaders.iter().map(leader).collect::<Vec<_>>().join(" : "));
    }
    if let faults @ 1.. = tally.faults() {
        parts.push(count(faults, "fault"));
    }
    parts.join("  ")
}

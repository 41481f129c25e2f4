//! The progress line: on stderr, and only on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::text::line;

/// How often the line is drawn at most, in hertz.
const DRAWS_A_SECOND: u8 = 8;
/// What the line shows.
const TEMPLATE: &str =
    "{bar:24} {human_pos} of {human_len} matches  {per_sec:.0} matches/s  {eta} left  {msg}";

/// Matches done of all, the speed, the time left and the leader.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A line for so many matches.
    pub fn new(total: u64, quiet: bool) -> Progress {
        let target = match quiet {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr_with_hz(DRAWS_A_SECOND),
        };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        bar.set_style(ProgressStyle::with_template(TEMPLATE).expect("the template is sound"));
        Progress(bar)
    }

    /// So many matches are finished of so many that are known by now, and this bot leads.
    pub fn show(&self, done: u64, total: u64, leader: Option<&str>) {
        self.0.set_length(total);
        if let Some(leader) = leader {
            self.0.set_message(format!("{} leads", line(leader)));
        }
        self.0.set_position(done);
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

//! What is asked and what was found.

use std::time::Duration;

use referee::games::GameName;
use referee::play::clock::TimeControl;
use serde::Serialize;

/// How long helpers of the bot's runtime may outlive it before they are said to be left running.
pub(super) const LINGER: Duration = Duration::from_secs(1);

/// How much is looked at.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The games the bot is said to play.
    pub games: Vec<GameName>,
    /// Those of them in which it is stopped outside of its turns.
    pub freeze: Vec<GameName>,
    /// The time limits.
    pub time: TimeControl,
    /// Matches in one process while its memory is watched.
    pub matches: u32,
    /// No more of them are begun after this time.
    pub patience: Duration,
}

/// What came of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Pass,
    /// Allowed, and worth knowing.
    Note,
    /// Allowed, and likely to cost matches or trust.
    Warn,
    /// Against the protocol or the rules: it will cost matches.
    Fail,
    /// Not looked at, because of what came before.
    Skip,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A short name, the same in every version: `doodle-alone`, `quit`.
    pub check: String,
    /// What was looked at, in words.
    pub title: String,
    /// What came of it.
    pub verdict: Verdict,
    /// What was seen.
    pub detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Times of a bot in microseconds: of its decisions in a game, or of its starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Times {
    /// `doodle`, `patchwork`, or `start`.
    pub of: String,
    /// How many were measured.
    pub count: usize,
    /// Half took no longer.
    pub median_us: u64,
    /// 99 of 100 took no longer.
    pub p99_us: u64,
    /// The longest.
    pub max_us: u64,
}

/// Everything that was found about one bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Its name.
    pub bot: String,
    /// Its command as the user wrote it.
    pub command: String,
    /// Whether nothing failed.
    pub ready: bool,
    /// All checks, in order.
    pub checks: Vec<Finding>,
    /// Its times.
    pub times: Vec<Times>,
}

impl Report {
    /// How many checks came to this.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.checks.iter().filter(|finding| finding.verdict == verdict).count()
    }

    /// The first check that failed: what to mend first.
    pub fn first_failure(&self) -> Option<&Finding> {
        self.checks.iter().find(|finding| finding.verdict == Verdict::Fail)
    }
}

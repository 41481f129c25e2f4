//! The settings and the results of a check.

use std::sync::Arc;
use std::time::Duration;

use engine::wire::FaultKind;
use referee::games::GameName;
use referee::games::external::Equipment;
use referee::play::time_control::TimeControl;
use serde::Serialize;

/// The time that helper processes of the bot's runtime have to exit after it. Later they count as left
/// running.
pub(super) const LINGER: Duration = Duration::from_secs(1);

/// The check of the first answer. A bot that fails it does not start.
pub(super) const GREETING: &str = "hello";

/// The scope of a check.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The games that the bot should play.
    pub games: Vec<GameName>,
    /// The user's own game, if it is among the games.
    pub own: Option<Arc<Equipment>>,
    /// The games in which the bot is frozen outside of its turns.
    pub freeze: Vec<GameName>,
    /// The time limits.
    pub time: TimeControl,
    /// The number of matches in one process for the memory check.
    pub matches: u32,
    /// The time after which no more of these matches start.
    pub patience: Duration,
}

/// The result of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The bot behaves correctly.
    Pass,
    /// The behavior is allowed. The author may want to know about it.
    Note,
    /// The behavior is allowed, but likely to cost matches or trust.
    Warn,
    /// The behavior breaks the protocol or the rules. It costs matches.
    Fail,
    /// The check did not run because of an earlier result.
    Skip,
}

/// One line of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A short name, stable across versions, such as `doodle-alone` or `quit`.
    pub check: String,
    /// The description of the check.
    pub title: String,
    /// The result.
    pub verdict: Verdict,
    /// The observation.
    pub detail: String,
    /// The kind of the fault that ended a match, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultKind>,
    /// The advice for a fix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The times of a bot's decisions in one game, or of its starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Times {
    /// `doodle`, `patchwork`, or `start`.
    pub of: String,
    /// The number of measurements.
    pub count: usize,
    /// The median, in microseconds.
    pub median_us: u64,
    /// The 99th percentile, in microseconds.
    pub p99_us: u64,
    /// The longest time, in microseconds.
    pub max_us: u64,
}

/// The results of all checks of one bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The name of the bot.
    pub bot: String,
    /// The command as the user wrote it.
    pub command: String,
    /// True if no check failed.
    pub ready: bool,
    /// The results, in order.
    pub checks: Vec<Finding>,
    /// The times of decisions and starts.
    pub times: Vec<Times>,
}

impl Report {
    /// Returns the number of checks with this result.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.checks.iter().filter(|finding| finding.verdict == verdict).count()
    }

    /// Returns the first failed check, which the author should fix first.
    pub fn first_failure(&self) -> Option<&Finding> {
        self.checks.iter().find(|finding| finding.verdict == Verdict::Fail)
    }

    /// Returns `plays`, `does not start`, or `fails`, and the first thing that is wrong.
    pub fn outcome(&self) -> (&'static str, String) {
        match self.first_failure() {
            None => ("plays", String::new()),
            Some(finding) if finding.check == GREETING => ("does not start", finding.detail.clone()),
            Some(finding) => ("fails", format!("{}: {}", finding.title, finding.detail)),
        }
    }

    /// Returns true if the bot took too long for something.
    pub fn is_about_time(&self) -> bool {
        let is_late = |finding: &Finding| {
            let is_fault = matches!(finding.fault, Some(FaultKind::Timeout | FaultKind::Startup));
            matches!(finding.verdict, Verdict::Warn | Verdict::Fail)
                && (is_fault || finding.check.ends_with("-time"))
        };
        self.checks.iter().any(is_late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_that_speaks_of_a_timeout_was_not_late() {
        let is_late = |check: &str, fault, detail: &str| {
            let (check, title, detail) = (check.to_owned(), String::new(), detail.to_owned());
            let finding = Finding { check, title, verdict: Verdict::Fail, detail, fault, hint: None };
            let (bot, command, ready) = ("a".to_owned(), String::new(), false);
            Report { bot, command, ready, checks: vec![finding], times: Vec::new() }.is_about_time()
        };
        assert!(!is_late("doodle-first", Some(FaultKind::Exit), "stderr says \"timeout at startup\""));
        assert!(
            is_late("doodle-first", Some(FaultKind::Timeout), "no line")
                && is_late("start-time", None, "slow")
        );
    }
}

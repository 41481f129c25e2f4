//! Is this bot ready? Prepared matches through the real referee, and a look at how the program
//! behaves around them: what it does at the end of input, whether it repeats itself, what it keeps.
//!
//! Every judgement of a move is the referee's and the engine's; nothing here knows rules.

mod dress;
mod examiner;
mod habits;
mod hints;
mod measures;
mod scenes;
mod seat;
mod sitting;

use std::time::Duration;

use serde::Serialize;

use examiner::Examiner;
use referee::bot::Host;
use referee::clock::TimeControl;
use referee::entrants::Entrant;
use referee::error::Error;
use referee::games::GameName;

/// How long helpers of the bot's runtime may outlive it before they are said to be left running.
const LINGER: Duration = Duration::from_secs(1);

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

/// Examines a bot. `tell` hears each finding as it is made.
///
/// # Errors
/// What the machine lacks; never what the bot does.
pub async fn check(
    entrant: &Entrant,
    settings: &Settings,
    host: &Host,
    tell: &mut dyn FnMut(&Finding),
) -> Result<Report, Error> {
    let host = host.clone().linger(LINGER);
    let mut examiner = Examiner::new(entrant, settings, host, tell);
    examiner.examine().await?;
    Ok(examiner.report())
}

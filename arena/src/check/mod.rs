//! Checks whether a bot is ready, with prepared matches through the real referee.
//!
//! Further checks look at the program around the matches: its exit at the end of input, its reproducibility,
//! and its memory. The referee and the engine judge all moves; this module knows no rules.

mod examiner;
mod game;
mod habits;
mod hints;
mod measures;
mod report;
mod scenes;
mod seat;
mod test_match;
mod times;
mod variant;

use examiner::Examiner;
pub use game::{GameTrial, check_game};
use referee::bots::entrants::Entrant;
use referee::error::Error;
use report::LINGER;
pub use report::{Finding, Report, Settings, Verdict};
use sandbox::Host;

/// Checks a bot. `tell` receives each finding at once.
///
/// # Errors
/// A problem of the machine. A failure of the bot is a finding.
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

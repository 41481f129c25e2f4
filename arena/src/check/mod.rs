//! Is this bot ready? Prepared matches through the real referee, and a look at how the program
//! behaves around them: what it does at the end of input, whether it repeats itself, what it keeps.
//!
//! Every judgement of a move is the referee's and the engine's; nothing here knows rules.

mod dress;
mod examiner;
mod habits;
mod hints;
mod measures;
mod report;
mod scenes;
mod seat;
mod sitting;
mod times;

use examiner::Examiner;
use referee::bots::entrants::Entrant;
use referee::error::Error;
use report::LINGER;
pub use report::{Finding, Report, Settings, Verdict};
use sandbox::Host;

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

//! Measures many bots at once: the throughput, and the number of false timeouts.

use std::path::Path;

use crate::figure::Figure;
use crate::prepared::{Answers, DECISIONS};
use crate::turn::{self, Windows};
use referee::error::Error;
use sandbox::Host;
use sandbox::cores;
use tournament::journal::claim::Claim;
use tournament::run::concurrency::Concurrency;
use tournament::run::stop::Stop;
use tournament::run::tournament::Tournament;
use tournament::standings::Tally;

/// The number of concurrent matches with sleeping bots.
const SLEEPERS: usize = 64;
/// The limit of a move and the sleep of a bot before each move, in milliseconds.
const LIMIT_MS: u64 = 100;
const SLEEP_MS: u64 = 90;
/// The minimum number of moves of the sleeping bots.
const MOVES: u64 = 10_000;

/// Measures the ratio of the throughput with 512 bots to that with 8. Also counts the time faults of bots
/// that sleep for nine tenths of their limit.
pub(crate) fn measure(
    answers: &Answers,
    host: &Host,
    out: &Path,
    windows: Windows,
) -> Result<Vec<Figure>, Error> {
    // Both rates are relative to the floor at the same time, because the speed of a machine changes within
    // seconds.
    let ratio = |load| {
        let figures = turn::measure(answers, host, out, load, windows)?;
        Ok::<_, Error>(figures.first().map_or(f64::NAN, |ratio| ratio.figure))
    };
    let [few, many] = [ratio(4)?, ratio(256)?];
    let everywhere = cores::allowed();
    cores::stay_on(&everywhere);
    Ok(vec![
        Figure::new("throughput with 512 bots at once over that with 8", "", vec![few / many]),
        Figure::new(
            format!(
                "time faults in {MOVES} moves of {SLEEP_MS} of {LIMIT_MS} ms, {SLEEPERS} matches at once"
            ),
            "",
            vec![sleepers(answers, host, out)?],
        ),
    ])
}

/// Returns the number of time faults of the sleeping bots.
fn sleepers(answers: &Answers, host: &Host, out: &Path) -> Result<f64, Error> {
    let mut tournament: Tournament<engine::doodle::Doodle> = answers.sleeping(host, SLEEP_MS)?;
    tournament.file.plan.limits.per_move = std::time::Duration::from_millis(LIMIT_MS);
    tournament.file.plan.rounds = MOVES.div_ceil(2 * DECISIONS).next_multiple_of(SLEEPERS as u64);
    let concurrency = Concurrency { jobs: SLEEPERS, jobs_thinking: SLEEPERS, pin: true, alone: false };
    let folder = out.join("sleepers");
    let claim = Claim::fresh(&folder, false)?;
    let finished = tournament.run(&claim, concurrency, &Stop::default(), &mut |_: &Tally, _| ())?;
    std::fs::remove_dir_all(&folder).map_err(|error| Error::unwritable(&folder, &error))?;
    Ok(finished.standings.rows.iter().flat_map(|row| row.faults.values()).sum::<u64>() as f64)
}

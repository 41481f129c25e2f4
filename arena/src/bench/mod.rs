//! What the program costs, measured against what the machine's kernel costs in the same moments.
//!
//! Machines are shared, so a time alone says little. Each figure comes from several short windows; those of
//! the program and of what it is compared with take turns; processor time is counted, not time; and
//! windows in which others had a part of the core are left out.

pub mod floor;
mod gate;
pub mod instant;
pub mod prepared;
mod rates;
mod scale;
mod starts;
mod turn;

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use prepared::Answers;
use referee::error::Error;
use sandbox::Host;
use sandbox::cores;
pub use tournament::plan::figure::Figure;
use tournament::plan::speed;
use turn::Windows;

/// Matches at once at which a turn is measured.
const LOADS: [usize; 4] = [1, 8, 64, 256];

/// What is to be measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// Shorter and less sharp.
    pub quick: bool,
    /// Many bots at once instead of everything else.
    pub scale: bool,
    /// The rules alone instead of everything else.
    pub engine: bool,
    /// Bots are stopped outside of their turns.
    pub freeze: bool,
    /// Matches at a time where whole tournaments are measured; the default if none.
    pub jobs: Option<usize>,
}

/// Figures that belong together.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// What they are about.
    pub title: &'static str,
    /// The figures.
    pub figures: Vec<Figure>,
}

/// Measures, handing out each section as soon as it is there.
///
/// # Errors
/// Where the machine does not give processes or files; and the first error of `take`.
pub fn run(request: Request, take: &mut dyn FnMut(Section) -> Result<(), Error>) -> Result<(), Error> {
    let dir = std::env::temp_dir().join(format!("arena-bench-{}", std::process::id()));
    std::fs::create_dir_all(&dir).map_err(|error| Error::unwritable(&dir, &error))?;
    let measured = measure(request, &dir, take);
    let _ = std::fs::remove_dir_all(&dir);
    measured
}

fn measure(
    request: Request,
    dir: &Path,
    take: &mut dyn FnMut(Section) -> Result<(), Error>,
) -> Result<(), Error> {
    if request.engine {
        return take(rules(request.quick));
    }
    let everywhere = cores::allowed();
    let host = Host::new().raise_open_files().freeze(request.freeze);
    let answers = Answers::prepare(dir, if request.quick { 1_024 } else { 8_192 })?;
    let (length, count, tries) = if request.quick { (100, 3, 9) } else { (200, 9, 45) };
    let windows = Windows { length: Duration::from_millis(length), count, tries };
    if request.scale {
        let figures = scale::measure(&answers, &host, dir, windows)?;
        return take(Section { title: "Many bots at once", figures });
    }
    for load in LOADS {
        let figures = turn::measure(&answers, &host, dir, load, windows)?;
        take(Section { title: "A bot's turn, everything included, on one core", figures })?;
        cores::stay_on(&everywhere);
    }
    let interpreted = rates::interpreted(&host)?;
    let figures = starts::measure(&host, &answers.entrant("one")?, &interpreted, windows)?;
    take(Section { title: "Starts on one core", figures })?;
    cores::stay_on(&everywhere);
    let rounds = if request.quick { 512 } else { 4_096 };
    let figures = rates::measure(&answers, &host, dir, interpreted, rounds, request.jobs)?;
    take(Section { title: "Tournaments with bots kept alive, on all cores", figures })?;
    take(rules(request.quick))
}

fn rules(quick: bool) -> Section {
    let (windows, window) = if quick { (3, 100) } else { (7, 300) };
    let figures = speed::all(speed::Effort { windows, window: Duration::from_millis(window) });
    Section { title: "The rules alone, for each second of CPU time on one core", figures }
}

/// A runtime for what is not done by workers.
fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Error::host(format!("cannot make a runtime: {error}")))
}

//! Measures the costs of the program, relative to the costs of the kernel at the same time.
//!
//! Machines are shared, so a time alone says little. Each figure comes from several short windows. Windows of
//! the program alternate with windows of the reference. The benchmarks count processor time instead of
//! elapsed time where possible. Windows in which other programs used much of the core are left out.

mod figure;
pub mod floor;
mod gate;
pub mod instant;
pub mod prepared;
mod rates;
mod scale;
mod speed;
mod starts;
mod turn;

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

pub use crate::figure::Figure;
use crate::prepared::Answers;
use crate::turn::Windows;
use referee::error::Error;
use sandbox::Host;
use sandbox::cores;

/// The numbers of concurrent matches for measuring a turn.
const LOADS: [usize; 4] = [1, 8, 64, 256];

/// The number of concurrent matches for measuring a turn with a note and numbers.
const REMARKED_LOAD: usize = 64;

/// The options of a benchmark.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// Measures for a shorter time, with less precision.
    pub quick: bool,
    /// Measures only many bots at once.
    pub scale: bool,
    /// Measures only the rules.
    pub engine: bool,
    /// Freezes bots outside of their turns.
    pub freeze: bool,
    /// The number of concurrent matches in whole tournaments. `None` means the default.
    pub jobs: Option<usize>,
}

/// A group of figures.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// The subject of the group.
    pub title: &'static str,
    /// The figures.
    pub figures: Vec<Figure>,
}

/// Runs the benchmarks, and passes each section to `take` as soon as it is complete.
///
/// # Errors
/// The machine cannot create processes or files, or `take` fails.
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
    let matches = if request.quick { 1_024 } else { 8_192 };
    let answers = Answers::prepare(dir, matches, false)?;
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
    let remarked = Answers::prepare(dir, matches, true)?;
    let figures = turn::measure(&remarked, &host, dir, REMARKED_LOAD, windows)?;
    take(Section { title: "The same, with a note and three numbers for each move", figures })?;
    cores::stay_on(&everywhere);
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

/// Serves as one of the benchmark's own bots, if the arguments of this process ask for it. Every program that
/// starts such bots calls this first.
pub fn main_if_asked() {
    sandbox::supervisor::main_if_asked();
    instant::main_if_asked();
    floor::main_if_asked();
}

/// Creates a runtime for tasks outside of the workers.
fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Error::host(format!("cannot make a runtime: {error}")))
}

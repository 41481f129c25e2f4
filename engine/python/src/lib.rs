//! The engine as a Python module. The stubs in `python/quilt_engine/_engine.pyi` describe it for users.
//!
//! `args` checks what callers pass in, and `arrays` the arrays among it; every error names the argument and what it must
//! be. `patchwork` and `doodle` have the rules and one match, `batch` many matches, `bot` the bundled bots, and `records`
//! the journals of tournaments.

mod args;
mod arrays;
mod batch;
mod bot;
mod doodle;
mod patchwork;
mod records;

use engine::rule::Refusal;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::create_exception!(
    quilt_engine,
    IllegalMove,
    PyValueError,
    "The rules forbid the move, and nothing has changed. `rule` is the rule as in `arena explain`; `cells` is a list of the cells that break it, as [row, col]."
);
pyo3::create_exception!(
    quilt_engine,
    BadState,
    PyValueError,
    "A state or a start message is not one of this game, or contradicts itself."
);

/// The exception for a move that the rules refuse.
fn illegal(py: Python<'_>, argument: &str, refusal: &impl Refusal) -> PyErr {
    let error = IllegalMove::new_err(format!("{argument}: {refusal}"));
    let value = error.value(py);
    let set = value.setattr("rule", refusal.rule().as_str()).and_then(|()| {
        value.setattr("cells", refusal.cells().iter().map(|cell| cell.to_vec()).collect::<Vec<_>>())
    });
    set.err().unwrap_or(error)
}

/// The exception for a number that is no legal move.
fn not_legal(py: Python<'_>, message: String) -> PyErr {
    let error = IllegalMove::new_err(message);
    let value = error.value(py);
    let set = value.setattr("rule", "number").and_then(|()| value.setattr("cells", Vec::<Vec<i64>>::new()));
    set.err().unwrap_or(error)
}

#[pymodule]
mod _engine {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::batch::{DoodleBatch, PatchworkBatch};
    #[pymodule_export]
    use super::bot::Bot;
    #[pymodule_export]
    use super::doodle::{DoodleRules, DoodleState};
    #[pymodule_export]
    use super::patchwork::{PatchworkRules, PatchworkState};
    #[pymodule_export]
    use super::records::{read_doodle, read_patchwork};
    #[pymodule_export]
    use super::{BadState, IllegalMove};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("PATCHWORK_ACTIONS", engine::numbers::PATCHWORK)?;
        module.add("DOODLE_ACTIONS", engine::numbers::DOODLE)?;
        module.add("LAST", engine::numbers::LAST)?;
        module.add("BOTS", bots::BUNDLED.iter().map(|bot| bot.name).collect::<Vec<_>>())
    }
}

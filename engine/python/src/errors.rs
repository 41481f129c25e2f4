//! The exceptions of the module, and signals such as Ctrl-C, which raise one in calls that have released the interpreter.

use std::fmt::Display;
use std::time::{Duration, Instant};

use engine::cells::Pair;
use engine::rule::Refusal;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::create_exception!(
    quilt_engine,
    IllegalMove,
    PyValueError,
    "The rules forbid the move, and nothing has changed. `rule` is the rule as in `arena moves --explain`; `cells` is a list of the cells that break it, as [row, col]."
);
pyo3::create_exception!(
    quilt_engine,
    BadState,
    PyValueError,
    "A state or a start message is not one of this game, or contradicts itself."
);

/// A `ValueError` that says what is wrong.
pub(crate) fn wrong(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The exception for a pickle whose moves are not legal here.
pub(crate) fn other_version(what: &str) -> PyErr {
    BadState::new_err(format!("the {what} was pickled by another version"))
}

/// The exception for a move that the rules refuse.
pub(crate) fn illegal(py: Python<'_>, argument: &str, refusal: &impl Refusal) -> PyErr {
    forbidden(py, format!("{argument}: {refusal}"), refusal.rule().as_str(), refusal.cells())
}

/// The exception for a number that is no legal move.
pub(crate) fn not_legal(py: Python<'_>, message: String) -> PyErr {
    forbidden(py, message, "number", Vec::new())
}

fn forbidden(py: Python<'_>, message: String, rule: &str, cells: Vec<Pair>) -> PyErr {
    let error = IllegalMove::new_err(message);
    let value = error.value(py);
    let set = value.setattr("rule", rule).and_then(|()| value.setattr("cells", cells));
    set.err().unwrap_or(error)
}

/// How often a long call looks for signals.
pub(crate) const EVERY: Duration = Duration::from_millis(50);

/// The last look for signals.
pub(crate) struct Signals(Instant);

impl Signals {
    /// Begins a call.
    #[inline(always)]
    pub(crate) fn new() -> Signals {
        Signals(Instant::now())
    }

    /// Looks for signals if the last look is long ago.
    ///
    /// # Errors
    /// Raises what the signal's handler raises, such as `KeyboardInterrupt`.
    pub(crate) fn check(&mut self) -> PyResult<()> {
        if self.0.elapsed() < EVERY {
            return Ok(());
        }
        self.0 = Instant::now();
        Python::attach(|py| py.check_signals())
    }
}

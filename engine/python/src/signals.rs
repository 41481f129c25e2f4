//! Signals such as Ctrl-C in calls that have released the interpreter.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

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
    /// Whatever the signal raises, such as `KeyboardInterrupt`.
    pub(crate) fn check(&mut self) -> PyResult<()> {
        if self.0.elapsed() < EVERY {
            return Ok(());
        }
        self.0 = Instant::now();
        Python::attach(|py| py.check_signals())
    }
}

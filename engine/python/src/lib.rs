//! The engine as a Python module. The stubs in `python/quilt_engine/_engine.pyi` describe it for users.
//!
//! `args` and `arrays` check what callers pass in; every error names the argument and what it must be. `patchwork` and
//! `doodle` have the rules and one match, `features` what a seat sees of it, `batch` many matches, `bot` the bundled bots, `records` the journals of
//! tournaments, `render` the pictures, and `errors` the exceptions, and looks for Ctrl-C.

mod args;
mod arrays;
mod batch;
mod bot;
mod doodle;
mod errors;
mod features;
mod patchwork;
mod records;
mod render;

use pyo3::prelude::*;

#[pymodule]
mod _engine {
    use pyo3::prelude::*;

    use super::features::{BOUNDS, Features};

    #[pymodule_export]
    use super::batch::{DoodleBatch, PatchworkBatch};
    #[pymodule_export]
    use super::bot::Bot;
    #[pymodule_export]
    use super::doodle::{DoodleRules, DoodleState};
    #[pymodule_export]
    use super::errors::{BadState, IllegalMove};
    #[pymodule_export]
    use super::patchwork::{PatchworkRules, PatchworkState};
    #[pymodule_export]
    use super::records::{read_doodle, read_patchwork};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("_PATCHWORK", engine::patchwork::Patchwork::PARTS.to_vec())?;
        module.add("_DOODLE", engine::doodle::Doodle::PARTS.to_vec())?;
        module.add("PLANES_BOUNDS", BOUNDS)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("PATCHWORK_ACTIONS", engine::numbers::PATCHWORK)?;
        module.add("DOODLE_ACTIONS", engine::numbers::DOODLE)?;
        module.add("LAST", engine::numbers::LAST)?;
        module.add("BOTS", bots::BUNDLED.iter().map(|bot| bot.name).collect::<Vec<_>>())
    }
}

//! The log of what the arena does, for users who look for the cause of a problem.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use referee::error::Error;
use tracing_subscriber::filter::LevelFilter;

/// The variable with the path of the log file.
const VARIABLE: &str = "ARENA_LOG";

/// Appends the events of this process to the file that the variable `ARENA_LOG` names, if it is set.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn begin() -> Result<(), Error> {
    let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from) else {
        return Ok(());
    };
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path).map_err(|error| {
        Error::usage(format!("{VARIABLE}={}: {error}", path.display())).hint("set it to a file, or unset it")
    })?;
    let log = tracing_subscriber::fmt().with_writer(file).with_ansi(false).with_max_level(LevelFilter::DEBUG);
    let log = log.log_internal_errors(false);
    log.init();
    Ok(())
}

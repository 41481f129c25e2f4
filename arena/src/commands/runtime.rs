//! The runtime of commands outside the workers of a tournament.

use crate::report::output::say;
use referee::error::Error;
use tokio::signal::unix::SignalKind;
use tournament::run::stop::{Level, Listener, Stop};

/// Runs a future to its end. SIGINT (Ctrl-C) or SIGTERM drops the future and every bot in it.
///
/// # Errors
/// The runtime cannot start, or a signal has ended the command.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::host(format!("cannot make a runtime: {error}")))?;
    let raced = async {
        tokio::select! {
            output = future => Ok(output),
            error = asked_to_end() => Err(error),
        }
    };
    tokio::task::LocalSet::new().block_on(&runtime, raced)
}

/// Waits for SIGINT or SIGTERM, and returns the error for the signal. Waits forever if the process cannot
/// receive signals.
async fn asked_to_end() -> Error {
    let [interrupt, terminate] = [SignalKind::interrupt(), SignalKind::terminate()].map(Listener::to);
    let (Ok(mut interrupt), Ok(mut terminate)) = (interrupt, terminate) else {
        return std::future::pending().await;
    };
    let what = "nothing was written";
    tokio::select! {
        () = interrupt.recv() => Error::interrupted(what),
        () = terminate.recv() => Error::evicted(what),
    }
}

/// Returns the stop of a tournament that SIGINT and SIGTERM request.
pub(super) fn stop_by_signals() -> Result<Stop, Error> {
    let stop = Stop::default();
    stop.listen(|level| match level {
        Level::Finish => say("finishing the running matches; press Ctrl-C again to drop them"),
        _ => say("stopping now"),
    })?;
    Ok(stop)
}

//! Runs what a command does outside of a tournament's workers.

use referee::error::Error;
use tokio::signal::unix::{SignalKind, signal};

/// Runs what a command does outside of a tournament's workers. A Ctrl-C or a request to end drops
/// it, and with it every bot.
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

/// Returns at the first signal that asks for the end, with what is said then; never where signals cannot be had.
async fn asked_to_end() -> Error {
    let [interrupt, terminate] = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    let (Ok(mut interrupt), Ok(mut terminate)) = (interrupt, terminate) else {
        return std::future::pending().await;
    };
    let what = "nothing was written";
    tokio::select! {
        _ = interrupt.recv() => Error::interrupted(what),
        _ = terminate.recv() => Error::evicted(what),
    }
}

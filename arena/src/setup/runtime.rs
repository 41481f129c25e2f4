//! The runtime of commands outside the workers of a tournament.

use std::pin::Pin;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use crate::report::output::say;
use referee::error::Error;
use tokio::signal::unix::SignalKind;
use tournament::run::stop::{self, Level, Signals, Stop};

/// The number of futures and stops that act on signals by themselves.
static ACTING: AtomicUsize = AtomicUsize::new(0);
/// The first signal so far, or zero.
static SIGNALLED: AtomicI32 = AtomicI32::new(0);

/// Keeps signals from ending the program while the value lives.
pub(crate) struct Acting;

impl Acting {
    /// From the first call on, signals end the program whenever nothing acts on them. The runtime takes their default
    /// effect from them for the rest of the process.
    pub(crate) fn new() -> Result<Acting, Error> {
        static WATCH: OnceLock<Result<(), Error>> = OnceLock::new();
        ACTING.fetch_add(1, Ordering::SeqCst);
        let acting = Acting;
        WATCH.get_or_init(|| stop::listen(hear)).clone().map(|()| acting)
    }

    /// Lets signals end the program again.
    ///
    /// # Errors
    /// A signal has come meanwhile.
    pub(crate) fn ends(self) -> Result<(), Error> {
        if SIGNALLED.load(Ordering::SeqCst) == 0 {
            drop(self);
        } else {
            std::mem::forget(self); // so that `hear` waits while the caller clears up
        }
        match SIGNALLED.load(Ordering::SeqCst) {
            0 => Ok(()),
            kind => Err(told(SignalKind::from_raw(kind))),
        }
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        ACTING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Ends the program at a signal if nothing acts on it.
fn hear(kind: SignalKind) {
    note(kind);
    if ACTING.load(Ordering::SeqCst) == 0 {
        let error = told(kind);
        say(&error.to_string());
        std::process::exit(error.exit_status().into());
    }
}

fn note(kind: SignalKind) {
    let _ = SIGNALLED.compare_exchange(0, kind.as_raw_value(), Ordering::SeqCst, Ordering::SeqCst);
}

/// Returns the error for a signal.
fn told(kind: SignalKind) -> Error {
    let what = "no result was written";
    if kind == SignalKind::terminate() { Error::evicted(what) } else { Error::interrupted(what) }
}

/// Runs a future to its end. SIGINT (Ctrl-C) or SIGTERM drops the future and every bot in it. After the last future they
/// end the program.
///
/// # Errors
/// The runtime cannot start, or a signal has ended the command.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Error> {
    let acting = Acting::new()?;
    let output = block_on_unasked(async {
        let mut signals = Signals::new()?;
        tokio::select! {
            output = future => Ok(output),
            kind = signals.next() => {
                // Before the bots end: whoever sees their end must see the reason, which `hear` may not know yet.
                note(kind);
                // Nor may `hear` end the program from its thread while this one clears up.
                ACTING.fetch_add(1, Ordering::SeqCst);
                Err(told(kind))
            }
        }
    })??;
    acting.ends().map(|()| output)
}

/// Runs a future to its end, whatever signals come.
///
/// # Errors
/// The runtime cannot start.
pub(crate) fn block_on_unasked<T>(future: impl Future<Output = T>) -> Result<T, Error> {
    let mut output = None;
    run(std::pin::pin!(async { output = Some(future.await) }))?;
    Ok(output.expect("the future has ended"))
}

/// Runs a future of any type, so that the runtime is compiled once.
fn run(future: Pin<&mut dyn Future<Output = ()>>) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::host(format!("cannot make a runtime: {error}")))?;
    tokio::task::LocalSet::new().block_on(&runtime, future);
    Ok(())
}

/// Returns the results of all items in their order, computed on several threads.
///
/// # Errors
/// The error of an item. After it no other item begins.
pub(crate) fn on_threads<I: Sync, O: Send>(
    items: &[I],
    threads: usize,
    work: impl Fn(&I) -> Result<O, Error> + Sync,
) -> Result<Vec<O>, Error> {
    let next = AtomicUsize::new(0);
    let take = || -> Result<Vec<(usize, O)>, Error> {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return Ok(done) };
            let result = work(item).inspect_err(|_| next.store(items.len(), Ordering::Relaxed));
            done.push((place, result?));
        }
    };
    let done = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        let own = take();
        let others = helpers.into_iter().map(|helper| helper.join().expect("no work panics"));
        [own].into_iter().chain(others).collect::<Result<Vec<_>, Error>>()
    })?;
    let mut done: Vec<_> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(place, _)| *place);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

/// Returns the stop of a tournament that SIGINT and SIGTERM request. One thread listens for all tournaments of a process.
pub(crate) fn stop_by_signals() -> Result<Stop, Error> {
    static STOP: OnceLock<Result<Stop, Error>> = OnceLock::new();
    let begin = || {
        std::mem::forget(Acting::new()?); // for the rest of the process
        let stop = Stop::default();
        stop.listen(|level| match level {
            Level::Finish => say("finishing the running matches; press Ctrl-C again to drop them"),
            _ => say("stopping now"),
        })?;
        Ok(stop)
    };
    STOP.get_or_init(begin).as_ref().map(Stop::next).map_err(Clone::clone)
}

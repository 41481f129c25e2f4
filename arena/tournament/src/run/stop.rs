//! Stops a tournament: the user's request, and its delivery to the workers.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use referee::error::Error;

/// The urgency of a stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Go on.
    #[default]
    Run,
    /// Finish the running matches and start no more.
    Finish,
    /// Stop now and drop the running matches.
    Now,
}

/// The stop request, shared by the signal handler, the owner, and the workers.
#[derive(Clone, Debug)]
pub struct Stop {
    /// What signals ask of all tournaments of this process.
    by_signals: Arc<watch::Sender<Level>>,
    /// What the tournament asks of itself.
    own: Arc<watch::Sender<Level>>,
    /// True after SIGTERM: a queue or the system ended the run, not the user.
    is_evicted: Arc<AtomicBool>,
}

impl Default for Stop {
    fn default() -> Stop {
        let level = || Arc::new(watch::Sender::new(Level::Run));
        Stop { by_signals: level(), own: level(), is_evicted: Arc::default() }
    }
}

impl Stop {
    /// Returns the stop of the next tournament. Signals reach it too, also those that came before.
    pub fn next(&self) -> Stop {
        Stop { own: Arc::new(watch::Sender::new(Level::Run)), ..self.clone() }
    }

    /// The current level.
    pub fn level(&self) -> Level {
        (*self.by_signals.borrow()).max(*self.own.borrow())
    }

    /// Raises the level of this tournament to at least this one.
    pub fn ask(&self, level: Level) {
        raise(&self.own, level);
    }

    /// Waits until the running matches must be dropped.
    pub async fn now(&self) {
        let mut changes = [&self.by_signals, &self.own].map(|level| level.subscribe());
        let [by_signals, own] = changes.each_mut().map(|level| level.wait_for(|level| *level == Level::Now));
        // The senders live as long as `self`, so the wait can only end by a level.
        tokio::select! {
            _ = by_signals => {}
            _ = own => {}
        }
    }

    /// The error for a stopped command. Its exit status shows if the user or the system stopped it.
    pub fn error(&self, message: impl Into<String>) -> Error {
        match self.is_evicted.load(Ordering::Relaxed) {
            true => Error::evicted(message),
            false => Error::interrupted(message),
        }
    }

    /// Listens to signals for the rest of the process, and calls `tell` with each new level.
    ///
    /// The first Ctrl-C finishes the running matches, and the second drops them. SIGTERM and SIGHUP also drop
    /// them. Queues send SIGTERM to take the machine back; SIGHUP means that the terminal closed. See [`Listener`] for
    /// ignored signals.
    ///
    /// # Errors
    /// Fails if signals or a thread are not available.
    pub fn listen(&self, tell: impl Fn(Level) + Send + 'static) -> Result<(), Error> {
        let stop = self.clone();
        listen(move |kind| {
            let is_first = kind == SignalKind::interrupt() && stop.level() == Level::Run;
            let level = if is_first { Level::Finish } else { Level::Now };
            stop.is_evicted.fetch_or(kind == SignalKind::terminate(), Ordering::Relaxed);
            raise(&stop.by_signals, level);
            tell(level);
        })
    }
}

/// Raises a level to at least this one.
fn raise(sender: &watch::Sender<Level>, level: Level) {
    sender.send_if_modified(|current| {
        let raised = level > *current;
        *current = level.max(*current);
        raised
    });
}

/// Calls `act` with each signal that ends a command, on a thread of its own, for the rest of the process. After this call
/// the signals never end the process by themselves.
///
/// # Errors
/// Fails if signals or a thread are not available.
pub fn listen(mut act: impl FnMut(SignalKind) + Send + 'static) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
    // Register the signals here, not on the thread.
    let mut signals = {
        let _inside = runtime.enter();
        Signals::new()?
    };
    let wait = move || {
        runtime.block_on(async {
            loop {
                act(signals.next().await);
            }
        });
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop).map_err(refused)
}

fn refused(error: io::Error) -> Error {
    Error::host(format!("cannot listen to signals: {error}"))
}

/// The signals that end a command: SIGINT (Ctrl-C), SIGTERM, and SIGHUP.
pub struct Signals([Listener; 3]);

impl Signals {
    /// Listens from now on, inside a runtime.
    ///
    /// # Errors
    /// Fails if the system refuses.
    pub fn new() -> Result<Signals, Error> {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = kinds.map(|kind| Listener::to(kind).map_err(refused));
        Ok(Signals([interrupt?, terminate?, hangup?]))
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> SignalKind {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            () = interrupt.recv() => SignalKind::interrupt(),
            () = terminate.recv() => SignalKind::terminate(),
            () = hangup.recv() => SignalKind::hangup(),
        }
    }
}

/// Listens to one signal. A signal that is ignored when the arena starts stays ignored, as `nohup` and shells expect of
/// programs in the background. SIGTERM is the exception.
pub struct Listener(Option<Signal>);

impl Listener {
    /// Listens from now on.
    ///
    /// # Errors
    /// Fails if the system refuses.
    pub fn to(kind: SignalKind) -> io::Result<Listener> {
        let bit = 1 << (kind.as_raw_value() - 1);
        let is_ignored = *IGNORED & bit != 0 && kind != SignalKind::terminate();
        (!is_ignored).then(|| signal(kind)).transpose().map(Listener)
    }

    /// Waits for the next signal; forever if it is ignored.
    pub async fn recv(&mut self) {
        match &mut self.0 {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
}

/// The signals that are ignored before the arena listens to any, one bit each, lowest signal first.
static IGNORED: LazyLock<u64> = LazyLock::new(|| {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let bits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or_default()
});

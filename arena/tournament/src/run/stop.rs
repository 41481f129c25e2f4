//! Stopping a tournament: what the user asked for, and how the workers hear of it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use referee::error::Error;

/// How soon to stop.
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

/// Shared by everybody who stops or is stopped.
#[derive(Clone, Debug)]
pub struct Stop {
    level: Arc<watch::Sender<Level>>,
    /// Whether the system asked, not the user.
    is_evicted: Arc<AtomicBool>,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop { level: Arc::new(watch::Sender::new(Level::Run)), is_evicted: Arc::default() }
    }
}

impl Stop {
    /// What is asked for now.
    pub fn level(&self) -> Level {
        *self.level.borrow()
    }

    /// Asks for at least this much.
    pub fn ask(&self, level: Level) {
        self.level.send_if_modified(|current| {
            let raised = level > *current;
            *current = level.max(*current);
            raised
        });
    }

    /// Returns when the running matches are to be dropped.
    pub async fn now(&self) {
        let mut changes = self.level.subscribe();
        // The sender lives as long as `self`, so the wait can only end by the level.
        let _ = changes.wait_for(|level| *level == Level::Now).await;
    }

    /// That a command did not come to its end, with the status of whoever asked for that.
    pub fn error(&self, message: impl Into<String>) -> Error {
        match self.is_evicted.load(Ordering::Relaxed) {
            true => Error::evicted(message),
            false => Error::interrupted(message),
        }
    }

    /// Listens to signals for the rest of the process: the first Ctrl-C finishes the running
    /// matches, the second drops them; so do a request to end, with which queues take the machine back,
    /// and a terminal that goes away.
    /// `tell` is called with what was understood.
    ///
    /// # Errors
    /// Where signals or a thread cannot be had.
    pub fn listen(&self, tell: impl Fn(Level) + Send + 'static) -> Result<(), Error> {
        let stop = self.clone();
        let wrong = |error: io::Error| Error::host(format!("cannot listen to signals: {error}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(wrong)?;
        // Here, not on the thread: whoever goes on from here is never ended by them.
        let signals = {
            let _inside = runtime.enter();
            Signals::new().map_err(wrong)?
        };
        let listen = move || runtime.block_on(stop.follow(signals, tell));
        std::thread::Builder::new().name("signals".to_owned()).spawn(listen).map_err(wrong)?;
        Ok(())
    }

    async fn follow(&self, mut signals: Signals, tell: impl Fn(Level)) {
        loop {
            let level = tokio::select! {
                _ = signals.interrupt.recv() => {
                    if self.level() == Level::Run { Level::Finish } else { Level::Now }
                }
                _ = signals.terminate.recv() => {
                    self.is_evicted.store(true, Ordering::Relaxed);
                    Level::Now
                }
                _ = signals.hangup.recv() => Level::Now,
            };
            self.ask(level);
            tell(level);
        }
    }
}

/// Those that are listened to.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }
}

//! What all bots of an arena share: the keeper's executable, the containment to try, and the
//! throttle on starts. One [`Host`] is cloned into every worker.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::contain::{Contain, Layers};
use crate::start::nursery::Nursery;

/// The executable of this very process, also after its file was replaced by a new build.
const OWN_EXECUTABLE: &str = "/proc/self/exe";
/// Starts at once for each core: enough to keep it busy while a program is read from disk.
const STARTS_PER_CORE: usize = 2;

/// What every start of a bot needs from the arena. Cheap to clone; clones share the throttle and
/// the process that starts keepers.
#[derive(Clone, Debug)]
pub struct Host {
    pub(crate) nursery: Arc<Nursery>,
    pub(crate) contain: Contain,
    pub(crate) layers: Layers,
    pub(crate) open_files_soft: Option<u64>,
    pub(crate) linger: Duration,
    pub(crate) freeze: bool,
    pub(crate) freezes_when_held: bool,
    apart: Arc<AtomicBool>,
    pub(crate) off_turn_max: Option<Duration>,
    starts: Arc<Semaphore>,
}

/// The right to have one program starting; given back when dropped.
#[derive(Debug)]
pub struct StartSlot<'a>(#[expect(dead_code, reason = "held for its drop")] SemaphorePermit<'a>);

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl Host {
    /// A host whose keepers are this process's own executable. Its `main` must call
    /// [`main_if_asked`](crate::keeper::main_if_asked) first.
    pub fn new() -> Self {
        Self::with_keeper(OWN_EXECUTABLE)
    }

    /// A host whose keepers are the `arena` executable at this path: for tests and benchmarks,
    /// which are not the arena themselves.
    pub fn with_keeper(arena: impl Into<PathBuf>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Host {
            nursery: Arc::new(Nursery::new(arena.into())),
            contain: Contain::Auto,
            layers: Contain::Auto.layers(),
            open_files_soft: None,
            linger: Duration::ZERO,
            freeze: false,
            freezes_when_held: false,
            apart: Arc::default(),
            off_turn_max: None,
            starts: Arc::new(Semaphore::new(cores * STARTS_PER_CORE)),
        }
    }

    /// Sets which containment is tried.
    #[must_use]
    pub fn contain(mut self, contain: Contain) -> Self {
        self.contain = contain;
        self.layers(contain.layers())
    }

    /// Sets the layers of containment that are tried, one by one.
    #[must_use]
    pub fn layers(mut self, layers: Layers) -> Self {
        self.layers = layers;
        self
    }

    /// The containment that is asked for.
    pub fn containment(&self) -> Contain {
        self.contain
    }

    /// Sets how many programs may be starting at once across all workers, at least one.
    #[must_use]
    pub fn starts_at_once_max(mut self, count: usize) -> Self {
        self.starts = Arc::new(Semaphore::new(count.max(1)));
        self
    }

    /// Sets how long what a bot leaves may take to end by itself before it counts as left running: the
    /// helpers of some runtimes end a moment after the program. The bot's end is told that much later.
    /// Not at all by default.
    #[must_use]
    pub fn linger(mut self, linger: Duration) -> Self {
        self.linger = linger;
        self
    }

    /// Sets whether bots are stopped from each answer to the next question. Not by default.
    #[must_use]
    pub fn freeze(mut self, freeze: bool) -> Self {
        (self.freeze, self.freezes_when_held) = (freeze, false);
        self
    }

    /// Bots that are to be stopped are, from when `Bot::keep_held` is called: of those that have
    /// turns, nobody need be stopped while the other one answers at once.
    #[must_use]
    pub fn once_held(mut self) -> Self {
        self.freezes_when_held = true;
        self
    }

    /// Sets whether each bot gets a session of its own. Where the kernel shares the processors out among sessions
    /// first (`sched_autogroup_enabled`), a bot with a hundred busy threads then has no more of them than one with a
    /// single thread. Not by default: on a busy machine each question to a bot in another session waits for
    /// everybody else, which bots that answer at once would feel.
    #[must_use]
    pub fn apart(mut self, apart: bool) -> Self {
        self.apart = Arc::new(apart.into());
        self
    }

    /// Sets the same for the bots that are started from now on, also by clones.
    pub fn set_apart(&self, apart: bool) {
        self.apart.store(apart, Ordering::Relaxed);
    }

    /// Whether each bot gets a session of its own.
    pub(crate) fn is_apart(&self) -> bool {
        self.apart.load(Ordering::Relaxed)
    }

    /// Sets how much processor time a bot may use in a match while it owes no answer. One that uses more gets the
    /// fault `off-turn` at its next question. No bound by default.
    #[must_use]
    pub fn off_turn_max(mut self, max: Option<Duration>) -> Self {
        self.off_turn_max = max;
        self
    }

    /// Whether bots are stopped from each answer to the next question.
    pub fn freezes(&self) -> bool {
        self.freeze
    }

    /// Raises this process's limit of open files as far as it may go (a bot takes four) and makes
    /// bots start with the limit there was. Best effort; to be called once, before the workers.
    #[must_use]
    pub fn raise_open_files(mut self) -> Self {
        let limit = getrlimit(Resource::Nofile);
        if limit.current != limit.maximum {
            let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
            if setrlimit(Resource::Nofile, raised).is_ok() {
                self.open_files_soft = limit.current;
            }
        }
        self
    }

    /// Waits until another program may start. Works across runtimes and threads, first come first
    /// served. Hold one slot only while starting one bot: whoever waits for a second slot while
    /// holding one can wait for ever.
    pub(crate) async fn start_slot(&self) -> StartSlot<'_> {
        StartSlot(self.starts.acquire().await.expect("the semaphore is never closed"))
    }
}

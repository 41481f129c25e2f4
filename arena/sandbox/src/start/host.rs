//! State that all bots of an arena share: the supervisor's executable, the layers of the sandbox to try, and the
//! throttle on starts. One [`Host`] is cloned into every worker.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::command::OWN_EXECUTABLE;
use crate::confine::{Layers, SandboxLevel};
use crate::start::fork_server::ForkServer;

/// The number of concurrent starts for each core: enough to keep it busy while a program is read from disk.
const STARTS_PER_CORE: usize = 2;

/// The settings and shared resources for starting bots. A `Host` is cheap to clone; clones share the throttle and the
/// fork server.
#[derive(Clone, Debug)]
pub struct Host {
    /// The fork servers: one whose bots have networks of their own or the machine's, and one whose bots share an empty
    /// one.
    fork_servers: Arc<[ForkServer; 2]>,
    pub(crate) contain: SandboxLevel,
    pub(crate) layers: Layers,
    pub(crate) open_files_soft: Option<u64>,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) linger: Duration,
    pub(crate) freeze: bool,
    pub(crate) freezes_on_call: bool,
    apart: Arc<AtomicBool>,
    pub(crate) off_turn_max: Option<Duration>,
    pub(crate) labels_stderr: bool,
    pub(crate) traces: bool,
    starts: Arc<Semaphore>,
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl Host {
    /// Returns a host that runs the current executable as supervisor. Its `main` must call
    /// [`main_if_asked`](crate::supervisor::main_if_asked) first.
    pub fn new() -> Self {
        Self::with_supervisor(OWN_EXECUTABLE)
    }

    /// Returns a host that runs the `arena` executable at this path as supervisor. Tests and benchmarks need this,
    /// because they are not the arena.
    pub fn with_supervisor(arena: impl Into<PathBuf>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let arena = arena.into();
        let servers = [false, true].map(|shares_network| ForkServer::new(arena.clone(), shares_network));
        Host {
            fork_servers: Arc::new(servers),
            contain: SandboxLevel::Auto,
            layers: SandboxLevel::Auto.layers(),
            open_files_soft: None,
            memory_bytes: None,
            linger: Duration::ZERO,
            freeze: false,
            freezes_on_call: false,
            apart: Arc::default(),
            off_turn_max: None,
            labels_stderr: false,
            traces: false,
            starts: Arc::new(Semaphore::new(cores * STARTS_PER_CORE)),
        }
    }

    /// Returns the fork server for bots that share a network namespace, or for others.
    pub(crate) fn fork_server(&self, shares_network: bool) -> &ForkServer {
        &self.fork_servers[usize::from(shares_network)]
    }

    /// Sets the level of the sandbox.
    #[must_use]
    pub fn contain(mut self, contain: SandboxLevel) -> Self {
        self.contain = contain;
        self.layers(contain.layers())
    }

    /// Sets the individual layers of the sandbox to try.
    #[must_use]
    pub fn layers(mut self, layers: Layers) -> Self {
        self.layers = layers;
        self
    }

    /// Sets the maximum number of programs that start at the same time across all workers, at least one.
    #[must_use]
    pub fn starts_at_once_max(mut self, count: usize) -> Self {
        self.starts = Arc::new(Semaphore::new(count.max(1)));
        self
    }

    /// Sets the memory limit of each bot with its child processes, in bytes. The [`Rights`](crate::Rights) of a command
    /// can replace it.
    #[must_use]
    pub fn memory_bytes(mut self, bytes: Option<u64>) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Sets how long the remaining processes of a bot may take to end by themselves before they count as left running.
    /// The helpers of some runtimes end a moment after the program. The end of the bot is reported later by this time.
    /// The default is zero.
    #[must_use]
    pub fn linger(mut self, linger: Duration) -> Self {
        self.linger = linger;
        self
    }

    /// Sets whether [`BotProcess::label_stderr`](crate::BotProcess::label_stderr) has an effect. It costs a system call
    /// a label. The default is false.
    #[must_use]
    pub fn label_stderr(mut self, labels: bool) -> Self {
        self.labels_stderr = labels;
        self
    }

    /// Makes the kernel tell what it refuses to bots: see [`Ended::refused`](crate::Ended::refused). They are slow then, and
    /// never frozen.
    #[must_use]
    pub fn trace(mut self) -> Self {
        self.traces = true;
        self.freeze(false)
    }

    /// Sets whether bots are frozen from each answer to the next question. The default is false.
    #[must_use]
    pub fn freeze(mut self, freeze: bool) -> Self {
        (self.freeze, self.freezes_on_call) = (freeze, false);
        self
    }

    /// Delays freezing until `Bot::keep_frozen` is called. While the bots of a match take turns and answer at once,
    /// freezing is unnecessary.
    #[must_use]
    pub fn freeze_on_call(mut self) -> Self {
        self.freezes_on_call = true;
        self
    }

    /// Sets whether each bot gets a session of its own. With `sched_autogroup_enabled`, the kernel divides the
    /// processors among sessions first. A bot with a hundred busy threads then gets the same share as a bot with a
    /// single thread. The default is false: on a busy machine, each question to a bot in another session waits for all
    /// other processes, which delays bots that answer at once.
    #[must_use]
    pub fn apart(mut self, apart: bool) -> Self {
        self.apart = Arc::new(apart.into());
        self
    }

    /// Sets whether bots that start after this call get a session of their own. The change applies to clones too.
    pub fn set_apart(&self, apart: bool) {
        self.apart.store(apart, Ordering::Relaxed);
    }

    /// Returns true if each bot gets a session of its own.
    pub(crate) fn is_apart(&self) -> bool {
        self.apart.load(Ordering::Relaxed)
    }

    /// Sets the maximum processor time that a bot may use in a match while it owes no answer. A bot that exceeds it
    /// gets the fault `off-turn` at its next question. The default is no limit.
    #[must_use]
    pub fn off_turn_max(mut self, max: Option<Duration>) -> Self {
        self.off_turn_max = max;
        self
    }

    /// Returns true if bots run in a sandbox, as far as the system allows.
    pub fn confines(&self) -> bool {
        self.contain != SandboxLevel::Off
    }

    /// Returns true if bots are frozen from each answer to the next question.
    pub fn freezes(&self) -> bool {
        self.freeze
    }

    /// Raises the open-file limit of the current process to its maximum (a bot takes four descriptors). Bots start
    /// with the previous limit. A failure is ignored. Call this once, before the workers start.
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

    /// Waits until another program may start. Works across runtimes and threads, in order of arrival. Hold one slot
    /// only while starting one bot: waiting for a second slot while holding the first can deadlock.
    pub(crate) async fn start_slot(&self) -> SemaphorePermit<'_> {
        self.starts.acquire().await.expect("the semaphore is never closed")
    }
}

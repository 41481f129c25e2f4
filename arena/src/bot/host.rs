//! What all bots of an arena share: the keeper's executable, the containment to try, and the
//! throttle on starts. One [`Host`] is cloned into every worker.

use std::path::PathBuf;
use std::sync::Arc;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::{Semaphore, SemaphorePermit};

/// The executable of this very process, also after its file was replaced by a new build.
const OWN_EXECUTABLE: &str = "/proc/self/exe";
/// Starts at once for each core: enough to keep it busy while a program is read from disk.
const STARTS_PER_CORE: usize = 2;

/// Which containment to try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contain {
    /// The strongest that the system allows.
    #[default]
    Auto,
    /// No namespace, even where one is allowed: what a container without rights gets.
    NoNamespace,
}

impl Contain {
    /// The word on the keeper's command line.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Contain::Auto => "auto",
            Contain::NoNamespace => "no-namespace",
        }
    }

    /// Reads that word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Contain::Auto, Contain::NoNamespace].into_iter().find(|wish| wish.as_str() == word)
    }
}

/// What holds a bot's processes together, strongest first; to be written into the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Containment {
    /// A pid namespace (the arena runs as root): the kernel kills everything in it.
    PidNamespace,
    /// A pid namespace inside a user namespace without an id map: the same, for ordinary users.
    UserAndPidNamespace,
    /// A keeper that adopts and kills what the bot abandons. A hostile bot can kill the keeper.
    Subreaper,
    /// Only the process group and what is found below it.
    ProcessGroup,
}

impl Containment {
    /// All of them, indexed by their code in a keeper's report.
    pub const ALL: [Containment; 4] = [
        Containment::PidNamespace,
        Containment::UserAndPidNamespace,
        Containment::Subreaper,
        Containment::ProcessGroup,
    ];

    /// The word for records and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Containment::PidNamespace => "pid-namespace",
            Containment::UserAndPidNamespace => "user-and-pid-namespace",
            Containment::Subreaper => "subreaper",
            Containment::ProcessGroup => "process-group",
        }
    }

    /// Whether the kernel itself guarantees that nothing outlives the bot.
    pub fn is_namespace(self) -> bool {
        matches!(self, Containment::PidNamespace | Containment::UserAndPidNamespace)
    }
}

/// What every start of a bot needs from the arena. Cheap to clone; clones share the throttle.
#[derive(Clone, Debug)]
pub struct Host {
    pub(super) keeper: PathBuf,
    pub(super) contain: Contain,
    pub(super) open_files_soft: Option<u64>,
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
    /// [`main_if_asked`](super::keeper::main_if_asked) first.
    pub fn new() -> Self {
        Self::with_keeper(OWN_EXECUTABLE)
    }

    /// A host whose keepers are the `arena` executable at this path: for tests and benchmarks,
    /// which are not the arena themselves.
    pub fn with_keeper(arena: impl Into<PathBuf>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Host {
            keeper: arena.into(),
            contain: Contain::Auto,
            open_files_soft: None,
            starts: Arc::new(Semaphore::new(cores * STARTS_PER_CORE)),
        }
    }

    /// Sets which containment is tried.
    #[must_use]
    pub fn contain(mut self, contain: Contain) -> Self {
        self.contain = contain;
        self
    }

    /// Sets how many programs may be starting at once across all workers, at least one.
    #[must_use]
    pub fn starts_at_once_max(mut self, count: usize) -> Self {
        self.starts = Arc::new(Semaphore::new(count.max(1)));
        self
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
    pub async fn start_slot(&self) -> StartSlot<'_> {
        StartSlot(self.starts.acquire().await.expect("the semaphore is never closed"))
    }
}

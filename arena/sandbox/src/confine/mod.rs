//! Containment of bots, in layers that need neither root nor a daemon.
//!
//! The arena says in a `SandboxSpec` which layers to try. They are set up between the supervisor's start and the bot's exec, and
//! the supervisor reports which of them hold. This module knows nothing of pipes, matches or records.

pub(crate) mod cgroup;
pub(crate) mod files;
mod filter;
pub(crate) mod held;
mod identity;
mod layer;
mod limits;
mod namespaces;
mod owned;
pub mod paths;
pub(crate) mod scratch;

use std::path::PathBuf;
use std::sync::LazyLock;

use rustix::io::Errno;
use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use crate::command::rights::Rights;
use crate::system::sys;

pub(crate) use filter::closes as closes_call;
pub use identity::take_back;
pub use layer::{Layer, Layers};
pub(crate) use limits::lower;
pub use limits::processes_of_all_bots;
pub(crate) use namespaces::{enter_empty_network, make_writable, start_in};

/// The requested level of the sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Contain"))]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum SandboxLevel {
    /// Every layer that the system allows
    #[default]
    Auto,
    /// As auto, but refuse to start if a layer needed for strangers' bots is missing
    Strict,
    /// As strict, but refuse to start if the kernel cannot limit memory and processes of each bot
    #[serde(rename = "strict+cgroup")]
    #[cfg_attr(feature = "clap", value(name = "strict+cgroup"))]
    StrictCgroup,
    /// No sandbox: bots run with your environment and your rights
    Off,
    /// All layers but namespaces, as in a container without rights. For tests, so nobody can ask for it.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", value(skip))]
    NoNamespace,
}

impl SandboxLevel {
    /// Returns a number that is larger the more the level requires.
    pub(crate) fn strength(self) -> u8 {
        match self {
            SandboxLevel::Off => 0,
            SandboxLevel::NoNamespace => 1,
            SandboxLevel::Auto => 2,
            SandboxLevel::Strict => 3,
            SandboxLevel::StrictCgroup => 4,
        }
    }

    /// Returns the layers that are tried.
    pub fn layers(self) -> Layers {
        match self {
            SandboxLevel::Auto | SandboxLevel::Strict | SandboxLevel::StrictCgroup => Layers::ALL,
            SandboxLevel::Off => Layers::of(&[Layer::PidNamespace]),
            SandboxLevel::NoNamespace => {
                let namespaces = [Layer::PidNamespace, Layer::NetNamespace, Layer::Proc, Layer::ReadOnly];
                namespaces.into_iter().fold(Layers::ALL, Layers::without)
            }
        }
    }

    /// Returns the layers without which no bot starts.
    pub fn required(self) -> &'static [Layer] {
        match self {
            SandboxLevel::Strict => Layer::STRICT,
            SandboxLevel::StrictCgroup => Layer::STRICT_CGROUP,
            SandboxLevel::Auto | SandboxLevel::Off | SandboxLevel::NoNamespace => &[],
        }
    }

    /// Returns true if no program starts without the required layers: the modes for strangers' programs.
    pub fn is_strict(self) -> bool {
        !self.required().is_empty()
    }

    /// Returns the word for records and options.
    pub fn as_str(self) -> &'static str {
        match self {
            SandboxLevel::Auto => "auto",
            SandboxLevel::Strict => "strict",
            SandboxLevel::StrictCgroup => "strict+cgroup",
            SandboxLevel::Off => "off",
            SandboxLevel::NoNamespace => "no-namespace",
        }
    }
}

/// The mechanism that holds a bot's processes together, strongest first. The record names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Containment {
    /// A pid namespace (the arena runs as root): the kernel kills all processes in it.
    PidNamespace,
    /// A pid namespace inside a user namespace without an id map: the same, for ordinary users.
    UserAndPidNamespace,
    /// A supervisor that adopts and kills the processes that the bot abandons.
    Subreaper,
    /// Only the process group and the processes that are found below it.
    ProcessGroup,
}

impl Containment {
    /// All mechanisms, indexed by their code in a supervisor's report.
    pub const ALL: [Containment; 4] = [
        Containment::PidNamespace,
        Containment::UserAndPidNamespace,
        Containment::Subreaper,
        Containment::ProcessGroup,
    ];

    /// Returns the word for records and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Containment::PidNamespace => "pid-namespace",
            Containment::UserAndPidNamespace => "user-and-pid-namespace",
            Containment::Subreaper => "subreaper",
            Containment::ProcessGroup => "process-group",
        }
    }

    /// Returns true if the kernel itself guarantees that no process outlives the bot.
    pub(crate) fn is_namespace(self) -> bool {
        matches!(self, Containment::PidNamespace | Containment::UserAndPidNamespace)
    }
}

/// The containment to set up for one bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SandboxSpec {
    /// The layers to try.
    pub(crate) layers: Layers,
    /// The resources and permissions of the bot, with all defaults filled in. The memory limit is the largest data
    /// segment of each process; without one, the data segment has no limit.
    pub(crate) rights: Rights,
    /// The most memory of all its processes together, in bytes, if the kernel meters that.
    pub(crate) group_bytes_max: Option<u64>,
    /// The size in bytes by which each folder that it may write may grow, if that is limited.
    pub(crate) growth_bytes: Option<u64>,
    /// Folders whose names it may list, including the folders below them.
    pub(crate) list: Vec<PathBuf>,
    /// True if a bot of root needs a capability to read its files.
    pub(crate) reads_closed: bool,
    /// True if it shares an empty network namespace with other bots.
    pub(crate) shares_network: bool,
}

impl SandboxSpec {
    /// Returns the namespaces among the layers to try, and the layers that come with them.
    pub(crate) fn namespaces(&self) -> Layers {
        let network = if self.rights.network { None } else { Some(Layer::NetNamespace) };
        let with_mounts = [Layer::Proc, Layer::ReadOnly];
        let with_mounts = with_mounts.into_iter().filter(|_| self.layers.has(Layer::PidNamespace));
        let wanted = [Layer::PidNamespace].into_iter().chain(network).chain(with_mounts);
        wanted.filter(|layer| self.layers.has(*layer)).fold(Layers::NONE, Layers::with)
    }
}

/// The surroundings of a process that is about to become a bot.
pub(crate) struct SandboxContext<'a> {
    pub(crate) spec: &'a SandboxSpec,
    /// The layers that hold for the supervisor already.
    pub(crate) held: Layers,
    /// The user that the bot gets, if it gets one of its own.
    pub(crate) user: Option<u32>,
    pub(crate) scratch: Option<&'a std::path::Path>,
}

/// Prepares the data that all bots share, for a process that is going to start many bots.
pub(crate) fn prepare() {
    files::prepare();
    filter::prepare();
    identity::prepare();
}

/// Confines this process, which is about to execute a bot. Returns all layers that hold, including the layers of the
/// supervisor. The process cannot undo any of it.
///
/// # Errors
/// A limit that the user asked for and that cannot be set.
pub(crate) fn confine(around: &SandboxContext<'_>) -> Result<Layers, Errno> {
    let SandboxContext { spec, mut held, user, scratch } = *around;
    let wanted = |layer| spec.layers.has(layer);
    // The paths are opened with the supervisor's rights. The rules for them apply to the bot afterwards.
    let files = if wanted(Layer::Landlock) { files::ruleset(spec, scratch) } else { None };
    if wanted(Layer::Limits) {
        limits::go_first();
    }
    match user {
        Some(user) => {
            let reads_all = files.is_some() && spec.reads_closed;
            identity::take(user, reads_all, files.is_some() && !spec.rights.write.is_empty())?;
            held = held.with(Layer::OwnUser);
        }
        None if wanted(Layer::OwnUser) => identity::give_up_rights(files.is_some())?,
        None => {}
    }
    let counts_alone = user.is_some() || held.has(Layer::UserNamespace);
    if wanted(Layer::Limits) {
        limits::set(spec)?;
        held = held.with(Layer::Limits);
    }
    if wanted(Layer::Processes) && counts_alone && limits::set_processes(spec.rights.processes_max()).is_ok()
    {
        held = held.with(Layer::Processes);
    }
    // The kernel requires it for the next two layers, Landlock and seccomp.
    rustix::thread::set_no_new_privs(true)?;
    if files.is_some_and(files::restrict) {
        held = held.with(Layer::Landlock);
    }
    // Elsewhere the kernel refuses them: all other file systems are read-only.
    let sets_marks = held.has(Layer::ReadOnly) && !spec.rights.write.is_empty();
    let around = filter::Around {
        network: spec.rights.network,
        in_pid_namespace: held.has(Layer::PidNamespace),
        sets_marks,
        makes_fifos: held.has(Layer::Landlock),
    };
    if wanted(Layer::Seccomp) && filter::apply(around) {
        held = held.with(Layer::Seccomp);
    }
    // Without both, bots in one network namespace could reach each other.
    let are_apart = held.has(Layer::Seccomp) && held.has(Layer::Landlock);
    if spec.shares_network && !are_apart { Err(Errno::PERM) } else { Ok(held) }
}

/// Returns true if bots without access to the network may share an empty network namespace: if they cannot make
/// sockets, except for connected pairs, nor reach each other's abstract sockets.
pub(crate) fn keeps_sockets_apart(layers: Layers) -> bool {
    static SYSTEM_CAN: LazyLock<bool> = LazyLock::new(|| {
        sys::landlock_abi().is_some_and(|abi| abi >= files::SCOPES_SINCE) && filter::is_known()
    });
    let needed = [Layer::Landlock, Layer::Seccomp, Layer::NetNamespace];
    needed.into_iter().all(|layer| layers.has(layer)) && *SYSTEM_CAN
}

/// Returns the kernel's version of Landlock and the operations that it leaves to other layers. Returns `None` if the
/// kernel has no Landlock.
pub fn landlock() -> Option<(u32, Vec<&'static str>)> {
    sys::landlock_abi().map(|abi| (abi, files::left_open(abi)))
}

/// Returns the user for the bot of the supervisor with this number in these namespaces, if the supervisor is root and
/// may change users.
pub(crate) fn user_for(spec: &SandboxSpec, supervisor: Pid, namespaces: Layers) -> Option<u32> {
    let in_user_namespace = namespaces.has(Layer::UserNamespace);
    if spec.layers.has(Layer::OwnUser) { identity::choose(supervisor, in_user_namespace) } else { None }
}

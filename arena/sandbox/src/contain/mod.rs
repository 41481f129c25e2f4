//! Containment: what a bot is kept from, in layers that need neither root nor a daemon.
//!
//! The arena says which layers to try (`Wish`); they are set up between the keeper's start and the bot's exec, and
//! the keeper reports which of them hold. This module knows nothing of pipes, matches or records.

pub mod cgroup;
mod files;
mod filter;
mod identity;
mod layer;
mod limits;
mod namespaces;
pub mod paths;
pub(crate) mod scratch;

use std::path::PathBuf;

use rustix::io::Errno;
use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use crate::system::sys;

pub use layer::{Layer, Layers};
pub(crate) use limits::lower;
pub(crate) use namespaces::{make_writable, start_in};

/// Which containment is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Contain {
    /// Every layer that the system allows
    #[default]
    Auto,
    /// The same, and no start where a layer is missing that strangers' bots need
    Strict,
    /// The same, and no start where the kernel does not meter memory and processes of each bot
    #[serde(rename = "strict+cgroup")]
    StrictCgroup,
    /// None: bots of your own, with your environment and your rights
    Off,
    /// All but namespaces: what a container without rights gets. For tests, so no file can ask for it.
    #[serde(skip)]
    NoNamespace,
}

impl Contain {
    /// The layers that are tried.
    pub fn layers(self) -> Layers {
        match self {
            Contain::Auto | Contain::Strict | Contain::StrictCgroup => Layers::ALL,
            Contain::Off => Layers::of(&[Layer::PidNamespace]),
            Contain::NoNamespace => {
                let namespaces = [Layer::PidNamespace, Layer::NetNamespace, Layer::Proc, Layer::ReadOnly];
                namespaces.into_iter().fold(Layers::ALL, Layers::without)
            }
        }
    }

    /// The layers without which nothing starts.
    pub fn required(self) -> &'static [Layer] {
        match self {
            Contain::Strict => &Layer::STRICT,
            Contain::StrictCgroup => &Layer::STRICT_CGROUP,
            Contain::Auto | Contain::Off | Contain::NoNamespace => &[],
        }
    }

    /// The word for records and options.
    pub fn as_str(self) -> &'static str {
        match self {
            Contain::Auto => "auto",
            Contain::Strict => "strict",
            Contain::StrictCgroup => "strict+cgroup",
            Contain::Off => "off",
            Contain::NoNamespace => "no-namespace",
        }
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
    /// A keeper that adopts and kills what the bot abandons.
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
    pub(crate) fn is_namespace(self) -> bool {
        matches!(self, Containment::PidNamespace | Containment::UserAndPidNamespace)
    }
}

/// What is to be set up for one bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wish {
    /// The layers to try.
    pub(crate) layers: Layers,
    /// Data segment of each process, in bytes.
    pub(crate) memory_bytes_max: Option<u64>,
    /// What all its processes together may hold where the kernel meters that, in bytes.
    pub(crate) group_bytes_max: Option<u64>,
    /// Processes and threads of the bot together.
    pub(crate) processes_max: u64,
    /// What its scratch folder may hold, and each file in it, in bytes.
    pub(crate) scratch_bytes_max: u64,
    /// Whether it may use the network.
    pub(crate) network: bool,
    /// Files and folders that it may read, beside the system's.
    pub(crate) read: Vec<PathBuf>,
    /// Folders that it may write.
    pub(crate) write: Vec<PathBuf>,
    /// Folders whose names it may list, and those below.
    pub(crate) list: Vec<PathBuf>,
}

impl Wish {
    /// The namespaces among the layers that are to be tried, and what comes with them.
    pub(crate) fn namespaces(&self) -> Layers {
        let network = if self.network { None } else { Some(Layer::NetNamespace) };
        let with_mounts = [Layer::Proc, Layer::ReadOnly];
        let with_mounts = with_mounts.into_iter().filter(|_| self.layers.has(Layer::PidNamespace));
        let wanted = [Layer::PidNamespace].into_iter().chain(network).chain(with_mounts);
        wanted.filter(|layer| self.layers.has(*layer)).fold(Layers::NONE, Layers::with)
    }
}

/// What stands around a process that is about to become a bot.
pub(crate) struct Around<'a> {
    pub(crate) wish: &'a Wish,
    /// What the keeper has got already.
    pub(crate) held: Layers,
    /// The user that the bot gets, where it gets one of its own.
    pub(crate) user: Option<u32>,
    pub(crate) scratch: Option<&'a std::path::Path>,
}

/// Makes ahead what is the same for all bots, for a process that is going to start many.
pub(crate) fn prepare() {
    files::prepare();
    filter::prepare();
    identity::prepare();
}

/// Confines this process, which is about to execute a bot, and returns the layers that hold in all.
/// Nothing of it can be taken back.
///
/// # Errors
/// A limit that the user asked for and that cannot be set.
pub(crate) fn confine(around: &Around<'_>) -> Result<Layers, Errno> {
    let Around { wish, mut held, user, scratch } = *around;
    let wanted = |layer| wish.layers.has(layer);
    // Paths are opened with the rights that the keeper has, and held against the bot afterwards.
    let files = if wanted(Layer::Landlock) { files::ruleset(wish, scratch) } else { None };
    if wanted(Layer::Limits) {
        limits::go_first();
    }
    match user {
        Some(user) => {
            identity::take(user, files.is_some(), files.is_some() && !wish.write.is_empty())?;
            held = held.with(Layer::OwnUser);
        }
        None if wanted(Layer::OwnUser) => identity::give_up_rights(files.is_some())?,
        None => {}
    }
    let counts_alone = user.is_some() || held.has(Layer::UserNamespace);
    if wanted(Layer::Limits) {
        limits::set(wish)?;
        held = held.with(Layer::Limits);
    }
    if wanted(Layer::Processes) && counts_alone && limits::set_processes(wish.processes_max).is_ok() {
        held = held.with(Layer::Processes);
    }
    // Without it neither of the next two is allowed.
    rustix::thread::set_no_new_privs(true)?;
    if files.is_some_and(files::restrict) {
        held = held.with(Layer::Landlock);
    }
    if wanted(Layer::Seccomp) && filter::apply(wish.network, held.has(Layer::PidNamespace)) {
        held = held.with(Layer::Seccomp);
    }
    Ok(held)
}

/// The kernel's version of Landlock, and what that leaves to other layers; none where it has none.
pub fn landlock() -> Option<(u32, Vec<&'static str>)> {
    sys::landlock_abi().map(|abi| (abi, files::left_open(abi)))
}

/// The user that the bot of the keeper with this number is to run as, where the keeper is root and may change it.
pub(crate) fn user_for(wish: &Wish, keeper: Pid) -> Option<u32> {
    if wish.layers.has(Layer::OwnUser) { identity::choose(keeper) } else { None }
}

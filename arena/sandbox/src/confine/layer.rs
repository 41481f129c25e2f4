//! The layers by name, with the effect of each and the remedy for a missing one.

use serde::{Deserialize, Serialize};

/// One layer of containment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Layer {
    /// Processes of its own, which the kernel kills together.
    PidNamespace,
    /// No network and no shared memory with others.
    NetNamespace,
    /// Users of its own, without a map; how ordinary users get the other namespaces.
    UserNamespace,
    /// A user that owns nothing, where the arena runs as root.
    OwnUser,
    /// Rules for the files that it may touch.
    Landlock,
    /// A filter for system calls.
    Seccomp,
    /// Limits of each process: memory, size of files, open files, core files.
    Limits,
    /// A limit of all its processes together.
    Processes,
    /// An empty environment and a scratch folder that goes with it.
    Scratch,
    /// A list of processes with its own alone.
    Proc,
    /// A control group of its own: frozen and counted as a whole.
    Cgroup,
    /// Limits of memory and processes that the kernel applies to that group.
    CgroupLimits,
    /// All file systems but its scratch folder mounted read-only, so that reading a file changes no access time.
    ReadOnly,
}

impl Layer {
    /// All layers, in the order of their numbers.
    pub const ALL: [Layer; 13] = [
        Layer::PidNamespace,
        Layer::NetNamespace,
        Layer::UserNamespace,
        Layer::OwnUser,
        Layer::Landlock,
        Layer::Seccomp,
        Layer::Limits,
        Layer::Processes,
        Layer::Scratch,
        Layer::Proc,
        Layer::Cgroup,
        Layer::CgroupLimits,
        Layer::ReadOnly,
    ];

    /// The layers that `strict+cgroup` requires. With the last two the kernel meters bots.
    pub(crate) const STRICT_CGROUP: &[Layer] = &[
        Layer::PidNamespace,
        Layer::NetNamespace,
        Layer::Landlock,
        Layer::Seccomp,
        Layer::Limits,
        Layer::Processes,
        Layer::Scratch,
        Layer::ReadOnly,
        Layer::Cgroup,
        Layer::CgroupLimits,
    ];

    /// The layers that `strict` requires for strangers' bots: the same without the last two.
    pub(crate) const STRICT: &[Layer] = Layer::STRICT_CGROUP.split_at(8).0;

    /// Returns true if most machines lack the layer unless somebody sets it up.
    pub fn is_rare(self) -> bool {
        matches!(self, Layer::Cgroup | Layer::CgroupLimits)
    }

    /// Returns the word for records, options and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Layer::PidNamespace => "pid-namespace",
            Layer::NetNamespace => "net-namespace",
            Layer::UserNamespace => "user-namespace",
            Layer::OwnUser => "own-user",
            Layer::Landlock => "landlock",
            Layer::Seccomp => "seccomp",
            Layer::Limits => "limits",
            Layer::Processes => "processes",
            Layer::Scratch => "scratch",
            Layer::Proc => "proc",
            Layer::Cgroup => "cgroup",
            Layer::CgroupLimits => "cgroup-limits",
            Layer::ReadOnly => "read-only",
        }
    }

    /// Returns the text that says what a bot can do if the layer is missing.
    pub fn without(self) -> &'static str {
        match self {
            Layer::PidNamespace => {
                "a bot sees other processes, and the arena has to find what it leaves behind"
            }
            Layer::NetNamespace => "only filters handle a bot from the network",
            Layer::UserNamespace => "namespaces need rights",
            Layer::OwnUser => "a bot runs as root",
            Layer::Landlock => "a bot can read and write whatever you can",
            Layer::Seccomp => "a bot can use every system call",
            Layer::Limits => "a bot can fill memory and disk",
            Layer::Processes => "a bot can start as many processes as you can",
            Layer::Scratch => "a bot has your environment and no folder of its own",
            Layer::Proc => {
                "a bot sees names and command lines of all processes, and can talk to others by its own"
            }
            Layer::Cgroup => {
                "a bot can wake itself between its turns, and what ends there is not all counted"
            }
            Layer::CgroupLimits => {
                "memory is looked at and not metered, so that some kinds of it are only estimated"
            }
            Layer::ReadOnly => "a bot can leave itself notes for later matches in the access times of files",
        }
    }

    /// Returns the text that says how to get the layer.
    pub fn remedy(self) -> &'static str {
        match self {
            Layer::PidNamespace | Layer::NetNamespace | Layer::UserNamespace => {
                "in a container allow user namespaces (docker: --security-opt seccomp=unconfined), \
                 elsewhere raise the sysctl user.max_user_namespaces"
            }
            Layer::OwnUser => "run the arena as an ordinary user, or with the right to change users",
            Layer::Landlock => "take Linux 5.13 or later with \"landlock\" in /sys/kernel/security/lsm",
            Layer::Seccomp => "take a Linux with CONFIG_SECCOMP_FILTER on x86-64, aarch64 or riscv64",
            Layer::Limits => "take a Linux that keeps the limits of setrlimit(2)",
            Layer::Scratch => "see that the folder for temporary files can be written",
            Layer::Proc => {
                "in a container show all of /proc (docker: --security-opt systempaths=unconfined); on Ubuntu \
                 set the sysctl kernel.apparmor_restrict_unprivileged_userns to 0"
            }
            Layer::ReadOnly => "take Linux 5.12 or later; it comes with the layer pid-namespace",
            Layer::Processes => "it comes with a user namespace, or with a user of its own",
            Layer::Cgroup | Layer::CgroupLimits => {
                "start the arena with \"systemd-run --user --scope -p Delegate=yes arena ...\", or as a unit with \
                 Delegate=yes"
            }
        }
    }
}

/// A set of layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layers(u16);

impl Layers {
    /// No layer.
    pub const NONE: Layers = Layers(0);
    /// Every layer.
    pub const ALL: Layers = Layers((1 << Layer::ALL.len()) - 1);

    /// Returns the set of these layers.
    pub fn of(layers: &[Layer]) -> Layers {
        layers.iter().fold(Layers::NONE, |set, layer| set.with(*layer))
    }

    /// Returns the number of the set, with one bit for each layer.
    pub(crate) fn bits(self) -> u16 {
        self.0
    }

    /// Returns the set with this number.
    pub(crate) fn from_bits(bits: u16) -> Layers {
        Layers(bits & Layers::ALL.0)
    }

    /// Returns true if the set contains the layer.
    pub fn has(self, layer: Layer) -> bool {
        self.0 & (1 << layer as u8) != 0
    }

    /// Returns the set with one more layer.
    #[must_use]
    pub fn with(self, layer: Layer) -> Layers {
        Layers(self.0 | (1 << layer as u8))
    }

    /// Returns the set without the layer.
    #[must_use]
    pub fn without(self, layer: Layer) -> Layers {
        Layers(self.0 & !(1 << layer as u8))
    }

    /// Returns the layers of the set one by one.
    pub fn iter(self) -> impl Iterator<Item = Layer> {
        Layer::ALL.into_iter().filter(move |layer| self.has(*layer))
    }
}

//! The self-test of the sandbox on the current machine. For each layer it starts a process behind that layer alone.
//! The process tries the action that the layer must stop.

pub mod attempt;
mod contained;
pub mod share;

pub use contained::{Contained, Freeze, Shortage};

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use crate::command::OWN_EXECUTABLE;
use crate::confine;
use crate::system::tree;
use crate::{BotProcess, Command, Exit, Host, Layer, Layers, SandboxLevel};
use attempt::{ATTEMPT_ARG, Attempt, GOT_THROUGH, SECRET, STOPPED};
use share::Share;
use thiserror::Error;

/// The reason why the self-test cannot run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Failed(String);

impl Failed {
    fn new(why: &impl ToString) -> Failed {
        Failed(why.to_string())
    }
}

/// The numbers that the kernel counts for a user. One bot that uses a number up takes it from all other bots of the user.
const COUNTED_BY_USER: [&str; 2] = ["descriptors in flight", "pipe pages"];
/// The maximum time for an attempt.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time for which an attempt is frozen, if it needs that.
const OTHERS_TURN: Duration = Duration::from_millis(300);
/// The maximum number of processes of an attempt. It tries to start more.
const PROCESSES_MAX: u64 = 8;
/// The maximum size of an attempt's scratch folder, in bytes. It tries to write more.
const SCRATCH_BYTES_MAX: u64 = 1 << 20;

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The layer stopped it.
    Holds,
    /// The layer could not be set up, or it did not stop the attempt.
    Missing,
    /// The layer is not needed here.
    NotNeeded,
}

/// The result for one layer on the current machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// The layer.
    pub layer: Layer,
    /// The outcome of the attempt against it.
    pub outcome: Outcome,
    /// A description of the attempt against it.
    pub tried: &'static str,
    /// The actions that a bot can take without the layer, and how to get the layer. Empty if it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<&'static str>,
}

/// The results of the self-test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Kernel release.
    pub kernel: String,
    /// The kernel's Landlock version.
    pub landlock_abi: Option<u32>,
    /// The actions that this version does not restrict, so that only seccomp does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub landlock_leaves: Vec<&'static str>,
    /// True if the arena runs as root.
    pub root: bool,
    /// The rule by which the kernel divides the cores among bots that think at the same time.
    pub cores: Share,
    /// True if the kernel tells who had the processors, so that this time does not count against a bot.
    pub waits: bool,
    /// The numbers that the kernel counts for a user, and that the bots of this user therefore share.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub shared_counts: &'static [&'static str],
    /// True if `--contain strict` would start.
    pub strict: bool,
    /// One entry for each layer.
    pub layers: Vec<Diagnosis>,
}

/// Tries every layer.
///
/// # Errors
/// No process can be started, or the file that it looks for cannot be written.
pub async fn examine(host: &Host) -> Result<Report, Failed> {
    let secret = Secret::new()?;
    let root = rustix::process::getuid().is_root();
    let mut layers = Vec::new();
    for attempt in Attempt::ALL {
        let is_needed = attempt.layer() != Layer::OwnUser || root;
        let outcome = match is_needed {
            true => one(attempt, host, &secret.0).await?,
            false => Outcome::NotNeeded,
        };
        let layer = attempt.layer();
        let advice =
            if outcome == Outcome::Missing { vec![layer.without(), layer.remedy()] } else { Vec::new() };
        layers.push(Diagnosis { layer, outcome, tried: attempt.about(), advice });
    }
    let holds =
        |wanted: &Layer| layers.iter().any(|found| found.layer == *wanted && found.outcome == Outcome::Holds);
    let strict = Layer::STRICT.iter().all(holds);
    let cores = Share::here(holds(&Layer::CgroupLimits));
    let waits = tree::tells_waits();
    let shared_counts = if holds(&Layer::OwnUser) { &[][..] } else { &COUNTED_BY_USER };
    let kernel = rustix::system::uname().release().to_string_lossy().into_owned();
    let (landlock_abi, landlock_leaves) = confine::landlock().unzip();
    let landlock_leaves = landlock_leaves.unwrap_or_default();
    Ok(Report { kernel, landlock_abi, landlock_leaves, root, cores, waits, shared_counts, strict, layers })
}

/// Runs one attempt behind its layer, with the layers that this layer needs.
async fn one(attempt: Attempt, host: &Host, secret: &Path) -> Result<Outcome, Failed> {
    let layer = attempt.layer();
    let needs = match layer {
        // A separate process count begins in a user namespace or with a separate user.
        Layer::Processes => &[Layer::PidNamespace, Layer::OwnUser][..],
        Layer::Proc | Layer::ReadOnly => &[Layer::PidNamespace][..],
        Layer::CgroupLimits => &[Layer::Cgroup],
        _ => &[],
    };
    let layers = Layers::of(needs).with(layer);
    let host = host.clone().contain(SandboxLevel::Auto).layers(layers).freeze(attempt.is_frozen());
    let words =
        [OWN_EXECUTABLE, ATTEMPT_ARG, attempt.name(), &std::process::id().to_string()].map(str::to_owned);
    let mut command = Command::new(attempt.name(), words).map_err(|error| Failed::new(&error))?;
    // The path is not in the command: a bot may read the files that its command names.
    command.env.push((SECRET.to_owned(), secret.display().to_string()));
    command.rights.read.push(OWN_EXECUTABLE.into());
    command.rights.processes = Some(PROCESSES_MAX);
    command.rights.scratch_bytes = Some(SCRATCH_BYTES_MAX);
    let mut bot = BotProcess::spawn(&command, &host).await.map_err(|error| Failed::new(&error))?;
    let held = bot.layers().has(layer);
    if attempt.is_frozen() {
        let _ = bot.ask(b"\n", PATIENCE).await;
        tokio::time::sleep(OTHERS_TURN).await;
    }
    let ended = bot.quit(b"", PATIENCE).await;
    match ended.status {
        Some(Exit::Code(STOPPED)) if held => Ok(Outcome::Holds),
        Some(Exit::Code(STOPPED | GOT_THROUGH)) => Ok(Outcome::Missing),
        None if held => Ok(Outcome::Holds), // it was killed for the attempt
        status => Err(Failed(format!("the attempt against {} ended with {status:?}", layer.as_str()))),
    }
}

/// A file that only the current user may read, in a folder of its own.
struct Secret(PathBuf);

impl Secret {
    fn new() -> Result<Secret, Failed> {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        let folder = std::env::temp_dir().join(format!("arena-doctor-{}", std::process::id()));
        let path = folder.join("secret");
        let made = fs::DirBuilder::new().mode(0o700).create(&folder).and_then(|()| {
            fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(&path).map(drop)
        });
        made.map(|()| Secret(path))
            .map_err(|error| Failed(format!("cannot write {}: {error}", folder.display())))
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        if let Some(folder) = self.0.parent() {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

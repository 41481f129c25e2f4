//! What of containment holds on this machine: for each layer a process is started behind it alone, and
//! tries what the layer is there to stop.

pub mod attempt;
mod contained;
pub mod share;

pub use contained::{Contained, Freeze, Shortage};

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::contain;
use crate::{BotProcess, Command, Contain, Exit, Host, Layer, Layers};
use attempt::{ATTEMPT_ARG, Attempt, GOT_THROUGH, SECRET, STOPPED};
use share::Share;
use thiserror::Error;

/// Why nothing could be tried.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Failed(String);

impl Failed {
    fn new(why: &impl ToString) -> Failed {
        Failed(why.to_string())
    }
}

/// How long an attempt may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long an attempt rests that is to.
const OTHERS_TURN: Duration = Duration::from_millis(300);
/// Processes that an attempt may have; what it tries is more.
const PROCESSES_MAX: u64 = 8;
/// What an attempt may write, in bytes; what it tries is more.
const SCRATCH_BYTES_MAX: u64 = 1 << 20;

/// What became of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The layer stopped it.
    Holds,
    /// The layer could not be set up, or it did not stop the attempt.
    Missing,
    /// There is no use for the layer here.
    NotNeeded,
}

/// One layer on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// The layer.
    pub layer: Layer,
    /// Whether it holds.
    pub outcome: Outcome,
    /// What was tried against it.
    pub tried: &'static str,
    /// What a bot can do without it, and how to get it; empty where it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<&'static str>,
}

/// Everything that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Kernel release.
    pub kernel: String,
    /// The kernel's version of Landlock.
    pub landlock_abi: Option<u32>,
    /// What that version leaves to seccomp alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub landlock_leaves: Vec<&'static str>,
    /// Whether the arena runs as root.
    pub root: bool,
    /// How bots that think side by side share the cores.
    pub cores: Share,
    /// Whether `--contain strict` would start.
    pub strict: bool,
    /// One entry for each layer.
    pub layers: Vec<Diagnosis>,
}

/// Tries every layer.
///
/// # Errors
/// Where no process can be started, or nothing be written for it to look for.
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
    let kernel = rustix::system::uname().release().to_string_lossy().into_owned();
    let (landlock_abi, landlock_leaves) = contain::landlock().unzip();
    let landlock_leaves = landlock_leaves.unwrap_or_default();
    Ok(Report { kernel, landlock_abi, landlock_leaves, root, cores, strict, layers })
}

/// Makes one attempt behind its layer, and what that needs.
async fn one(attempt: Attempt, host: &Host, secret: &Path) -> Result<Outcome, Failed> {
    let layer = attempt.layer();
    let needs = match layer {
        // A count of its own begins in a user namespace or with a user.
        Layer::Processes => &[Layer::PidNamespace, Layer::OwnUser][..],
        Layer::Proc | Layer::ReadOnly => &[Layer::PidNamespace][..],
        Layer::CgroupLimits => &[Layer::Cgroup],
        _ => &[],
    };
    let layers = Layers::of(needs).with(layer);
    let host = host.clone().contain(Contain::Auto).layers(layers).freeze(attempt.rests());
    let own = "/proc/self/exe";
    let words = [own, ATTEMPT_ARG, attempt.name(), &std::process::id().to_string()].map(str::to_owned);
    let mut command = Command::new(attempt.name(), words).map_err(|error| Failed::new(&error))?;
    // Not in the command: what that names may be read.
    command.env.push((SECRET.to_owned(), secret.display().to_string()));
    command.rights.read.push(own.into());
    command.rights.processes_max = PROCESSES_MAX;
    command.rights.scratch_bytes_max = SCRATCH_BYTES_MAX;
    let mut bot = BotProcess::spawn(&command, &host).await.map_err(|error| Failed::new(&error))?;
    let held = bot.layers().has(layer);
    if attempt.rests() {
        let _ = bot.ask(b"\n", Instant::now() + PATIENCE).await;
        tokio::time::sleep(OTHERS_TURN).await;
    }
    let ended = bot.quit(b"", PATIENCE).await;
    match ended.status {
        Some(Exit::Code(STOPPED)) if held => Ok(Outcome::Holds),
        Some(Exit::Code(STOPPED | GOT_THROUGH)) => Ok(Outcome::Missing),
        None if held => Ok(Outcome::Holds), // it was killed for what it tried
        status => Err(Failed(format!("the attempt against {} ended with {status:?}", layer.as_str()))),
    }
}

/// A file that nobody else may read, in a folder of its own.
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

//! A program in the sandbox that is not a bot: how it starts, and the command that builds a bot.

use std::num::NonZeroU64;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::containment::Containment;
use super::grants::Grants;
use super::runtime::block_on;
use referee::bots::entrants::Entrant;
use referee::error::Error;
use sandbox::confine::take_back;
use sandbox::{BotProcess, Command, Ended, Exit, SpawnError, StderrLog};

/// The limits of a build: bytes of its scratch folder, by which its own folder may also grow, open files, processes, and
/// time.
const BUILD_BYTES: u64 = 2 * 1024 * 1024 * 1024;
const BUILD_OPEN_FILES: u64 = 1_024;
const BUILD_PROCESSES: NonZeroU64 = NonZeroU64::new(512).expect("it is not zero");
pub(crate) const BUILD_TIME: Duration = Duration::from_secs(600);
/// What compilers find in a home: the variable that names the folder, its usual place, and the parts without secrets.
const OF_COMPILERS: [(&str, &str, &[&str]); 5] = [
    ("CARGO_HOME", ".cargo", &["bin", "git", "registry"]),
    ("RUSTUP_HOME", ".rustup", &["settings.toml", "toolchains"]),
    ("GOMODCACHE", "go/pkg/mod", &[""]),
    ("GRADLE_USER_HOME", ".gradle", &["caches", "wrapper"]),
    ("NPM_CONFIG_CACHE", ".npm", &["_cacache"]),
];

/// How a build ended.
pub(crate) struct Built {
    /// Why it failed. `None` if it did not.
    pub(crate) failure: Option<String>,
    /// What it wrote to stdout and stderr, in one text.
    pub(crate) output: StderrLog,
}

/// Starts a command in the sandbox, with the streams of the arena, or with this stdin and stdout.
pub(crate) async fn start(
    command: &Command,
    containment: &Containment,
    pipes: Option<[OwnedFd; 2]>,
) -> Result<BotProcess, Error> {
    let (host, _) = containment.host(&[], &[], Duration::ZERO, true).await?;
    BotProcess::spawn_attached(command, &host, pipes).await.map_err(unable)
}

fn unable(error: SpawnError) -> Error {
    match error {
        SpawnError::Fault(fault) => Error::usage(format!("cannot start: {}", fault.detail)),
        SpawnError::Host(error) => error.into(),
    }
}

/// Returns the command of these words with what it is granted. One that builds in a folder starts there, and may write
/// there alone.
pub(crate) fn command(words: &[&str], mut grants: Grants, build: Option<&Path>) -> Result<Command, Error> {
    let mut entrant = Entrant::parse(&shell_words::join(words))?;
    grants.write.extend(build.map(Path::to_owned));
    grants.apply(&mut entrant)?;
    let mut command = entrant.command;
    if let Some(folder) = build {
        command.dir = Some(folder.to_owned());
        command.rights.open_files.get_or_insert(BUILD_OPEN_FILES);
        command.rights.scratch_bytes.get_or_insert(BUILD_BYTES);
    }
    command.growth_bytes = Some(command.rights.scratch_bytes_max());
    Ok(command)
}

/// Builds the bot in a folder with a command for a shell, in the sandbox: its folder alone can be written, and there is no
/// network.
///
/// # Errors
/// The build cannot start, or a signal has ended it. A build that fails is no error.
pub(crate) fn build(
    folder: &Path,
    build: &str,
    containment: &Containment,
    limit: Duration,
) -> Result<Built, Error> {
    let mut grants = Grants { processes: Some(BUILD_PROCESSES), ..Grants::default() };
    let mut env = vec![("CARGO_NET_OFFLINE", "true".to_owned())];
    for (variable, usual, parts) in OF_COMPILERS {
        let usual = || Some(PathBuf::from(std::env::var_os("HOME")?).join(usual));
        let place = std::env::var_os(variable).map(PathBuf::from).or_else(usual);
        if let Some(place) = place.filter(|place| place.is_dir()) {
            env.push((variable, place.display().to_string()));
            let parts = parts.iter().map(|part| place.join(part));
            grants.read.extend(parts.filter(|part| part.exists()));
        }
    }
    grants.env = env.into_iter().map(|(name, value)| ((None, name.to_owned()), value)).collect();
    let text = format!("exec </dev/null >&2\n{build}");
    let mut command = command(&["sh", "-c", &text], grants, Some(folder))?;
    // A stranger's build may name any file.
    command.has_no_paths = true;
    let ended = block_on(async {
        let (host, _) = containment.host(&[], &[], Duration::ZERO, true).await?;
        let bot = BotProcess::spawn(&command, &host).await.map_err(unable)?;
        Ok::<_, Error>(bot.outlive(Some(limit)).await)
    });
    if ended.is_ok() {
        take_back(folder);
    }
    let (failure, Ended { stderr: output, .. }) = match ended?? {
        Ok(ended) => (failure_of(ended.status), ended),
        Err(ended) => (Some(format!("it ran for more than {limit:?}")), ended),
    };
    Ok(Built { failure, output })
}

fn failure_of(status: Option<Exit>) -> Option<String> {
    match status {
        Some(Exit::Code(0)) => None,
        Some(exit) => Some(format!("it {exit}")),
        None => Some("it was stopped: it exceeded its memory or disk limit".to_owned()),
    }
}

/// Returns the words of a command line that builds the bot in this folder with this program of the arena. Nothing but
/// the folder can be written, and no other folder with bots can be read.
pub(crate) fn build_line(arena: &Path, folder: &str, build: &str) -> String {
    let arena = arena.to_string_lossy();
    let [arena, folder] = [&arena, folder].map(|word| shell_words::quote(word).into_owned());
    format!("{arena} run --contain strict --build {folder} -- {build}")
}

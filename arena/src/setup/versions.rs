//! Versions of a bot from git. A bot `git:REF` is the current folder as it was at REF: checked out, built once, and kept.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::report::output::say;
use crate::setup::containment::Containment;
use crate::setup::program::{self, BUILD_TIME, Built};
use crate::setup::recipe::{Recipe, recipe};
use referee::bots::entrants::Entrant;
use referee::bots::identity::Identity;
use referee::bots::names::fitted;
use referee::error::Error;
use sandbox::text;

/// The beginning of a command that names a version.
const GIT: &str = "git:";
/// The folder of versions, below the user's folder for data, and in each version the bot and what says that it is whole.
const VERSIONS: &str = "quilt-arena/versions";
const BOT: &str = "bot";
const WHOLE: &str = "whole";
/// Letters of a commit in a name.
const SHORT: usize = 6;
/// The time for which a version stays after its last use.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Returns the bots of these texts. `builds` has commands for bots by name, or by reference.
///
/// # Errors
/// As [`Entrant::parse`] and [`version`].
pub(crate) fn entrants<'a>(
    texts: impl IntoIterator<Item = &'a String>,
    builds: &[(String, String)],
) -> Result<Vec<Entrant>, Error> {
    let one = |text: &String| Entrant::new(&version(Entrant::described(text)?, builds)?);
    texts.into_iter().map(one).collect()
}

/// Returns the bot with the folder and the command of its version if its command is `git:REF`, and else the bot.
///
/// # Errors
/// There is no such commit, or no bot in it, or it cannot be built.
pub(crate) fn version(bot: Identity, builds: &[(String, String)]) -> Result<Identity, Error> {
    let Some(reference) = bot.command.trim().strip_prefix(GIT) else { return Ok(bot) };
    let here = bot.base.clone().unwrap_or_else(|| PathBuf::from("."));
    let commit = commit(&here, reference)?;
    let prefix = git(&here, &["rev-parse", "--show-prefix"], None)?;
    let tree = git(&here, &["rev-parse", "--verify", &format!("{commit}:{prefix}")], None)?;
    let short = format!("+{}", &commit[..SHORT]);
    let name = match bot.name.as_str() {
        "" => fitted(&format!("{reference:.32}")) + &short,
        name => name.to_owned(),
    };
    let build = builds.iter().find(|(of, _)| [&name, reference].contains(&of.as_str()) || *of == bot.command);
    let (folder, recipe) = kept(&here, &tree, build.map(|(_, build)| build.as_str()), &name)?;
    let run = recipe.run;
    Ok(Identity { name, command: run, dir: Some(folder), base: None, commit: Some(commit), ..bot })
}

/// Returns the folder of this tree, checked out and built, and how it starts.
fn kept(here: &Path, tree: &str, build: Option<&str>, name: &str) -> Result<(PathBuf, Recipe), Error> {
    let data = |variable, rest| Some(PathBuf::from(std::env::var_os(variable)?).join(rest));
    let data = data("XDG_DATA_HOME", "").or_else(|| data("HOME", ".local/share"));
    let all = data.ok_or_else(|| Error::usage("git: you have no folder for data"))?.join(VERSIONS);
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor.lines().find(|line| line.starts_with("model name")).unwrap_or_default();
    let mut made_with = DefaultHasher::new();
    (build, std::env::consts::ARCH, processor).hash(&mut made_with);
    let place = all.join(format!("{tree}-{:016x}", made_with.finish()));
    let unwritable = |error: io::Error| Error::unwritable(&all, &error);
    fs::create_dir_all(&place).map_err(unwritable)?;
    // Another arena may be building the same version.
    let lock = File::open(&place).and_then(|lock| lock.lock().map(|()| lock)).map_err(unwritable)?;
    let _ = lock.set_modified(SystemTime::now()); // it was used
    let folder = place.join(BOT);
    if !place.join(WHOLE).exists() {
        sweep(&all);
        let _ = fs::remove_dir_all(&folder);
        let index = place.join("index");
        let top = PathBuf::from(git(here, &["rev-parse", "--show-toplevel"], None)?);
        git(&top, &["read-tree", tree], Some(&index))?;
        git(&top, &["checkout-index", "--all", &format!("--prefix={}/", folder.display())], Some(&index))?;
        let _ = fs::remove_file(index);
        fs::create_dir_all(&folder).map_err(unwritable)?;
        let recipe = recipe(&folder, false)?;
        if let Some(build) = build.or(recipe.build.as_deref()) {
            say(&format!("building {name}: {build}"));
            self::build(&folder, build).map_err(|error| error.at(name))?;
        }
        fs::write(place.join(WHOLE), tree).map_err(unwritable)?;
    }
    Ok((folder.clone(), recipe(&folder, true)?))
}

/// Builds the bot.
fn build(folder: &Path, build: &str) -> Result<(), Error> {
    // Some commands are in a runtime already, and a thread has one at a time.
    let built = || program::build(folder, build, &Containment::default(), BUILD_TIME);
    let built = std::thread::scope(|scope| scope.spawn(built).join().expect("a build does not panic"));
    let Built { failure, output } = built?;
    output.lines().iter().for_each(|(_, line)| say(&text::lines_of(line)));
    let Some(failure) = failure else { return Ok(()) };
    Err(Error::usage(format!("{build:?} failed: {failure}"))
        .hint("see what it wrote above; another command is --build NAME:COMMAND"))
}

/// Runs git in this folder, with an index of our own if one is named. Returns what it prints.
fn git(folder: &Path, args: &[&str], index: Option<&Path>) -> Result<String, Error> {
    let mut command = Command::new("git");
    command
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C"])
        .arg(folder)
        .args(args);
    command
        .envs(index.map(|index| ("GIT_INDEX_FILE", index)))
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null());
    let output = command.output().map_err(|error| Error::usage(format!("cannot start git: {error}")))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => {
            let said = text(&output.stderr);
            let last = said.lines().last().unwrap_or("it does not say why");
            Err(Error::usage(format!("git {}: {last}", args[0]))
                .hint("git:REF names a commit, branch, or tag of the repository around the current folder"))
        }
    }
}

/// Removes versions that were not used for long.
fn sweep(all: &Path) {
    for place in fs::read_dir(all).into_iter().flatten().flatten() {
        let age = place.metadata().and_then(|facts| facts.modified()).ok().and_then(|it| it.elapsed().ok());
        if age.is_some_and(|age| age > KEPT) {
            let _ = fs::remove_dir_all(place.path());
        }
    }
}

/// Returns a good commit, and the commits after it that changed the current folder, up to a bad one, in their order.
///
/// # Errors
/// There is no such commit, or no change between them.
pub(crate) fn commits(good: &str, bad: &str) -> Result<(String, Vec<String>), Error> {
    let here = Path::new(".");
    let commit = |reference: &str| commit(here, reference);
    let (from, to) = (commit(good)?, commit(bad)?);
    let range = format!("{from}..{to}");
    let all = git(here, &["rev-list", "--first-parent", "--reverse", &range, "--", "."], None)?;
    let all: Vec<String> = all.lines().map(str::to_owned).collect();
    match all.is_empty() {
        true => Err(Error::usage(format!("nothing in this folder changed from {good} to {bad}"))
            .hint("name the good commit first, and the later one that is worse")),
        false => Ok((from, all)),
    }
}

/// Returns a commit with its title.
pub(crate) fn named(commit: &str) -> String {
    let title = git(Path::new("."), &["log", "-1", "--format=%h %s", commit], None);
    title.map_or_else(|_| commit.to_owned(), |title| sandbox::text::line(&title).into_owned())
}

fn commit(folder: &Path, reference: &str) -> Result<String, Error> {
    let what = format!("{reference}^{{commit}}");
    git(folder, &["rev-parse", "--verify", "--end-of-options", &what], None)
        .map_err(|error| error.at(format!("{GIT}{reference}")))
}

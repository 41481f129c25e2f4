//! The check of rights that a directory of results requests for its bots.
//!
//! The directory may come from a stranger. Only the user can grant rights beyond the default, and must do so
//! before a bot of the directory starts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bytesize::ByteSize;
use engine::game::Setup;

use crate::setup::lineup::LineupOptions;
use crate::setup::runtime::block_on;
use referee::bots::entrants::{Entrant, own_executable};
use referee::bots::identity::Identity;
use referee::error::Error;
use sandbox::confine::paths::{self, Claims};
use sandbox::text;
use sandbox::{Host, MEMORY_BYTES_MAX_DEFAULT, Rights, SandboxLevel};
use tournament::plan::{Contained, TournamentFile, tag};

/// Returns true if this user's arena has made the directory of results, and no bot could have done so.
///
/// # Errors
/// No process can be started.
pub(crate) fn is_own<S>(
    file: &TournamentFile<S>,
    dir: &Path,
    options: &LineupOptions,
) -> Result<bool, Error> {
    let level = options.containment.contain.or(file.containment.as_ref().map(|contained| contained.mode));
    if level == Some(SandboxLevel::Off) || !tag::is_own(dir) {
        return Ok(false);
    }
    let host = Host::new().contain(level.unwrap_or_default());
    let contained = block_on(Contained::survey(&host))?.map_err(|failed| Error::host(failed.to_string()))?;
    Ok(tag::is_safe_from(&contained))
}

/// Rejects a file that was changed by hand. Unless the user trusts the file, also rejects requests beyond the
/// default and `options`. `dir` is the directory of results. `bots` are the bots that start with the file's
/// commands.
///
/// # Errors
/// The file was changed, or requests rights that the user has not granted. The message lists these rights.
pub(crate) fn check<'a, S: Setup>(
    file: &TournamentFile<S>,
    dir: &Path,
    bots: impl IntoIterator<Item = &'a Identity>,
    options: &LineupOptions,
    is_trusted: bool,
) -> Result<(), Error> {
    let digest = file.digest();
    if digest != file.plan_digest {
        let recorded = &file.plan_digest;
        return Err(Error::usage(format!(
            "tournament.json was changed: its plan has the digest {digest}, not {recorded:?}"
        ))
        .hint("take the file as the arena wrote it"));
    }
    let mut asked = of_all(file, options);
    let own = own_folder(dir);
    for bot in bots {
        asked.extend(of_bot(bot, options));
        asked.extend(outside(bot, &own)?);
    }
    if asked.is_empty() || is_trusted {
        return Ok(());
    }
    Err(Error::usage(format!("this directory asks for more than every bot gets: {}", text::few(&asked)))
        .hint("if you made it yourself, say --trust, or give the same options or league file again"))
}

/// Returns the error for a game whose program a directory of others names.
pub(crate) fn untrusted_game(game: &str) -> Error {
    Error::usage(format!("this directory names a program for the game {game}, which may be anything")).hint(
        "give the program of your own with --game-command; if you made the directory yourself, say --trust",
    )
}

/// Returns the folder that bots of these results may read without a grant. This is the working directory if
/// it contains the results and is not a home, otherwise the directory of results.
fn own_folder(dir: &Path) -> PathBuf {
    let dir = paths::settled(dir);
    let here = paths::settled(Path::new("."));
    if dir.starts_with(&here) && !paths::is_home(&here) { here } else { dir }
}

/// Lists the paths outside of `own` that the bot's command names, because the bot may read them.
fn outside(bot: &Identity, own: &Path) -> Result<Vec<String>, Error> {
    let entrant = Entrant::new(bot)?;
    if entrant.is_bundled() {
        return Ok(Vec::new());
    }
    let this = own_executable()?;
    let paths = Claims::outside(&entrant.command, own).filter(|path| path != Path::new(&this));
    let asked =
        |what: &str, path: &Path| format!("{what} {:?} for {:?}", path.display().to_string(), bot.name);
    let mut all: Vec<String> = paths.map(|path| asked("the path", &path)).collect();
    // The first line of a script may name a program on the bot's search path. The bot may read the files around it.
    let host_path = std::env::var_os("PATH").unwrap_or_default();
    let known: BTreeSet<PathBuf> = std::env::split_paths(&host_path).collect();
    let searched = bot.env.get("PATH").into_iter().flat_map(std::env::split_paths);
    let outside =
        searched.filter(|folder| !known.contains(folder) && !paths::settled(folder).starts_with(own));
    all.extend(outside.map(|folder| asked("the search path", &folder)));
    Ok(all)
}

/// Lists the rights that the file requests for all bots and `options` do not grant.
fn of_all<S>(file: &TournamentFile<S>, options: &LineupOptions) -> Vec<String> {
    let is_off = file.containment.as_ref().is_some_and(|contained| contained.mode == SandboxLevel::Off);
    let off = (is_off && options.containment.contain.is_none()).then(|| "--contain off".to_owned());
    let memory = file.plan.memory_bytes.filter(|_| options.containment.memory.is_none());
    off.into_iter().chain(more_memory(memory)).collect()
}

/// Lists the rights that the file requests for one bot and `options` do not grant.
fn of_bot(bot: &Identity, options: &LineupOptions) -> Vec<String> {
    let Rights { memory_bytes, processes, scratch_bytes, open_files, read, write, network } = &bot.allowance;
    let is_new =
        |paths: &[PathBuf], path: &&PathBuf| !paths.iter().any(|given| paths::settled(given) == **path);
    let default = Rights::default();
    let mut asked: Vec<String> = more_memory(*memory_bytes).into_iter().collect();
    asked
        .extend(processes.filter(|&max| max > default.processes_max()).map(|max| format!("{max} processes")));
    let open = open_files.filter(|&max| max > default.open_files_max());
    asked.extend(open.map(|max| format!("{max} open files")));
    let scratch = scratch_bytes.filter(|&max| max > default.scratch_bytes_max());
    asked.extend(scratch.map(|max| format!("a scratch folder of {}", ByteSize(max))));
    let read = read.iter().filter(|path| is_new(&options.grants.read, path));
    asked.extend(read.map(|path| format!("to read {:?}", path.display().to_string())));
    let write = write.iter().filter(|path| is_new(&options.grants.write, path));
    asked.extend(write.map(|path| format!("to write {:?}", path.display().to_string())));
    asked.extend(bot.env_from.iter().map(|name| format!("the variable {name:?}")));
    asked.extend((*network && !options.grants.network).then(|| "the network".to_owned()));
    asked.into_iter().map(|what| format!("{what} for {:?}", bot.name)).collect()
}

fn more_memory(bytes: Option<u64>) -> Option<String> {
    bytes
        .filter(|&bytes| bytes > MEMORY_BYTES_MAX_DEFAULT)
        .map(|bytes| format!("{} of memory", ByteSize(bytes)))
}

//! Finds the files that a bot must be able to read: its own program and folder, and its interpreter with the files
//! around it. The arena derives them from the command, so hosts do not have to list them.

mod claims;
mod found;
mod private;
mod programs;
mod shown;
mod surroundings;

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use crate::Hidden;
use crate::command::{Command, search};
pub use crate::confine::files::is_of_the_system;
use crate::text;
pub use claims::Claims;
use claims::arguments;
use found::Found;
use private::{holds_home, place};
pub use private::{is_home, settled};
pub(crate) use shown::Shown;
pub use shown::{RESULTS_MARK, Readable, Reason};
pub(crate) use surroundings::variables;

const NOTHING: &str = "/dev/null";
/// The most commands for which the arena remembers the shown files.
const KNOWN_MAX: usize = 4_096;

/// The facts that decide which files a bot is shown: the words of its command, its folder, its search path, the paths
/// that it may read, with or without surroundings, and the address of what is hidden from it. When the arena separates
/// the bots anew, it searches anew, because there may be new results.
type Asked = (Vec<String>, Option<PathBuf>, Option<OsString>, Vec<PathBuf>, bool, usize);
/// The known files, with what is hidden. As long as this is kept, nothing else has its address.
type Known = HashMap<Asked, (Arc<Hidden>, Arc<Shown>)>;

/// Returns everything that the bot is shown. On demand this includes the files that usually belong to its program. The
/// arena works this out once for each command, because it has to search folders.
///
/// # Errors
/// [`InvalidInput`](io::ErrorKind::InvalidInput) if the sandbox refuses a link in the command. Also a shortage of
/// descriptors, which would leave out files of the bot and homes of users.
pub(crate) fn shown(command: &Command, with_surroundings: bool) -> io::Result<Arc<Shown>> {
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let Command { argv, dir, rights, hidden, .. } = command;
    let (argv, read, address) = (argv.clone(), rights.read.clone(), Arc::as_ptr(hidden).addr());
    let asked = (argv, dir.clone(), command.search_path(), read, with_surroundings, address);
    let known = || KNOWN.lock().expect("nobody panics while holding the lock");
    let usable = |shown: &Arc<Shown>| match &shown.refused {
        Some(link) => Err(io::Error::new(io::ErrorKind::InvalidInput, refused_link(link))),
        None => Ok(Arc::clone(shown)),
    };
    if let Some((_, shown)) = known().get(&asked) {
        return usable(shown);
    }
    // The search skips files that it cannot open, so there must be descriptors to open them.
    drop([File::open(NOTHING)?, File::open(NOTHING)?, File::open(NOTHING)?]);
    let shown = Arc::new(find_all(command, with_surroundings));
    let mut known = known();
    if known.len() >= KNOWN_MAX {
        known.clear();
    }
    known.insert(asked, (Arc::clone(hidden), Arc::clone(&shown)));
    usable(&shown)
}

/// Returns the files and folders that a bot in the sandbox may read, in addition to the system's files, and the reason
/// for each. `is_strict` is true for a sandbox that opens nothing around the bot.
///
/// # Errors
/// [`InvalidInput`](io::ErrorKind::InvalidInput) if a strict sandbox refuses a link in the command. Also a shortage of
/// descriptors.
pub fn readable(command: &Command, is_strict: bool) -> io::Result<Vec<Readable>> {
    Ok(shown(command, !is_strict)?.read.clone())
}

/// Finds everything that the bot is shown. A folder that holds a home or a hidden file is not shown as a whole; see
/// [`Found::add_folder`].
fn find_all(command: &Command, with_surroundings: bool) -> Shown {
    let mut found = Found::new(&command.hidden);
    if !with_surroundings && let Some(link) = link_on_the_way(command) {
        return Shown { refused: Some(link), ..found.shown };
    }
    let own = std::env::current_exe().ok();
    let program = command.program().filter(|program| own.as_ref() != Some(program));
    program.iter().for_each(|program| found.add_program(program, command));
    // Scripts around bundled bots execute the arena's own program. It is no secret, but the files next to it may be.
    found.reason = Reason::Arena;
    own.iter().for_each(|own| found.add(own));
    found.reason = Reason::Named;
    let named = arguments(command);
    named.iter().for_each(|path| found.add_argument(path));
    if let Some(dir) = &command.dir {
        found.reason = Reason::WorkingDirectory;
        found.add_folder(dir);
    }
    found.reason = Reason::Granted;
    command.rights.read.iter().for_each(|path| found.add_read(path));
    let is_path = search::is_path(OsStr::new(&command.argv[0]));
    if with_surroundings {
        // A program that was found on the search path is installed, and belongs to no project of the bot.
        let program = program.iter().filter(|program| is_path && !is_of_the_system(&settled(program)));
        named.iter().chain(&command.dir).chain(program).for_each(|path| found.add_project(path));
        found.add_user_packages();
    }
    // Links and interpreters may be chosen by the bot, so it matters what the others have opened.
    found.reason = Reason::Named;
    named.iter().for_each(|path| found.add_link(path, !with_surroundings));
    found.reason = Reason::Program;
    if let Some(program) = &program {
        if is_path {
            found.add_link(program, !with_surroundings);
        }
        if with_surroundings {
            found.add_interpreters(program, command);
        }
    }
    found.shown.list.extend(listable(command));
    found.shown
}

/// Returns a link to another folder on the way to a file of the command, below the folder to which the file's name is
/// relative. The bot may have made it.
fn link_on_the_way(command: &Command) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let start = command.dir.as_ref().map_or(here.clone(), |dir| here.join(dir));
    let files = arguments(command).into_iter().chain(command.program()).map(|path| (path, &start));
    let folders = files.filter_map(|(path, base)| Some((path.parent()?.to_owned(), base)));
    let mut folders = folders.chain(command.dir.clone().map(|dir| (dir, &here)));
    folders.find_map(|(folder, base)| {
        let folder = here.join(folder);
        let below = folder.ancestors().take_while(|above| above != base && above.starts_with(base));
        below.filter(|above| above.is_symlink()).find(|link| leads_away(link, command)).map(PathBuf::from)
    })
}

/// Explains why a sandbox for strangers does not start a command that leads through this link.
fn refused_link(link: &Path) -> String {
    format!(
        "{} is a link to {}, and the bot may have made it; write the target into the command, or allow it \
         with `read` in a league file",
        text::path(link),
        text::path(&settled(link))
    )
}

/// Returns true if the link's target is in another folder, and neither the system's nor allowed by the host.
fn leads_away(link: &Path, command: &Command) -> bool {
    let (real, folder) = (settled(link), place(link));
    let is_in = |allowed: &Path| real.starts_with(allowed);
    let is_allowed = command.rights.read.iter().any(|allowed| is_in(&settled(allowed)));
    !is_allowed && !is_of_the_system(&real) && !folder.parent().is_some_and(is_in)
}

/// Returns the folder in which the bot starts, unless it holds a home. The bot may list the names in it, because some
/// runtimes end otherwise.
fn listable(command: &Command) -> Option<PathBuf> {
    Some(settled(&command.start_folder()?)).filter(|folder| !holds_home(folder))
}

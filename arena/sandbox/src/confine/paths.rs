//! Finds the files that a bot must be able to read: its own program and folder, and its interpreter with the files
//! around it. The arena derives them from the command, so hosts do not have to list them.

mod claims;
mod closed;
mod found;
mod packages;
mod private;
mod roots;

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use rustix::process::getuid;

use crate::Hidden;
use crate::command::{Command, search};
pub use crate::confine::files::is_of_the_system;
use crate::text;
pub use claims::Claims;
use claims::{arguments, programs_of_text};
use closed::is_closed;
use found::Found;
pub use found::Readable;
pub(crate) use found::Shown;
pub(crate) use packages::variables;
pub use private::{CONTEST_MARK, RESULTS_MARK, VERSIONS, cache, is_home, is_marked, secrets, settled};
use private::{holds_home, is_around_secrets, is_closed_by_contest, place, shared_secret};
pub use roots::Reason;
use roots::{Extent, roots};

const NOTHING: &str = "/dev/null";
/// The most commands for which the arena remembers the shown files.
const KNOWN_MAX: usize = 4_096;

/// The facts that decide which files a bot is shown. They are the words of its command, its folder, and its search path;
/// the paths that it may read; whether the sandbox is strict; and the address of what is hidden from it. When the arena
/// separates the bots anew, it searches anew, because there may be new results.
type Asked = (Vec<String>, Option<PathBuf>, Option<OsString>, Vec<PathBuf>, bool, usize);
/// The known files or the refused link, with what is hidden. As long as this is kept, nothing else has its address.
type Known = HashMap<Asked, (Arc<Hidden>, Result<Arc<Shown>, String>)>;

/// Returns everything that the bot is shown. Unless the sandbox `is_strict`, this includes the files that usually belong
/// to its program. The arena works this out once for each command, because it has to search folders.
///
/// # Errors
/// [`InvalidInput`](io::ErrorKind::InvalidInput) if the sandbox refuses a link in the command. Also a shortage of
/// descriptors, which would leave out files of the bot and homes of users.
pub(crate) fn shown(command: &Command, is_strict: bool) -> io::Result<Arc<Shown>> {
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let Command { argv, dir, rights, hidden, .. } = command;
    let (argv, read, address) = (argv.clone(), rights.read.clone(), Arc::as_ptr(hidden).addr());
    let asked = (argv, dir.clone(), command.search_path(), read, is_strict, address);
    let known = || KNOWN.lock().expect("nobody panics while holding the lock");
    let refused = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
    if let Some((_, shown)) = known().get(&asked) {
        return shown.clone().map_err(refused);
    }
    // The search skips files that it cannot open, so there must be descriptors to open them.
    drop([File::open(NOTHING)?, File::open(NOTHING)?, File::open(NOTHING)?]);
    let shown = find_all(command, is_strict).map(Arc::new);
    let mut known = known();
    if known.len() >= KNOWN_MAX {
        known.clear();
    }
    known.insert(asked, (Arc::clone(hidden), shown.clone()));
    shown.map_err(refused)
}

/// Returns the files and folders that a bot in the sandbox may read, in addition to the system's files, and the reason
/// for each. `is_strict` is true for a sandbox that opens nothing around the bot.
///
/// # Errors
/// [`InvalidInput`](io::ErrorKind::InvalidInput) if a strict sandbox refuses a link in the command. Also a shortage of
/// descriptors.
pub fn readable(command: &Command, is_strict: bool) -> io::Result<Vec<Readable>> {
    Ok(shown(command, is_strict)?.read.clone())
}

/// Returns true if the canonical folder is the bot's own: not a home, and without files of others, or results.
pub fn is_own_folder(command: &Command, folder: &Path) -> bool {
    !is_of_the_system(folder) && Found::new(command).refusal(folder).is_none()
}

/// The folder of a bot's files, of which the sandbox shows it single files at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClosedFolder {
    /// The canonical folder.
    pub(crate) path: PathBuf,
    /// The reason, as an end of "because ...". `None` if the command names no file in the folder.
    pub(crate) reason: Option<&'static str>,
}

/// Returns the first folder with a file of the command that is closed to the bot. A command without files has the
/// folder in which it starts.
pub(crate) fn closed_folder(command: &Command, shown: &Shown) -> Option<ClosedFolder> {
    let program = command.program().filter(|_| search::is_path(OsStr::new(&command.argv[0])));
    let files = program.into_iter().chain(arguments(command));
    let folders = files.map(|path| settled(&path)).filter_map(|path| match path.is_dir() {
        true => Some(path),
        false => Some(path.parent()?.to_owned()),
    });
    let folders: Vec<PathBuf> = folders.filter(|folder| !is_of_the_system(folder)).collect();
    if let (true, None) = (folders.is_empty(), &command.dir) {
        let path = settled(&command.start_folder()?);
        return (!shown.has(&path)).then_some(ClosedFolder { path, reason: None });
    }
    let found = Found::new(command);
    folders.into_iter().filter(|folder| !shown.has(folder)).find_map(|path| {
        let reason = Some(found.refusal(&path)?);
        Some(ClosedFolder { path, reason })
    })
}

/// Returns the folders of the files that the command names.
pub(crate) fn folders_of_files(command: &Command) -> impl Iterator<Item = PathBuf> {
    let files = arguments(command).into_iter().chain(command.program()).filter(|path| path.is_file());
    files.filter_map(|path| Some(settled(&path).parent()?.to_owned())).filter(|path| !is_of_the_system(path))
}

/// Finds everything that the bot is shown, or the reason why the sandbox does not start it.
fn find_all(command: &Command, is_strict: bool) -> Result<Shown, String> {
    if is_strict && let Some(link) = link_on_the_way(command) {
        return Err(refused_link(&link));
    }
    if let Some(folder) = command.rights.write.iter().find(|folder| is_around_secrets(&settled(folder))) {
        return Err(format!("it cannot write {}: the arena keeps a key there", text::path(folder)));
    }
    if let Some(secret) = shared_secret() {
        let secret = text::path(&secret);
        return Err(format!("{secret} has another name, under which a bot may read it; remove one of them"));
    }
    let mut found = Found::new(command);
    for root in roots(command, is_strict) {
        let is_link = root.extent == Extent::Link;
        if is_link && found.is_shown(&settled(&root.path)) {
            continue;
        }
        if is_link && is_strict {
            return Err(refused_link(&root.path));
        }
        found.add_root(&root);
    }
    // Some runtimes end unless they may list the folder in which they start.
    let start = command.start_folder().map(|folder| settled(&folder));
    found.shown.list.extend(start.filter(|folder| {
        !holds_home(folder)
            && !is_around_secrets(folder)
            && !is_closed_by_contest(folder, command.dir.as_deref())
    }));
    found.shown.is_closed = getuid().is_root() && is_closed(&found.shown);
    Ok(found.shown)
}

/// Returns a link to another folder on the way to a file of the command, below the folder to which the file's name is
/// relative. The bot may have made it.
fn link_on_the_way(command: &Command) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let start = command.dir.as_ref().map_or(here.clone(), |dir| here.join(dir));
    let files = arguments(command).into_iter().chain(command.program()).chain(programs_of_text(command));
    let files = files.map(|path| (path, &start));
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

//! Finds the files that a bot must be able to read: its own program and folder, and its interpreter with the files
//! around it. The arena derives them from the command, so hosts do not have to list them.

mod claims;
mod found;
mod lookup;
mod private;
mod programs;
mod shown;
mod surroundings;

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};

use crate::Hidden;
use crate::command::{Command, search};
pub use crate::confine::files::is_of_the_system;
pub use claims::Claims;
use claims::{arguments, place};
use found::Found;
use lookup::{program, search_path};
use private::holds_home;
pub use private::{is_home, settled};
use programs::Chosen;
pub(crate) use shown::Shown;
pub use shown::{RESULTS_MARK, Readable, Reason};
pub(crate) use surroundings::variables;

const NOTHING: &str = "/dev/null";
/// The most commands for which the arena remembers the shown files.
const KNOWN_MAX: usize = 4_096;

/// The facts that decide which files a bot is shown.
#[derive(Eq)]
struct Asked {
    argv: Vec<String>,
    dir: Option<PathBuf>,
    search_path: Option<OsString>,
    read: Vec<PathBuf>,
    with_surroundings: bool,
    hidden: Arc<Hidden>,
}

/// Compares `hidden` by its address. When the arena separates the bots anew, it searches anew, because there may be new
/// results.
impl PartialEq for Asked {
    fn eq(&self, other: &Asked) -> bool {
        Arc::ptr_eq(&self.hidden, &other.hidden)
            && self.argv == other.argv
            && self.dir == other.dir
            && self.search_path == other.search_path
            && self.read == other.read
            && self.with_surroundings == other.with_surroundings
    }
}

impl Hash for Asked {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.argv.hash(state);
    }
}

/// Returns everything that the bot is shown. On demand this includes the files that usually belong to its program. The
/// arena works this out once for each command, because it has to search folders.
///
/// # Errors
/// A shortage of descriptors, which would leave out files of the bot and homes of users.
pub(crate) fn shown(command: &Command, with_surroundings: bool) -> io::Result<Arc<Shown>> {
    static KNOWN: LazyLock<Mutex<HashMap<Asked, Arc<Shown>>>> = LazyLock::new(Mutex::default);
    let asked = Asked {
        argv: command.argv.clone(),
        dir: command.dir.clone(),
        search_path: search_path(command),
        read: command.rights.read.clone(),
        with_surroundings,
        hidden: Arc::clone(&command.hidden),
    };
    let known = || KNOWN.lock().expect("nobody panics while holding the lock");
    if let Some(shown) = known().get(&asked) {
        return Ok(Arc::clone(shown));
    }
    // The search skips files that it cannot open, so there must be descriptors to open them.
    drop([File::open(NOTHING)?, File::open(NOTHING)?, File::open(NOTHING)?]);
    let shown = Arc::new(find_all(command, with_surroundings));
    let mut known = known();
    if known.len() >= KNOWN_MAX {
        known.clear();
    }
    known.insert(asked, Arc::clone(&shown));
    Ok(shown)
}

/// Returns the files and folders that a bot in the sandbox may read, in addition to the system's files, and the reason
/// for each. `is_strict` is true for a sandbox that opens nothing around the bot.
///
/// # Errors
/// A shortage of descriptors.
pub fn readable(command: &Command, is_strict: bool) -> io::Result<Vec<Readable>> {
    Ok(shown(command, !is_strict)?.read.clone())
}

/// Finds everything that the bot is shown. A folder that holds a home or a hidden file is not shown as a whole; see
/// [`Found::add_folder`].
fn find_all(command: &Command, with_surroundings: bool) -> Shown {
    let mut found = Found::new(&command.hidden);
    let own = std::env::current_exe().ok();
    if let Some(program) = program(command).filter(|program| own.as_ref() != Some(program)) {
        let chosen = Chosen::by_host(OsStr::new(&command.argv[0]));
        found.add_program(&program, chosen, command, 0);
    }
    // Scripts around bundled bots execute the arena's own program. It is no secret, but the files next to it may be.
    found.reason = Reason::Arena;
    own.iter().for_each(|own| found.add(own));
    found.reason = Reason::Named;
    for path in arguments(command) {
        let (place, real) = (place(&path), settled(&path));
        found.add_argument(&place);
        if real != place {
            found.add_argument(&real);
        }
    }
    if let Some(dir) = &command.dir {
        found.reason = Reason::WorkingDirectory;
        found.add_folder(dir);
    }
    found.reason = Reason::Granted;
    command.rights.read.iter().for_each(|path| found.add_read(path));
    if with_surroundings {
        let named = arguments(command).into_iter().chain(command.dir.clone());
        // A program that was found on the search path is installed, and belongs to no project of the bot.
        let program = program(command).filter(|program| {
            let is_installed =
                !search::is_path(OsStr::new(&command.argv[0])) || is_of_the_system(&settled(program));
            !is_installed && own.as_ref() != Some(program)
        });
        named.chain(program).for_each(|path| found.add_project(&path));
        found.add_user_packages();
    }
    found.shown.list.extend(listable(command));
    found.shown
}

/// Returns the folder in which the bot starts, unless it holds a home. The bot may list the names in it, because some
/// runtimes end otherwise.
fn listable(command: &Command) -> Option<PathBuf> {
    let folder = command.dir.clone().or_else(|| std::env::current_dir().ok())?;
    Some(settled(&folder)).filter(|folder| !holds_home(folder))
}

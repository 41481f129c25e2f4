//! What a bot must be able to read: its own program and folder, and its interpreter with what belongs to
//! it. Worked out by the arena from the command, so that nobody has to list it.

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
use crate::command::Command;
pub use crate::contain::files::is_of_the_system;
pub use claims::Claims;
use claims::{arguments, place};
use found::Found;
use lookup::{program, search_path};
use private::holds_home;
pub use private::{is_home, settled};
use programs::Chosen;
pub use shown::RESULTS_MARK;
pub(crate) use shown::Shown;
pub(crate) use surroundings::variables;

const NOTHING: &str = "/dev/null";
/// How many commands are remembered with what is shown to their bots.
const KNOWN_MAX: usize = 4_096;

/// What it takes to know what a bot is shown.
#[derive(Eq)]
struct Asked {
    argv: Vec<String>,
    dir: Option<PathBuf>,
    search_path: Option<OsString>,
    read: Vec<PathBuf>,
    with_surroundings: bool,
    hidden: Arc<Hidden>,
}

/// Bots that are told apart anew are looked at anew: there may be results by then that were not there before.
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

/// Everything that the bot is shown, and on demand what usually belongs to it. Worked out once for each command: folders
/// are looked through for it.
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
    // Files that cannot be opened are passed over, so there must be room to open them.
    drop([File::open(NOTHING)?, File::open(NOTHING)?, File::open(NOTHING)?]);
    let shown = Arc::new(find_all(command, with_surroundings));
    let mut known = known();
    if known.len() >= KNOWN_MAX {
        known.clear();
    }
    known.insert(asked, Arc::clone(&shown));
    Ok(shown)
}

/// A folder that holds something hidden, or a home, is not handed out as a whole; see [`Found::add_folder`].
fn find_all(command: &Command, with_surroundings: bool) -> Shown {
    let mut found = Found::new(&command.hidden);
    let own = std::env::current_exe().ok();
    if let Some(program) = program(command).filter(|program| own.as_ref() != Some(program)) {
        let chosen = Chosen::by_host(OsStr::new(&command.argv[0]));
        found.add_program(&program, chosen, command, 0);
    }
    // Scripts around bundled bots execute it, and it is no secret; what lies beside it may be.
    own.iter().for_each(|own| found.add(own));
    for path in arguments(command) {
        let (place, real) = (place(&path), settled(&path));
        found.add_argument(&place);
        if real != place {
            found.add_argument(&real);
        }
    }
    if let Some(dir) = &command.dir {
        found.add_folder(dir);
    }
    command.rights.read.iter().for_each(|path| found.add_read(path));
    if with_surroundings {
        let named = arguments(command).into_iter().chain(command.dir.clone());
        let is_others =
            |program: &PathBuf| is_of_the_system(&settled(program)) || own.as_ref() == Some(program);
        let program = program(command).filter(|program| !is_others(program));
        named.chain(program).for_each(|path| found.add_project(&path));
        surroundings::of_user().iter().for_each(|packages| found.add(packages));
    }
    found.shown.list.extend(listable(command));
    found.shown
}

/// The folder in which the bot starts, whose names it may list where that is no home: some runtimes end without.
fn listable(command: &Command) -> Option<PathBuf> {
    let folder = command.dir.clone().or_else(|| std::env::current_dir().ok())?;
    Some(settled(&folder)).filter(|folder| !holds_home(folder))
}

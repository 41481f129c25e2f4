//! What the sandbox refused to a program, from the system calls that failed, and what of it may be told.
//!
//! The kernel says which calls failed. A program chooses the paths that it names, and could learn from an answer which files
//! exist. Therefore only the owner of a program hears of paths. They are near the program, and belong to no other program.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Component, Path, PathBuf};

use rustix::fs::Access;

use crate::command::Command;
use crate::confine::paths::{self, ClosedFolder, Readable, Reason, settled};
use crate::confine::{Layer, Layers, closes_call};
use crate::supervisor::trace::Failed;

/// Something that the sandbox refused to a program, or a file that the program looked for in a wrong place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// A file in the folder of the program's files, all of which is closed for this reason.
    Folder(PathBuf, &'static str),
    /// A file with this relative name is beside the program's file, and not where the program starts.
    Beside(PathBuf),
    /// Reading, executing, or listing this file or folder near the program.
    Reading(PathBuf),
    /// Writing, creating, or removing something at this path near the program.
    Writing(PathBuf),
    /// A file that is hidden, of others, or far from the program.
    Elsewhere,
    /// A socket for the network.
    Network,
    /// A socket with a name in the file system.
    NamedSocket,
    /// A process or thread more than it may have.
    Process,
    /// More memory than it may have.
    Memory,
    /// An open file more than a process may have.
    OpenFile,
    /// A file or a folder larger than it may make.
    LargeFile,
    /// The system call of this name.
    Call(String),
}

/// What decides if a path may be told.
struct Bounds {
    /// The folder in which the program starts.
    dir: PathBuf,
    /// Its own folders, and the working directory of the host.
    near: Vec<PathBuf>,
    /// The folders of its files.
    own: Vec<PathBuf>,
    /// Paths of others in these folders.
    others: Vec<PathBuf>,
    closed: Option<ClosedFolder>,
    /// True if it is a program of the owner.
    is_own: bool,
    /// True if the sandbox decides which files and calls it has.
    is_confined: bool,
}

/// Returns what the sandbox refused to a traced program, in the order of its calls. `log` has the calls that failed.
/// `is_own` is true for a program of the owner.
pub(crate) fn refused(
    log: &mut File,
    command: &Command,
    layers: Layers,
    is_own: bool,
) -> Option<Vec<Refused>> {
    let failed = read(log)?;
    let is_confined = layers.has(Layer::Landlock);
    let shown = is_confined.then(|| paths::shown(command, !is_own)).transpose().ok()?.unwrap_or_default();
    let here = std::env::current_dir().ok()?;
    let dir = command.dir.clone().unwrap_or_else(|| here.clone());
    let is_near = |it: &&Readable| matches!(it.reason, Reason::Named | Reason::WorkingDirectory);
    let near = shown.read.iter().filter(is_near).map(|it| it.path.clone());
    let bounds = Bounds {
        near: near.chain([settled(&here), settled(&dir)]).collect(),
        dir,
        own: paths::folders_of_files(command).collect(),
        others: command.hidden.all().cloned().collect(),
        closed: is_confined.then(|| paths::closed_folder(command, &shown)).flatten(),
        is_own,
        is_confined: is_confined || layers.has(Layer::Seccomp),
    };
    let mut refused: Vec<Refused> = Vec::new();
    for found in failed.iter().filter_map(|failed| bounds.refused(failed)) {
        if !refused.contains(&found) {
            refused.push(found);
        }
    }
    Some(refused)
}

/// Reads the list of calls. Sockets with a name before a file of names were to ask a service for a name, and nothing is
/// missing without the service.
fn read(log: &mut File) -> Option<Vec<Failed>> {
    let mut text = String::new();
    log.rewind().ok()?;
    log.read_to_string(&mut text).ok()?;
    let mut failed: Vec<Failed> = Vec::new();
    for call in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        let Failed { errno, .. } = call;
        while failed.last().is_some_and(is_named_socket) && is_of_names(&call) {
            failed.pop();
        }
        if errno != 0 {
            failed.push(call);
        }
    }
    Some(failed)
}

fn is_named_socket(failed: &Failed) -> bool {
    failed.call == "socket" && failed.argument == u64::from(libc::AF_UNIX.unsigned_abs())
}

fn is_of_names(failed: &Failed) -> bool {
    failed.path.as_ref().is_some_and(|path| path.starts_with("/etc"))
}

impl Bounds {
    /// Returns what the call asked for, if the sandbox is what refused it.
    fn refused(&self, failed: &Failed) -> Option<Refused> {
        let call = failed.call.as_str();
        match (failed.errno, &failed.path) {
            (libc::ENOENT, Some(path)) => self.beside(path).map(Refused::Beside),
            _ if !self.is_confined => None,
            (libc::EACCES | libc::EPERM | libc::EROFS, Some(path)) => self.closed(path, failed),
            (libc::EPERM, None) if is_named_socket(failed) => Some(Refused::NamedSocket),
            (libc::EPERM, None) if call == "socket" => Some(Refused::Network),
            (libc::EAGAIN, None) => Some(Refused::Process),
            (libc::ENOMEM, None) => Some(Refused::Memory),
            (libc::EMFILE, _) => Some(Refused::OpenFile),
            (libc::EFBIG | libc::ENOSPC | libc::EDQUOT, _) => Some(Refused::LargeFile),
            (libc::ENOSYS | libc::EPERM, None) if closes_call(call) => Some(Refused::Call(call.to_owned())),
            _ => None,
        }
    }

    /// Returns the path if it names a file in a folder of the program, and none where it starts.
    fn beside(&self, path: &Path) -> Option<PathBuf> {
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let is_there = || self.own.iter().any(|folder| folder.join(path).is_file());
        (is_plain && is_there()).then(|| path.to_owned())
    }

    fn closed(&self, path: &Path, failed: &Failed) -> Option<Refused> {
        let base = failed.folder.as_deref().unwrap_or(&self.dir);
        let path = settled(&base.join(path));
        // Runtimes look at devices and at the kernel's folders by the way, and do without a cache of compiled files.
        let is_of_kernel = ["/dev", "/proc", "/sys"].iter().any(|folder| path.starts_with(folder));
        let is_cache = path.iter().any(|name| name == "__pycache__");
        if is_of_kernel || is_cache || !could(&path, failed.changes) {
            return None; // it is not the sandbox that refuses
        }
        let folder = self.closed.as_ref().filter(|folder| path.starts_with(&folder.path));
        Some(match folder {
            Some(ClosedFolder { path, reason: Some(reason) }) => Refused::Folder(path.clone(), reason),
            _ if !self.may_be_told(&path) => Refused::Elsewhere,
            _ if failed.changes => Refused::Writing(path),
            // Its command names no file there, so it may need all of them.
            Some(ClosedFolder { path, reason: None }) => Refused::Reading(path.clone()),
            None => Refused::Reading(path),
        })
    }

    /// Returns true if the path is near the program, and neither hidden nor of others.
    fn may_be_told(&self, path: &Path) -> bool {
        let is_hidden = |part: Component| part.as_os_str().as_encoded_bytes().starts_with(b".");
        let is_open =
            |near: &PathBuf| path.strip_prefix(near).is_ok_and(|rest| !rest.components().any(is_hidden));
        // Advice to open the root of the file system would open everything.
        let is_at_root = path.ancestors().count() <= 2;
        let is_of_others = self.others.iter().any(|other| path.starts_with(other) || other.starts_with(path));
        // A stranger's bot may list its own folder, so that nothing in it is new to it.
        let own = settled(&self.dir);
        let is_in_own = || path.starts_with(&own) && !self.others.iter().any(|other| other.starts_with(&own));
        match self.is_own {
            true => !is_at_root && self.near.iter().any(is_open) && !is_of_others,
            false => self.closed.is_none() && is_in_own(),
        }
    }
}

/// Returns true if the owner could read the path, or change what is there.
fn could(path: &Path, changes: bool) -> bool {
    let may = |path: &Path, access| rustix::fs::access(path, access).is_ok();
    let folder = || path.parent().is_some_and(|folder| may(folder, Access::WRITE_OK));
    if changes { may(path, Access::WRITE_OK) || folder() } else { may(path, Access::READ_OK) }
}

//! Finds out from a program's stderr what the sandbox blocked.
//!
//! The kernel reports a refusal only to the program. This module therefore searches the error messages of runtimes for
//! paths. The program may write anything there, so the result is its word alone, and names no path that belongs to
//! somebody else. The module never looks at the files themselves, because a hostile program could learn from the answer
//! which files exist.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::confine::paths::ClosedFolder;
use crate::text;

// Words of error messages, in lower case.
const REFUSED: &str = "permission denied|permissionerror|permissiondenied|operation not permitted|read-only file \
                       system|eacces|is denied|unable to open database|readonly database";
const WRITING: &str = "read-only file system|erofs|cannot create|cannot touch|mkdir";
const NETWORK: &str = "network is unreachable|name resolution|name or service not known|could not resolve host|\
                       enetunreach|eai_again|getaddrinfo|urlopen error|gaierror";
const SOCKET: &str = "socket|connect|bind|listen|http|dial tcp";
const PROCESS: &str = "resource temporarily unavailable|can't start new thread|cannot fork|\
                       unable to create native thread|pthread_create";
const CALL: &str = "function not implemented|enosys";
const SHARED_MEMORY: &str = "/dev/shm|semlock|sem_open|shm_open|shared_memory";
const MISSING: &str = "no such file|not found|notfound|no module named|cannot find|can't find|can't locate|could not find|\
                       could not load|cannot open|can't open|cannot load|enoent";
const SPACE: &str = "no space left on device|file too large|disk quota exceeded";
/// The number of lines at the end of the stderr that are searched.
const LINES_MAX: usize = 60;

/// A reason why a program did not get a file or another resource, by the program's own word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// The sandbox closes the folder of the bot's files.
    Folder(ClosedFolder),
    /// A file with this relative name is beside the program's file, and not where the program starts.
    Beside(String),
    /// Reading this file or folder near the program.
    Reading(PathBuf),
    /// Writing, creating, or removing something at this path near the program.
    Writing(PathBuf),
    /// Memory and locks with names. A machine without mounts has them for all programs together.
    SharedMemory,
    /// Another action, as the end of "the sandbox blocked ...".
    Other(&'static str),
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let says = "the bot says the sandbox blocked";
        match self {
            Blocked::Folder(ClosedFolder { path, reason: Some(reason) }) => {
                write!(f, "the sandbox closes the folder {} to the bot, because {reason}", text::path(path))
            }
            Blocked::Folder(ClosedFolder { path, reason: None }) => {
                write!(
                    f,
                    "the sandbox closes the folder {} to the bot, whose command names no file there",
                    text::path(path)
                )
            }
            Blocked::Beside(name) => {
                write!(f, "{name} is in the bot's folder, and bots start in your folder, not in theirs")
            }
            Blocked::Reading(path) => write!(f, "{says} reading {}", text::path(path)),
            Blocked::Writing(path) => write!(f, "{says} writing {}", text::path(path)),
            Blocked::SharedMemory => f.write_str(
                "the bot has no shared memory, because the sandbox may not mount any on this machine",
            ),
            Blocked::Other(what) => write!(f, "{says} {what}"),
        }
    }
}

/// The rights of a contained program.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<'a> {
    /// The folder in which it starts.
    pub(crate) dir: &'a Path,
    /// Its own folders, and the working directory of the host.
    pub(crate) near: &'a [PathBuf],
    /// Paths of others in these folders.
    pub(crate) others: &'a [PathBuf],
    /// Files and folders that it may read, in addition to the system's.
    pub(crate) read: &'a [PathBuf],
    /// True if it may use the network.
    pub(crate) network: bool,
    /// True if it has shared memory of its own.
    pub(crate) shared_memory: bool,
}

/// Returns true if the stderr says that a file is missing or refused.
pub(crate) fn misses_a_file(stderr: &str) -> bool {
    last_lines(stderr).any(|line| mentions(&line.to_lowercase(), &format!("{MISSING}|{REFUSED}")))
}

/// Returns the relative name of a missing file that lies in one of the `own` folders of the program.
pub(crate) fn beside(stderr: &str, own: &[PathBuf]) -> Option<String> {
    let is_plain =
        |name: &&str| Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let is_own = |name: &&str| own.iter().any(|folder| folder.join(name).is_file());
    let missing = last_lines(stderr).filter(|line| mentions(&line.to_lowercase(), MISSING));
    missing.flat_map(paths_in).filter(is_plain).find(is_own).map(|name| text::quote(name.as_bytes()))
}

/// Returns the last blocked action that the stderr reports.
pub(crate) fn blocked(stderr: &str, bounds: &Bounds<'_>) -> Option<Blocked> {
    let lower = stderr.to_lowercase();
    let network = (!bounds.network).then_some(Blocked::Other("the network"));
    // Runtimes name the call elsewhere in the message.
    let network_if = |text: &str, words| network.clone().filter(|_| mentions(text, words));
    let refused = || last_lines(stderr).filter(|line| mentions(&line.to_lowercase(), REFUSED));
    if !bounds.shared_memory && mentions(&lower, SHARED_MEMORY) && refused().next().is_some() {
        return Some(Blocked::SharedMemory);
    }
    let named = refused().find_map(|line| {
        let low = line.to_lowercase();
        let found = || paths_in(line).find_map(|path| bounds.refused(path, mentions(&low, WRITING)));
        network_if(&low, "socket|dial tcp").or_else(found)
    });
    let any = || refused().next().map(|_| network_if(&lower, SOCKET).unwrap_or(Blocked::Other("a file")));
    named.or_else(any).or_else(|| {
        last_lines(stderr).find_map(|line| {
            let low = line.to_lowercase();
            match () {
                () if mentions(&low, NETWORK) => network.clone(),
                () if mentions(&low, PROCESS) => Some(Blocked::Other("a process or thread")),
                () if mentions(&low, SPACE) => Some(Blocked::Other("a large file")),
                () if mentions(&low, CALL) => Some(Blocked::Other("a system call")),
                () => None,
            }
        })
    })
}

/// Returns the lines that are searched, the last one first.
fn last_lines(stderr: &str) -> impl Iterator<Item = &str> {
    stderr.lines().rev().take(LINES_MAX)
}

fn mentions(text: &str, words: &str) -> bool {
    words.split('|').any(|word| text.contains(word))
}

impl Bounds<'_> {
    /// Returns the refused action for a path near the program that is neither hidden nor of others. `is_written` is
    /// true if the message is about writing.
    fn refused(&self, path: &str, is_written: bool) -> Option<Blocked> {
        let path = plain(&self.dir.join(path));
        let is_hidden = |part: Component| part.as_os_str().as_encoded_bytes().starts_with(b".");
        let is_open =
            |near: &PathBuf| path.strip_prefix(near).is_ok_and(|rest| !rest.components().any(is_hidden));
        let is_in = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
        // Advice to open the root of the file system would open everything.
        let is_at_root = path.ancestors().count() <= 2;
        if !self.near.iter().any(is_open) || is_in(self.others) || is_at_root {
            return None;
        }
        // A refused path that the program may read was opened for writing.
        Some(if is_written || is_in(self.read) { Blocked::Writing(path) } else { Blocked::Reading(path) })
    }
}

/// Removes `.` and `..` from a path.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Returns the words of a message that may be paths. The last word comes first, because a shell's message begins with
/// the name of the script.
fn paths_in(line: &str) -> impl Iterator<Item = &str> {
    let words = line.rsplit([' ', ':', '(', ')', '[', ']', ',', '\'', '"', '`']);
    let words = words.map(|word| word.trim_end_matches('.'));
    let is_class = |word: &str| word.contains("Exception") || word.contains("Error");
    words.filter(move |word| (word.contains('/') || word.contains('.') && word.len() > 2) && !is_class(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_runtimes_name_what_was_blocked() {
        let [own, here, other] = ["/bots/mine", "/league", "/league/other"].map(PathBuf::from);
        let (read, near, others) = ([own.clone()], [own.clone(), here], [other]);
        let bounds = Bounds {
            dir: &own,
            near: &near,
            others: &others,
            read: &read,
            network: false,
            shared_memory: true,
        };
        let reading = |path: &str| Some(Blocked::Reading(path.into()));
        let writing = |path: &str| Some(Blocked::Writing(path.into()));
        let other = |what| Some(Blocked::Other(what));
        for (stderr, expected) in [
            ("PermissionError: [Errno 13] Permission denied: '/league/net.bin'", reading("/league/net.bin")),
            ("PermissionError: [Errno 13] Permission denied: 'log.txt'", writing("/bots/mine/log.txt")),
            ("OSError: [Errno 30] Read-only file system: 'log.txt'", writing("/bots/mine/log.txt")),
            ("cat: /league/net.bin: Permission denied", reading("/league/net.bin")),
            (
                "python3: can't open file '/league/x.py': [Errno 13] Permission denied",
                reading("/league/x.py"),
            ),
            ("own/bot.sh: 1: cannot create /league/x: Read-only file system", writing("/league/x")),
            ("touch: cannot touch '/league/x': Permission denied", writing("/league/x")),
            ("Error: EACCES: permission denied, open '../../league/net.bin'", reading("/league/net.bin")),
            ("java.io.FileNotFoundException: log.txt (Permission denied)", writing("/bots/mine/log.txt")),
            ("panic: open /league/x: permission denied\n\ngoroutine 1 [running]:", reading("/league/x")),
            ("Permission denied @ rb_sysopen - /league/net.bin (Errno::EACCES)", reading("/league/net.bin")),
            ("UnauthorizedAccessException: Access to the path '/league/x' is denied.", reading("/league/x")),
            // Paths of others are none of the bot's business.
            ("Permission denied: '/root/.ssh/id_rsa'", other("a file")),
            ("Permission denied: '/league/other/bot.py'", other("a file")),
            ("Permission denied: '/league/.git/config'", other("a file")),
            ("Os { code: 13, message: \"Permission denied\" }", other("a file")),
            ("s = socket.socket()\nPermissionError: Operation not permitted", other("the network")),
            ("dial tcp 127.0.0.1:80: socket: operation not permitted", other("the network")),
            ("urllib.error.URLError: <urlopen error [Errno -3] x>", other("the network")),
            ("RuntimeError: can't start new thread", other("a process or thread")),
            ("OSError: [Errno 28] No space left on device", other("a large file")),
            ("OSError: [Errno 38] Function not implemented", other("a system call")),
            ("sqlite3.OperationalError: unable to open database file", other("a file")),
            ("ValueError: no legal move", None),
            ("", None),
        ] {
            assert_eq!(blocked(stderr, &bounds), expected, "{stderr}");
        }
        let npm =
            "Error: EACCES: permission denied, open '/league/bot.js'\n  errno: -13,\n  code: 'EACCES'\n http";
        assert_eq!(blocked(npm, &bounds), reading("/league/bot.js"), "the line without a path comes later");
        let lock = "File \"/usr/lib/python3.11/multiprocessing/synchronize.py\", line 57\n_multiprocessing.SemLock(\n\
                    PermissionError: [Errno 13] Permission denied";
        assert_eq!(blocked(lock, &bounds), other("a file"));
        assert_eq!(blocked(lock, &Bounds { shared_memory: false, ..bounds }), Some(Blocked::SharedMemory));
        let root = [PathBuf::from("/")];
        let at_root = Bounds { dir: &root[0], near: &root, ..bounds };
        assert_eq!(
            blocked("PermissionError: [Errno 13] Permission denied: '/psm_4f'", &at_root),
            other("a file")
        );
        let open = Bounds { network: true, ..bounds };
        assert_eq!(blocked("socket.gaierror: [Errno -2] Name or service not known", &open), None);
    }
}

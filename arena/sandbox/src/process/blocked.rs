//! Finds out from a program's stderr what the sandbox blocked.
//!
//! The kernel reports a refusal only to the program. This module therefore searches the error messages of runtimes for
//! paths. The program may write anything there, so the result is its word alone, and names no path that belongs to
//! somebody else. The module never looks at the files themselves, because a hostile program could learn from the answer
//! which files exist.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::text;

// Words of error messages, in lower case.
const REFUSED: &str = "permission denied|permissionerror|permissiondenied|operation not permitted|read-only file \
                       system|eacces|is denied";
const WRITING: &str = "read-only file system|erofs|cannot create|cannot touch|mkdir";
const NETWORK: &str = "network is unreachable|name resolution|name or service not known|could not resolve host|\
                       enetunreach|eai_again|getaddrinfo|urlopen error|gaierror";
const SOCKET: &str = "socket|connect|bind|listen|http|dial tcp";
const PROCESS: &str = "resource temporarily unavailable|can't start new thread|cannot fork|\
                       unable to create native thread|pthread_create";
const CALL: &str = "function not implemented|enosys";
const SPACE: &str = "no space left on device|file too large|disk quota exceeded";
/// The number of lines at the end of the stderr that are searched.
const LINES_MAX: usize = 60;

/// An action that the sandbox blocked, by the program's own word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// Reading this file or folder near the program.
    Reading(PathBuf),
    /// Writing, creating, or removing something at this path near the program.
    Writing(PathBuf),
    /// Another action, as the end of "the sandbox blocked ...".
    Other(&'static str),
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bot says the sandbox blocked ")?;
        match self {
            Blocked::Reading(path) => write!(f, "reading {}", text::path(path)),
            Blocked::Writing(path) => write!(f, "writing {}", text::path(path)),
            Blocked::Other(what) => f.write_str(what),
        }
    }
}

/// The rights of a contained program.
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
}

/// Returns the last blocked action that the stderr reports.
pub(crate) fn blocked(stderr: &str, bounds: &Bounds<'_>) -> Option<Blocked> {
    let lower = stderr.to_lowercase();
    let mentions = |text: &str, words: &str| words.split('|').any(|word| text.contains(word));
    let network = (!bounds.network).then_some(Blocked::Other("the network"));
    stderr.lines().rev().take(LINES_MAX).find_map(|line| {
        let low = line.to_lowercase();
        if mentions(&low, REFUSED) {
            let is_written = mentions(&low, WRITING);
            let found = paths_in(line).find_map(|path| bounds.refused(path, is_written));
            // Runtimes name the call elsewhere in the message.
            let network = |text, words| network.clone().filter(|_| mentions(text, words));
            let found = network(&low, "socket|dial tcp").or(found).or(network(&lower, SOCKET));
            return found.or(Some(Blocked::Other("a file")));
        }
        match () {
            () if mentions(&low, NETWORK) => network.clone(),
            () if mentions(&low, PROCESS) => Some(Blocked::Other("a process or thread")),
            () if mentions(&low, SPACE) => Some(Blocked::Other("a large file")),
            () if mentions(&low, CALL) => Some(Blocked::Other("a system call")),
            () => None,
        }
    })
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
        if !self.near.iter().any(is_open) || is_in(self.others) {
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
        let bounds = Bounds { dir: &own, near: &near, others: &others, read: &read, network: false };
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
            ("ValueError: no legal move", None),
            ("", None),
        ] {
            assert_eq!(blocked(stderr, &bounds), expected, "{stderr}");
        }
        let open = Bounds { network: true, ..bounds };
        assert_eq!(blocked("socket.gaierror: [Errno -2] Name or service not known", &open), None);
    }
}

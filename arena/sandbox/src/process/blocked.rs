//! Finds out from a program's stderr what the sandbox blocked.
//!
//! The kernel reports a refusal only to the program. This module therefore searches the error messages of runtimes for
//! paths, and compares them with the folders that the program may read and write. It never looks at the files
//! themselves, because a hostile program could learn from the answer which files exist.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::confine::paths::is_of_the_system;
use crate::text;

/// Words of a refusal, in lower case.
const REFUSALS: [&str; 7] = [
    "permission denied",
    "permissionerror",
    "permissiondenied",
    "operation not permitted",
    "read-only file system",
    "eacces",
    "is denied",
];
/// Words of a refusal to write, in lower case.
const WRITE_WORDS: [&str; 5] = ["read-only file system", "erofs", "cannot create", "cannot touch", "mkdir"];
/// Words of an error of the network, in lower case.
const NETWORK_WORDS: [&str; 9] = [
    "network is unreachable",
    "temporary failure in name resolution",
    "name or service not known",
    "could not resolve host",
    "enetunreach",
    "eai_again",
    "getaddrinfo",
    "urlopen error",
    "socket.gaierror",
];
/// Words of what opens a connection, in lower case: with a refusal, the network was refused.
const SOCKET_WORDS: [&str; 6] = ["socket", "connect", "bind", "listen", "http", "dial tcp"];
/// Words of a process or thread that could not be started, in lower case.
const PROCESS_WORDS: [&str; 5] = [
    "resource temporarily unavailable",
    "can't start new thread",
    "cannot fork",
    "unable to create native thread",
    "pthread_create",
];
/// Words of a system call that the filter does not know, in lower case.
const CALL_WORDS: [&str; 2] = ["function not implemented", "enosys"];
/// Words of a full folder, in lower case.
const SPACE_WORDS: [&str; 3] = ["no space left on device", "file too large", "disk quota exceeded"];
/// Folders for temporary files, and devices.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev"];
/// The number of lines at the end of the stderr that are searched.
const LINES_MAX: usize = 60;

/// An action that the sandbox blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// Reading this file or folder.
    Reading(PathBuf),
    /// Writing, creating, or removing something at this path.
    Writing(PathBuf),
    /// Some file or folder, which the program did not name.
    File,
    /// The network.
    Network,
    /// One more process or thread.
    Process,
    /// More bytes in the scratch folder.
    Space,
    /// A system call.
    Call,
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Blocked::Reading(path) => write!(f, "the sandbox blocked reading {}", text::path(path)),
            Blocked::Writing(path) => write!(f, "the sandbox blocked writing {}", text::path(path)),
            Blocked::File => f.write_str("the sandbox probably blocked a file"),
            Blocked::Network => f.write_str("the sandbox blocked the network"),
            Blocked::Process => f.write_str("the sandbox probably blocked a process or thread"),
            Blocked::Space => f.write_str("the sandbox probably blocked a large file"),
            Blocked::Call => f.write_str("the sandbox probably blocked a system call"),
        }
    }
}

/// The rights of a contained program.
pub(crate) struct Bounds<'a> {
    /// Its working directory.
    pub(crate) dir: &'a Path,
    /// Files and folders that it may read, in addition to the system's.
    pub(crate) read: &'a [PathBuf],
    /// Folders that it may write.
    pub(crate) write: &'a [PathBuf],
    /// True if it may use the network.
    pub(crate) network: bool,
}

/// Returns the last blocked action that the stderr reports.
pub(crate) fn blocked(stderr: &str, bounds: &Bounds<'_>) -> Option<Blocked> {
    let lower = stderr.to_lowercase();
    let mentions = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
    for line in stderr.lines().rev().take(LINES_MAX) {
        let low = line.to_lowercase();
        if mentions(&low, &REFUSALS) {
            if !bounds.network && mentions(&low, &["socket", "dial tcp"]) {
                return Some(Blocked::Network);
            }
            let is_written = mentions(&low, &WRITE_WORDS);
            let found = paths_in(line).into_iter().find_map(|path| bounds.refused(&path, is_written));
            if found.is_some() {
                return found;
            }
            // Runtimes name the call elsewhere in the message.
            return Some(match !bounds.network && mentions(&lower, &SOCKET_WORDS) {
                true => Blocked::Network,
                false => Blocked::File,
            });
        }
        if !bounds.network && mentions(&low, &NETWORK_WORDS) {
            return Some(Blocked::Network);
        }
        if mentions(&low, &PROCESS_WORDS) {
            return Some(Blocked::Process);
        }
        if mentions(&low, &SPACE_WORDS) {
            return Some(Blocked::Space);
        }
        if mentions(&low, &CALL_WORDS) {
            return Some(Blocked::Call);
        }
    }
    None
}

impl Bounds<'_> {
    /// Returns the refused action for this path, or `None` if the program may read and write there. `is_written` is
    /// true if the message is about writing.
    fn refused(&self, path: &str, is_written: bool) -> Option<Blocked> {
        let path = plain(&self.dir.join(path));
        let is_in = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
        if is_in(self.write) {
            return None;
        }
        // A refused path that the program may read was opened for writing. Temporary files are usually written, too.
        let is_temporary = TEMPORARY.iter().any(|folder| path.parent() == Some(Path::new(folder)));
        let may_read = is_in(self.read) || is_of_the_system(&path);
        Some(if is_written || may_read || is_temporary {
            Blocked::Writing(path)
        } else {
            Blocked::Reading(path)
        })
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

/// Returns the possible paths in a message: first quoted text, then words with a slash or a dot. The last word comes
/// first, because a shell's message begins with the name of the script.
fn paths_in(line: &str) -> Vec<String> {
    let quoted = ['\'', '"', '`'].into_iter().flat_map(|quote| quoted(line, quote));
    let is_refusal = |text: &str| REFUSALS.contains(&text.to_lowercase().as_str());
    let quoted = quoted.filter(|text| !text.is_empty() && !text.contains(": ") && !is_refusal(text));
    let bare = line.split([' ', ':', '(', ')', '[', ']', ',', '\'', '"', '`']);
    let bare = bare.map(|word| word.trim_end_matches('.'));
    let is_path = |word: &&str| word.contains('/') || (word.contains('.') && word.len() > 2);
    let is_class = |word: &&str| word.contains("Exception") || word.contains("Error");
    let mut paths: Vec<String> = quoted.map(str::to_owned).collect();
    let bare: Vec<&str> = bare.filter(is_path).filter(|word| !is_class(word)).collect();
    paths.extend(bare.into_iter().rev().map(str::to_owned));
    paths
}

/// Returns the text between each pair of quotes. An apostrophe within a word, as in `can't`, is no quote.
fn quoted(line: &str, quote: char) -> Vec<&str> {
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let is_in_word = |at: usize| {
        let (before, after) = (&line[..at], &line[at + quote.len_utf8()..]);
        is_letter(before.chars().next_back()) && is_letter(after.chars().next())
    };
    let quotes = line.match_indices(quote).map(|(at, _)| at).filter(|at| !is_in_word(*at));
    let quotes: Vec<usize> = quotes.collect();
    quotes.chunks_exact(2).map(|pair| &line[pair[0] + quote.len_utf8()..pair[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_runtimes_name_what_was_blocked() {
        let (read, write) = ([PathBuf::from("/bots/mine")], [PathBuf::from("/scratch")]);
        let bounds = Bounds { dir: Path::new("/bots/mine"), read: &read, write: &write, network: false };
        let reading = |path: &str| Some(Blocked::Reading(path.into()));
        let writing = |path: &str| Some(Blocked::Writing(path.into()));
        for (stderr, expected) in [
            ("PermissionError: [Errno 13] Permission denied: '/data/net.bin'", reading("/data/net.bin")),
            ("PermissionError: [Errno 13] Permission denied: 'log.txt'", writing("/bots/mine/log.txt")),
            ("OSError: [Errno 30] Read-only file system: 'log.txt'", writing("/bots/mine/log.txt")),
            ("cat: /data/net.bin: Permission denied", reading("/data/net.bin")),
            (
                "/usr/bin/python3: can't open file '/data/bot.py': [Errno 13] Permission denied",
                reading("/data/bot.py"),
            ),
            ("own/bot.sh: 1: cannot create /data/x: Read-only file system", writing("/data/x")),
            ("touch: cannot touch '/tmp/x': Permission denied", writing("/tmp/x")),
            ("bot.sh: 3: cannot create log.txt: Permission denied", writing("/bots/mine/log.txt")),
            ("Error: EACCES: permission denied, open '../net.bin'", reading("/bots/net.bin")),
            ("java.io.FileNotFoundException: log.txt (Permission denied)", writing("/bots/mine/log.txt")),
            (
                "panic: open /data/net.bin: permission denied\n\ngoroutine 1 [running]:",
                reading("/data/net.bin"),
            ),
            ("Permission denied @ rb_sysopen - /data/net.bin (Errno::EACCES)", reading("/data/net.bin")),
            (
                "Unhandled exception. System.UnauthorizedAccessException: Access to the path '/data/net.bin' is denied.",
                reading("/data/net.bin"),
            ),
            ("Os { code: 13, kind: PermissionDenied, message: \"Permission denied\" }", Some(Blocked::File)),
            (
                "  File \"socket.py\", line 7\n    s = socket.socket()\nPermissionError: [Errno 1] Operation not permitted",
                Some(Blocked::Network),
            ),
            ("dial tcp 127.0.0.1:80: socket: operation not permitted", Some(Blocked::Network)),
            ("urllib.error.URLError: <urlopen error [Errno -3] x>", Some(Blocked::Network)),
            ("RuntimeError: can't start new thread", Some(Blocked::Process)),
            ("OSError: [Errno 28] No space left on device", Some(Blocked::Space)),
            ("OSError: [Errno 38] Function not implemented", Some(Blocked::Call)),
            ("ValueError: no legal move", None),
            ("", None),
        ] {
            assert_eq!(blocked(stderr, &bounds), expected, "{stderr}");
        }
        let open = Bounds { network: true, ..bounds };
        assert_eq!(blocked("socket.gaierror: [Errno -2] Name or service not known", &open), None);
    }
}

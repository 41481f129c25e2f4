//! Finds the file of a program's name, by the rule of a shell's search path. The supervisor uses it to execute, the
//! arena to explain why no file could be executed.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The search path if none is set.
const PATH_DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";

/// Returns the files that `program` may mean, in order. A name with a slash means itself. An empty element of the
/// search path is skipped: the working directory is never searched silently.
pub(crate) fn candidates(program: &OsStr, search_path: Option<&OsStr>) -> Vec<PathBuf> {
    if is_path(program) {
        return vec![PathBuf::from(program)];
    }
    std::env::split_paths(search_path.unwrap_or(OsStr::new(PATH_DEFAULT)))
        .filter(|dir| !dir.as_os_str().is_empty())
        .map(|dir| dir.join(program))
        .collect()
}

/// Returns true if the name is a path, which is not searched for.
pub(crate) fn is_path(program: &OsStr) -> bool {
    program.as_encoded_bytes().contains(&b'/')
}

/// Returns the program on the search path whose name is closest to `name`, if it is close enough to be a typing error.
pub(crate) fn nearest(name: &str, search_path: Option<&OsStr>) -> Option<String> {
    let allowed = name.len() / 3;
    candidates(OsStr::new("."), search_path)
        .iter()
        .filter_map(|dir| std::fs::read_dir(dir).ok())
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .map(|found| (distance(name.as_bytes(), found.as_bytes()), found))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, found)| found)
}

/// Returns true if at least one user may execute the file. The supervisor's own attempt decides; this function only
/// explains.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Returns true if every user may execute the file.
pub(crate) fn is_executable_for_all(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o001 != 0)
}

/// Returns the number of single letters to insert, delete or change to turn `a` into `b`.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let changed = corner + usize::from(left != right);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_searched_and_paths_are_not() {
        let path = OsStr::new("/a::/b");
        let found = candidates(OsStr::new("x"), Some(path));
        assert_eq!(found, [PathBuf::from("/a/x"), PathBuf::from("/b/x")]);
        assert_eq!(candidates(OsStr::new("./x"), Some(path)), [PathBuf::from("./x")]);
    }

    #[test]
    fn letters_between_words() {
        for (a, b, expected) in [("", "abc", 3), ("pyhton", "python", 2), ("node", "node", 0)] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
        }
    }

    #[test]
    fn a_slip_is_recognised_and_nonsense_is_not() {
        assert_eq!(nearest("ccat", Some(OsStr::new("/bin"))).as_deref(), Some("cat"));
        assert_eq!(nearest("no-such-program-at-all", None), None);
    }
}

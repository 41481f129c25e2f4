//! Homes, and results of the arena. No bot gets them merely because it is shown a folder around them.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rustix::process::getuid;

use crate::confine::files::is_of_the_system;

/// The file that makes a folder a results directory, which bots must not read.
pub const RESULTS_MARK: &str = "tournament.json";
/// The file that makes a folder the one of a contest, of which a bot may read its own version alone.
pub const CONTEST_MARK: &str = "contest.jsonl";
/// The folder in that of a contest with the versions of all bots, each in `NAME/NUMBER`.
pub const VERSIONS: &str = "versions";
/// Folders in which people and programs keep their own files, in addition to the homes that the system knows.
const HOMES: [&str; 5] = ["/root", "/home", "/tmp", "/var/tmp", "/dev/shm"];
/// The list of users.
const USERS: &str = "/etc/passwd";
/// The index of the home among the fields of a line in that list.
const HOME_FIELD: usize = 5;
/// The most names that are looked at below one folder.
const NAMES_MAX: usize = 100_000;

/// The canonical paths of all users' homes and of the folders for temporary files.
static PRIVATE: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let users = fs::read_to_string(USERS).unwrap_or_default();
    let users = users.lines().filter_map(|line| line.split(':').nth(HOME_FIELD).map(PathBuf::from));
    let own = [std::env::var_os("HOME").map(PathBuf::from), Some(std::env::temp_dir())];
    let all = HOMES.iter().map(PathBuf::from).chain(own.into_iter().flatten()).chain(users);
    let mut all: Vec<PathBuf> = all.filter(|path| path.is_absolute()).map(|path| settled(&path)).collect();
    // The system's own users have its folders as homes.
    all.retain(|path| path.parent().is_some() && !is_of_the_system(path));
    all.sort_unstable();
    all.dedup();
    all
});

/// The folders for secrets and for what was read in a home, unless the user has other folders for states and caches.
const USUAL: [&str; 2] = [".local/state/quilt-arena", ".cache/quilt-arena"];

/// The folder for secrets of the arena's user, below the user's folder for states. No bot gets it, whatever the user
/// allows. `None` if the user has no home.
pub fn secrets() -> Option<&'static Path> {
    static SECRETS: LazyLock<Option<PathBuf>> = LazyLock::new(|| own("XDG_STATE_HOME", USUAL[0]));
    SECRETS.as_deref()
}

/// The folder for what was read of journals, below the user's folder for caches. It is as closed as the one for secrets,
/// because bots may not read results. `None` if the user has no home.
pub fn cache() -> Option<&'static Path> {
    static CACHE: LazyLock<Option<PathBuf>> = LazyLock::new(|| own("XDG_CACHE_HOME", USUAL[1]));
    CACHE.as_deref()
}

/// Returns a folder of the arena in the folder of this variable, or else at the usual place in the home.
fn own(variable: &str, usual: &str) -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let in_home = || Some(folder("HOME")?.join(usual));
    Some(settled(&folder(variable).map(|folder| folder.join("quilt-arena")).or_else(in_home)?))
}

/// The folders for secrets of this user and of all users in the list, under every name by which a mount shows them.
pub(super) fn all_secrets() -> &'static [PathBuf] {
    static ALL: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
        let usual = PRIVATE.iter().flat_map(|home| USUAL.map(|usual| home.join(usual)));
        let own = [secrets(), cache()].into_iter().flatten().map(Path::to_owned);
        let known: Vec<PathBuf> = own.chain(usual.filter(|folder| folder.is_dir())).collect();
        let mounts = Mount::all();
        let named = known.iter().flat_map(|folder| Mount::names_of(folder, &mounts));
        known.iter().cloned().chain(named).collect()
    });
    &ALL
}

/// Returns true if the canonical path is a folder for secrets.
pub(super) fn is_secret(path: &Path) -> bool {
    all_secrets().iter().any(|secrets| path == secrets) || USUAL.iter().any(|usual| path.ends_with(usual))
}

/// Returns true if the canonical path holds a folder for secrets.
pub(super) fn holds_secrets(path: &Path) -> bool {
    // A home that is in no list of users looks like any other.
    let is_above = |usual: &&str| {
        let below = Path::new(usual);
        let above = below.ancestors().skip(1).filter(|above| path.ends_with(above));
        above.flat_map(|above| below.strip_prefix(above)).any(|below| path.join(below).is_dir())
    };
    all_secrets().iter().any(|secrets| secrets.starts_with(path)) || USUAL.iter().any(is_above)
}

/// Returns true if the canonical path is in a folder for secrets, or holds one.
pub(super) fn is_around_secrets(path: &Path) -> bool {
    holds_secrets(path) || path.ancestors().any(is_secret)
}

/// Returns a secret of this user that has another name, under which others may read it.
pub(super) fn shared_secret() -> Option<PathBuf> {
    let files = secrets().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let is_shared =
        |entry: &fs::DirEntry| entry.metadata().is_ok_and(|file| file.is_file() && file.nlink() > 1);
    files.filter(is_shared).map(|entry| entry.path()).next()
}

/// A mount, as a line of `/proc/self/mountinfo` tells.
#[derive(Debug)]
struct Mount {
    /// The device, as `MAJOR:MINOR`.
    device: String,
    /// The folder of the device that the mount shows.
    root: PathBuf,
    /// The place of the mount.
    place: PathBuf,
}

impl Mount {
    fn all() -> Vec<Mount> {
        let text = fs::read("/proc/self/mountinfo").unwrap_or_default();
        text.split(|&byte| byte == b'\n').filter_map(Mount::parse).collect()
    }

    fn parse(line: &[u8]) -> Option<Mount> {
        let mut fields = line.split(|&byte| byte == b' ').skip(2);
        let device = String::from_utf8(fields.next()?.to_vec()).ok()?;
        Some(Mount { device, root: unescaped(fields.next()?), place: unescaped(fields.next()?) })
    }

    /// Returns all names of a folder, or of a part of it, in these mounts.
    fn names_of(folder: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
        let around = mounts.iter().filter(|mount| folder.starts_with(&mount.place));
        // The last of two mounts at one place covers the other.
        let Some(mount) = around.max_by_key(|mount| mount.place.as_os_str().len()) else { return Vec::new() };
        let Ok(rest) = folder.strip_prefix(&mount.place) else { return Vec::new() };
        let on_device = mount.root.join(rest);
        let name = |other: &Mount| match on_device.strip_prefix(&other.root) {
            Ok(rest) => Some(other.place.join(rest)),
            Err(_) => other.root.starts_with(&on_device).then(|| other.place.clone()),
        };
        mounts.iter().filter(|other| other.device == mount.device).filter_map(name).collect()
    }
}

/// Returns a path of `mountinfo`, in which blanks and some other characters are octal numbers after a backslash.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut parts = field.split(|&byte| byte == b'\\');
    let mut path = parts.next().unwrap_or_default().to_vec();
    for part in parts {
        let number = part.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match number.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => path.extend([&[byte][..], &part[3..]].concat()),
            None => path.extend([b"\\", part].concat()),
        }
    }
    OsString::from_vec(path).into()
}

/// The device and inode number of a file or folder. They identify it under any name: the same folder may be mounted in
/// several places.
type Same = (u64, u64);

/// Files and folders, together with all folders above them.
#[derive(Debug)]
pub(super) struct Marks(HashSet<Same>);

impl Marks {
    pub(super) fn of<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Marks {
        let all: HashSet<&Path> = paths.flat_map(|path| path.ancestors()).collect();
        Marks(all.into_iter().filter_map(same).collect())
    }

    /// Returns true if one of the files or folders lies in this folder, or is it.
    pub(super) fn lie_in(&self, path: &Path) -> bool {
        same(path).is_some_and(|same| self.0.contains(&same))
    }
}

/// Returns true if the folder has the mark of results or of a contest.
pub fn is_marked(folder: &Path) -> bool {
    folder.join(RESULTS_MARK).exists() || is_contest(folder)
}

/// Returns true if the folder is that of a contest. Others can put a file into a folder for temporary files, so the mark is
/// of the folder's owner, of this user, or of root.
fn is_contest(folder: &Path) -> bool {
    let Ok(mark) = fs::symlink_metadata(folder.join(CONTEST_MARK)) else { return false };
    let of_folder = fs::metadata(folder).map(|facts| facts.uid());
    mark.uid() == 0 || mark.uid() == getuid().as_raw() || of_folder.is_ok_and(|owner| owner == mark.uid())
}

/// Returns the folder of the bot's version in which the canonical path lies, if it lies in one. Returns `None` for a path that
/// is in no contest.
fn in_contest(path: &Path) -> Option<Option<PathBuf>> {
    let contest = path.ancestors().find(|above| is_contest(above))?;
    let mut names = path.strip_prefix(contest).ok()?.iter();
    let is_version = names.next().is_some_and(|name| name == VERSIONS);
    let version = is_version.then(|| Some(contest.join(VERSIONS).join(names.next()?).join(names.next()?)));
    Some(version.flatten())
}

/// Returns the canonical folder of the version of a contest in which a bot starts, if it starts in one.
pub(super) fn version_of(start: &Path) -> Option<PathBuf> {
    in_contest(&settled(start))?
}

/// Returns true if the canonical path belongs to a contest, and a bot that starts in the folder `start` must not see it: it
/// does not lie in the bot's own version.
pub(super) fn is_closed_by_contest(path: &Path, start: Option<&Path>) -> bool {
    let own = || start.and_then(version_of);
    in_contest(path).is_some_and(|version| version.is_none() || version != own())
}

/// Returns true if both names lead to the same file or folder.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    one == other || same(one).is_some_and(|file| same(other) == Some(file))
}

fn same(path: &Path) -> Option<Same> {
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// The homes, together with all folders above them.
static AROUND_HOMES: LazyLock<Marks> = LazyLock::new(|| Marks::of(PRIVATE.iter()));

/// Returns true if this canonical path is the home of a user, or a folder for temporary files.
pub fn is_home(folder: &Path) -> bool {
    PRIVATE.iter().any(|home| home == folder)
}

/// Returns true if a home lies in the canonical folder, or is it.
pub(super) fn holds_home(folder: &Path) -> bool {
    AROUND_HOMES.lie_in(folder) || PRIVATE.iter().any(|home| home.starts_with(folder))
}

/// Returns the canonical path. For a path that does not exist yet, it resolves the folders that exist and appends the
/// rest.
pub fn settled(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match there {
        Some((above, real)) if above == path => real,
        Some((above, real)) => real.join(path.strip_prefix(above).expect("it is above")),
        None => path,
    }
}

/// Returns the place of a file itself, which may be a link to another place. Its folder is canonical.
pub(super) fn place(path: &Path) -> PathBuf {
    // The parent of a bare name would be the empty path.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => settled(folder).join(name),
        _ => settled(&path),
    }
}

/// Returns true if results of the arena, or a folder that is hidden under another name, lie at most `depth_max` levels
/// down in the folder. A folder with too many names to search counts as one with results. Links are not followed,
/// because no rule of Landlock leads through them.
pub(super) fn holds_private(folder: &Path, depth_max: usize, is_hidden: impl Fn(&Path) -> bool) -> bool {
    let (mut names, mut level) = (0, vec![folder.to_owned()]);
    for _ in 0..=depth_max {
        let mut below = Vec::new();
        for entry in level.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
            names += 1;
            let name = entry.file_name();
            if names > NAMES_MAX || name == RESULTS_MARK || name == CONTEST_MARK {
                return true;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                below.push(entry.path());
            }
        }
        if below.iter().any(|folder| is_hidden(folder)) {
            return true;
        }
        if below.is_empty() {
            return false;
        }
        level = below;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_to_which_links_lead_also_where_nothing_is_yet() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let here = folder.path().canonicalize().expect("it is there");
        fs::create_dir(here.join("real")).expect("a folder");
        std::os::unix::fs::symlink(here.join("real"), here.join("link")).expect("a link");
        for (path, expected) in [
            ("link", "real"),
            ("link/new/x", "real/new/x"),
            ("link/../real", "real"),
            ("new", "new"),
            ("link/.", "real"),
        ] {
            assert_eq!(settled(&here.join(path)), here.join(expected), "{path}");
        }
        assert_eq!(settled(Path::new("/")), Path::new("/"));
    }

    #[test]
    fn a_folder_has_a_name_in_each_mount_of_its_device_that_shows_it() {
        let mounts: Vec<Mount> = [
            "22 1 8:1 / / rw - ext4 /dev/sda1 rw",
            "23 22 8:2 / /home rw - ext4 /dev/sda2 rw",
            r"24 22 8:2 /anna /mnt/my\040home rw - ext4 /dev/sda2 rw",
            "25 22 8:2 /anna/keys/old /old rw - ext4 /dev/sda2 rw",
            "26 22 8:2 /ben /ben rw - ext4 /dev/sda2 rw",
            "27 22 8:1 /home/anna /covered rw - ext4 /dev/sda1 rw",
        ]
        .iter()
        .filter_map(|line| Mount::parse(line.as_bytes()))
        .collect();
        let names = Mount::names_of(Path::new("/home/anna/keys"), &mounts);
        assert_eq!(names, ["/home/anna/keys", "/mnt/my home/keys", "/old"].map(PathBuf::from));
    }

    #[test]
    fn the_root_and_folders_above_homes_hold_homes_and_those_below_do_not() {
        for folder in ["/", "/home", "/tmp", "/root"] {
            assert!(holds_home(&settled(Path::new(folder))), "{folder}");
        }
        let folder = tempfile::tempdir().expect("a scratch folder");
        let real = folder.path().canonicalize().expect("it is there");
        assert!(!holds_home(&real) && !is_home(&real));
    }

    #[test]
    fn a_bot_of_a_contest_sees_its_own_version_alone() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let cup = folder.path().canonicalize().expect("it is there");
        let at = |path: &str| cup.join(path);
        for version in ["versions/anna/1", "versions/anna/2", "versions/ben/1/versions/x/1"] {
            fs::create_dir_all(at(version)).expect("a folder");
        }
        let sees = |start: &str, path: &str| !is_closed_by_contest(&at(path), Some(&at(start)));
        assert!(sees("versions/anna/1", "versions/ben/1"), "it is no contest");
        fs::write(at(CONTEST_MARK), "").expect("a file");
        for (start, path, is_seen) in [
            ("versions/anna/1", "versions/anna/1/bot.py", true),
            ("versions/anna/1/bots", "versions/anna/1", true),
            ("versions/anna/1", "versions/anna/2", false),
            ("versions/anna/1", "versions/anna", false),
            ("versions/anna/1", "versions", false),
            ("versions/anna/1", "submissions/anna", false),
            ("versions/anna/1", "contest.toml", false),
            ("versions", "versions", false),
            ("", "", false),
        ] {
            assert_eq!(sees(start, path), is_seen, "{start} {path}");
        }
        // Nobody closes the folder of somebody else, such as one for temporary files.
        if getuid().is_root() {
            let (mark, nobody) = (at(CONTEST_MARK), Some(65_534));
            std::os::unix::fs::lchown(&mark, nobody, None).expect("it is root's");
            assert!(!is_contest(&cup));
            std::os::unix::fs::lchown(&cup, nobody, None).expect("it is root's");
            assert!(is_contest(&cup));
        }
        // A mark of a bot's own closes its folder, and opens nothing.
        fs::write(at("versions/ben/1").join(CONTEST_MARK), "").expect("a file");
        assert!(!sees("versions/ben/1", "versions/ben/1/bot.py"));
        assert!(
            !sees("versions/ben/1", "versions/anna/1")
                && !sees("versions/anna/1", "versions/ben/1/versions/x/1")
        );
    }

    #[test]
    fn results_are_found_as_deep_as_asked_and_not_through_links() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (bot, old) = (folder.path().join("bot"), folder.path().join("old"));
        fs::create_dir_all(bot.join("a/b/c")).expect("a folder");
        fs::create_dir(&old).expect("a folder");
        fs::write(old.join(RESULTS_MARK), "").expect("a file");
        std::os::unix::fs::symlink(&old, bot.join("a/link")).expect("a link");
        let holds_results = |folder: &Path, depth_max| holds_private(folder, depth_max, |_| false);
        assert!(holds_results(&old, 0) && !holds_results(&bot, usize::MAX));
        fs::write(bot.join("a/b/c").join(RESULTS_MARK), "").expect("a file");
        assert!(holds_results(&bot, 3) && !holds_results(&bot, 2));
    }
}

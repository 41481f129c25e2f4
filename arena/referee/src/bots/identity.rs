//! The description of a bot, and what differs between two of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::bots::digests::FileDigest;
use crate::difference::difference;
use crate::play::time_control::OwnLimits;
use sandbox::Rights;

/// The description of a bot, as the user gives it and as a tournament's files keep it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// The name in the tournament. Empty until the first `hello` if the user gave none.
    pub name: String,
    /// The command as the user wrote it, or the name of a bundled bot.
    pub command: String,
    /// The folder to which `dir` and a relative program are relative: the folder of the league file that names the bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<PathBuf>,
    /// The working directory, if one was set, relative to `base`. A program with a slash is in it, or else in `base`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Variables added to the environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Resources and permissions beyond the tournament's limits.
    #[serde(default, skip_serializing_if = "Rights::is_empty")]
    pub allowance: Rights,
    /// Its own limits, if they differ from those of the tournament.
    #[serde(default, skip_serializing_if = "OwnLimits::is_empty")]
    pub limits: OwnLimits,
    /// How often the bot may answer a turn again after a malformed or illegal answer.
    #[serde(default, skip_serializing_if = "crate::record::is_default")]
    pub retries: u32,
    /// The names of variables that the bot gets from the environment of the arena. Their values are stored nowhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env_from: Vec<String>,
    /// The version from the bot's `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The commit from which it was checked out, if it was named as `git:REF`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The number of the bot among the copies of the same bot, from 0, if it is not its number by the order of the bots:
    /// a bot keeps the number with which it entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<u32>,
    /// True if the bot plays each deal once, alone, and all tables reuse that game.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub solitary: bool,
    /// The SHA-256 of each file that the command names, the program first.
    pub files: Vec<FileDigest>,
    /// The SHA-256 of the other files in its folder that it may read, by their paths in the folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<FileDigest>,
    /// The reason why the other files in its folder are not watched, if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unwatched: Option<String>,
    /// The digest of its version: of all files in its folder, and in those that its command names, with their contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The name of the copy of its files with which it plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// The reason why it plays with the files themselves, if there is no copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unheld: Option<String>,
}

impl Identity {
    /// Returns the path below the folder to which paths of this description are relative.
    pub(super) fn beside(&self, path: &Path) -> PathBuf {
        self.base.as_deref().unwrap_or(Path::new("")).join(path)
    }

    /// Describes the first difference of a later description of the same bot. Returns `None` if they are equal. It does
    /// not matter in which folder both lie.
    pub fn difference(&self, later: &Identity) -> Option<String> {
        let same_dir = self.dir.as_ref().zip(later.dir.as_ref());
        let same_dir = same_dir.is_some_and(|(dir, other)| self.beside(dir) == later.beside(other));
        let dir = if same_dir { self.dir.clone() } else { later.dir.clone() };
        let later_here = Identity { dir, ..later.comparable() };
        let files = self.changed_files(later);
        let changed = || match &files[..] {
            [] => None,
            [one] if one == Path::new(".") => Some("its files have changed".to_owned()),
            [one] => Some(format!("its file {} has changed", one.display())),
            [one, more @ ..] => {
                Some(format!("its files have changed: {} and {} more", one.display(), more.len()))
            }
        };
        let what = difference(&self.comparable(), &later_here).or_else(changed)?;
        Some(format!("bot {:?}: {what}", self.name))
    }

    /// Returns the description with its relative paths in the first of these folders that has the recorded files. An empty
    /// path is the present folder.
    pub(super) fn placed(&self, folders: &[PathBuf]) -> Identity {
        // A program has its whole path among the files.
        let words = shell_words::split(&self.command).unwrap_or_default();
        let program = words.first().map(PathBuf::from).filter(|program| program.components().count() > 1);
        let files =
            self.files.iter().map(|file| &file.path).chain(&program).filter(|path| path.is_relative());
        let has_all = |folder: &&PathBuf| files.clone().all(|file| folder.join(file).exists());
        let found = folders.iter().find(has_all).filter(|_| files.clone().count() > 0);
        Identity { base: self.base.clone().or(found.cloned()), ..self.clone() }
    }

    /// Returns the recorded files that a later description of the same bot lacks, or has with other contents; or else
    /// its new files. Files that the command names may have moved.
    pub(super) fn changed_files(&self, later: &Identity) -> Vec<PathBuf> {
        let mut now = later.files.iter();
        let is_other = |file: &&FileDigest| now.next().is_none_or(|now| now.sha256 != file.sha256);
        let named = self.files.iter().filter(is_other);
        let around = self.around.iter().filter(|file| !later.around.contains(file));
        let changed: Vec<PathBuf> = named.chain(around).map(|file| file.path.clone()).collect();
        if !changed.is_empty() || !self.is_other_version(later) {
            return changed;
        }
        let is_new = |file: &&FileDigest| self.around.iter().all(|known| known.path != file.path);
        let new: Vec<PathBuf> = later.around.iter().filter(is_new).map(|file| file.path.clone()).collect();
        if new.is_empty() { vec![PathBuf::from(".")] } else { new }
    }

    fn is_other_version(&self, later: &Identity) -> bool {
        self.digest.as_ref().zip(later.digest.as_ref()).is_some_and(|(then, now)| then != now)
    }

    /// Returns this description with the files of another one.
    pub(super) fn with_files_of(self, other: &Identity) -> Identity {
        let Identity { files, around, unwatched, digest, held, unheld, .. } = other.clone();
        Identity { files, around, unwatched, digest, held, unheld, ..self }
    }

    /// Returns the description without files.
    pub(super) fn without_files(self) -> Identity {
        self.with_files_of(&Identity::default())
    }

    /// Returns the description without the place of its folder, and without `copy` and `solitary`, which later
    /// descriptions take over.
    fn comparable(&self) -> Identity {
        let inside = |path: &PathBuf| {
            let rest = self.base.as_ref().and_then(|base| path.strip_prefix(base).ok());
            rest.unwrap_or(path).to_owned()
        };
        let Rights { read, write, .. } = &self.allowance;
        let [read, write] = [read, write].map(|paths| paths.iter().map(inside).collect());
        let allowance = Rights { read, write, ..self.allowance.clone() };
        Identity { base: None, copy: None, solitary: false, allowance, ..self.clone() }.without_files()
    }
}

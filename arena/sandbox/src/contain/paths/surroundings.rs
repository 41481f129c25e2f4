//! Files that a program usually needs although its command does not name them: the project around it, and packages that
//! the user has installed. A strict sandbox opens none of them.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::contain::paths::found::Found;
use crate::contain::paths::private::{holds_home, settled};

/// Files and folders that mark the root of a project. The program may read the root's entries, but for hidden ones.
const PROJECT_MARKS: [&str; 20] = [
    ".git",
    ".hg",
    "CMakeLists.txt",
    "Cargo.toml",
    "Gemfile",
    "Makefile",
    "build.gradle",
    "build.sbt",
    "composer.json",
    "dune-project",
    "go.mod",
    "meson.build",
    "mix.exs",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "stack.yaml",
    "uv.lock",
];
/// Folders of packages. Runtimes search every folder above the program for them.
const PACKAGES_ABOVE: [&str; 2] = ["node_modules", ".venv"];
/// `pip install --user` puts packages below this folder of the home. A bot has another home, so the variable tells
/// Python the folder.
const PYTHON_BASE: &str = ".local";
const PYTHON_BASE_VARIABLE: &str = "PYTHONUSERBASE";
const PYTHON_PACKAGES: &str = "site-packages";

impl Found<'_> {
    /// Adds the project around this file or folder of the bot.
    pub(super) fn add_project(&mut self, path: &Path) {
        let path = settled(path);
        let above =
            || path.ancestors().skip(usize::from(!path.is_dir())).take_while(|above| !holds_home(above));
        for folder in above() {
            for packages in PACKAGES_ABOVE.map(|name| folder.join(name)).iter().filter(|it| it.is_dir()) {
                self.add_whole(packages, 0);
            }
        }
        if let Some(root) = above().find(|above| PROJECT_MARKS.iter().any(|mark| above.join(mark).exists())) {
            self.add_entries_but(root, is_left_out);
        }
    }
}

/// The folders of packages that the user has installed. Looked up once, because every start of a program needs them.
pub(super) static OF_USER: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let Some(base) = python_base() else { return Vec::new() };
    let versions = fs::read_dir(base.join("lib")).into_iter().flatten().flatten();
    let packages = versions.map(|version| version.path().join(PYTHON_PACKAGES));
    packages.filter(|packages| packages.is_dir()).collect()
});

/// Returns the environment variable that tells runtimes about these packages, if there are any.
pub(crate) fn variable() -> Option<(String, String)> {
    let base = python_base().filter(|_| !OF_USER.is_empty())?;
    Some((PYTHON_BASE_VARIABLE.to_owned(), base.into_os_string().into_string().ok()?))
}

fn python_base() -> Option<PathBuf> {
    let own = env::var_os(PYTHON_BASE_VARIABLE).map(PathBuf::from);
    own.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(PYTHON_BASE)))
}

/// Returns true for entries of a project's root that stay closed: hidden ones, such as `.env` and `.git`, and Cargo's
/// large build folder.
fn is_left_out(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name == "target"
}

//! Files that a program usually needs although its command does not name them: the project around it, and packages that
//! the user has installed. A strict sandbox opens none of them.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::contain::paths::found::Found;
use crate::contain::paths::private::{holds_home, settled};
use crate::contain::paths::programs::INSTALLED_DEPTH_MAX;
use crate::contain::paths::shown::Reason;

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
/// An environment variable that tells a runtime where packages of the user are. A bot has another home, so it also gets
/// the value that the runtime assumes.
struct Variable {
    name: &'static str,
    /// The value if the user has not set the variable: these texts, joined. `~` stands for the home, `*` for each name
    /// in the folder before it. Texts that name no existing folder are left out.
    default: &'static [&'static str],
    /// The end of that value.
    end: &'static str,
    /// The part of each folder in the value that a bot may read.
    below: &'static str,
}

const VARIABLES: [Variable; 12] = [
    // pip install --user
    Variable { below: "lib/*/site-packages", ..with_default("PYTHONUSERBASE", &["~/.local"], "") },
    // gem install --user-install. The colon at the end stands for Ruby's own folders.
    with_default("GEM_PATH", &["~/.local/share/gem/ruby/*:", "~/.gem/ruby/*:"], ""),
    // luarocks install --local. Two semicolons stand for Lua's own folders.
    with_default("LUA_PATH", &["~/.luarocks/share/lua/*/?.lua;~/.luarocks/share/lua/*/?/init.lua;"], ";"),
    with_default("LUA_CPATH", &["~/.luarocks/lib/lua/*/?.so;"], ";"),
    // cpanm --local-lib
    with_default("PERL5LIB", &["~/perl5/lib/perl5"], ""),
    // Programs of .NET that were built and not published
    with_default("NUGET_PACKAGES", &["~/.nuget/packages"], ""),
    with_default("PYTHONPATH", &[], ""),
    with_default("NODE_PATH", &[], ""),
    with_default("RUBYLIB", &[], ""),
    with_default("CLASSPATH", &[], ""),
    with_default("JAVA_HOME", &[], ""),
    with_default("DOTNET_ROOT", &[], ""),
];

const fn with_default(name: &'static str, default: &'static [&'static str], end: &'static str) -> Variable {
    Variable { name, default, end, below: "" }
}

impl Variable {
    fn value(&self) -> Option<String> {
        let own = env::var(self.name).ok().filter(|value| !value.is_empty());
        own.or_else(|| {
            let texts = self.default.iter().flat_map(|text| expanded(text));
            let found: String = texts.filter(|text| !self.folders(text).is_empty()).collect();
            Some(found + self.end).filter(|value| value != self.end)
        })
    }

    /// Returns the existing files and folders that the value names with absolute paths.
    fn folders(&self, value: &str) -> Vec<PathBuf> {
        let parts = value.split([':', ';']).map(|part| part.split('?').next().unwrap_or_default());
        let parts = parts.filter(|part| part.starts_with('/'));
        let below = |part: &str| match self.below {
            "" => vec![part.to_owned()],
            below => expanded(&format!("{part}/{below}")),
        };
        parts.flat_map(below).map(PathBuf::from).filter(|path| path.exists()).collect()
    }
}

/// Returns the text with the home in place of `~`: once for each name that can stand for `*`, in the order of names.
fn expanded(text: &str) -> Vec<String> {
    let home = if text.contains('~') { env::var("HOME").unwrap_or_default() } else { String::new() };
    let text = text.replace('~', &home);
    let Some((folder, _)) = text.split_once('*') else { return vec![text] };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names.iter().map(|name| text.replace('*', name)).collect()
}

impl Found<'_> {
    /// Adds the project around this file or folder of the bot.
    pub(super) fn add_project(&mut self, path: &Path) {
        let path = settled(path);
        let above =
            || path.ancestors().skip(usize::from(!path.is_dir())).take_while(|above| !holds_home(above));
        for folder in above() {
            for packages in PACKAGES_ABOVE.map(|name| folder.join(name)).iter().filter(|it| it.is_dir()) {
                self.reason = Reason::PackagesAbove;
                self.add_whole(packages, 0);
            }
        }
        if let Some(root) = above().find(|above| PROJECT_MARKS.iter().any(|mark| above.join(mark).exists())) {
            self.reason = Reason::Project;
            self.add_entries_but(root, is_left_out);
        }
    }

    /// Adds the packages that the user has installed.
    pub(super) fn add_user_packages(&mut self) {
        self.reason = Reason::UserPackages;
        for path in OF_USER.iter().flat_map(|(_, _, folders)| folders) {
            match path.is_dir() {
                true => drop(self.add_whole(path, INSTALLED_DEPTH_MAX)),
                false if !self.is_shared(&settled(path)) => self.add(path),
                false => {}
            }
        }
    }
}

/// The variables of [`VARIABLES`] that have a value on this machine: name, value, and the files and folders that they
/// open. Looked up once, because every start of a program needs them.
static OF_USER: LazyLock<Vec<(&str, String, Vec<PathBuf>)>> = LazyLock::new(|| {
    let found = VARIABLES.iter().filter_map(|variable| {
        let value = variable.value()?;
        let folders = variable.folders(&value);
        Some((variable.name, value, folders))
    });
    found.filter(|(_, _, folders)| !folders.is_empty()).collect()
});

/// Returns the environment variables that tell runtimes about packages of the user.
pub(crate) fn variables() -> impl Iterator<Item = (String, String)> {
    OF_USER.iter().map(|(name, value, _)| ((*name).to_owned(), value.clone()))
}

/// Returns true for entries of a project's root that stay closed: hidden ones, such as `.env` and `.git`, and Cargo's
/// large build folder.
fn is_left_out(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name == "target"
}

//! Lists the files and folders from which the arena works out what a bot may read. The command names some of them, and
//! programs usually need the others. Another module decides what the bot gets of each.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::command::{Command, OWN_EXECUTABLE, search};
use crate::confine::files::is_of_the_system;
use crate::confine::paths::claims::{arguments, interpreters, programs_of_text};
use crate::confine::paths::packages::{OF_USER, Packages};
use crate::confine::paths::private::{holds_home, place, settled, version_of};

/// Files and folders that mark the root of a project, separated by blanks.
const PROJECT_MARKS: &str = ".git .hg CMakeLists.txt Cargo.toml Gemfile Makefile build.gradle build.sbt composer.json \
    dune-project go.mod meson.build mix.exs package.json pom.xml pyproject.toml requirements.txt setup.py stack.yaml \
    uv.lock";
/// Folders of packages. Runtimes search every folder above the program for them.
const PACKAGES_ABOVE: [&str; 3] = ["node_modules", ".venv", "venv"];
/// Folders in which administrators install interpreters.
const INSTALLED: [&str; 2] = ["/home/linuxbrew/.linuxbrew", "/opt"];
/// Folders of a home in which version managers install interpreters, separated by blanks.
const INSTALLED_AT_HOME: &str = ".asdf .bun .cargo/bin .deno .dotnet .elan .fnm .ghcup .goenv .jenv .juliaup \
    .local/bin .local/share/fnm .local/share/mise .local/share/swiftly .local/share/uv/python .nodenv .nvm .opam .phpenv \
    .pyenv .rbenv .rustup/toolchains .rvm .sdkman/candidates .volta anaconda3 mambaforge miniconda3 miniforge3";

/// A file or folder from which the search for readable files starts.
pub(super) struct Root {
    pub(super) path: PathBuf,
    /// The reason for everything that the root opens.
    pub(super) reason: Reason,
    pub(super) extent: Extent,
}

/// The files that a root opens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The file or folder itself, without any check.
    Itself,
    /// The file or folder itself, unless it is hidden from the bot or holds a home.
    Unclaimed,
    /// The whole folder, or its entries that hold nothing private.
    Folder,
    /// The whole folder or nothing. It is not searched for results.
    Packages,
    /// The entries of the folder that hold nothing private, without hidden ones such as `.env`.
    Project,
    /// The entries that the user allows, except for hidden ones.
    Granted,
    /// The installation of a program, or the folder with the program.
    Installation,
    /// A program with its installation, unless it is hidden from the bot.
    Installed,
    /// The target of a link that the bot may have made. A strict sandbox refuses it.
    Link,
}

/// The reason why a bot may read a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The bot's program, its interpreter, and the files of their installations.
    Program,
    /// The executable of the arena itself, which scripts around bundled bots start.
    Arena,
    /// An argument of the command names it, or a file next to it.
    Named,
    /// The bot starts there.
    WorkingDirectory,
    /// The user allowed it.
    Granted,
    /// It belongs to the project around the bot's files.
    Project,
    /// It is a folder of packages above the bot's files.
    PackagesAbove,
    /// The user has installed packages there.
    UserPackages,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Program => "its program, and the installation of the program",
            Reason::Arena => "the arena's own program",
            Reason::Named => "named in its command, or next to a file named there",
            Reason::WorkingDirectory => "its working directory",
            Reason::Granted => "allowed by --read, or by \"read\" in a league file",
            Reason::Project => "the project around its files",
            Reason::PackagesAbove => "packages in a folder above its files",
            Reason::UserPackages => "packages that you have installed for yourself",
        })
    }
}

/// Returns the roots of a command, in the order in which they are added. A strict sandbox opens nothing around the bot.
/// Links and interpreters come last: the bot may choose them, so it matters what the other roots have opened.
pub(super) fn roots(command: &Command, is_strict: bool) -> Vec<Root> {
    let mut roots = Vec::new();
    let mut add = |reason, extent, path: &Path| roots.push(Root { path: path.to_owned(), reason, extent });
    let arena = std::env::current_exe().ok();
    // A program that was found on the search path is installed. The host has chosen it, even if it is a link.
    let is_path = search::is_path(OsStr::new(&command.argv[0]));
    let of_text = programs_of_text(command).into_iter().map(|program| (program, true));
    let programs = command.program().into_iter().map(|program| (program, is_path)).chain(of_text);
    let dir = command.dir.as_deref();
    // The words of a hand-in are its author's, who names any file.
    let version = dir.and_then(version_of);
    let is_own = |path: &Path| version.as_ref().is_none_or(|version| settled(path).starts_with(version));
    // The arena's own program opens nothing around it, such as the repository in which it was built.
    let is_arena = |program: &Path| arena.as_deref() == Some(program) || program == Path::new(OWN_EXECUTABLE);
    let programs: Vec<_> =
        programs.filter(|(program, is_path)| !is_arena(program) && (!is_path || is_own(program))).collect();
    let by_path = || programs.iter().filter(|(_, is_path)| *is_path).map(|(program, _)| program);
    let named: Vec<PathBuf> = arguments(command).into_iter().filter(|path| is_own(path)).collect();

    for (program, is_path) in &programs {
        let real = settled(program);
        add(Reason::Program, Extent::Installation, program);
        if !is_path || place(program) == real {
            add(Reason::Program, Extent::Installation, &real);
            add(Reason::Program, Extent::Itself, &real);
        }
    }
    // Scripts around bundled bots execute the arena's own program. It is no secret, but the files next to it may be.
    arena.iter().for_each(|arena| add(Reason::Arena, Extent::Itself, arena));
    for path in &named {
        let (place, real) = (place(path), settled(path));
        // A file brings its folder. The target of a link is added last.
        match place.parent().filter(|_| !real.is_dir()) {
            Some(folder) => add(Reason::Named, Extent::Folder, folder),
            None if place == real => add(Reason::Named, Extent::Folder, &real),
            None => continue,
        }
        if place == real && !real.is_dir() {
            add(Reason::Named, Extent::Itself, &real);
        }
    }
    dir.iter().for_each(|dir| add(Reason::WorkingDirectory, Extent::Folder, dir));
    command.rights.read.iter().for_each(|path| add(Reason::Granted, Extent::Granted, path));
    if !is_strict {
        let program = by_path().map(PathBuf::as_path).filter(|program| !is_of_the_system(&settled(program)));
        let own = named.iter().map(PathBuf::as_path).chain(dir).chain(program);
        own.flat_map(around).for_each(|(reason, extent, path)| add(reason, extent, &path));
        for Packages { paths, are_whole, .. } in OF_USER.iter() {
            for path in paths {
                let of_folder = if *are_whole { Extent::Packages } else { Extent::Project };
                let extent = if path.is_dir() { of_folder } else { Extent::Unclaimed };
                add(Reason::UserPackages, extent, path);
            }
        }
    }
    let is_away = |link: &&PathBuf| {
        let real = settled(link);
        place(link) != real && !is_of_the_system(&real)
    };
    named.iter().filter(is_away).for_each(|link| add(Reason::Named, Extent::Link, link));
    by_path().filter(is_away).for_each(|link| add(Reason::Program, Extent::Link, link));
    // The bot has written the first of the lines that name them, and could name any file that it wants to read.
    let interpreters =
        programs.iter().filter(|_| !is_strict).flat_map(|(file, _)| interpreters(file, command));
    let installed = interpreters.flat_map(|interpreter| installed(&interpreter, is_own_home));
    installed.for_each(|interpreter| add(Reason::Program, Extent::Installed, &interpreter));
    roots
}

/// Returns the folders of packages above a file or folder of the bot, and the root of the project around it.
fn around(path: &Path) -> Vec<(Reason, Extent, PathBuf)> {
    let path = settled(path);
    let above = || path.ancestors().skip(usize::from(!path.is_dir())).take_while(|above| !holds_home(above));
    let packages = above().flat_map(|folder| PACKAGES_ABOVE.map(|name| folder.join(name)));
    let packages = packages.filter(|folder| folder.is_dir());
    let packages = packages.map(|folder| (Reason::PackagesAbove, Extent::Packages, folder));
    let is_marked = |folder: &&Path| PROJECT_MARKS.split(' ').any(|mark| folder.join(mark).exists());
    let project = above().find(is_marked).map(|root| (Reason::Project, Extent::Project, root.to_owned()));
    packages.chain(project).collect()
}

/// Returns the places of an executable, as a link and as a file, that are in a folder of installed interpreters, of the
/// machine or of a home.
pub(super) fn installed(program: &Path, is_home: fn(&Path) -> bool) -> Vec<PathBuf> {
    let is_installed = |path: &PathBuf| {
        let at_home =
            |folder| path.ancestors().any(|home| path.starts_with(home.join(folder)) && is_home(home));
        INSTALLED.iter().any(|folder| path.starts_with(folder)) || INSTALLED_AT_HOME.split(' ').any(at_home)
    };
    let real = settled(program);
    let is_program = search::is_executable(&real);
    [place(program), real].into_iter().filter(|path| is_program && is_installed(path)).collect()
}

/// Returns true if this canonical path is the home of the arena's user.
pub(super) fn is_own_home(folder: &Path) -> bool {
    std::env::var_os("HOME").is_some_and(|home| settled(Path::new(&home)) == folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_around_the_arena_is_searched() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let program = folder.path().join("bot");
        std::fs::copy("/bin/sh", &program).expect("a copy");
        std::fs::write(folder.path().join("Makefile"), "").expect("a file");
        // The program of this test lies in the target folder of a project, too.
        for (program, is_searched) in [(Path::new(OWN_EXECUTABLE), false), (&program, true)] {
            let command = Command::new("bot", [program.to_str().expect("it is UTF-8")]).expect("a program");
            let reasons: Vec<_> = roots(&command, false).into_iter().map(|root| root.reason).collect();
            assert_eq!(reasons.iter().any(|one| matches!(one, Reason::Program)), is_searched);
            assert_eq!(reasons.iter().any(|one| matches!(one, Reason::Project)), is_searched);
        }
    }
}

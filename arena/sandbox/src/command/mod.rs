//! The description of how to start a bot, as plain data.

pub(crate) mod error;
pub(crate) mod first_line;
pub(crate) mod folders;
pub(crate) mod rights;
pub(crate) mod search;
pub(crate) mod shim;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::command::error::CommandError;
use crate::command::first_line::FirstLine;
use crate::command::folders::Hidden;
use crate::command::rights::Rights;
use crate::confine::held::Held;

/// The maximum of the stderr that is kept of one process, in bytes: half of it from the beginning, half from the end.
pub const STDERR_BYTES_MAX: usize = 128 * 1024;
/// The executable of the current process. It remains valid after a new build replaces the file.
pub(crate) const OWN_EXECUTABLE: &str = "/proc/self/exe";

/// A bot's name and how to start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The name used in messages.
    pub name: String,
    /// The program and its arguments, never empty. A program without a slash is searched on the `PATH` that the bot
    /// gets. A relative program with a slash is resolved against the arena's working directory when the command is
    /// made, before `dir` applies.
    pub argv: Vec<String>,
    /// The bot's working directory, relative to the arena's; the arena's own if `None`.
    pub dir: Option<PathBuf>,
    /// Variables added to its environment.
    pub env: Vec<(String, String)>,
    /// The resources and permissions of the bot.
    pub rights: Rights,
    /// The size in bytes by which each folder that it may write may grow. Without it, only single files are limited.
    pub growth_bytes: Option<u64>,
    /// The paths of others, which the bot must not see only because they are near its own files.
    pub hidden: Arc<Hidden>,
    /// The copies of its files with which it starts. They need the read-only layer.
    pub held: Vec<Held>,
    /// True if no argument is a path, even if there is a file of that name.
    pub has_no_paths: bool,
    /// True if the command is from a stranger, so that the sandbox shows the bot nothing around its own files.
    pub is_foreign: bool,
    /// True if the bot is stopped after each answer until the next line for it, even if the host freezes no bots.
    pub stops: bool,
}

impl Command {
    /// Returns a command in the arena's directory and environment, with default limits.
    ///
    /// # Errors
    /// `argv` is empty or its program is the empty word; or the working directory is needed to resolve a relative
    /// program and cannot be read.
    pub fn new(
        name: impl Into<String>,
        argv: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, CommandError> {
        let mut argv: Vec<String> = argv.into_iter().map(Into::into).collect();
        let program = argv.first_mut().filter(|program| !program.is_empty());
        let program = program.ok_or(CommandError::Empty)?;
        if search::is_path(program.as_ref()) {
            let path = absolute(Path::new(program.as_str()))?;
            // Lossless: the word and the path that it was joined to are both UTF-8 here.
            *program = path.into_os_string().into_string().map_err(|_| CommandError::NotUtf8)?;
        }
        Ok(Command {
            name: name.into(),
            argv,
            dir: None,
            env: Vec::new(),
            rights: Rights::default(),
            growth_bytes: None,
            hidden: Arc::default(),
            held: Vec::new(),
            has_no_paths: false,
            is_foreign: false,
            stops: false,
        })
    }

    /// Splits `text` into words as a shell would, quotes and backslashes included, but expands nothing: no variables,
    /// no patterns, no home directory.
    ///
    /// # Errors
    /// A quote is not closed, and all errors of [`Command::new`].
    pub fn parse(name: impl Into<String>, text: &str) -> Result<Self, CommandError> {
        Self::parse_in(name, text, None)
    }

    /// Splits `text` as [`Command::parse`] does, and resolves a relative program against `base` if it is given.
    ///
    /// # Errors
    /// As [`Command::parse`]; and a `base` that is not UTF-8.
    pub fn parse_in(name: impl Into<String>, text: &str, base: Option<&Path>) -> Result<Self, CommandError> {
        let mut argv =
            shell_words::split(text).map_err(|_| CommandError::Unbalanced { text: text.to_owned() })?;
        if let (Some(base), Some(program)) = (base, argv.first_mut())
            && search::is_path(program.as_ref())
        {
            let path = base.join(program.as_str());
            *program = path.into_os_string().into_string().map_err(|_| CommandError::NotUtf8)?;
        }
        Self::new(name, argv)
    }

    /// Returns the search path of the bot: its own `PATH`, or else the arena's.
    pub(crate) fn search_path(&self) -> Option<OsString> {
        let own = self.env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, path)| path.into());
        own.or_else(|| std::env::var_os("PATH"))
    }

    /// Returns the file that the bot executes under this name, found on its search path.
    pub(crate) fn find(&self, name: &OsStr) -> Option<PathBuf> {
        let all = search::candidates(name, self.search_path().as_deref());
        all.into_iter().find(|path| search::is_executable(path))
    }

    /// Returns the file that the command executes.
    pub fn program(&self) -> Option<PathBuf> {
        self.find(OsStr::new(&self.argv[0]))
    }

    /// Returns the folder in which the bot starts, or `None` if the arena's own folder is gone.
    pub(crate) fn start_folder(&self) -> Option<PathBuf> {
        self.dir.clone().or_else(|| std::env::current_dir().ok())
    }

    /// Returns true if the program is a word that means something to shells alone, such as `cd` or `LEVEL=3`.
    pub fn needs_shell(&self) -> bool {
        const OF_SHELLS: [&str; 8] = ["cd", "source", ".", "export", "set", "exec", "ulimit", "alias"];
        let program = &self.argv[0];
        let is_setting = program.contains('=') && !program.contains('/');
        is_setting || OF_SHELLS.contains(&program.as_str())
    }

    /// Returns true if the program is a script whose first line ends as on Windows. Its interpreter is then not found.
    pub fn has_wrong_line_ends(&self) -> bool {
        let line = self.program().and_then(|file| FirstLine::of(&file));
        line.is_some_and(|line| line.bytes().ends_with(b"\r"))
    }
}

/// Returns the absolute path, without any access to that path in the file system.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, CommandError> {
    std::path::absolute(path).map_err(|source| CommandError::WorkingDirectory { source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_program_is_resolved_and_a_name_is_not() {
        let here = std::env::current_dir().expect("the tests run in a directory");
        let command = Command::parse("a", "bots/x --level '3 4'").expect("balanced");
        assert_eq!(command.argv[0], here.join("bots/x").to_str().expect("UTF-8"));
        assert_eq!(command.argv[1..], ["--level", "3 4"]);
        assert_eq!(Command::parse("a", "python3 x.py").expect("balanced").argv[0], "python3");
    }

    #[test]
    fn nothing_to_start_is_refused() {
        assert!(matches!(Command::parse("a", "  "), Err(CommandError::Empty)));
        assert!(matches!(Command::parse("a", "''"), Err(CommandError::Empty)));
        assert!(matches!(Command::parse("a", "x 'y"), Err(CommandError::Unbalanced { .. })));
    }
}

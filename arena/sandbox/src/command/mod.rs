//! How a bot is started, as plain data.

pub mod error;
pub(crate) mod explain;
pub mod folders;
pub mod search;
pub mod shim;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::command::error::CommandError;
use crate::command::folders::Hidden;

/// The most stderr kept of one process by default, in bytes: half of it from the beginning, half
/// from the end.
pub(crate) const STDERR_BYTES_MAX_DEFAULT: usize = 128 * 1024;

/// A bot's name and how to start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The name used in messages.
    pub name: String,
    /// The program and its arguments, never empty. A program without a slash is looked for on the
    /// `PATH` that the bot gets. A relative program with a slash is resolved against the arena's
    /// working directory when the command is made, before `dir` applies.
    pub argv: Vec<String>,
    /// The bot's working directory; the arena's own if none. Relative to the arena's.
    pub dir: Option<PathBuf>,
    /// Variables added to its environment.
    pub env: Vec<(String, String)>,
    /// What it may use.
    pub limits: ProcessLimits,
    /// What it may do where it is contained.
    pub rights: Rights,
    /// What it must not be shown by the way, because it is others'.
    pub hidden: Arc<Hidden>,
}

/// What a contained bot may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    /// Processes and threads at a time.
    pub processes_max: u64,
    /// What its scratch folder may hold, in bytes; no file may be larger.
    pub scratch_bytes_max: u64,
    /// Files and folders that it may read, beside the system's and what its command names; absolute.
    pub read: Vec<PathBuf>,
    /// Folders that it may write, and read; absolute. What it leaves there outlives it.
    pub write: Vec<PathBuf>,
    /// Whether it may use the network.
    pub network: bool,
}

/// Enough for any runtime, which may have some threads for each core, and for little harm.
const PROCESSES_MAX_DEFAULT: u64 = 32;
const PROCESSES_PER_CORE: u64 = 8;
/// The scratch folder, in bytes.
const SCRATCH_BYTES_MAX_DEFAULT: u64 = 64 * 1024 * 1024;

impl Default for Rights {
    fn default() -> Self {
        Rights {
            processes_max: PROCESSES_MAX_DEFAULT + PROCESSES_PER_CORE * crate::system::cores::given() as u64,
            scratch_bytes_max: SCRATCH_BYTES_MAX_DEFAULT,
            read: Vec::new(),
            write: Vec::new(),
            network: false,
        }
    }
}

/// What one bot process, with everything it starts, may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Memory in bytes: the data segment of each process, and the resident memory of all of them
    /// together, which is looked at now and then. No limit if `None`.
    pub memory_bytes_max: Option<u64>,
    /// How much of stderr is kept, in bytes, head and tail together.
    pub stderr_bytes_max: usize,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        ProcessLimits { memory_bytes_max: None, stderr_bytes_max: STDERR_BYTES_MAX_DEFAULT }
    }
}

impl Command {
    /// A command in the arena's directory and environment, with default limits.
    ///
    /// # Errors
    /// `argv` is empty or its program is the empty word; or the working directory is needed to
    /// resolve a relative program and cannot be read.
    pub fn new(
        name: impl Into<String>,
        argv: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, CommandError> {
        let mut argv: Vec<String> = argv.into_iter().map(Into::into).collect();
        let program = argv.first_mut().filter(|program| !program.is_empty());
        let program = program.ok_or(CommandError::Empty)?;
        if search::is_path(program.as_ref()) {
            let path = absolute(Path::new(program.as_str()))?;
            // Lossless: both the word and what it was joined to must be UTF-8 to get here.
            *program = path.into_os_string().into_string().map_err(|_| CommandError::NotUtf8)?;
        }
        Ok(Command {
            name: name.into(),
            argv,
            dir: None,
            env: Vec::new(),
            limits: ProcessLimits::default(),
            rights: Rights::default(),
            hidden: Arc::default(),
        })
    }

    /// Splits `text` into words as a shell would, quotes and backslashes included, but expands
    /// nothing: no variables, no patterns, no home directory.
    ///
    /// # Errors
    /// A quote is not closed, and whatever [`Command::new`] refuses.
    pub fn parse(name: impl Into<String>, text: &str) -> Result<Self, CommandError> {
        Self::parse_in(name, text, None)
    }

    /// The same with a relative program resolved against `base`, where there is one.
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
}

/// The path from the root, without asking the file system about it.
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

//! What a bot may use: memory, processes, disk, files, and the network.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The resources and permissions of one bot. An empty field means the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Rights {
    /// The memory limit of the bot and its child processes, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The largest number of processes and threads at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// The size limit of the scratch folder, in bytes. No file may be larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scratch_bytes: Option<u64>,
    /// The largest number of open files of each process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u64>,
    /// Additional files and folders that the bot may read, as absolute paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<PathBuf>,
    /// Additional folders that the bot may write to, as absolute paths. Their files outlive the bot.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<PathBuf>,
    /// True if the bot may use the network.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
}

/// The default number of processes: enough for any runtime, which may have several threads for each core, but too few
/// to do much harm.
const PROCESSES_DEFAULT: u64 = 32;
const PROCESSES_PER_CORE: u64 = 8;
/// The default number of open files of a process: enough for any runtime, but too few to use up those that the kernel
/// has for a user.
const OPEN_FILES_DEFAULT: u64 = 256;
/// The default size limit of the scratch folder, in bytes.
const SCRATCH_BYTES_DEFAULT: u64 = 64 * 1024 * 1024;

impl Rights {
    /// Returns true if all fields are empty.
    pub fn is_empty(&self) -> bool {
        *self == Rights::default()
    }

    /// Returns the largest number of processes and threads, which is 32 and 8 for each core by default.
    pub fn processes_max(&self) -> u64 {
        let default =
            || PROCESSES_DEFAULT + PROCESSES_PER_CORE * crate::system::cores::given_to_thread() as u64;
        self.processes.unwrap_or_else(default)
    }

    /// Returns the largest number of open files of a process, which is 256 by default.
    pub fn open_files_max(&self) -> u64 {
        self.open_files.unwrap_or(OPEN_FILES_DEFAULT)
    }

    /// Returns the size limit of the scratch folder in bytes, which is 64 MiB by default.
    pub fn scratch_bytes_max(&self) -> u64 {
        self.scratch_bytes.unwrap_or(SCRATCH_BYTES_DEFAULT)
    }
}

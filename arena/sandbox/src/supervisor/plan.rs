//! The plan that the arena sends to a supervisor over its socket: a length and JSON. Both ends are the same
//! executable, so the format has no version.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::DEBUG_VARIABLES;
use crate::confine::SandboxSpec;
use crate::confine::held::Held;

/// The maximum size of a plan in bytes. A longer plan does not come from the arena.
const PLAN_BYTES_MAX: u32 = 64 * 1024 * 1024;

/// All values that a supervisor needs in addition to its socket and the bot's three standard streams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// The sandbox layers to try.
    pub(crate) spec: SandboxSpec,
    /// The copies of the bot's files.
    pub(crate) held: Vec<Held>,
    /// The soft limit of open files that the bot gets back.
    pub(crate) open_files_soft: Option<u64>,
    /// The cores for the bot, which are the cores of the thread that requests it. Empty means any core.
    pub(crate) cores: Vec<usize>,
    /// True if the bot gets a session of its own, and not only a process group.
    pub(crate) session: bool,
    /// True if the supervisor traces the bot's system calls.
    pub(crate) traces: bool,
    /// The bot's working directory, absolute.
    pub(crate) dir: Option<PathBuf>,
    /// The time that the bot's remaining processes have to end before they count as left running.
    pub(crate) linger: Duration,
    /// True if the bot gets the arena's environment, which `env` extends and overrides.
    pub(crate) inherits: bool,
    /// Variables for the bot; the last one of a name counts.
    pub(crate) env: Vec<(String, String)>,
    /// The program and its arguments; never empty.
    pub(crate) argv: Vec<String>,
}

impl Plan {
    /// Returns the bytes from which `Plan::read` reads the plan.
    ///
    /// # Errors
    /// A path that is not UTF-8.
    pub(crate) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let json = serde_json::to_vec(self)?;
        let length = u32::try_from(json.len()).map_err(io::Error::other)?;
        Ok([&length.to_le_bytes()[..], &json].concat())
    }

    /// Reads a plan. Returns an error if the arena has ended or another program wrote to the socket.
    pub(super) fn read(mut from: &UnixStream) -> io::Result<Self> {
        let mut length = [0; 4];
        from.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > PLAN_BYTES_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut json = vec![0; length as usize];
        from.read_exact(&mut json)?;
        let plan: Plan = serde_json::from_slice(&json)?;
        if plan.argv.is_empty() { Err(io::ErrorKind::InvalidData.into()) } else { Ok(plan) }
    }

    /// Writes the bytes of a plan, as made by [`Plan::to_bytes`].
    pub(crate) fn send(bytes: &[u8], mut to: &UnixStream) -> io::Result<()> {
        to.write_all(bytes)
    }

    /// Returns the bot's environment, with the scratch folder as its home if it has one. [`DEBUG_VARIABLES`] are never
    /// in it, because they would turn a bot away from its stdin.
    pub(super) fn environment(&self, scratch: Option<&OsStr>) -> Vec<(OsString, OsString)> {
        let mut all: Vec<(OsString, OsString)> =
            if self.inherits { std::env::vars_os().collect() } else { Vec::new() };
        let scratch =
            scratch.into_iter().flat_map(|path| ["HOME", "TMPDIR"].map(|name| (name.into(), path.into())));
        let own = self.env.iter().map(|(name, value)| (name.into(), value.into()));
        for (name, value) in scratch.chain(own) {
            all.retain(|(known, _)| *known != name);
            all.push((name, value));
        }
        all.retain(|(name, _)| !DEBUG_VARIABLES.iter().any(|variable| name == variable));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::rights::Rights;
    use crate::confine::Layers;

    fn plan() -> Plan {
        let spec = SandboxSpec {
            layers: Layers::ALL,
            rights: Rights {
                memory_bytes: Some(7),
                processes: Some(3),
                scratch_bytes: Some(9),
                open_files: Some(6),
                read: vec!["/opt/x".into()],
                write: vec!["/opt/y".into()],
                network: false,
            },
            group_bytes_max: Some(8),
            growth_bytes: Some(5),
            list: Vec::new(),
            reads_closed: true,
            shares_network: false,
        };
        Plan {
            spec,
            held: vec![Held { place: "/b".into(), copy: "/c".into(), through: vec!["/b/x".into()] }],
            open_files_soft: None,
            cores: vec![1],
            session: true,
            traces: true,
            dir: Some("/tmp".into()),
            linger: Duration::from_millis(5),
            inherits: false,
            env: vec![("A".into(), "1".into()), ("HOME".into(), "/h".into()), ("A".into(), "2".into())],
            argv: vec!["prog".into(), "two words".into()],
        }
    }

    #[test]
    fn bytes_read_back_as_the_plan() {
        let (one, other) = UnixStream::pair().expect("a pair of sockets");
        Plan::send(&plan().to_bytes().expect("UTF-8"), &one).expect("it fits");
        assert_eq!(Plan::read(&other).expect("whole"), plan());
        Plan::send(&[4, 0, 0, 0, b'n', b'u', b'l', b'l'], &one).expect("it fits");
        assert!(Plan::read(&other).is_err());
        drop(one);
        assert!(Plan::read(&other).is_err());
    }

    #[test]
    fn what_the_entry_names_stands_above_the_scratch_folder() {
        let env = plan().environment(Some(OsStr::new("/scratch")));
        let expected = [("TMPDIR", "/scratch"), ("HOME", "/h"), ("A", "2")];
        assert_eq!(env, expected.map(|(name, value)| (name.into(), value.into())));
    }
}

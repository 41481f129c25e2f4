//! `tournament.json`: everything that determines a tournament, and where it ran.

use std::path::Path;

use engine::game::{Game, Setup};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::clock::TimeControl;
use crate::entrants::Identity;
use crate::error::Error;
use crate::record::hex;

/// Name of the file in a tournament's directory.
pub const TOURNAMENT: &str = "tournament.json";
/// The version of the files in a tournament's directory.
const FORMAT: u32 = 1;

/// The file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TournamentFile<G: Game> {
    /// The version of this file and of the journal beside it.
    pub format: u32,
    /// The digest of everything in `plan`.
    pub plan_digest: String,
    /// What determines the tournament.
    #[serde(flatten)]
    pub plan: Plan<G>,
    /// Where it ran.
    pub host: HostInfo,
}

/// What determines a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Plan<G: Game> {
    /// Name of the game.
    pub game: String,
    /// Who meets whom.
    pub schedule: ScheduleName,
    /// The seed from which all others come.
    pub seed: u64,
    /// Number of deals.
    pub rounds: u64,
    /// Seats at a table.
    pub seats: usize,
    /// The time limits.
    pub limits: TimeControl,
    /// Memory of each bot, in bytes, if it is limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The bots.
    pub bots: Vec<Identity>,
    /// Rules, and components where they are not the standard ones.
    #[serde(flatten)]
    pub setup: G::Setup,
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScheduleName {
    /// Every combination of bots on every deal.
    RoundRobin,
}

/// The machine on which a tournament ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostInfo {
    /// Version of the arena.
    pub arena: String,
    /// Name of the machine.
    pub name: String,
    /// Operating system and architecture.
    pub system: String,
    /// Cores that the arena could use.
    pub cores: usize,
}

impl HostInfo {
    /// This machine.
    pub fn here() -> HostInfo {
        let uname = rustix::system::uname();
        HostInfo {
            arena: env!("CARGO_PKG_VERSION").to_owned(),
            name: uname.nodename().to_string_lossy().into_owned(),
            system: format!("{} {}", uname.sysname().to_string_lossy(), uname.machine().to_string_lossy()),
            cores: cores(),
        }
    }
}

/// Cores that this process may use, its affinity mask and quotas respected.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl<G: Game> TournamentFile<G> {
    /// The file for a plan on this machine.
    pub fn new(mut plan: Plan<G>) -> TournamentFile<G> {
        plan.setup = plan.setup.abridged();
        TournamentFile { format: FORMAT, plan_digest: plan.digest(), plan, host: HostInfo::here() }
    }
}

impl<G: Game> Plan<G> {
    /// The first half of the SHA-256 of the plan's JSON, as 32 hexadecimal digits.
    pub fn digest(&self) -> String {
        let json = serde_json::to_vec(self).expect("a plan is plain data");
        hex(&Sha256::digest(json)[..16])
    }
}

/// What the tables need of a tournament's file; reads that of any game.
#[derive(Clone, Debug, Deserialize)]
pub struct TournamentHead {
    /// Name of the game.
    pub game: String,
    /// The time limits.
    pub limits: TimeControl,
    /// The bots.
    pub bots: Vec<NamedBot>,
}

/// A bot's name.
#[derive(Clone, Debug, Deserialize)]
pub struct NamedBot {
    /// The name.
    pub name: String,
}

impl TournamentHead {
    /// Reads the file in `dir`.
    ///
    /// # Errors
    /// Where there is none or it is something else.
    pub fn read(dir: &Path) -> Result<TournamentHead, Error> {
        let path = dir.join(TOURNAMENT);
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Error::unreadable(&path, &error)
                .hint("name the directory of a tournament, such as results/doodle-1")
        })?;
        serde_json::from_str(&text)
            .map_err(|error| Error::usage(format!("{} is not a tournament's file: {error}", path.display())))
    }

    /// The names of the bots.
    pub fn names(&self) -> Vec<String> {
        self.bots.iter().map(|bot| bot.name.clone()).collect()
    }
}

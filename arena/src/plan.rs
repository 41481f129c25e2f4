//! `tournament.json`: everything that determines a tournament, and where it ran.

use std::path::Path;

use engine::game::{Game, Setup};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::clock::TimeControl;
use crate::entrants::Identity;
use crate::error::Error;
use crate::games::GameName;
use crate::record::hex;
use crate::schedule::RoundRobin;

/// Name of the file in a tournament's directory.
pub const TOURNAMENT: &str = "tournament.json";
/// The version of the files in a tournament's directory.
const FORMAT: u32 = 1;

/// The file: what determines a tournament, and where it ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(bound = "")]
#[cfg_attr(feature = "schema", schemars(bound = "G::Setup: schemars::JsonSchema"))]
pub struct TournamentFile<G: Game> {
    /// The version of this file and of the journal beside it.
    #[cfg_attr(feature = "schema", schemars(extend("const" = FORMAT)))]
    pub format: u32,
    /// The digest of everything that determines the tournament.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub plan_digest: String,
    /// What determines the tournament.
    #[serde(flatten)]
    pub plan: Plan<G>,
    /// Where it ran.
    pub host: HostInfo,
    /// What was changed on the way, by resuming with `--force`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

/// What determines a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(bound = "")]
#[cfg_attr(feature = "schema", schemars(bound = "G::Setup: schemars::JsonSchema"))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScheduleName {
    /// Every combination of bots on every deal.
    RoundRobin,
}

/// The machine on which a tournament ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
        TournamentFile {
            format: FORMAT,
            plan_digest: plan.digest(),
            plan,
            host: HostInfo::here(),
            changes: Vec::new(),
        }
    }
}

impl<G: Game> Plan<G> {
    /// The first half of the SHA-256 of the plan's JSON, as 32 hexadecimal digits. Where the bots'
    /// files lie on this machine is not in it, what is in them is.
    pub fn digest(&self) -> String {
        let mut plan = self.clone();
        for bot in &mut plan.bots {
            bot.dir = None;
            bot.files.iter_mut().for_each(|file| file.path.clear());
        }
        let json = serde_json::to_vec(&plan).expect("a plan is plain data");
        hex(&Sha256::digest(json)[..16])
    }
}

/// How a later plan differs from the one that was begun. More rounds and more bots do not count:
/// they extend it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// What would make earlier and later matches different things; can be forced.
    pub changes: Vec<String>,
    /// What the journal has and the later plan does not; cannot be forced.
    pub losses: Vec<String>,
}

impl<G: Game> Plan<G> {
    /// How `later` differs from this plan.
    pub fn differences(&self, later: &Plan<G>) -> Differences {
        let mut found = Differences::default();
        if self.seed != later.seed {
            found.losses.push(format!("the seed is {} instead of {}", later.seed, self.seed));
        }
        if self.seats != later.seats {
            found.losses.push(format!("{} seats instead of {}", later.seats, self.seats));
        }
        if self.rounds > later.rounds {
            found.losses.push(format!("{} rounds instead of {}", later.rounds, self.rounds));
        }
        if self.limits != later.limits {
            found.changes.push("the time limits differ".to_owned());
        }
        if self.memory_bytes != later.memory_bytes {
            found.changes.push("the memory limit differs".to_owned());
        }
        if self.setup.in_full() != later.setup.in_full() {
            found.changes.push("the rules or cards differ".to_owned());
        }
        for bot in &self.bots {
            match later.bots.iter().find(|other| other.name == bot.name) {
                None => found.losses.push(format!("the bot {:?} is missing", bot.name)),
                Some(other) => found.changes.extend(bot.difference(other)),
            }
        }
        found
    }
}

/// What the tables need of a tournament's file; reads that of any game.
#[derive(Clone, Debug, Deserialize)]
pub struct TournamentHead {
    /// The version of the file.
    pub format: u32,
    /// The digest of the plan.
    pub plan_digest: String,
    /// Name of the game.
    pub game: String,
    /// Number of deals.
    pub rounds: u64,
    /// Seats at a table.
    pub seats: usize,
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
        let wrong =
            |what: String| Error::usage(format!("{} is not a tournament's file: {what}", path.display()));
        let head: TournamentHead = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        match head.format {
            FORMAT => Ok(head),
            other => Err(wrong(format!("it is of version {other}, this arena knows version {FORMAT}"))),
        }
    }

    /// Who meets whom.
    ///
    /// # Errors
    /// A game that this program does not know.
    pub fn schedule(&self) -> Result<RoundRobin, Error> {
        let game = GameName::named(&self.game)
            .ok_or_else(|| Error::usage(format!("there is no game {:?}", self.game)))?;
        Ok(RoundRobin::new(self.bots.len(), self.seats, self.rounds, game.every_seat_each_deal()))
    }

    /// The names of the bots.
    pub fn names(&self) -> Vec<String> {
        self.bots.iter().map(|bot| bot.name.clone()).collect()
    }
}

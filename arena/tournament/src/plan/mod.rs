//! `tournament.json`: everything that determines a tournament, and the machine on which it ran.

pub mod commitment;
pub mod earlier;
pub mod hosts;
mod seeds;
pub mod stages;
pub mod tag;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use engine::game::Setup;
use engine::wire::WireFormat;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::journal::results;
use crate::schedule::{Field, OwnDeals, ScheduleName, ScheduleProgress, Settings};
use commitment::{Bound, Commitment};
use referee::bots::digests::FileDigest;
use referee::bots::identity::Identity;
use referee::bots::names::check_name;
use referee::difference::difference;
use referee::error::Error;
use referee::games::{GameKind, GameName};
use referee::note::note;
use referee::play::Position;
use referee::play::time_control::TimeControl;
use referee::record::hex;
use sandbox::cores;
pub use sandbox::selftest::Contained;
pub use seeds::{MatchSeeds, gives_own_deals};

/// The name of the file in a tournament's directory.
pub const TOURNAMENT: &str = sandbox::confine::paths::RESULTS_MARK;
/// The version of the files in a tournament's directory.
const FORMAT: u32 = 3;
/// The versions that this program reads and continues. In version 2, `challenger` was `hero`.
const FORMATS: [u32; 2] = [2, FORMAT];

/// The file `tournament.json`: the plan of the tournament, and the machine on which it ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TournamentFile<S> {
    /// The version of this file and of the journal in the same directory.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = FORMATS)))]
    pub format: u32,
    /// The digest of everything that determines the tournament.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub plan_digest: String,
    /// Everything that determines the tournament.
    #[serde(flatten)]
    pub plan: Plan<S>,
    /// The machine on which the tournament ran.
    pub host: HostInfo,
    /// The sandbox of the bots: the weakest level of all runs and shards, and the layers that held in all of
    /// them. `None` if a shard does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment: Option<Contained>,
    /// True if bots that join are never solitary (`--no-solitary`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_solitary: bool,
    /// The title of the tournament's pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text below the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// When the tournament is, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dates: Option<String>,
    /// The changes made by resuming with `--force`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The bots that took part until they were withdrawn (`--without`). Their matches count for nobody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn: Vec<Identity>,
    /// The bots that could not start and were left out (`--skip-broken`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// The bots whose files were others when the tournament went on. They play with what was held at its beginning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub older: Vec<String>,
    /// True if the author of a bot has got a report that shows the deals (`arena report --for`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deals_known: bool,
    /// The commitment from which its seed follows, if it was committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<Commitment>,
    /// The tag by which the arena knows its own results: an HMAC-SHA256 over everything else and the directory's path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
}

/// A bot that could not start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Skipped {
    /// Its name, or its command if it has none.
    pub bot: String,
    /// Why it could not start.
    pub reason: String,
}

/// Everything that determines a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan<S> {
    /// The name of the game.
    pub game: String,
    /// The schedule.
    #[serde(flatten)]
    pub schedule: Settings,
    /// The seed from which all others are derived.
    pub seed: u64,
    /// The number of deals; if bots meet in pairs, the number for each meeting.
    pub rounds: u64,
    /// The number of seats at a table.
    pub seats: usize,
    /// True if each match has a deal of its own. Otherwise the matches of a round share one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_deals: bool,
    /// True if its deal follows from its round and its bots. Otherwise, as in older files, it follows from its index.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deals_by_bots: bool,
    /// True if the seats of each table, and the order of equal bots, follow from the seed and the names. Otherwise, as in
    /// older files and where the order of the bots has a meaning, they follow from that order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seats_by_names: bool,
    /// The positions, as in a file of positions. The round of a match, counted from 0, modulo their number is the place of
    /// its position. Empty if matches are played from their beginning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<Value>,
    /// The time limits.
    pub limits: TimeControl,
    /// The memory limit of each bot, in bytes, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// True if bots are frozen outside of their turns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub freeze: bool,
    /// True if processes stay alive from match to match. Otherwise each match has fresh ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reuse: bool,
    /// True if a kept process may meet a deal again. Otherwise it never does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trusting: bool,
    /// The bots.
    pub bots: Vec<Identity>,
    /// The rules, and the components if they are not the standard ones.
    #[serde(flatten)]
    pub setup: S,
}

/// The machine on which a tournament ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostInfo {
    /// The version of the arena.
    pub arena: String,
    /// The name of the machine.
    pub name: String,
    /// The operating system and the architecture.
    pub system: String,
    /// The number of cores that the arena could use.
    pub cores: usize,
    /// The model of the processor, if the system reports it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cpu: String,
}

impl HostInfo {
    /// Describes this machine.
    pub fn here() -> HostInfo {
        let uname = rustix::system::uname();
        HostInfo {
            arena: env!("CARGO_PKG_VERSION").to_owned(),
            name: uname.nodename().to_string_lossy().into_owned(),
            system: format!("{} {}", uname.sysname().to_string_lossy(), uname.machine().to_string_lossy()),
            cores: cores::given(),
            cpu: cpu_model().unwrap_or_default(),
        }
    }
}

/// Returns the model of the first processor.
fn cpu_model() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

impl<S: Setup> TournamentFile<S> {
    /// The file for a plan on this machine.
    pub fn new(mut plan: Plan<S>) -> TournamentFile<S> {
        plan.setup = plan.setup.abridged();
        TournamentFile {
            format: FORMAT,
            plan_digest: plan.digest(FORMAT),
            plan,
            host: HostInfo::here(),
            containment: None,
            no_solitary: false,
            title: None,
            text: None,
            dates: None,
            changes: Vec::new(),
            skipped: Vec::new(),
            withdrawn: Vec::new(),
            older: Vec::new(),
            deals_known: false,
            commitment: None,
            tag: None,
        }
    }

    /// Adds bots that could not start. Those that could start later are left out no longer.
    pub fn skip(&mut self, skipped: Vec<Skipped>) {
        let is_new = |one: &Skipped| skipped.iter().all(|other| other.bot != one.bot);
        self.skipped.retain(|one| is_new(one) && self.plan.bots.iter().all(|bot| bot.name != one.bot));
        self.skipped.extend(skipped);
    }

    /// Gives the plan the seed that follows from its commitment and a public value.
    ///
    /// # Errors
    /// The plan or a file is not the one that was committed, the value does not have its form, or this user does not have
    /// the secret.
    pub fn reveal(
        &mut self,
        commitment: Commitment,
        value: &str,
        then_and_now: [&Bound; 2],
    ) -> Result<(), Error> {
        let (commitment, seed) = commitment.reveal(&self.plan.unseeded_digest(), value, then_and_now)?;
        (self.commitment, self.plan.seed) = (Some(commitment), seed);
        self.plan_digest = self.digest();
        Ok(())
    }

    /// Returns the file with the secret of its commitment, because all matches are played.
    pub(crate) fn told(mut self) -> TournamentFile<S> {
        if let Some(commitment) = self.commitment.as_mut().filter(|one| one.secret.is_none()) {
            match commitment.secret_of(self.plan.seed) {
                Ok(secret) => commitment.secret = Some(secret),
                Err(error) => note(&format!("note: {}", error.message())),
            }
        }
        self
    }

    /// Returns the digest that [`plan_digest`](Self::plan_digest) has, unless the plan was changed.
    pub fn digest(&self) -> String {
        self.plan.digest(self.format)
    }

    /// Returns the number of each bot among the copies of the same bot, from 0. See
    /// [`bot_seed`](referee::play::seeds::bot_seed).
    pub fn copies(&self) -> Vec<u32> {
        copies(&self.plan.bots).into_iter().map(|(_, number)| number).collect()
    }
}

/// Returns for each bot the place of the first copy with the same command, folder, and environment, and its own
/// number among these copies, from 0. A bot without a number gets the lowest free one.
pub(crate) fn copies(bots: &[Identity]) -> Vec<(usize, u32)> {
    let mut groups: HashMap<_, Vec<usize>> = HashMap::new();
    for (place, bot) in bots.iter().enumerate() {
        groups.entry((&bot.command, &bot.base, &bot.dir, &bot.env)).or_default().push(place);
    }
    let mut copies = vec![(0, 0); bots.len()];
    for group in groups.values() {
        let taken: HashSet<u32> = group.iter().filter_map(|&place| bots[place].copy).collect();
        let mut free = (0..).filter(|number| !taken.contains(number));
        let numbered = group.iter().map(|&place| (bots[place].copy.or_else(|| free.next()), place));
        let numbered: Vec<(u32, usize)> =
            numbered.filter_map(|(number, place)| Some((number?, place))).collect();
        let first = numbered.iter().min().map_or(0, |(_, place)| *place);
        numbered.iter().for_each(|&(number, place)| copies[place] = (first, number));
    }
    copies
}

/// Gives each bot the number that it has among the copies in the earlier plan. A number that follows from the order of
/// the bots stays out of the file.
pub(crate) fn keep_copies(bots: &mut [Identity], earlier: &[Identity]) {
    let known: HashMap<&str, u32> =
        earlier.iter().zip(copies(earlier)).map(|(bot, (_, number))| (bot.name.as_str(), number)).collect();
    bots.iter_mut().for_each(|bot| bot.copy = known.get(bot.name.as_str()).copied());
    let numbers = copies(bots);
    bots.iter_mut().for_each(|bot| bot.copy = None);
    if copies(bots) != numbers {
        bots.iter_mut().zip(numbers).for_each(|(bot, (_, number))| bot.copy = Some(number));
    }
}

impl<S: Setup> Plan<S> {
    /// Returns the digest of the plan without its seed.
    pub fn unseeded_digest(&self) -> String {
        Plan { seed: 0, ..self.clone() }.digest(FORMAT)
    }

    /// Returns the first half of the SHA-256 of the plan's JSON in files of this version, as 32 hexadecimal digits.
    /// The digest covers the content of the bots' files, and not their paths on this machine.
    fn digest(&self, format: u32) -> String {
        let mut plan = Plan { setup: self.setup.portable(), ..self.clone() };
        for bot in &mut plan.bots {
            bot.dir = None;
            bot.base = None;
            bot.allowance.read.clear();
            bot.allowance.write.clear();
            bot.files.iter_mut().for_each(|file| file.path.clear());
            // Machines that play shards of a plan may have other files there, such as logs.
            (bot.around, bot.unwatched) = (Vec::new(), None);
            (bot.digest, bot.held, bot.unheld) = (None, None, None);
        }
        let json = serde_json::to_string(&plan).expect("a plan is plain data");
        // The challenger comes before anything that a bot's entry could say.
        let json = if format == 2 { json.replacen("\"challenger\":", "\"hero\":", 1) } else { json };
        hex(&Sha256::digest(json)[..16])
    }
}

/// The differences between a plan and the earlier plan that it continues. More rounds and more bots do not
/// count, because they extend the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Changes that would make earlier and later matches incomparable. `--force` accepts them.
    pub changes: Vec<String>,
    /// Parts of the journal that the later plan does not cover. `--force` does not accept them.
    pub losses: Vec<String>,
}

impl<S> Plan<S> {
    /// Checks that another part of the same tournament was played by the same bots: a file around a bot that both plans
    /// know has the same contents. The digest of a plan does not cover these files.
    pub(crate) fn check_part(&self, other: &Plan<S>) -> Result<(), Error> {
        for (bot, other) in self.bots.iter().zip(&other.bots) {
            let differs = |file: &&FileDigest| {
                other.around.iter().any(|there| there.path == file.path && there.sha256 != file.sha256)
            };
            if let Some(file) = bot.around.iter().find(differs) {
                let (name, file) = (&bot.name, file.path.display());
                return Err(Error::usage(format!(
                    "bot {name:?}: its file {file} is not the same in all shards"
                ))
                .hint("play the shards with the older file again"));
            }
        }
        Ok(())
    }

    /// Returns true if a table plays every deal in each rotation of its seats. In positions, seats are never equal.
    pub fn every_seat_each_deal<G: GameKind>(&self) -> bool {
        self.field(G::EVERY_SEAT_EACH_DEAL).every_seat_each_deal
    }

    fn field(&self, every_seat_each_deal: bool) -> Field {
        let every_seat_each_deal = every_seat_each_deal || !self.positions.is_empty();
        Field { bots: self.bots.len(), seats: self.seats, rounds: self.rounds, every_seat_each_deal }
    }

    /// Returns the seeds and positions of its matches.
    pub fn seeds(&self) -> MatchSeeds {
        MatchSeeds::new(self.seed, &self.positions)
    }

    /// Returns the positions in the terms of their game.
    ///
    /// # Errors
    /// One of them is no position of this game.
    pub fn positions<G: WireFormat>(&self) -> Result<Vec<Position<G>>, Error> {
        let read = |value: &Value| Position::from_line(value.to_string().as_bytes());
        self.positions.iter().map(read).collect()
    }

    /// Returns the schedule without any results. See [`GameKind::EVERY_SEAT_EACH_DEAL`].
    ///
    /// # Errors
    /// Fails if the schedule cannot be played.
    pub fn progress(&self, every_seat_each_deal: bool) -> Result<ScheduleProgress, Error> {
        let field = self.field(every_seat_each_deal);
        let schedule = self.schedule.schedule(field, &self.names(), self.seed, self.seats_by_names)?;
        Ok(ScheduleProgress::new(
            schedule,
            match (self.own_deals, self.deals_by_bots) {
                (false, _) => OwnDeals::None,
                (true, false) => OwnDeals::ByIndex,
                (true, true) => OwnDeals::ByTable { seed: self.seed, names: self.names().into() },
            },
        ))
    }

    /// Returns the limits of each bot.
    pub fn bot_limits(&self) -> Vec<TimeControl> {
        self.bots.iter().map(|bot| bot.limits.at(self.limits)).collect()
    }

    /// The names of the bots.
    pub fn names(&self) -> Vec<String> {
        self.bots.iter().map(|bot| bot.name.clone()).collect()
    }
}

impl<S: Setup> Plan<S> {
    /// Returns the differences between `later` and this plan.
    pub fn differences(&self, later: &Plan<S>) -> Differences {
        let mut found = Differences::default();
        if self.seed != later.seed {
            found.losses.push(format!("the seed is {} instead of {}", later.seed, self.seed));
        }
        if self.own_deals != later.own_deals {
            let how = |own| if own { "each match has a deal of its own" } else { "matches share deals" };
            let (now, then) = (how(later.own_deals), how(self.own_deals));
            found.losses.push(format!("{now}, and so far {then}"));
        }
        if self.positions != later.positions {
            found.losses.push("the positions are others".to_owned());
        }
        if self.seats != later.seats {
            found.losses.push(format!("{} seats instead of {}", later.seats, self.seats));
        }
        let extended = self.rounds < later.rounds && !self.schedule.is_adaptive();
        if self.rounds != later.rounds && !extended {
            found.losses.push(format!("{} rounds instead of {}", later.rounds, self.rounds));
        }
        found.losses.extend(self.schedule.loss(&later.schedule));
        let grows = self.schedule.schedule == ScheduleName::Ladder;
        // The index of a match may decide its deal.
        let is_fixed = self.schedule.is_adaptive() || (self.own_deals && !self.deals_by_bots);
        let is_new = |bot: &&Identity| !self.bots.iter().any(|known| known.name == bot.name);
        if let Some(bot) = later.bots.iter().find(is_new).filter(|_| is_fixed && !grows) {
            found.losses.push(format!("{:?} cannot join: later matches depend on earlier ones", bot.name));
        }
        let limits = |plan: &Plan<S>| json!({"limits": plan.limits, "memory_bytes": plan.memory_bytes});
        found.changes.extend(difference(&limits(self), &limits(later)));
        if self.freeze != later.freeze {
            let how = |freeze| if freeze { "stopped" } else { "not stopped" };
            let (now, then) = (how(later.freeze), how(self.freeze));
            found.changes.push(format!("bots are {now} outside of their turns instead of {then}"));
        }
        if self.reuse != later.reuse {
            let how = |reuse| if reuse { "kept alive" } else { "fresh for each match" };
            found.changes.push(format!("processes are {} instead of {}", how(later.reuse), how(self.reuse)));
        }
        if self.trusting != later.trusting {
            let how = |trusting| if trusting { "trusted" } else { "not trusted" };
            let (now, then) = (how(later.trusting), how(self.trusting));
            found.changes.push(format!("kept processes are {now} to forget instead of {then}"));
        }
        found.changes.extend(difference(&self.setup.in_full(), &later.setup.in_full()));
        for bot in &self.bots {
            match later.bots.iter().find(|other| other.name == bot.name) {
                None => found.losses.push(format!("the bot {:?} is missing", bot.name)),
                Some(other) => found.changes.extend(bot.difference(other)),
            }
        }
        found
    }
}

/// A tournament's file without the game's own part, so it can be of any game.
pub type TournamentHead = TournamentFile<IgnoredAny>;

impl TournamentHead {
    /// Reads the file in `dir`.
    ///
    /// # Errors
    /// Fails if the file does not exist or is not a tournament.
    pub fn read(dir: &Path) -> Result<TournamentHead, Error> {
        let path = dir.join(TOURNAMENT);
        TournamentHead::of_text(&TournamentHead::text(&path)?, &path)
    }

    /// Reads the text of the file itself.
    pub(crate) fn text(path: &Path) -> Result<String, Error> {
        results::read(path).map_err(|error| {
            let folder = path.parent().unwrap_or(Path::new(""));
            let example = "name the directory of a tournament, such as results/doodle-1";
            Error::unreadable(path, &error).hint(stages::hint(folder, example))
        })
    }

    /// Returns the file from its text, which was read from this path.
    pub(crate) fn of_text(text: &str, path: &Path) -> Result<TournamentHead, Error> {
        let wrong =
            |what: String| Error::usage(format!("{} is not a tournament's file: {what}", path.display()));
        let head: TournamentHead = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        match head.format {
            format if FORMATS.contains(&format) => {
                head.checked().map_err(|error| wrong(error.message().to_owned()))
            }
            other => Err(wrong(format!(
                "it is of version {other}, this arena reads versions {} to {FORMAT}",
                FORMATS[0]
            ))),
        }
    }

    /// Checks the names of the bots and the size of the schedule. The file may come from another program.
    fn checked(self) -> Result<TournamentHead, Error> {
        self.plan.schedule.check_size(self.plan.field(false))?;
        let mut names = HashSet::new();
        for Identity { name, .. } in self.plan.bots.iter().chain(&self.withdrawn) {
            check_name(name)?;
            if !names.insert(name) {
                return Err(Error::usage(format!("two bots are named {name:?}")));
            }
        }
        Ok(self)
    }

    /// Returns the schedule without any results.
    ///
    /// # Errors
    /// Fails if this program does not know the game, or if the schedule cannot be played.
    pub fn progress(&self) -> Result<ScheduleProgress, Error> {
        self.plan.progress(GameName::named(&self.plan.game)?.every_seat_each_deal())
    }
}

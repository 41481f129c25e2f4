//! The arguments of `arena tournament`; its settings stand in league files too.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use serde::Deserialize;

use crate::commands::limits::LimitOptions;
use crate::games::{GameName, RulesOptions};
use crate::schedule::{ScheduleName, Seeding};
use crate::shard::{PARTS_MAX, Shard};

#[derive(Debug, Default, Args)]
pub(crate) struct TournamentArgs {
    /// A league file with bots and settings; options on the command line override it
    #[arg(value_name = "LEAGUE.toml")]
    pub(crate) league: Option<PathBuf>,
    /// A bot: NAME=COMMAND, COMMAND, or a bundled bot; once for each [default: the bundled ones]
    #[arg(long = "bot", value_name = "BOT")]
    pub(crate) bots: Vec<String>,
    #[command(flatten)]
    pub(crate) settings: TournamentOptions,
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
    #[command(flatten)]
    pub(crate) rules: RulesOptions,
    /// Go on with the tournament in --out: play what its journal lacks; more --rounds or bots extend it
    #[arg(long)]
    pub(crate) resume: bool,
    /// With --resume: go on although bots, limits or rules have changed; the change is noted
    #[arg(long, requires = "resume")]
    pub(crate) force: bool,
    /// With --resume: grant what the directory asks for beyond the default, such as files and the network
    #[arg(long, requires = "resume")]
    pub(crate) trust: bool,
    /// Play part K of N of the matches (K from 0) into --out, which all parts may share; "arena merge" joins them
    #[arg(long, value_name = "K/N", value_parser = shard, conflicts_with = "resume")]
    pub(crate) shard: Option<Shard>,
    /// Play nothing: print a script that plays all --shards on a cluster, with the other options in it
    #[arg(long, value_enum, value_name = "ENGINE", requires = "shards", conflicts_with_all = ["shard", "resume"])]
    pub(crate) emit: Option<Engine>,
    /// With --emit: the number of parts
    #[arg(long, value_name = "N", requires = "emit", value_parser = clap::value_parser!(u64).range(2..=SHARDS_MAX))]
    pub(crate) shards: Option<u64>,
    /// Leave out bots that cannot start, instead of refusing to begin
    #[arg(long)]
    pub(crate) skip_broken: bool,
    /// Keep what sound bots write to stderr too, not only that of failed ones
    #[arg(long)]
    pub(crate) keep_stderr: bool,
    /// Let "arena serve" show matches turn by turn while they are played
    #[arg(long)]
    pub(crate) live: bool,
    /// Print no progress
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// The most parts: Slurm takes no larger arrays unless it is told to.
const SHARDS_MAX: u64 = 1000;

/// What starts the parts of a tournament on many machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// A Slurm job array
    Slurm,
    /// GNU parallel, over ssh or on this machine
    Parallel,
}

/// Settings of a tournament, as options or in a league file.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TournamentOptions {
    /// The game [default: doodle]
    #[arg(long, value_enum)]
    pub(crate) game: Option<GameName>,
    /// Who meets whom [default: round-robin]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) schedule: Option<ScheduleName>,
    /// Number of deals; of each meeting where bots meet in pairs [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) rounds: Option<u64>,
    /// Gauntlet: the name of the bot that meets all others [default: the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) hero: Option<String>,
    /// Swiss: the number of rounds [default: as many as a knockout has]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) swiss_rounds: Option<u64>,
    /// Knockout: the seeds in the order of the bots, or drawn by lot [default: order]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) seeding: Option<Seeding>,
    /// After the planned deals go on with neighbours in the table until their order is decided
    #[arg(long)]
    pub(crate) until_decided: bool,
    /// With --until-decided: the most deals [default: ten times --rounds]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_rounds: Option<u64>,
    /// Enter this bot against its own copy, NAME-2: what differs between them is noise
    #[arg(long, value_name = "BOT")]
    pub(crate) mirror: Option<String>,
    /// Seat bots that call themselves solitary at every table, instead of playing each deal with them once
    #[arg(long)]
    pub(crate) no_solitary: bool,
    /// Seats at a table, or "all" for one table with every bot [default: 2]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) seats: Option<Seats>,
    /// The seed of the tournament, from which all other seeds come [default: a fresh one]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Matches played at the same time [default: as many as the cores can think for]
    #[arg(long, value_name = "J", allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,
    /// Keep processes alive for many matches, but never for a deal that they have met [default: fresh ones]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "careful")]
    #[serde(deserialize_with = "reuse_text")]
    pub(crate) reuse: Option<Reuse>,
    /// Keep each worker and its bots on one core: the default where bots have one thread each
    #[arg(long, overrides_with = "no_pin")]
    #[serde(skip)]
    pub(crate) pin: bool,
    /// Let the system place workers and bots: for bots with several threads
    #[arg(long)]
    pub(crate) no_pin: bool,
    /// Where the results go; made if it is not there [default: results/GAME-NUMBER]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

impl TournamentOptions {
    /// These where they are set, else the other ones.
    pub(crate) fn or(self, other: TournamentOptions) -> TournamentOptions {
        TournamentOptions {
            game: self.game.or(other.game),
            schedule: self.schedule.or(other.schedule),
            rounds: self.rounds.or(other.rounds),
            hero: self.hero.or(other.hero),
            swiss_rounds: self.swiss_rounds.or(other.swiss_rounds),
            seeding: self.seeding.or(other.seeding),
            until_decided: self.until_decided || other.until_decided,
            max_rounds: self.max_rounds.or(other.max_rounds),
            mirror: self.mirror.or(other.mirror),
            no_solitary: self.no_solitary || other.no_solitary,
            seats: self.seats.or(other.seats),
            seed: self.seed.or(other.seed),
            jobs: self.jobs.or(other.jobs),
            reuse: self.reuse.or(other.reuse),
            pin: self.pin,
            no_pin: self.no_pin || (other.no_pin && !self.pin),
            out: self.out.or(other.out),
        }
    }
}

/// How processes are kept for many matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reuse {
    /// Each process meets each deal once
    Careful,
    /// Bots of your own, which forget a match at its end: a process may meet a deal again
    Trusting,
}

/// `true`, `false` or a word.
fn reuse_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Reuse>, D::Error> {
    let value = toml::Value::deserialize(deserializer)?;
    match (value.as_bool(), value.as_str()) {
        (Some(is_on), _) => Ok(is_on.then_some(Reuse::Careful)),
        (_, Some("careful")) => Ok(Some(Reuse::Careful)),
        (_, Some("trusting")) => Ok(Some(Reuse::Trusting)),
        _ => {
            Err(serde::de::Error::custom(format!("{value} is not true, false, \"careful\" or \"trusting\"")))
        }
    }
}

/// Seats at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seats {
    /// So many.
    Count(usize),
    /// One for every bot.
    All,
}

/// A number or a word.
impl<'de> Deserialize<'de> for Seats {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Seats, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Seats;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number of seats, or \"all\"")
            }
            fn visit_i64<E: serde::de::Error>(self, count: i64) -> Result<Seats, E> {
                self.visit_str(&count.to_string())
            }
            fn visit_u64<E: serde::de::Error>(self, count: u64) -> Result<Seats, E> {
                self.visit_str(&count.to_string())
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Seats, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl FromStr for Seats {
    type Err = String;

    fn from_str(text: &str) -> Result<Seats, String> {
        match (text, text.parse()) {
            ("all", _) => Ok(Seats::All),
            (_, Ok(count)) if count > 0 => Ok(Seats::Count(count)),
            _ => Err("a number of seats from 1 on, or \"all\"".to_owned()),
        }
    }
}

/// A part such as `2/7`.
fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((_, of)) if of > PARTS_MAX => Err(format!("at most {PARTS_MAX} parts")),
        Some((part, of)) if part < of => Ok(Shard { part, of }),
        _ => Err("a part such as 0/4, counted from 0".to_owned()),
    }
}

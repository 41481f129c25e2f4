//! The arguments of `arena tournament`, and its settings in league files.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use serde::Deserialize;

use crate::report::tables::TableOptions;
use crate::setup::layers::layered;
use crate::setup::lineup::LineupOptions;
use crate::setup::positions::Origin;
use crate::setup::rules::{GameArgs, RulesArgs};
use crate::setup::words::{Suggested, seed, whole};
use referee::games::GameName;
use tournament::journal::shard::{SHARDS_MAX, Shard};
use tournament::plan::commitment::NUMBERS;
use tournament::plan::{Plan, TournamentFile};
use tournament::schedule::{ScheduleName, Seeding};

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TournamentArgs {
    /// Read bots and settings from a league file; options override it
    #[arg(value_name = "LEAGUE.toml")]
    pub(crate) league: Option<PathBuf>,
    /// Add a bot: NAME=COMMAND, COMMAND, or a bundled bot [default: random and greedy]
    #[arg(
        long = "bot",
        value_name = "BOT",
        help_heading = "Bots",
        hide_possible_values = true,
        value_parser = Suggested::new(bots::BUNDLED.iter().map(|bot| bot.name))
    )]
    pub(crate) bots: Vec<String>,
    #[command(flatten)]
    pub(crate) settings: TournamentOptions,
    #[command(flatten)]
    pub(crate) lineup: LineupOptions,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// Continue the tournament in --out; more --rounds or bots extend it
    #[arg(long, help_heading = "Results")]
    pub(crate) resume: bool,
    /// With --resume: continue although bots, limits, or rules have changed
    #[arg(long, requires = "resume", help_heading = "Results", hide_short_help = true)]
    pub(crate) force: bool,
    /// With --resume: play all matches of this bot again, because it is another version
    #[arg(long, value_name = "NAME", requires = "resume", help_heading = "Bots", hide_short_help = true)]
    pub(crate) replace: Vec<String>,
    /// With --resume: withdraw this bot; its matches count for nobody
    #[arg(long, value_name = "NAME", requires = "resume", help_heading = "Bots", hide_short_help = true)]
    pub(crate) without: Vec<String>,
    /// With --resume: grant the files and network access that the directory asks for
    #[arg(long, requires = "resume", help_heading = "Sandbox", hide_short_help = true)]
    pub(crate) trust: bool,
    /// Play shard K of N (K from 0) into --out; "arena merge" joins the shards
    #[arg(long, value_name = "K/N", value_parser = shard, conflicts_with = "resume", help_heading = "Results", hide_short_help = true)]
    pub(crate) shard: Option<Shard>,
    /// Print a script that plays all --shards on a cluster, and play nothing
    #[arg(long, value_enum, value_name = "ENGINE", requires = "shards", conflicts_with_all = ["shard", "resume"], help_heading = "Results", hide_short_help = true)]
    pub(crate) emit: Option<Engine>,
    /// With --emit: the number of shards
    #[arg(long, value_name = "N", requires = "emit", value_parser = clap::value_parser!(u64).range(2..=EMITTED_MAX), help_heading = "Results", hide_short_help = true)]
    pub(crate) shards: Option<u64>,
    /// Play nothing; commit to a seed that follows from a secret and this public value, such as "the lottery of 1 May"
    #[arg(long, value_name = "SOURCE", value_parser = about, conflicts_with_all = ["resume", "shard", "emit", "seed"], help_heading = "Schedule", hide_short_help = true)]
    pub(crate) commit: Option<String>,
    /// With --commit: the form of the public value, numbers or text=REGEX; numbers may come in any order
    #[arg(long, value_name = "FORM", requires = "commit", default_value = NUMBERS, help_heading = "Schedule", hide_short_help = true)]
    pub(crate) form: String,
    /// Play the tournament that was committed to, with the public value
    #[arg(long, value_name = "VALUE", value_parser = about, conflicts_with_all = ["commit", "resume", "shard", "emit", "seed"], help_heading = "Schedule", hide_short_help = true)]
    pub(crate) reveal: Option<String>,
    /// Leave out bots that cannot start
    #[arg(long, help_heading = "Bots", hide_short_help = true)]
    pub(crate) skip_broken: bool,
    /// Keep the stderr of all bots, not only of failed ones
    #[arg(long, help_heading = "Results", hide_short_help = true)]
    pub(crate) keep_stderr: bool,
    /// Let "arena serve" show running matches turn by turn
    #[arg(long, help_heading = "Results", hide_short_help = true)]
    pub(crate) live: bool,
    #[command(flatten)]
    pub(crate) tables: TableOptions,
    /// Print no progress
    #[arg(long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

/// The maximum number of shards in a script. By default, Slurm rejects larger job arrays.
const EMITTED_MAX: u64 = 1000;

/// A program that starts the shards of a tournament on many machines.
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
    /// Play this game [default: doodle]
    #[arg(long, value_enum)]
    pub(crate) game: Option<GameName>,
    /// Pair bots by this schedule [default: round-robin]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Schedule")]
    pub(crate) schedule: Option<ScheduleName>,
    /// Play N deals, or N deals for each pair of bots [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole, help_heading = "Schedule")]
    pub(crate) rounds: Option<u64>,
    /// Start matches in the positions of this file, in every seat; a round for each [default: at the beginning]
    #[arg(long, value_name = "FILE", help_heading = "Position", hide_short_help = true)]
    pub(crate) positions: Option<Origin>,
    /// With --positions: play the cards and rolls of their deals instead of dealing what was hidden anew
    #[arg(long, help_heading = "Position", hide_short_help = true)]
    pub(crate) deal_as_recorded: bool,
    /// Gauntlet: the bot that meets all others [default: the first]
    #[arg(long, value_name = "NAME", help_heading = "Schedule", hide_short_help = true)]
    pub(crate) challenger: Option<String>,
    /// Swiss: play N rounds [default: as many as a knockout has]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = whole,
        help_heading = "Schedule",
        hide_short_help = true
    )]
    pub(crate) swiss_rounds: Option<u64>,
    /// Knockout: seed bots in their order or at random [default: order]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Schedule", hide_short_help = true)]
    pub(crate) seeding: Option<Seeding>,
    /// Continue with neighbours in the table until their order is significant
    #[arg(long, help_heading = "Schedule")]
    pub(crate) until_decided: bool,
    /// With --until-decided: stop after N deals [default: ten times --rounds]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = whole,
        help_heading = "Schedule",
        hide_short_help = true
    )]
    pub(crate) max_rounds: Option<u64>,
    /// Seat solitary bots at every table instead of playing each deal with them once
    #[arg(long, help_heading = "Schedule", hide_short_help = true)]
    pub(crate) no_solitary: bool,
    /// Seat K bots at a table, or "all" of them [default: 2]
    #[arg(long, value_name = "K", allow_negative_numbers = true, help_heading = "Schedule")]
    pub(crate) seats: Option<Seats>,
    /// Derive all deals from this seed [default: a fresh one] [env: ARENA_SEED]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = seed,
        help_heading = "Schedule"
    )]
    pub(crate) seed: Option<u64>,
    /// Play J matches at the same time [default: as many as the cores can run]
    #[arg(long, value_name = "J", allow_negative_numbers = true, help_heading = "Time and limits")]
    pub(crate) jobs: Option<usize>,
    /// Reuse processes for several matches, never for a deal they know [default: fresh processes]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "careful", help_heading = "Time and limits", hide_short_help = true)]
    #[serde(deserialize_with = "reuse_text")]
    pub(crate) reuse: Option<Reuse>,
    /// Pin each worker and its bots to one core: the default for single-threaded bots
    #[arg(long, overrides_with = "no_pin", help_heading = "Time and limits", hide_short_help = true)]
    #[serde(skip)]
    pub(crate) pin: bool,
    /// Let the system place workers and bots: for multi-threaded bots
    #[arg(long, help_heading = "Time and limits", hide_short_help = true)]
    pub(crate) no_pin: bool,
    /// Head the pages of the tournament with this title
    #[arg(long, value_name = "TEXT", value_parser = about, help_heading = "Results", hide_short_help = true)]
    #[serde(deserialize_with = "about_text")]
    pub(crate) title: Option<String>,
    /// Show this text below the title
    #[arg(long, value_name = "TEXT", value_parser = about, help_heading = "Results", hide_short_help = true)]
    #[serde(deserialize_with = "about_text")]
    pub(crate) text: Option<String>,
    /// Show when the tournament is, such as "1 to 5 May"
    #[arg(long, value_name = "TEXT", value_parser = about, help_heading = "Results", hide_short_help = true)]
    #[serde(deserialize_with = "about_text")]
    pub(crate) dates: Option<String>,
    /// Write results to this directory [default: results/GAME-NUMBER]
    #[arg(long, value_name = "DIR", help_heading = "Results")]
    pub(crate) out: Option<PathBuf>,
}

layered!(
    TournamentOptions:
    values game, schedule, rounds, positions, challenger, swiss_rounds, seeding, max_rounds, seats, seed, jobs, reuse, title, text, dates, out;
    flags deal_as_recorded, until_decided, no_solitary, no_pin;
    typed pin
);

impl TournamentOptions {
    /// Returns the settings of a tournament's file.
    pub(crate) fn of<S>(file: &TournamentFile<S>) -> TournamentOptions {
        let Plan { schedule, rounds, seats, seed, reuse, trusting, .. } = &file.plan;
        let how = if *trusting { Reuse::Trusting } else { Reuse::Careful };
        TournamentOptions {
            schedule: Some(schedule.schedule),
            rounds: Some(*rounds),
            challenger: schedule.challenger.clone(),
            swiss_rounds: schedule.swiss_rounds,
            seeding: schedule.seeding,
            until_decided: schedule.max_rounds.is_some(),
            max_rounds: schedule.max_rounds,
            no_solitary: file.no_solitary,
            seats: Some(Seats::Count(*seats)),
            seed: Some(*seed),
            reuse: reuse.then_some(how),
            title: file.title.clone(),
            text: file.text.clone(),
            dates: file.dates.clone(),
            ..TournamentOptions::default()
        }
    }
}

/// The longest text about a tournament, in bytes.
const ABOUT_BYTES_MAX: usize = 4096;

fn about(text: &str) -> Result<String, String> {
    match text.len() <= ABOUT_BYTES_MAX {
        true => Ok(text.to_owned()),
        false => Err(format!("it has {} bytes, and at most {ABOUT_BYTES_MAX} are allowed", text.len())),
    }
}

fn about_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    about(&text).map(Some).map_err(serde::de::Error::custom)
}

/// The rule for reusing a process in several matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reuse {
    /// Each process meets each deal once
    Careful,
    /// A process may meet a deal again: for your own bots, if they forget each match at its end
    Trusting,
}

/// Parses `reuse` in a league file: `true`, `false`, or the name of a rule.
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

/// The number of seats at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seats {
    /// This number of seats.
    Count(usize),
    /// A seat for every bot.
    All,
}

/// Accepts a number, or the word `all`.
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

impl std::fmt::Display for Seats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Seats::Count(count) => write!(f, "{count}"),
            Seats::All => f.write_str("all"),
        }
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

/// Parses a shard such as `2/7`.
fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((_, of)) if of > SHARDS_MAX => Err(format!("at most {SHARDS_MAX} shards")),
        Some((part, of)) if part < of => Ok(Shard { part, of }),
        _ => Err("a shard such as 0/4, counted from 0".to_owned()),
    }
}

//! The command line: arguments as data, nothing done yet.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use serde::Deserialize;

use crate::clock::TimeControl;
use crate::commands::check::CheckArgs;
use crate::commands::compare::CompareArgs;
use crate::commands::new::NewArgs;
use crate::commands::oracle::{MovesArgs, OracleArgs};
use crate::games::{GameName, RulesOptions};
use crate::report::output;
use crate::report::tables::Format;
use crate::tournament::Shard;

/// The longest time limit.
const TIME_MAX: Duration = Duration::from_secs(30 * 24 * 3600);
/// The smallest memory limit, in bytes.
const MEMORY_BYTES_MIN: u64 = 1 << 20;

/// Plays matches and tournaments between bot programs.
#[derive(Debug, Parser)]
#[command(name = "arena", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play one match and show it turn by turn
    Match(MatchArgs),
    /// Play a tournament and print the standings
    Tournament(TournamentArgs),
    /// Print the tables of a tournament again, from its records
    Standings(StandingsArgs),
    /// Write a bot to begin with, in a language of your choice
    New(NewArgs),
    /// Say whether a bot is ready: every message, every situation, its manners and its times
    Check(CheckArgs),
    /// Say whether a bot is better than another one, with as few deals as it takes
    Compare(CompareArgs),
    /// Join the journals of one tournament that was played in parts
    Merge(MergeArgs),
    /// Play records again through the engine, without bots, and show or prove them
    Replay(ReplayArgs),
    /// Start the recorded bots again, and name the first decision that differs
    Rerun(RerunArgs),
    /// Let a program hear what a recorded seat heard, and compare its answers
    Feed(FeedArgs),
    /// Compare two tournaments by the digests of their matches
    Diff(DiffArgs),
    /// List the legal moves of states: JSON lines in, JSON lines out
    Moves(MovesArgs),
    /// Say what a move leads to: JSON lines in, JSON lines out
    Apply(OracleArgs),
    /// Say what a move takes, or which rule it breaks: JSON lines in, JSON lines out
    Explain(OracleArgs),
    /// List the bundled bots
    Bots,
    /// Run a bundled bot over stdin and stdout
    Bot(BotArgs),
}

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    /// The game
    #[arg(long, value_enum, default_value_t)]
    pub(crate) game: GameName,
    /// The bot of each seat in order: NAME=COMMAND, COMMAND, or a bundled bot [default: the bundled ones]
    #[arg(long = "bot", value_name = "BOT")]
    pub(crate) bots: Vec<String>,
    /// The seed of the deal [default: a fresh one, which is printed]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Write the record of the match to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Print the result only
    #[arg(long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
    #[command(flatten)]
    pub(crate) rules: RulesOptions,
}

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
    /// Play part K of N of the matches (K from 0); "arena merge" joins the parts
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// Leave out bots that cannot start, instead of refusing to begin
    #[arg(long)]
    pub(crate) skip_broken: bool,
    /// Keep what sound bots write to stderr too, not only that of failed ones
    #[arg(long)]
    pub(crate) keep_stderr: bool,
    /// Print no progress
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// Settings of a tournament, as options or in a league file.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TournamentOptions {
    /// The game [default: doodle]
    #[arg(long, value_enum)]
    pub(crate) game: Option<GameName>,
    /// Number of deals; every combination of bots meets on each [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) rounds: Option<u64>,
    /// Seats at a table, or "all" for one table with every bot [default: 2]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) seats: Option<Seats>,
    /// The seed of the tournament, from which all other seeds come [default: a fresh one]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Matches played at the same time [default: as many as the cores can think for]
    #[arg(long, value_name = "J", allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,
    /// Where the results go; made if it is not there [default: results/GAME-NUMBER]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

impl TournamentOptions {
    /// These where they are set, else the other ones.
    pub(crate) fn or(self, other: TournamentOptions) -> TournamentOptions {
        TournamentOptions {
            game: self.game.or(other.game),
            rounds: self.rounds.or(other.rounds),
            seats: self.seats.or(other.seats),
            seed: self.seed.or(other.seed),
            jobs: self.jobs.or(other.jobs),
            out: self.out.or(other.out),
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

/// Time limits, as options or in a league file.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LimitOptions {
    /// From the start of a bot to its "ready" [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    #[serde(deserialize_with = "duration_text")]
    pub(crate) startup_time: Option<Duration>,
    /// For one move [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    #[serde(deserialize_with = "duration_text")]
    pub(crate) move_time: Option<Duration>,
    /// For all moves of a match together [default: no such limit]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    #[serde(deserialize_with = "duration_text")]
    pub(crate) match_time: Option<Duration>,
    /// Memory of each bot with everything it starts, such as 512MiB [default: no such limit]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    #[serde(deserialize_with = "size_text")]
    pub(crate) memory: Option<u64>,
}

impl LimitOptions {
    /// These where they are set, else the other ones.
    pub(crate) fn or(self, other: LimitOptions) -> LimitOptions {
        LimitOptions {
            startup_time: self.startup_time.or(other.startup_time),
            move_time: self.move_time.or(other.move_time),
            match_time: self.match_time.or(other.match_time),
            memory: self.memory.or(other.memory),
        }
    }

    /// All set as in a tournament's file.
    pub(crate) fn of(time: TimeControl, memory: Option<u64>) -> LimitOptions {
        LimitOptions {
            startup_time: Some(time.startup),
            move_time: Some(time.per_move),
            match_time: time.per_match,
            memory,
        }
    }

    /// With the defaults filled in.
    pub(crate) fn time_control(&self) -> TimeControl {
        TimeControl {
            startup: self.startup_time.unwrap_or(Duration::from_secs(10)),
            per_move: self.move_time.unwrap_or(Duration::from_secs(1)),
            per_match: self.match_time,
        }
    }
}

/// A time such as `250ms` or `2s`, in whole milliseconds, as bots are told it.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|_| "a time such as 250ms or 2s".to_owned())?;
    match time.subsec_nanos() % 1_000_000 {
        _ if time.is_zero() => Err("a time above zero, such as 250ms or 2s".to_owned()),
        _ if time > TIME_MAX => Err("a time of at most 30 days".to_owned()),
        0 => Ok(time),
        _ => Err("a time in whole milliseconds, such as 250ms".to_owned()),
    }
}

fn duration_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    duration(&text).map(Some).map_err(serde::de::Error::custom)
}

/// A part such as `2/7`.
fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((part, of)) if part < of => Ok(Shard { part, of }),
        _ => Err("a part such as 0/4, counted from 0".to_owned()),
    }
}

/// A size in bytes, such as `512MiB`.
fn size(text: &str) -> Result<u64, String> {
    match text.parse::<ByteSize>() {
        Ok(size) if size.as_u64() >= MEMORY_BYTES_MIN => Ok(size.as_u64()),
        Ok(_) => Err("at least 1MiB: less does not start any program".to_owned()),
        Err(_) => Err("a size such as 512MiB".to_owned()),
    }
}

fn size_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    size(&text).map(Some).map_err(serde::de::Error::custom)
}

#[derive(Debug, Args)]
pub(crate) struct StandingsArgs {
    /// The directory of a tournament
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// How the tables are written
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The directories of the parts
    #[arg(value_name = "DIR", required = true)]
    pub(crate) dirs: Vec<PathBuf>,
    /// Where the whole goes; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The directory of a tournament, its matches.jsonl, or what "arena match --record" wrote
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Show the match with this index
    #[arg(long = "match", value_name = "N")]
    pub(crate) matched: Option<u64>,
    /// Show all matches; with --quiet, prove them and print one line
    #[arg(long, conflicts_with = "matched")]
    pub(crate) all: bool,
    /// Print no boards and no moves
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RerunArgs {
    /// The directory of a tournament, its matches.jsonl, or what "arena match --record" wrote
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The match with this index [default: the only one]
    #[arg(long = "match", value_name = "N")]
    pub(crate) matched: Option<u64>,
    /// How to start a bot of the match: NAME=COMMAND [default: as the tournament did]
    #[arg(long = "bot", value_name = "BOT")]
    pub(crate) bots: Vec<String>,
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
}

#[derive(Debug, Args)]
pub(crate) struct FeedArgs {
    /// The directory of a tournament, its matches.jsonl, or what "arena match --record" wrote
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The match with this index [default: the only one]
    #[arg(long = "match", value_name = "N")]
    pub(crate) matched: Option<u64>,
    /// The seat whose lines the program hears, from 0
    #[arg(long, value_name = "S")]
    pub(crate) seat: usize,
    /// Say nothing more after this turn, and leave the program's stdin open
    #[arg(long, value_name = "ID")]
    pub(crate) until: Option<u32>,
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
    /// The program and its arguments, or a bundled bot
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// A tournament's directory or journal
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,
    /// Another one
    #[arg(value_name = "B")]
    pub(crate) second: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct BotArgs {
    /// Its name; "arena bots" lists them
    pub(crate) name: String,
}

/// What the parser has to say instead of a command: help on stdout, or what is wrong with the
/// arguments in a line or two.
pub(crate) fn answer(answer: &clap::Error) -> ExitCode {
    if !answer.use_stderr() {
        let _ = output::print(&answer.render().to_string());
        return ExitCode::SUCCESS;
    }
    let text = answer.render().to_string();
    let generic = |line: &str| line.starts_with("For more information") || line.starts_with("Usage:");
    if answer.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        output::say(&text);
    } else {
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !generic(line));
        lines.take(3).for_each(output::say);
    }
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times_are_whole_milliseconds_above_zero() {
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("1m 2s"), Ok(Duration::from_secs(62)));
        for wrong in ["0s", "10", "-1s", "1us", "soon", "400000y"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}

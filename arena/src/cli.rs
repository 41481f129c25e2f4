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
use crate::games::{GameName, RulesOptions};
use crate::report::output;
use crate::report::tables::Format;

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
    #[arg(long, value_name = "N")]
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

#[derive(Debug, Args)]
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
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<u64>,
    /// Seats at a table, or "all" for one table with every bot [default: 2]
    #[arg(long, value_name = "K")]
    pub(crate) seats: Option<Seats>,
    /// The seed of the tournament, from which all other seeds come [default: a fresh one]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Matches played at the same time [default: as many as the cores can think for]
    #[arg(long, value_name = "J")]
    pub(crate) jobs: Option<usize>,
    /// Where the results go; made if it is not there [default: results/GAME-NUMBER]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Seats at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "SeatsText")]
pub(crate) enum Seats {
    /// So many.
    Count(usize),
    /// One for every bot.
    All,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SeatsText {
    Count(usize),
    Word(String),
}

impl TryFrom<SeatsText> for Seats {
    type Error = String;

    fn try_from(text: SeatsText) -> Result<Seats, String> {
        match text {
            SeatsText::Count(count) => count.to_string().parse(),
            SeatsText::Word(word) => word.parse(),
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
fn duration(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|_| "a time such as 250ms or 2s".to_owned())?;
    match time.subsec_nanos() % 1_000_000 {
        _ if time.is_zero() => Err("a time above zero, such as 250ms or 2s".to_owned()),
        0 => Ok(time),
        _ => Err("a time in whole milliseconds, such as 250ms".to_owned()),
    }
}

fn duration_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    duration(&text).map(Some).map_err(serde::de::Error::custom)
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
        for wrong in ["0s", "10", "-1s", "1us", "soon"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}

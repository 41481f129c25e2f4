//! The command line: arguments as data, nothing done yet.

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::commands::bench::BenchArgs;
use crate::commands::bots::BotArgs;
use crate::commands::check::CheckArgs;
use crate::commands::compare::CompareArgs;
use crate::commands::diff::DiffArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::feed::FeedArgs;
use crate::commands::match_::MatchArgs;
use crate::commands::merge::MergeArgs;
use crate::commands::new::NewArgs;
use crate::commands::oracle::{MovesArgs, OracleArgs};
use crate::commands::play::PlayArgs;
use crate::commands::replay::ReplayArgs;
use crate::commands::report::ReportArgs;
use crate::commands::rerun::RerunArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::standings::StandingsArgs;
use crate::commands::tournament::TournamentArgs;
use crate::commands::view::ViewArgs;
use crate::report::output;

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
    /// Play one match yourself against bots, in a browser or on the terminal
    Play(PlayArgs),
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
    /// Write a match as a page to be looked at in a browser, turn by turn
    View(ViewArgs),
    /// Show a tournament in a browser, as it runs or after
    Serve(ServeArgs),
    /// Write a tournament as a page to be published: tables, plots, best matches, faults
    Report(ReportArgs),
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
    /// Measure what this program costs on this machine
    Bench(BenchArgs),
    /// Say what strangers' bots are kept from on this machine, by trying it
    Doctor(DoctorArgs),
    /// List the bundled bots
    Bots,
    /// Run a bundled bot over stdin and stdout
    Bot(BotArgs),
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
}

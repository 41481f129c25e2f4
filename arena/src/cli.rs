//! The command line: parses arguments into data. The file in `commands` with the name of a command has its options.

use std::process::ExitCode;

use anstyle::Style;
use clap::builder::Styles;
use clap::error::{ContextKind, ErrorKind};
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::analyze::AnalyzeArgs;
use crate::commands::bots::BotsArgs;
use crate::commands::check::CheckArgs;
use crate::commands::compare::PairArgs;
use crate::commands::compare::bisect::BisectArgs;
use crate::commands::compare::tune::TuneArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::diff::DiffArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::feed::FeedArgs;
use crate::commands::host::HostArgs;
use crate::commands::match_::MatchArgs;
use crate::commands::matches::MatchesArgs;
use crate::commands::merge::MergeArgs;
use crate::commands::moves::MovesArgs;
use crate::commands::new::NewArgs;
use crate::commands::plan::PlanArgs;
use crate::commands::play::PlayArgs;
use crate::commands::ratings::RatingsArgs;
use crate::commands::replay::ReplayArgs;
use crate::commands::report::ReportArgs;
use crate::commands::rerun::RerunArgs;
use crate::commands::run::RunArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::standings::StandingsArgs;
use crate::commands::submissions::LeagueArgs;
use crate::commands::suite::SuiteArgs;
use crate::commands::view::ViewArgs;
use crate::report::output;
use crate::setup::args::TournamentArgs;
use referee::bots::names::did_you_mean;
use referee::games::GameName;
use tournament::report::style::Mark;

/// The maximum width of help texts, in columns.
const HELP_WIDTH_MAX: usize = 100;

/// The version. `.ci/dist` adds the commit and the target of a released program.
const VERSION: &str = match option_env!("ARENA_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// Plays matches and tournaments between bot programs.
#[derive(Debug, Parser)]
#[command(name = "arena", version = VERSION, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// Choose when to use colors
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        hide_short_help = true,
        help_heading = "Output"
    )]
    pub(crate) color: ColorChoice,
    /// Lay text out for a terminal of N columns
    #[arg(
        long,
        global = true,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(20..=1000),
        hide_short_help = true,
        help_heading = "Output"
    )]
    pub(crate) width: Option<u16>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play one match and show it turn by turn
    Match(MatchArgs),
    /// Play a match yourself, in a browser or on the terminal
    Play(PlayArgs),
    /// Play a tournament and print the standings
    Tournament(Box<TournamentArgs>),
    /// Write a league file for a folder of submissions
    League(LeagueArgs),
    /// Run a contest: take, build, check, and play bots
    Host(HostArgs),
    /// Print the standings of a tournament again
    Standings(StandingsArgs),
    /// List the matches of a tournament
    Matches(MatchesArgs),
    /// Name the decisions that cost the most points
    Analyze(AnalyzeArgs),
    /// Create a bot from a template in your language
    New(NewArgs),
    /// Print the protocol between the arena and bots (Markdown)
    Protocol,
    /// Test whether a bot or your game is ready to play
    Check(CheckArgs),
    /// Test whether one bot is better than another
    Compare(PairArgs),
    /// Find the commit that made your bot worse
    Bisect(BisectArgs),
    /// Find the numbers in a command with which your bot plays best
    Tune(Box<TuneArgs>),
    /// Print one table of several tournaments
    Ratings(RatingsArgs),
    /// Ask bots positions with known values
    Suite(SuiteArgs),
    /// Tell how many deals a tournament needs
    Plan(PlanArgs),
    /// Join the shards of a tournament
    Merge(MergeArgs),
    /// Replay recorded matches without bots, and verify them
    Replay(ReplayArgs),
    /// Write a match as an HTML page
    View(ViewArgs),
    /// Show a tournament in a browser, live or finished
    Serve(ServeArgs),
    /// Write a tournament as an HTML page
    Report(ReportArgs),
    /// Play a recorded match again, name the first difference
    Rerun(RerunArgs),
    /// Send a recorded match to a bot, compare its answers
    Feed(FeedArgs),
    /// Compare two tournaments match by match
    Diff(DiffArgs),
    /// List, apply, and explain legal moves (JSON lines)
    Moves(MovesArgs),
    /// Test which sandbox layers hold on this machine
    Doctor(DoctorArgs),
    /// Run a command in the sandbox of bots
    Run(RunArgs),
    /// Print shell completions, write man pages
    Completions(CompletionsArgs),
    /// List the bundled bots, run one of them
    #[command(alias = "bot")] // so that commands in results of earlier versions start their bots
    Bots(BotsArgs),
}

/// The commands on one line of the overview, and its description. An empty description stands for the help
/// text of the first command.
type Line = (&'static [&'static str], &'static str);

/// The commands, grouped by purpose.
const GROUPS: [(&str, &[Line]); 6] = [
    (
        "Play",
        &[
            (&["match", "play"], "Play a match, with bots or yourself"),
            (&["tournament", "league"], "Play a tournament, write its file from folders"),
            (&["host"], ""),
        ],
    ),
    (
        "Write a bot",
        &[
            (&["new", "protocol"], "Create a bot from a template, print the protocol"),
            (&["check", "bots"], "Test a bot or your game, list the bundled bots"),
        ],
    ),
    (
        "Inspect",
        &[
            (&["standings", "ratings"], "Print standings again, or of many tournaments"),
            (&["matches", "analyze"], "List the matches, name the costliest decisions"),
            (&["replay"], "Replay matches without bots, and verify them"),
            (&["view", "report"], "Write a match or a tournament as an HTML page"),
            (&["serve"], ""),
        ],
    ),
    (
        "Improve",
        &[
            (&["compare"], ""),
            (&["tune", "bisect"], "Find the best numbers, or the bad commit"),
            (&["diff", "suite"], "Compare two tournaments, ask known positions"),
            (&["plan"], ""),
        ],
    ),
    ("Reproduce", &[(&["rerun", "feed"], "Play a match again, send it to a bot"), (&["merge"], "")]),
    (
        "Tools",
        &[
            (&["doctor", "run"], "Test the sandbox, run a command in it"),
            (&["moves"], "List, apply, explain legal moves (JSON lines)"),
            (&["completions"], ""),
        ],
    ),
];

/// The width of the names in the overview.
const NAMES_WIDTH: usize = 18;

/// Returns the parser with an overview of the commands.
pub(crate) fn command() -> clap::Command {
    let command = Cli::command();
    let mut overview = String::new();
    for (group, rows) in GROUPS {
        for (number, (names, about)) in rows.iter().enumerate() {
            let own = command.find_subcommand(names[0]).and_then(clap::Command::get_about);
            let about =
                if about.is_empty() { own.map(ToString::to_string) } else { Some((*about).to_owned()) };
            let group = Mark::Strong.on(&format!("{:<12}", if number == 0 { group } else { "" }));
            overview +=
                &format!("{group} {:<NAMES_WIDTH$} {}\n", names.join(", "), about.unwrap_or_default());
        }
    }
    let template = format!(
        "{{about}}\nUsage: arena [--color WHEN] [--width N] COMMAND\n\n{overview}\n\
         \"arena COMMAND -h\" lists the main options of a command, --help all of them"
    );
    let plain = Styles::plain();
    let styles = plain.header(Style::new().bold()).usage(Style::new().bold()).literal(Style::new().bold());
    command.help_template(template).styles(styles).max_term_width(HELP_WIDTH_MAX)
}

/// The command line of `arena bots` alone.
#[derive(Debug, Parser)]
struct BotsAlone {
    #[command(flatten)]
    args: BotsArgs,
}

/// Parses the command line of this process.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    // A bundled bot starts for each match, and the parser of all commands would take most of its start.
    let mut words = std::env::args_os().skip(1).peekable();
    if words.peek().is_some_and(|word| word == "bots" || word == "bot")
        && let Ok(BotsAlone { args }) = BotsAlone::try_parse_from(words)
    {
        return Ok(Cli { color: ColorChoice::Auto, width: None, command: Command::Bots(args) });
    }
    let command = match typed_width() {
        Some(columns) => command().term_width(columns),
        None => command(),
    };
    command.try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches))
}

/// Returns the value of `--width`. The parser prints help before it has this value.
fn typed_width() -> Option<usize> {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let mut words = words.skip_while(|word| !word.starts_with("--width"));
    let word = words.next()?;
    let value = match word.split_once('=') {
        Some((_, value)) => value.to_owned(),
        None => words.next()?,
    };
    value.parse().ok().filter(|&columns| columns > 0)
}

/// Prints the parser's answer if there is no command to run. Requested help goes to stdout, and other help to
/// stderr. An error takes at most three lines on stderr. Returns the exit status.
pub(crate) fn answer(answer: &clap::Error) -> ExitCode {
    if !answer.use_stderr() {
        let _ = output::show(&answer.render().ansi().to_string());
        return ExitCode::SUCCESS;
    }
    let word = |kind| answer.get(kind).map(ToString::to_string).unwrap_or_default();
    let text = match (answer.kind(), word(ContextKind::InvalidArg).as_str()) {
        (ErrorKind::UnknownArgument, "--game-command") => {
            // Options such as --width may come before the command.
            let all = Cli::command();
            let command = std::env::args().skip(1).find(|word| all.find_subcommand(word).is_some());
            GameName::only_built_in(&format!("arena {}", command.unwrap_or_default())).to_string()
        }
        (ErrorKind::InvalidValue, "--game <GAME>") => format!(
            "{}\n  hint: a game of your own is a program: --game-command COMMAND, or [game] in a league file",
            answer.render()
        ),
        (_, "[A] [B]...") => "error: a comparison is of two bots\n  hint: arena compare A B".to_owned(),
        _ => answer.render().to_string(),
    };
    let generic = |line: &str| line.starts_with("For more information") || line.starts_with("Usage:");
    if answer.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        output::say(&text);
    } else {
        let kinds = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand, ContextKind::InvalidValue];
        let wrong = kinds.map(word).into_iter().rfind(|word| !word.is_empty()).unwrap_or_default();
        let told = |line: &str| {
            if line.trim_start().starts_with("tip: ") { tip(line, &wrong) } else { Some(line.to_owned()) }
        };
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !generic(line));
        lines.filter_map(told).take(3).for_each(|line| output::say(&line));
        if names_a_bot(answer) {
            output::say("  hint: name bots with --bot, and quote a command: --bot 'python3 bot.py'");
        }
    }
    ExitCode::from(2)
}

/// Returns the parser's tip with the one of its names that is nearest to a wrong word. Returns `None` if none is near.
fn tip(line: &str, wrong: &str) -> Option<String> {
    // The names stand in quotes, and "to pass X as a value" is no help here.
    let near = did_you_mean(wrong, line.split('\'').skip(1).step_by(2));
    (!line.contains("as a value") && !near.is_empty()).then(|| format!("  tip: {}", near.trim_end()))
}

/// Returns true if the error is about a bare word where a bot is meant: `arena match greedy random`, or
/// `--bot python3 bot.py` without quotes.
fn names_a_bot(answer: &clap::Error) -> bool {
    let takes_bots = |name: &str| ["check", "match", "rerun", "tournament"].contains(&name);
    let word = answer.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    answer.kind() == ErrorKind::UnknownArgument
        && !word.starts_with('-')
        && std::env::args().skip(1).any(|name| takes_bots(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tournament::report::layout;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_command_has_its_place_in_the_overview() {
        let listed =
            GROUPS.iter().flat_map(|(_, rows)| rows.iter().flat_map(|(names, _)| names.iter().copied()));
        let listed: std::collections::BTreeSet<&str> = listed.collect();
        let command = Cli::command();
        assert_eq!(listed, command.get_subcommands().map(clap::Command::get_name).collect());
    }

    #[test]
    fn the_overview_fits_a_small_terminal() {
        let text = command().render_help().to_string();
        assert!(text.lines().count() <= 24, "{text}");
        assert!(text.lines().all(|line| layout::width(line) <= 80), "{text}");
        let names = GROUPS.iter().flat_map(|(_, rows)| rows.iter().map(|(names, _)| names.join(", ")));
        assert!(
            { names }.all(|names| names.len() <= NAMES_WIDTH),
            "the descriptions stand in one column: {text}"
        );
    }
}

//! The `arena` program: plays matches and tournaments between bot programs over JSON lines.
//!
//! `cli` and `commands` turn arguments into calls and results into text. Only `report` writes to the
//! terminal. Matches, tournaments, and pages are in the crates below this one.

pub mod check;
mod cli;
mod coach;
mod commands;
mod log;
pub mod oracle;
pub mod report;
mod setup;
pub mod templates;
mod terminal;

use std::process::ExitCode;

use clap::CommandFactory;

use cli::{Cli, Command};

use referee::error::Error;

use referee::note;

use report::output;

/// Runs the program with the arguments of this process, and returns the exit status.
pub fn main() -> ExitCode {
    sandbox::supervisor::main_if_asked();
    sandbox::selftest::attempt::main_if_asked();
    sandbox::survive_file_limit();
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(answer) => return cli::answer(&answer),
    };
    match run(cli) {
        Ok(status) => status,
        Err(error) => {
            report::output::say(&error.to_string());
            error.exit_code()
        }
    }
}

/// Executes a command line. Returns the exit status of a command that succeeded.
///
/// # Errors
/// The error of the command, with a hint and an exit status.
fn run(cli: Cli) -> Result<ExitCode, Error> {
    output::configure(cli.color, cli.width);
    note::write_with(output::say);
    // A bot inherits the variable from the arena outside of the sandbox.
    if !matches!(&cli.command, Command::Bots(args) if args.name.is_some()) {
        log::begin()?;
    }
    let done = match cli.command {
        Command::Match(args) => commands::match_::run(args),
        Command::Play(args) => commands::play::run(args),
        Command::Host(args) => match commands::host::run(&args)? {
            None => Ok(()),
            Some(last) => commands::tournament::run(last),
        },
        Command::League(args) => commands::submissions::run(&args),
        Command::Tournament(args) => commands::tournament::run(*args),
        Command::Standings(args) => commands::standings::run(&args),
        Command::New(args) => commands::new::run(&args),
        Command::Protocol => commands::protocol::run(),
        Command::Check(args) => commands::check::run(&args),
        Command::Compare(args) => return commands::compare::run(args),
        Command::Ratings(args) => commands::ratings::run(&args),
        Command::Tune(args) => return commands::compare::tune::run(&args),
        Command::Bisect(args) => return commands::compare::bisect::run(&args),
        Command::Matches(args) => commands::matches::run(&args),
        Command::Plan(args) => match args.league.clone() {
            Some(league) => commands::plan::league::run(&args, &league),
            None => commands::plan::run(&args),
        },
        Command::Merge(args) => commands::merge::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::View(args) => commands::view::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Analyze(args) => commands::analyze::run(&args),
        Command::Suite(args) => commands::suite::run(&args),
        Command::Rerun(args) => commands::rerun::run(args),
        Command::Feed(args) => return commands::feed::run(&args),
        Command::Completions(args) => commands::completions::run(&args, Cli::command()),
        Command::Diff(args) => commands::diff::run(&args),
        Command::Moves(args) => commands::moves::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Run(args) => return commands::run::run(args),
        Command::Bots(args) => commands::bots::run(&args),
    };
    done.map(|()| ExitCode::SUCCESS)
}

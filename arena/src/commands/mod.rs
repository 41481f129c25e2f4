//! What each command does: arguments to a plan, a call, a report.

pub(crate) mod bench;
pub(crate) mod bots;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod feed;
mod league;
mod limits;
pub(crate) mod match_;
pub(crate) mod merge;
pub(crate) mod new;
pub(crate) mod oracle;
mod out_file;
pub(crate) mod play;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod rerun;
pub(crate) mod serve;
pub(crate) mod sitting;
pub(crate) mod standings;
mod tables;
pub(crate) mod tournament;
mod trust;
pub(crate) mod view;

use std::process::ExitCode;

use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{Cli, Command};
use crate::report::output;
use referee::error::Error;
use referee::note;

/// Carries out a command line; the status with which the program ends if nothing went wrong.
///
/// # Errors
/// What went wrong, with what to do about it and the exit status.
pub(crate) fn run(cli: Cli) -> Result<ExitCode, Error> {
    output::configure(cli.color, cli.width);
    note::write_with(output::say);
    let done = match cli.command {
        Command::Match(args) => match_::run(args),
        Command::Play(args) => play::run(args),
        Command::Tournament(args) => tournament::run(args),
        Command::Standings(args) => standings::run(&args),
        Command::New(args) => new::run(&args),
        Command::Check(args) => check::run(args),
        Command::Compare(args) => return compare::run(args),
        Command::Merge(args) => merge::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::View(args) => view::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Rerun(args) => rerun::run(&args),
        Command::Feed(args) => feed::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Moves(args) => oracle::moves(&args),
        Command::Apply(args) => oracle::apply(&args),
        Command::Explain(args) => oracle::explain(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Bots => bots::list(),
        Command::Bot(args) => bots::speak(&args),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// Runs what a command does outside of a tournament's workers. A Ctrl-C or a request to end drops
/// it, and with it every bot.
fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::host(format!("cannot make a runtime: {error}")))?;
    let raced = async {
        tokio::select! {
            output = future => Ok(output),
            error = asked_to_end() => Err(error),
        }
    };
    tokio::task::LocalSet::new().block_on(&runtime, raced)
}

/// Returns at the first signal that asks for the end, with what is said then; never where signals cannot be had.
async fn asked_to_end() -> Error {
    let [interrupt, terminate] = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    let (Ok(mut interrupt), Ok(mut terminate)) = (interrupt, terminate) else {
        return std::future::pending().await;
    };
    let what = "nothing was written";
    tokio::select! {
        _ = interrupt.recv() => Error::interrupted(what),
        _ = terminate.recv() => Error::evicted(what),
    }
}

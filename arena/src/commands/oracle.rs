//! `arena moves`, `arena apply`, and `arena explain`: apply the rules to lines of states and moves.

use std::io::{self, ErrorKind, stdin, stdout};

use clap::Args;

use crate::oracle::{Oracle, Tally, Task};
use crate::setup::rules::{GameArgs, RulesArgs};
use crate::setup::words::word;
use referee::error::Error;
use referee::games::GameName;
use tournament::report::words::count;

/// The game and the rules of states before the first `start` line.
#[derive(Debug, Args)]
pub(crate) struct OracleArgs {
    /// Assume this game until a start line names one
    #[arg(long, value_parser = word::<GameName>(), default_value = "doodle")]
    game: GameName,
    #[command(flatten)]
    rules: RulesArgs,
}

#[derive(Debug, Args)]
pub(crate) struct MovesArgs {
    /// Print only the number of moves
    #[arg(long)]
    count: bool,
    /// Print the numbers of the moves too, as networks use them
    #[arg(long, conflicts_with = "count")]
    numbers: bool,
    #[command(flatten)]
    oracle: OracleArgs,
}

pub(crate) fn moves(args: &MovesArgs) -> Result<(), Error> {
    let task = match args {
        MovesArgs { count: true, .. } => Task::Count,
        MovesArgs { numbers: true, .. } => Task::Numbers,
        _ => Task::Moves,
    };
    run(task, &args.oracle)
}

pub(crate) fn apply(args: &OracleArgs) -> Result<(), Error> {
    run(Task::Apply, args)
}

pub(crate) fn explain(args: &OracleArgs) -> Result<(), Error> {
    run(Task::Explain, args)
}

fn run(task: Task, args: &OracleArgs) -> Result<(), Error> {
    let oracle = Oracle::new(task, args.game, &args.rules.options(&GameArgs::default(), None))?;
    report(oracle.run(stdin().lock(), &mut stdout().lock()))
}

/// Returns an error if a line could not be judged. A closed stdout is a success.
fn report(run: io::Result<Tally>) -> Result<(), Error> {
    match run {
        Ok(Tally { errors: 0, .. }) => Ok(()),
        Ok(Tally { errors, answers }) => {
            Err(Error::no(format!("{errors} of {} could not be judged", count(answers, "line")))
                .hint("their answers have the field \"error\" with the number of the line"))
        }
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::host(format!("stdin or stdout failed: {error}"))),
    }
}

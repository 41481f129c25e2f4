//! `arena moves`: applies the rules to lines of states and moves.

use std::io::{self, ErrorKind, stdin, stdout};

use clap::Args;

use crate::oracle::{Oracle, Tally, Task};
use crate::setup::rules::{GameArgs, RulesArgs};
use referee::error::Error;
use referee::games::GameName;
use tournament::report::words::count;

#[derive(Debug, Args)]
pub(crate) struct MovesArgs {
    #[command(flatten)]
    task: TaskArgs,
    /// Assume this game until a start line names one
    #[arg(long, value_enum, default_value = "doodle")]
    game: GameName,
    #[command(flatten)]
    rules: RulesArgs,
}

/// What to print for each state.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct TaskArgs {
    /// Print only the number of moves
    #[arg(long)]
    count: bool,
    /// Print the numbers of the moves too, as networks use them
    #[arg(long)]
    numbers: bool,
    /// Print the state after the move of each line
    #[arg(long)]
    apply: bool,
    /// Print what the move of each line costs, or the rule that it breaks
    #[arg(long)]
    explain: bool,
}

pub(crate) fn run(args: &MovesArgs) -> Result<(), Error> {
    let task = match args.task {
        TaskArgs { count: true, .. } => Task::Count,
        TaskArgs { numbers: true, .. } => Task::Numbers,
        TaskArgs { apply: true, .. } => Task::Apply,
        TaskArgs { explain: true, .. } => Task::Explain,
        _ => Task::Moves,
    };
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

//! `arena position`: writes the position before a decision of a recorded match.

use clap::Args;

use crate::report::output::show;
use crate::setup::select::RecordsArgs;
use referee::error::Error;
use referee::for_game;
use referee::games::{GameKind, GameName};
use referee::play::Position;
use tournament::replay::{Records, Source};

/// Arguments of `arena position`.
#[derive(Debug, Args)]
pub(crate) struct PositionArgs {
    #[command(flatten)]
    records: RecordsArgs,
    /// Take the position before the decision with this id, from 0
    #[arg(long, value_name = "ID")]
    turn: u32,
    /// Write the whole deal, also what was hidden in that turn
    #[arg(long)]
    deal_as_recorded: bool,
}

/// Prints the position before a decision of a recorded match, as a line.
pub(crate) fn run(args: &PositionArgs) -> Result<(), Error> {
    let source = args.records.source()?;
    for_game!(source.game()?, G => print::<G>(args, &source), plain G => Err(GameName::only_built_in("arena position")))
}

fn print<G: GameKind>(args: &PositionArgs, source: &Source) -> Result<(), Error> {
    let mut text = String::new();
    let mut records = Records::<G>::open(source)?;
    for (number, line) in args.records.lines(source)? {
        let (record, _) = records.verified(number, &line)?;
        let position = Position::of_record(&record, args.turn, args.deal_as_recorded)?;
        text += &(position.to_line() + "\n");
    }
    show(&text)
}

//! `arena export`: writes recorded decisions as data for training.

use clap::Args;
use engine::game::Seat;
use serde::Serialize;

use crate::oracle::Numbered;
use crate::report::output::offer;
use crate::setup::select::{RecordsArgs, check_bot};
use referee::error::Error;
use referee::for_game;
use referee::games::GameName;
use tournament::replay::{Records, Source};

#[derive(Debug, Args)]
#[command(after_help = "Example: arena export results/patchwork-1 --states --bot mine > states.jsonl")]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    records: RecordsArgs,
    /// Print a line for each decision: its state, the number of its move, and the points to come (JSON lines)
    #[arg(long, required = true, help_heading = "Output")]
    states: bool,
    /// Print only the decisions of this bot
    #[arg(long, value_name = "BOT", help_heading = "Output")]
    bot: Option<String>,
}

/// A decision. `docs/guide/python.md` describes the fields.
#[derive(Serialize)]
struct Line<'a, O, N> {
    #[serde(rename = "match")]
    index: u64,
    id: u32,
    seat: Seat,
    bot: &'a str,
    state: O,
    action: N,
    to_come: i32,
    score: i32,
    rank: u32,
}

pub(crate) fn run(args: &ExportArgs) -> Result<(), Error> {
    let source = args.records.source()?;
    for_game!(source.game()?, G => export::<G>(args, &source), plain G => Err(GameName::only_built_in("arena export")))
}

fn export<G: Numbered>(args: &ExportArgs, source: &Source) -> Result<(), Error> {
    let mut rows = args.records.rows(source)?;
    check_bot(&rows, args.bot.as_deref())?;
    rows.sort_by_key(|row| row.span.number);
    let mut records = Records::<G>::open(source)?;
    for row in &rows {
        let line = source.line(row.span)?;
        let (mut text, mut before): (String, Option<G>) = (String::new(), None);
        records.watched(row.span.number, &line, &mut |record, game, turns| {
            for turn in turns {
                let Some((game, wire_move)) = before.as_ref().zip(turn.wire_move.as_ref()) else { continue };
                let (seat, id) = (turn.seat, turn.id);
                let is_given = record.given().iter().any(|given| (given.seat, given.id) == (seat, id));
                let bot = &record.bots[seat];
                if is_given || args.bot.as_ref().is_some_and(|wanted| wanted != bot) {
                    continue;
                }
                let (score, rank) = (record.result.scores[seat], record.result.ranks[seat]);
                let to_come = score - game.outcome().scores[seat];
                let (index, state) = (record.index, game.observe(seat));
                let action = game.number_of(seat, wire_move);
                let line = Line { index, id, seat, bot, state, action, to_come, score, rank };
                text += &(serde_json::to_string(&line).expect("plain data") + "\n");
            }
            before = Some(game.clone());
        })?;
        if !offer(&text)? {
            return Ok(()); // the reader has seen enough
        }
    }
    Ok(())
}

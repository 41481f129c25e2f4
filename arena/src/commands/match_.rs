//! `arena match`: one match, shown as it goes.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::out_file;
use crate::bot::Host;
use crate::commands::limits::LimitOptions;
use crate::entrants::{Entrant, check_distinct, preflight};
use crate::error::Error;
use crate::games::{GameName, Playable, RulesOptions, equip};
use crate::pool::Pool;
use crate::record::MatchRecord;
use crate::referee::SetupWords;
use crate::report::output::{print, say};
use crate::seeds::{check_seed, fresh_seed};
use crate::table::{Played, play_together};
use crate::tournament::match_plan;

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

pub(super) fn run(args: MatchArgs) -> Result<(), Error> {
    match args.game {
        GameName::Doodle => run_game::<engine::doodle::Doodle>(&args),
        GameName::Patchwork => run_game::<engine::patchwork::Patchwork>(&args),
    }
}

fn run_game<G: Playable>(args: &MatchArgs) -> Result<(), Error> {
    if let Some(path) = &args.record {
        out_file::check(path, "--record")?;
    }
    let mut entrants = match args.bots.is_empty() {
        true => Entrant::bundled()?,
        false => args.bots.iter().map(|text| Entrant::parse(text)).collect::<Result<_, _>>()?,
    };
    for entrant in &mut entrants {
        entrant.command.limits.memory_bytes_max = args.limits.memory;
    }
    let equipment = Arc::new(equip::<G>(&args.rules)?);
    let seed = check_seed(args.seed.unwrap_or_else(fresh_seed))?;
    let time = args.limits.time_control();
    // Before any bot is started: so many seats may be impossible.
    G::deal(&equipment, entrants.len(), seed).map_err(|error| Error::usage(error.to_string()))?;
    let host = Host::new().raise_open_files();
    super::block_on(async {
        preflight(&mut entrants, &host, time.startup).await.into_iter().collect::<Result<Vec<_>, _>>()?;
        check_distinct(&entrants)?;
        let names: Vec<String> = entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let plan =
            match_plan::<G>(&equipment, &SetupWords::<G>::new(&equipment), 0, 0, seed, names.clone(), time)?;
        print(&format!("{} with seed {seed}: {}\n\n", G::NAME, names.join(", ")))?;
        let mut before: Option<G> = None;
        let mut show = |game: &G| {
            if !args.quiet {
                // A closed stdout ends the display, not the match, whose record may be wanted.
                let _ = print(&(game.show(&names, before.as_ref()) + "\n"));
                before = Some(game.clone());
            }
        };
        let seated: Vec<&Entrant> = entrants.iter().collect();
        let Played { record, .. } = play_together(&plan, &seated, &Pool::fresh(&host), &mut show).await?;
        if let Some(path) = &args.record {
            out_file::write(path, &record.to_line())?;
        }
        report(&record)
    })?
}

/// The result, and what went wrong.
fn report<G: Playable>(record: &MatchRecord<G>) -> Result<(), Error> {
    for turn in &record.turns {
        if let Some(fault) = &turn.fault {
            let bot = &record.bots[turn.seat];
            say(&format!("fault: {bot} at decision {}: {}: {}", turn.id, fault.kind, fault.detail));
        }
    }
    let result = &record.result;
    let line = |seat: usize| {
        let fault = result.faults[seat].map_or(String::new(), |mark| format!("  out by {}", mark.kind));
        format!(
            "{:>2}. {:<20} {:>5} points{fault}\n",
            result.ranks[seat], record.bots[seat], result.scores[seat]
        )
    };
    let mut seats: Vec<usize> = (0..record.bots.len()).collect();
    seats.sort_by_key(|&seat| result.ranks[seat]);
    let lines: String = seats.into_iter().map(line).collect();
    print(&format!("{lines}digest {}\n", record.digest))
}

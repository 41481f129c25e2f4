//! `arena match`: plays one match and shows it turn by turn.

use clap::Args;

use super::single_match::{MatchOptions, Person, SingleMatch, report, show_turns};
use super::tables::{quoted, say_next};
use crate::report::output::{show, width};
use crate::shown::Shown;
use crate::terminal::sit_down;
use referee::error::Error;
use referee::for_game;
use referee::record::TurnRecord;
use web::human::PersonView;

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    pub(crate) options: MatchOptions,
    /// Show the boards after each turn
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) boards: bool,
    /// Print only the result
    #[arg(long)]
    pub(crate) quiet: bool,
}

pub(crate) fn run(args: MatchArgs) -> Result<(), Error> {
    for_game!(args.options.game()?, G => {
        run_game::<G>(&args.options, args.boards, args.quiet)
    })
}

/// Plays the match and shows it on the terminal: with boards if they are asked for or a person plays, otherwise with
/// a line for each decision. `is_quiet` leaves both out.
pub(super) fn run_game<G: Shown>(options: &MatchOptions, boards: bool, is_quiet: bool) -> Result<(), Error> {
    super::runtime::block_on(async {
        let single_match = SingleMatch::<G>::new(options).await?;
        let (names, seed) = (&single_match.plan.names(), single_match.plan.seed);
        show(&format!("{} with seed {seed}: {}\n\n", G::NAME, names.join(", ")))?;
        let person = single_match.person();
        let is_shown = boards || person.is_some();
        let mut before: Option<G> = None;
        let mut draw = |game: &G| {
            if boards {
                // A closed stdout ends the display. The match continues, because it may have to write a
                // record.
                let _ = show(&(game.show(names, before.as_ref(), width()) + "\n"));
                before = Some(game.clone());
            }
        };
        let mut last = None;
        let (record, logs) = match person {
            None => single_match.play(None, &mut |game, _| draw(game)).await?,
            Some(Person { view, player, human }) => {
                let mut watch = |game: &G, turns: &[TurnRecord<G::WireMove>]| {
                    let _ = show(&of_others(names, &view, game, turns));
                    view.see(game);
                };
                let game = async {
                    let record = single_match.play(Some(&human), &mut watch).await;
                    drop(human);
                    record
                };
                let (record, sat) = tokio::join!(game, sit_down(&view, names, player));
                sat?;
                last = view.game();
                record?
            }
        };
        if let Some(game) = last {
            show(&(game.show(names, None, width()) + "\n"))?;
        }
        if !is_quiet {
            show_turns(&record, &logs, !is_shown)?;
        }
        report(&record, options)?;
        if is_quiet {
            return Ok(());
        }
        match &options.record {
            Some(path) => say_next(&format!("arena view {}", quoted(path))),
            None => say_next(&recorded(seed)),
        }
        Ok(())
    })?
}

/// Returns what the others did in a decision, a sentence each.
fn of_others<G: Shown>(
    names: &[String],
    view: &PersonView<G>,
    after: &G,
    turns: &[TurnRecord<G::WireMove>],
) -> String {
    let Some(before) = view.game() else { return String::new() };
    let told = |turn: &TurnRecord<G::WireMove>| {
        let words = match (&turn.wire_move, &turn.fault) {
            (Some(wire_move), _) => before.told(after, turn.seat, wire_move),
            (None, Some(fault)) => format!("is out by {}", fault.kind),
            (None, None) => return None,
        };
        Some(format!("{} {words}\n", names[turn.seat]))
    };
    turns.iter().filter(|turn| turn.seat != view.seat).filter_map(told).collect()
}

/// Returns a command that plays the same match, records it, and opens it in a browser.
fn recorded(seed: u64) -> String {
    let typed: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let has_seed = typed.iter().any(|word| word == "--seed" || word.starts_with("--seed="));
    let seed = if has_seed { String::new() } else { format!(" --seed {seed}") };
    format!("arena {}{seed} --record match.json && arena view match.json", shell_words::join(typed))
}

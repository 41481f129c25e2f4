//! One match on the terminal, of bots or of a person.

use engine::wire::WireFormat;

use super::sit_down;
use crate::report::output::{show, width};
use crate::report::shown::{Drawn, Shown};
use crate::report::tables::{quoted, say_next};
use crate::report::turns::show_turns;
use crate::setup::runtime::block_on;
use crate::setup::single_match::{MatchOptions, Person, SingleMatch, report};
use referee::error::Error;
use referee::games::{GameKind, GameName};
use referee::record::{MatchRecord, TurnRecord};
use sandbox::StderrLog;
use web::human::PersonView;

/// Plays the match and shows it on the terminal: with boards if they are asked for or a person plays, otherwise with
/// a line for each decision. `is_quiet` leaves both out.
pub(crate) fn run_game<G: Shown>(options: &MatchOptions, boards: bool, is_quiet: bool) -> Result<(), Error> {
    block_on(async {
        let single_match = begin::<G>(options).await?;
        let Some(Person { view, player, human }) = single_match.person() else {
            return play_bots(&single_match, options, boards, is_quiet).await;
        };
        let names = &single_match.plan.names();
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
        let last = view.game();
        let (record, logs) = record?;
        if let Some(game) = last {
            show(&(game.show(names, None, width()) + "\n"))?;
        }
        end(&record, &logs, options, is_quiet, false)
    })?
}

/// Plays a match of a game that no person can play here, as [`run_game`] does.
pub(crate) fn run_bots<G: Drawn>(options: &MatchOptions, boards: bool, is_quiet: bool) -> Result<(), Error> {
    if options.has_person() {
        return Err(GameName::only_built_in("a person at the terminal"));
    }
    block_on(async { play_bots(&begin::<G>(options).await?, options, boards, is_quiet).await })?
}

/// Starts the bots, and says what is played.
async fn begin<G: GameKind>(options: &MatchOptions) -> Result<SingleMatch<G>, Error> {
    let single_match = SingleMatch::<G>::new(options).await?;
    let (names, seed) = (single_match.plan.names().join(", "), single_match.plan.seed);
    show(&format!("{} with seed {seed}: {names}\n\n", single_match.plan.rules.name))?;
    Ok(single_match)
}

async fn play_bots<G: Drawn>(
    single_match: &SingleMatch<G>,
    options: &MatchOptions,
    boards: bool,
    is_quiet: bool,
) -> Result<(), Error> {
    let names = &single_match.plan.names();
    let mut before: Option<G> = None;
    let mut draw = |game: &G| {
        if boards {
            // A closed stdout ends the display. The match continues, because it may have to write a record.
            let _ = show(&(game.show(names, before.as_ref(), width()) + "\n"));
            before = Some(game.clone());
        }
    };
    let (record, logs) = single_match.play(None, &mut |game, _| draw(game)).await?;
    end(&record, &logs, options, is_quiet, !boards)
}

/// Shows the moves of a match, if `has_moves` is set, and its result.
fn end<G: WireFormat>(
    record: &MatchRecord<G>,
    logs: &[StderrLog],
    options: &MatchOptions,
    is_quiet: bool,
    has_moves: bool,
) -> Result<(), Error> {
    if !is_quiet {
        show_turns(record, logs, has_moves)?;
    }
    report(record, options)?;
    if !is_quiet {
        match &options.record {
            Some(path) => say_next(&format!("arena view {}", quoted(path))),
            None => say_next(&recorded(record.seed)),
        }
    }
    Ok(())
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

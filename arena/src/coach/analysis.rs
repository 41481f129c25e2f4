//! Judges the decisions of recorded matches with the search of the bundled bots.
//!
//! No bot plays here. The values of a match depend on its record and on the budget alone, so any number of threads gives
//! the same.

use std::sync::Arc;

use bots::{Coach, Compared};
use engine::doodle::{self, Doodle};
use engine::game::Seat;
use engine::patchwork::{self, Patchwork};

use crate::report::shown::Shown;
use crate::setup::judged::{Judged, MatchAnalysis, Store};
use crate::setup::runtime::on_threads;
use referee::error::Error;
use referee::play::Start;
use referee::record::MatchRecord;

/// A game with words for what a move does wrong.
pub(crate) trait Coached: Shown + Coach<Action: Sync> {
    /// Returns what the best move does differently.
    fn slip(&self, seat: Seat, played: &Self::Action, best: &Self::Action) -> &'static str;
    /// Returns the name of the present part of the match.
    fn phase(&self, seat: Seat) -> String;
}

impl Coached for Doodle {
    fn slip(&self, seat: Seat, played: &doodle::Action, best: &doodle::Action) -> &'static str {
        let uses = |action| self.moves(seat).and_then(|moves| moves.check(action).ok());
        let count =
            |action| uses(action).map_or(0, |uses| u8::from(uses.neighbor) + uses.singles + uses.cuts);
        match (played.draw, best.draw) {
            (None, Some(_)) => "pass",
            (Some(_), None) => "draw",
            _ if count(played) > count(best) => "action used",
            _ if count(played) < count(best) => "action kept",
            (Some(played), Some(best)) if played.card != best.card => "card",
            _ => "place",
        }
    }

    fn phase(&self, _seat: Seat) -> String {
        let round = self.current_turn().map_or(3, |turn| turn.round);
        format!("round {round}")
    }
}

impl Coached for Patchwork {
    fn slip(&self, _seat: Seat, played: &patchwork::Action, best: &patchwork::Action) -> &'static str {
        use patchwork::Action::{Advance, Buy};
        match (played, best) {
            (Advance, Buy { .. }) => "advance",
            (Buy { .. }, Advance) => "purchase",
            (Buy { patch: played, .. }, Buy { patch: best, .. }) if played != best => "patch",
            _ => "place",
        }
    }

    fn phase(&self, seat: Seat) -> String {
        let (space, last) = (self.state().players()[seat].space, self.table().track().last());
        ["opening", "middle", "end"][usize::from((space * 3 / last.max(1)).min(2))].to_owned()
    }
}

/// A decision to judge.
struct Task<G: Coached> {
    game: G,
    id: u32,
    seat: Seat,
    played: G::Action,
}

/// Judges the decisions of a verified record that `is_asked` selects. Takes from the store what it has, and keeps the rest
/// there as soon as it is known.
///
/// # Errors
/// The record is not that of a match of this game, or the store cannot be written.
pub(crate) fn analyzed<G: Coached>(
    store: &Store,
    record: &MatchRecord<G>,
    equipment: &Arc<G::Equipment>,
    nodes: u64,
    is_asked: impl Fn(u32, Seat) -> bool,
    threads: usize,
) -> Result<MatchAnalysis, Error> {
    let mut game = Start::of_record(record).begin(equipment)?;
    let mut tasks = Vec::new();
    for turn in record.played() {
        let Some(wire_move) = &turn.wire_move else {
            game.withdraw(turn.seat);
            continue;
        };
        let wrong = |error: G::Illegal| Error::usage(error.to_string());
        let played = G::read(equipment, wire_move).map_err(wrong)?;
        if is_asked(turn.id, turn.seat) {
            tasks.push(Task { game: game.clone(), id: turn.id, seat: turn.seat, played: played.clone() });
        }
        game.play(turn.seat, &played).map_err(wrong)?;
    }
    let decisions = on_threads(&tasks, threads, |task| {
        let key = (record.digest.clone(), nodes, task.id, task.seat);
        store.kept(record.index, key, || Ok(judged(task, equipment, nodes, record.seed)))
    })?;
    Ok(MatchAnalysis::new(record.index, &record.digest, nodes, decisions))
}

fn judged<G: Coached>(task: &Task<G>, equipment: &Arc<G::Equipment>, nodes: u64, seed: u64) -> Judged {
    let Task { game, id, seat, played } = task;
    let seed = seed ^ u64::from(*id) << 32 ^ *seat as u64;
    let (best, compared) = G::advise(equipment, &game.observe(*seat), *seat, played, nodes, seed);
    in_points(equipment, game, (*id, *seat), [played, &best], compared)
}

/// Returns the judgment of a move that was compared with a better one.
pub(super) fn in_points<G: Coached>(
    equipment: &Arc<G::Equipment>,
    game: &G,
    (id, seat): (u32, Seat),
    [played, best]: [&G::Action; 2],
    Compared { value, value_error, loss, error }: Compared,
) -> Judged {
    let rounded = |number: f64| (number * 100.0).round() / 100.0;
    Judged {
        id,
        seat,
        value: rounded(value),
        value_error: rounded(value_error),
        loss: rounded(loss),
        error: rounded(error),
        slip: if best == played { "" } else { game.slip(seat, played, best) }.to_owned(),
        best: serde_json::to_value(G::write(equipment, best)).expect("a move is plain data"),
        phase: game.phase(seat),
    }
}

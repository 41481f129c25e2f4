//! Ranks the moves of a position by one search, and compares two of them by a search for each.

use std::sync::Arc;

use engine::game::Seat;
use engine::patchwork::{Action, Equipment, Observation, Patchwork, State};

use super::end::{final_lead, solve};
use super::judge::{Judge, Memory};
use super::net::Net;
use super::settings::Settings;
use super::tree::Tree;
use crate::budget::Budget;
use crate::coach::{Coach, Compared};

/// The margin, in points, that changes the odds of a win by a factor of e, for [`margin`].
const CLOSE: f64 = 3.0;
/// The margin of no match is larger.
const MARGIN_MAX: f64 = 200.0;
/// How much larger the margin of a position is, at the beginning of a match, than its searched value says. It falls to nothing
/// with the spaces that are left. Losses need no such factor. `cargo lab --release --example values` fits these numbers.
const EARLY: f64 = 0.25;
/// The uncertainty of a value that is not exact, as a standard error in points: at the beginning of a match, and at its end.
const VALUE_ERROR: [f64; 2] = [5.0, 3.5];
/// The same of an exact value: it has half a point for the place that decides a tie.
const EXACT_ERROR: f64 = 0.26;
/// The uncertainty of a loss that is not exact. Losses below twice of it went the other way as often when they were played on.
const LOSS_ERROR: f64 = 1.5;

impl Coach for Patchwork {
    const NODES: u64 = 200_000;

    fn ranked(
        equipment: &Arc<Equipment>,
        observation: &Observation,
        seat: Seat,
        count: usize,
        nodes: u64,
        _seed: u64,
    ) -> Vec<(Action, f64)> {
        let game = Patchwork::from_observation(equipment, observation, seat).expect("a sound state");
        let mut budget = Budget::of(nodes);
        if count == 1
            && let Some((action, lead)) = solve(game.table(), game.state(), &mut budget)
        {
            return vec![(action, f64::from(lead) / 2.0)];
        }
        let mut memory = Memory::new(game.table());
        let mut judge = Judge::new(game.table(), Net::bundled(), &mut memory);
        let mut tree = Tree::new(&mut judge, *game.state(), Settings::default());
        tree.grow(&mut Budget::of(nodes));
        tree.ranked().into_iter().map(|(action, value)| (action, margin(value.into()))).take(count).collect()
    }

    fn compared(
        equipment: &Arc<Equipment>,
        observation: &Observation,
        seat: Seat,
        actions: [&Action; 2],
        nodes: u64,
        _seed: u64,
    ) -> Compared {
        let game = Patchwork::from_observation(equipment, observation, seat).expect("a sound state");
        let after = actions.map(|action| {
            let mut after = *game.state();
            after.apply(game.table(), *action);
            after
        });
        let mut memory = Memory::new(game.table());
        let mut judge = Judge::new(game.table(), Net::bundled(), &mut memory);
        let left = left(&game);
        let [better, own] = after.each_ref().map(|after| searched(&mut judge, after, seat, nodes / 2));
        let [value_early, value_late] = VALUE_ERROR;
        let value_error =
            if own.is_exact { EXACT_ERROR } else { value_late + (value_early - value_late) * left };
        let value = if own.is_exact { own.value } else { own.value * (1.0 + EARLY * left) };
        if after[0] == after[1] {
            return Compared { value, value_error, ..Compared::default() };
        }
        // The change between half of the search and all of it tells how settled the values are.
        let [half, loss] = [better.half - own.half, better.value - own.value];
        let is_exact = better.is_exact && own.is_exact;
        let error = if is_exact { 0.0 } else { LOSS_ERROR.hypot(loss - half) };
        Compared { value, value_error, loss, error }
    }
}

/// Returns the part of the track that is left for both players, from 1 to 0.
fn left(game: &Patchwork) -> f64 {
    let last = f64::from(game.table().track().last());
    game.state().players().iter().map(|player| 1.0 - f64::from(player.space) / last).sum::<f64>() / 2.0
}

/// The value of a position for a seat, after half of a search and after all of it.
struct Searched {
    half: f64,
    value: f64,
    is_exact: bool,
}

fn searched(judge: &mut Judge<'_>, state: &State, seat: Seat, nodes: u64) -> Searched {
    let exact = |lead: i32, sign: f64| {
        let value = sign * f64::from(lead) / 2.0;
        Searched { half: value, value, is_exact: true }
    };
    let Some(mover) = state.to_move(judge.table) else {
        return exact(final_lead(state), if seat == 0 { 1.0 } else { -1.0 });
    };
    let sign = if seat == mover { 1.0 } else { -1.0 };
    let mut budget = Budget::of(nodes);
    if let Some((_, lead)) = solve(judge.table, state, &mut budget) {
        return exact(lead, sign);
    }
    let mut tree = Tree::new(judge, *state, Settings::default());
    let [half, value] = [nodes / 2, nodes / 2].map(|part| {
        tree.grow(&mut Budget::of(part));
        sign * margin(tree.best().expect("a move").1.into())
    });
    Searched { half, value, is_exact: false }
}

/// Returns the margin, in points, that has this value: half of it is the chance to win by it, half the margin itself.
fn margin(value: f64) -> f64 {
    let logistic = |power: f64| 1.0 / (1.0 + (-power).exp());
    let of = |margin: f64| {
        0.5 * logistic(margin / CLOSE) + 0.5 * logistic(margin / f64::from(super::judge::MARGIN))
    };
    let (mut low, mut high) = (-MARGIN_MAX, MARGIN_MAX);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        *(if of(middle) < value { &mut low } else { &mut high }) = middle;
    }
    low
}

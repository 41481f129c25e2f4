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
/// The uncertainty of every searched value, in points.
const ERROR_MIN: f64 = 0.5;

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
        let [better, own] = after.each_ref().map(|after| searched(&mut judge, after, seat, nodes / 2));
        if after[0] == after[1] {
            return Compared { value: own[1], ..Compared::default() };
        }
        // The change between half of the search and all of it tells how settled the values are.
        let [half, loss] = [better[0] - own[0], better[1] - own[1]];
        let is_exact = better[0] == better[1] && own[0] == own[1];
        let error = if is_exact { 0.0 } else { ERROR_MIN + (loss - half).abs() };
        Compared { value: own[1], loss, error }
    }
}

/// Returns the value of a position for a seat, after half of a search and after all of it.
fn searched(judge: &mut Judge<'_>, state: &State, seat: Seat, nodes: u64) -> [f64; 2] {
    let Some(mover) = state.to_move(judge.table) else {
        let lead = f64::from(final_lead(state)) / 2.0;
        return [if seat == 0 { lead } else { -lead }; 2];
    };
    let sign = if seat == mover { 1.0 } else { -1.0 };
    let mut budget = Budget::of(nodes);
    if let Some((_, lead)) = solve(judge.table, state, &mut budget) {
        return [sign * f64::from(lead) / 2.0; 2];
    }
    let mut tree = Tree::new(judge, *state, Settings::default());
    [nodes / 2, nodes / 2].map(|part| {
        tree.grow(&mut Budget::of(part));
        sign * margin(tree.best().expect("a move").1.into())
    })
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

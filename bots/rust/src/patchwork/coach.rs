//! Judges a move after the match. One search finds the best move. Then both moves get a search of their own.

use std::sync::Arc;

use engine::game::Seat;
use engine::patchwork::{Action, Equipment, Observation, Patchwork, Position};

use super::end::{final_lead, solve};
use super::judge::{Judge, Memory};
use super::net::Net;
use super::settings::Settings;
use super::tree::Tree;
use crate::budget::{Budget, Waits};
use crate::coach::{Advice, Coach};

/// The margin, in points, that changes the odds of a win by a factor of e, for [`margin`].
const CLOSE: f64 = 3.0;
/// The margin of no match is larger.
const MARGIN_MAX: f64 = 200.0;
/// The uncertainty of every searched value, in points.
const ERROR_MIN: f64 = 0.5;

impl Coach for Patchwork {
    const NODES: u64 = 200_000;

    fn advise(
        equipment: &Arc<Equipment>,
        observation: &Observation,
        seat: Seat,
        played: &Action,
        nodes: u64,
        _seed: u64,
    ) -> Advice<Action> {
        let game = Patchwork::from_observation(equipment, observation, seat).expect("a sound state");
        let mut memory = Memory::new(game.table());
        let mut judge = Judge::new(game.table(), Net::bundled(), &mut memory);
        let ([_, value], best) = searched(&mut judge, game.position(), seat, nodes / 3);
        let best = best.expect("the seat has a move");
        let mut values = [&best, played].map(|action| {
            let mut after = *game.position();
            after.apply(game.table(), *action);
            after
        });
        if values[0] == values[1] {
            return Advice { best, value, loss: 0.0, error: 0.0 };
        }
        let [wanted, own] = values.each_mut().map(|after| searched(&mut judge, after, seat, nodes / 3).0);
        // The change between half of the search and all of it tells how settled the values are.
        let [half, loss] = [wanted[0] - own[0], wanted[1] - own[1]];
        let is_exact = wanted[0] == wanted[1] && own[0] == own[1];
        let error = if is_exact { 0.0 } else { ERROR_MIN + (loss - half).abs() };
        Advice { best, value: own[1], loss, error }
    }
}

/// Searches a position. Returns its value for a seat after half of the search and after all of it, and the best move.
fn searched(
    judge: &mut Judge<'_>,
    position: &Position,
    seat: Seat,
    nodes: u64,
) -> ([f64; 2], Option<Action>) {
    let Some(mover) = position.to_move(judge.table) else {
        let lead = f64::from(final_lead(position)) / 2.0;
        return ([if seat == 0 { lead } else { -lead }; 2], None);
    };
    let sign = if seat == mover { 1.0 } else { -1.0 };
    let mut budget = Budget::new(Some(nodes), 0, Waits::unknown());
    if let Some((action, lead)) = solve(judge.table, position, &mut budget) {
        return ([sign * f64::from(lead) / 2.0; 2], Some(action));
    }
    let mut tree = Tree::new(judge, *position, Settings::default());
    let mut best = None;
    let values = [nodes / 2, nodes / 2].map(|part| {
        tree.grow(&mut Budget::new(Some(part), 0, Waits::unknown()));
        let (action, value, _) = tree.best().expect("a move");
        best = Some(action);
        sign * margin(value.into())
    });
    (values, best)
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

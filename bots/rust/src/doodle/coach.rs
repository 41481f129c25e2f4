//! Ranks the moves of a turn, and compares two of them on the same sampled futures.

use std::sync::Arc;

use engine::dealer::Dealer;
use engine::doodle::{Action, Doodle, Equipment, Observation, SeatTurn, State};
use engine::game::Seat;

use super::ahead::turn_number;
use super::evaluator::{LAST_UNKNOWN, beyond};
use super::learned::MATCH_TURNS;
use super::policy::Policy;
use super::search::ranked;
use super::settings::Settings;
use super::steps::Breadth;
use super::tree::Tree;
use super::{STREAM, future};
use crate::budget::Budget;
use crate::coach::{Coach, Compared};

/// The fewest futures of a comparison.
const FUTURES_MIN: usize = 24;
/// The uncertainty of a value beyond that of its sample, as a standard error in points: while cards are unknown, and for each
/// turn that is left after that.
const VALUE_ERROR: [f64; 2] = [2.6, 0.4];
/// The uncertainty of a loss beyond that of its sample: what a search of this size does not see.
const LOSS_ERROR: f64 = 1.3;

impl Coach for Doodle {
    const NODES: u64 = 6_000;

    fn ranked(
        equipment: &Arc<Equipment>,
        observation: &Observation,
        seat: Seat,
        count: usize,
        nodes: u64,
        seed: u64,
    ) -> Vec<(Action, f64)> {
        let position = SeatTurn::from_observation(equipment, observation, seat).expect("a sound state");
        let mut budget = Budget::of(nodes);
        ranked(equipment, &position, &mut Dealer::new(seed, STREAM), &mut budget, count)
    }

    fn compared(
        equipment: &Arc<Equipment>,
        observation: &Observation,
        seat: Seat,
        actions: [&Action; 2],
        nodes: u64,
        seed: u64,
    ) -> Compared {
        let position = SeatTurn::from_observation(equipment, observation, seat).expect("a sound state");
        let after = actions.map(|action| position.play(equipment, action).expect("a legal move").1);
        let turn = turn_number(&position);
        if turn == MATCH_TURNS {
            let [better, value] = after.map(|sheet| f64::from(sheet.score()));
            return Compared { value, loss: better - value, ..Compared::default() };
        }
        let (moves, settings) = (position.moves(equipment), Settings::default());
        let mut trees = actions.map(|action| {
            let sheet = moves.applied(action, moves.check(action).expect("a legal move"));
            Tree::new(State { sheet, turn }, future::last_known(turn), settings)
        });
        let mut policy = Policy::new(equipment, settings.ways, Breadth::Quick);
        let mut chance = Dealer::new(seed, STREAM);
        let (mut spent, mut count) = (0, 0);
        let (mut values, mut losses) = (Sample::default(), Sample::default());
        while spent < nodes || count < FUTURES_MIN {
            let timeline = future::deal(&position, count, &mut chance);
            let horizon = settings.horizon_in(count);
            let [better, own] =
                trees.each_mut().map(|tree| f64::from(tree.play(&mut policy, &timeline, horizon)));
            values.add(own);
            losses.add(if after[0] == after[1] { 0.0 } else { better - own });
            (spent, count) = (spent + policy.take_nodes(), count + 1);
        }
        let ((value, value_error), (loss, error)) = (values.mean(), losses.mean());
        let floor = match turn <= LAST_UNKNOWN {
            true => VALUE_ERROR[0],
            false => VALUE_ERROR[1] * f64::from(MATCH_TURNS - turn),
        };
        // Two moves with the same effect differ in nothing.
        let error = if after[0] == after[1] { 0.0 } else { error.hypot(LOSS_ERROR) };
        Compared { value: value + beyond(turn), value_error: value_error.hypot(floor), loss, error }
    }
}

/// Numbers whose mean is wanted.
#[derive(Default)]
struct Sample {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sample {
    fn add(&mut self, number: f64) {
        *self = Sample {
            count: self.count + 1.0,
            sum: self.sum + number,
            squares: self.squares + number.powi(2),
        };
    }

    /// Returns the mean and its standard error.
    fn mean(&self) -> (f64, f64) {
        let mean = self.sum / self.count;
        let variance = (self.squares / self.count - mean * mean).max(0.0) / (self.count - 1.0);
        (mean, variance.sqrt())
    }
}

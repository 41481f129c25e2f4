//! Ranks the moves of a turn, and compares two of them on the same sampled futures.

use std::sync::Arc;

use engine::dealer::Dealer;
use engine::doodle::{Action, Doodle, Equipment, Observation, SeatTurn, State};
use engine::game::Seat;

use super::ahead::turn_number;
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
            return Compared { value, loss: better - value, error: 0.0 };
        }
        let (moves, settings) = (position.moves(equipment), Settings::default());
        let mut trees = actions.map(|action| {
            let sheet = moves.applied(action, moves.check(action).expect("a legal move"));
            Tree::new(State { sheet, turn }, future::last_known(turn), settings)
        });
        let mut policy = Policy::new(equipment, settings.ways, Breadth::Quick);
        let mut chance = Dealer::new(seed, STREAM);
        let (mut spent, mut count, mut value, mut sum, mut squares) = (0, 0, 0.0, 0.0, 0.0);
        while spent < nodes || count < FUTURES_MIN {
            let timeline = future::deal(&position, count, &mut chance);
            let horizon = settings.horizon_in(count);
            let [better, own] =
                trees.each_mut().map(|tree| f64::from(tree.play(&mut policy, &timeline, horizon)));
            let difference = if after[0] == after[1] { 0.0 } else { better - own };
            (value, sum, squares) = (value + own, sum + difference, squares + difference.powi(2));
            (spent, count) = (spent + policy.take_nodes(), count + 1);
        }
        let count = count as f64;
        let loss = sum / count;
        let variance = (squares / count - loss * loss).max(0.0) / (count - 1.0);
        Compared { value: value / count, loss, error: variance.sqrt() }
    }
}

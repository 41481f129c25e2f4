//! Judges a move after the match. One search finds the best move. Then this move and the one that was played are played
//! on through the same new futures, because the best of many estimates is usually too high.

use std::sync::Arc;

use engine::dealer::Dealer;
use engine::doodle::{Action, Doodle, Equipment, Observation, Position, Sheet, State};
use engine::game::Seat;

use super::ahead::turn_number;
use super::learned::MATCH_TURNS;
use super::policy::Policy;
use super::search::winner;
use super::settings::Settings;
use super::steps::Breadth;
use super::tree::Tree;
use super::{STREAM, future};
use crate::budget::{Budget, Waits};
use crate::coach::{Advice, Coach};

/// The fewest futures of a comparison.
const FUTURES_MIN: usize = 24;

impl Coach for Doodle {
    const NODES: u64 = 6_000;

    fn advise(
        equipment: &Arc<Equipment>,
        observation: &Observation,
        seat: Seat,
        played: &Action,
        nodes: u64,
        seed: u64,
    ) -> Advice<Action> {
        let position = Position::new(equipment, observation, seat).expect("a sound state");
        let mut chance = Dealer::new(seed, STREAM);
        let mut budget = Budget::new(Some(nodes / 2), 0, Waits::unknown());
        let found = winner(equipment, &position, &mut chance, &mut budget, Settings::default());
        let best = found.action;
        let after = |action| position.play(equipment, action).expect("a legal move").1;
        let [wanted, own] = [&best, played].map(after);
        if turn_number(&position) == MATCH_TURNS {
            let [wanted, own] = [wanted, own].map(|sheet| f64::from(sheet.score()));
            return Advice { best, value: own, loss: wanted - own, error: 0.0 };
        }
        if wanted == own {
            return Advice { best, value: found.eval, loss: 0.0, error: 0.0 };
        }
        let (value, loss, error) = compared(equipment, &position, [&best, played], nodes / 2, &mut chance);
        Advice { best, value, loss, error }
    }
}

/// Plays two actions on through the same futures. Returns the mean value of the second one, how much more the first is worth,
/// and the standard error of that.
fn compared(
    equipment: &Equipment,
    position: &Position,
    actions: [&Action; 2],
    nodes: u64,
    chance: &mut Dealer,
) -> (f64, f64, f64) {
    let (decision, turn, settings) =
        (position.decision(equipment), turn_number(position), Settings::default());
    let sheet = |action: &Action| -> Sheet {
        decision.applied(action, decision.check(action).expect("a legal move"))
    };
    let mut trees = actions
        .map(|action| Tree::new(State { sheet: sheet(action), turn }, future::last_known(turn), settings));
    let mut policy = Policy::new(equipment, settings.ways, Breadth::Quick);
    let (mut spent, mut count, mut value, mut sum, mut squares) = (0, 0, 0.0, 0.0, 0.0);
    while spent < nodes || count < FUTURES_MIN {
        let timeline = future::deal(position, count, chance);
        let horizon = settings.horizon_in(count);
        let [wanted, own] =
            trees.each_mut().map(|tree| f64::from(tree.play(&mut policy, &timeline, horizon)));
        (value, sum, squares) = (value + own, sum + wanted - own, squares + (wanted - own).powi(2));
        (spent, count) = (spent + policy.take_nodes(), count + 1);
    }
    let count = count as f64;
    let mean = sum / count;
    let variance = (squares / count - mean * mean).max(0.0) / (count - 1.0);
    (value / count, mean, variance.sqrt())
}

//! Bots for Patchwork Doodle: the search bots, and the evaluation that they share with `greedy`.
//!
//! Evaluation and move ordering:
//!
//! - `evaluator` is the value function: window weights plus a small network.
//! - `windows`, shared with Patchwork, numbers the small windows of a sheet.
//! - `net` is the network, and `features` are its inputs. These come from `holes` and `targets`.
//! - `learned` holds the parameters; `training` learns them.
//! - `ahead` orders the actions of a turn. `greedy` needs nothing else.
//!
//! Search:
//!
//! - `search` compares the best actions by rollouts and selects a winner.
//! - `future` samples the hidden information.
//! - `policy` plays a future to its horizon.
//! - `tree` holds the replies to known cards.
//! - `steps` lists the moves of a turn for `policy` and `tree`.
//! - `glance` preselects moves with a fast evaluation, which `distilling` learns from the evaluator.
//! - `coach` judges a move after the match.
//! - `settings` holds the parameters.
//!
//! The search bots look only at their own sheet.

pub(crate) mod ahead;
mod coach;
#[cfg(any(test, feature = "training"))]
mod distilling;
pub(crate) mod evaluator;
mod features;
mod future;
mod glance;
mod holes;
mod learned;
mod net;
mod policy;
mod search;
mod settings;
mod steps;
mod targets;
#[cfg(test)]
mod tests;
#[cfg(any(test, feature = "training"))]
mod training;
mod tree;
mod weights;

use std::sync::Arc;

use engine::dealer::Dealer;
use engine::doodle::{Action, Doodle, Equipment, Observation, SeatTurn, State, Timeline};
use engine::game::{Game, Seat};

use crate::PLANNER;
use crate::budget::{Budget, Limit, Waits};
use crate::strategy::{Numbers, Place, Strategy, of_search};
use ahead::turn_number;
#[cfg(any(test, feature = "training"))]
pub use distilling::Distiller;
pub use learned::Learned;
use learned::MATCH_TURNS;
use policy::Policy;
pub use settings::Settings;
use steps::Breadth;
#[cfg(any(test, feature = "training"))]
pub use training::{Pace, Pupil};

/// The dealer's stream for the bot's own random numbers.
const STREAM: u64 = 0;

/// A search bot for Patchwork Doodle.
#[derive(Debug)]
pub struct Searcher {
    equipment: Arc<Equipment>,
    seat: Seat,
    chance: Dealer,
    limit: Limit,
    waits: Waits,
    settings: Settings,
    numbers: Numbers,
}

impl Searcher {
    /// Creates a bot with so many nodes for a move. It stops at the clock too, unless its place has a budget.
    pub(crate) fn small(place: Place<Doodle>, nodes: u64) -> Searcher {
        let limit = Limit::of(place.nodes, nodes);
        // The budget is too small for a later horizon in some futures.
        Searcher { limit, ..Searcher::new(place, Settings { deepening: 0, ..Settings::default() }) }
    }

    /// Creates the bot `master`, which uses the whole time limit.
    pub(crate) fn master(place: Place<Doodle>) -> Searcher {
        Searcher::new(place, Settings::default())
    }

    /// Creates a search bot with other settings, for comparisons.
    pub fn new(place: Place<Doodle>, settings: Settings) -> Searcher {
        let Place { equipment, seat, seed, nodes, .. } = place;
        let chance = Dealer::new(seed, STREAM);
        Learned::bundled(); // read before the first question
        Searcher {
            equipment,
            seat,
            chance,
            limit: Limit::of(nodes, u64::MAX),
            waits: Waits::so_far(),
            settings,
            numbers: Numbers::new(),
        }
    }
}

impl Strategy<Doodle> for Searcher {
    fn choose(&mut self, observation: &Observation, time_ms: u64) -> Action {
        let mut budget = Budget::new(self.limit, PLANNER[0], time_ms, self.waits);
        let position = SeatTurn::from_observation(&self.equipment, observation, self.seat)
            .expect("the arena sends sound states");
        let chance = &mut self.chance;
        let found = search::winner(&self.equipment, &position, chance, &mut budget, self.settings);
        self.waits.learn(&budget);
        self.numbers = of_search(found.eval, budget.nodes(), found.depth.into());
        found.action
    }

    fn decisions_left(&self, observation: &Observation) -> u64 {
        let position = SeatTurn::from_observation(&self.equipment, observation, self.seat);
        position.map_or(1, |position| u64::from(MATCH_TURNS - turn_number(&position)) + 1)
    }

    fn numbers(&self) -> Numbers {
        self.numbers.clone()
    }
}

/// Returns the score of a clairvoyant player who knows all cards and rolls of the deal of this seed. The
/// player follows a beam of `ways` states, at least one. The gap between a bot and this score estimates how
/// much the bot can gain at most.
pub fn foreseen(equipment: &Equipment, seed: u64, ways: usize) -> i32 {
    let timeline = timeline(equipment, seed);
    let score = Policy::new(equipment, ways, Breadth::All).play_on(&timeline, State::NEW, MATCH_TURNS);
    score as i32 // an integer after the last turn
}

/// Returns the deal of this seed for one seat.
fn timeline(equipment: &Equipment, seed: u64) -> Timeline {
    let deal = Doodle::deal(equipment, 1, seed).expect("one seat can always play");
    Timeline::new(equipment, &deal).expect("the deal was just made for this deck")
}

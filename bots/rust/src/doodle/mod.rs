//! The bots that search at Patchwork Doodle, and what they share with `greedy`.
//!
//! `outlook` says what a sheet is worth: by its small `windows`, and by a `net` over its `features`, which come from
//! `holes` and `targets`. The numbers of both are in `learned`; `training` finds them. `ahead` lists what is worth trying
//! in a turn. That is all that `greedy` needs. A search plays the
//! best looking actions out: `future` deals what is unseen, `policy` plays on, `tree` has the answers to
//! what comes up next, `race` tells which action does best, and `settings` has the numbers of all that.
//! Both `policy` and `tree` have the `steps` of a turn listed, of which a `glance` tells what is worth weighing; its numbers are
//! found by `distilling` them from the outlook. They look at their own sheet only.

pub(crate) mod ahead;
mod distilling;
mod features;
mod future;
mod glance;
mod holes;
mod learned;
mod net;
pub(crate) mod outlook;
mod policy;
mod race;
mod settings;
mod steps;
mod targets;
#[cfg(test)]
mod tests;
mod training;
mod tree;
mod weights;
mod windows;

use std::sync::Arc;

use engine::dealer::Dealer;
use engine::doodle::{Action, Doodle, Equipment, Observation, Position, State, Timeline};
use engine::game::{Game, Seat};

use crate::budget::{Budget, Waits};
use crate::strategy::{Place, Strategy};
pub use distilling::Distiller;
pub use learned::Learned;
use learned::MATCH_TURNS;
use policy::Policy;
pub use settings::Settings;
use steps::Breadth;
pub use training::{Pace, Pupil};

/// The dealer's stream for a bot's own chance.
const STREAM: u64 = 0;
/// What the planner spends on a move: at most 20 ms of CPU time where it was measured.
const PLANNER_NODES: u64 = 80;

/// A searching bot at Patchwork Doodle.
#[derive(Debug)]
pub struct Searcher {
    equipment: Arc<Equipment>,
    seat: Seat,
    chance: Dealer,
    nodes: Option<u64>,
    waits: Waits,
    settings: Settings,
}

impl Searcher {
    /// Thinks little, and the same however much time there is.
    pub(crate) fn planner(place: Place<Doodle>) -> Searcher {
        let nodes = place.nodes.or(Some(PLANNER_NODES));
        // It has too few futures to look further into some of them.
        Searcher::new(Place { nodes, ..place }, Settings { deepening: 0, ..Settings::default() })
    }

    /// Takes the time it is given.
    pub(crate) fn master(place: Place<Doodle>) -> Searcher {
        Searcher::new(place, Settings::default())
    }

    /// A searcher with other settings, to compare them.
    pub fn new(place: Place<Doodle>, settings: Settings) -> Searcher {
        let Place { equipment, seat, seed, nodes, .. } = place;
        let chance = Dealer::new(seed, STREAM);
        Searcher { equipment, seat, chance, nodes, waits: Waits::unknown(), settings }
    }
}

impl Strategy<Doodle> for Searcher {
    fn choose(&mut self, observation: &Observation, time_ms: u64) -> Action {
        let mut budget = Budget::new(self.nodes, time_ms, self.waits);
        let position =
            Position::new(&self.equipment, observation, self.seat).expect("the arena sends sound states");
        let chance = &mut self.chance;
        let action = race::winner(&self.equipment, &position, chance, &mut budget, self.settings);
        self.waits.learn(&budget);
        action
    }
}

/// The score of one who knows all cards and dice of the deal of this seed, as nobody can, and follows so many `ways` to play
/// it side by side, at least one: how far others are from it tells what is left to gain at most.
pub fn foreseen(equipment: &Equipment, seed: u64, ways: usize) -> i32 {
    let timeline = timeline(equipment, seed);
    let score = Policy::new(equipment, ways, Breadth::All).play_on(&timeline, State::NEW, MATCH_TURNS);
    score as i32 // whole after the last turn
}

/// The deal of this seed for one seat.
fn timeline(equipment: &Equipment, seed: u64) -> Timeline {
    let deal = Doodle::deal(equipment, 1, seed).expect("one seat can always play");
    Timeline::new(equipment, &deal).expect("the deal was just made for this deck")
}

//! Bots for Patchwork, with one value that was learned from their own games. The game has no hidden information after
//! the deal, so a search looks at the moves of both players.
//!
//! - `features` is what the value sees of a state; `gaps` describes a quilt.
//! - `net` is the value, a small network; `training` teaches it.
//! - `judge` finds moves and judges them by the value.
//! - `tree` grows a search tree.
//! - `end` solves short endgames exactly.
//! - `coach` judges a move after the match.
//! - `settings` holds the parameters.
//!
//! `greedy` looks one move ahead. `planner` and `master` search, and differ only in their budget.

mod coach;
mod end;
mod features;
mod gaps;
mod judge;
mod net;
mod settings;
#[cfg(test)]
mod tests;
#[cfg(any(test, feature = "training"))]
mod training;
mod tree;

use std::sync::Arc;

use engine::game::Seat;
use engine::patchwork::{Action, Equipment, Observation, Patchwork};

use crate::PLANNER;
use crate::budget::{Budget, Limit, Waits};
use crate::strategy::{Numbers, Place, Strategy, of_search};
use judge::{Judge, Memory};
pub use net::Net;
pub use settings::Settings;
#[cfg(any(test, feature = "training"))]
pub use training::{BATCH, Pace, Pupil};
use tree::{Kept, Tree};

/// The spaces between two decisions of a seat, about: matches of this bot have some 22 decisions a seat.
const SPACES_A_DECISION: u64 = 2;

/// A bot that searches, or looks one move ahead.
#[derive(Debug)]
pub struct Searcher {
    equipment: Arc<Equipment>,
    seat: Seat,
    /// Evaluations for a move, or the clock.
    limit: Limit,
    searches: bool,
    memory: Option<Memory>,
    /// The tree of the last decision, if the clock alone ends searches.
    kept: Option<Kept>,
    waits: Waits,
    settings: Settings,
    numbers: Numbers,
}

impl Searcher {
    /// Creates a bot that looks one move ahead, at so many placements of each patch.
    pub(crate) fn greedy(place: Place<Patchwork>, judged: usize) -> Searcher {
        let settings = Settings { judged, root: 1, ..Settings::default() };
        Searcher { searches: false, ..Searcher::new(place, settings) }
    }

    /// Creates a bot with so many evaluations for a move. It stops at the clock too, unless its place has a budget.
    pub(crate) fn small(place: Place<Patchwork>, nodes: u64) -> Searcher {
        let limit = Limit::of(place.nodes, nodes);
        Searcher { limit, ..Searcher::new(place, Settings::default()) }
    }

    /// Creates the bot `master`, which uses the whole budget of its place.
    pub(crate) fn master(place: Place<Patchwork>) -> Searcher {
        Searcher::new(place, Settings::default())
    }

    /// Creates a search bot with other settings, for comparisons.
    pub fn new(place: Place<Patchwork>, settings: Settings) -> Searcher {
        let Place { equipment, seat, nodes, .. } = place;
        Net::bundled(); // read before the first question
        let limit = Limit::of(nodes, u64::MAX);
        let (memory, kept, waits, numbers) = (None, None, Waits::so_far(), Numbers::new());
        Searcher { equipment, seat, limit, searches: true, memory, kept, waits, settings, numbers }
    }
}

impl Strategy<Patchwork> for Searcher {
    fn choose(&mut self, observation: &Observation, time_ms: u64) -> Action {
        let mut budget = Budget::new(self.limit, PLANNER[1], time_ms, self.waits);
        let game = Patchwork::from_observation(&self.equipment, observation, self.seat)
            .expect("the arena sends sound states");
        let (table, state) = (game.table(), game.state());
        let memory = self.memory.get_or_insert_with(|| Memory::new(table));
        let kept = self.kept.take().and_then(|kept| Some((kept.find(memory, table, state)?, kept)));
        if kept.is_none() {
            memory.forget();
        }
        let mut judge = Judge::new(table, Net::bundled(), memory);
        if !self.searches {
            let moves = judge.moves(state, self.settings.judged, self.settings.root);
            let best = moves.into_iter().reduce(|best, next| if next.odds > best.odds { next } else { best });
            return best.expect("a seat that is asked has a move").action;
        }
        let mut is_full = false;
        let (action, eval, depth) = end::solve(table, state, &mut budget).map_or_else(
            || {
                let mut tree = Tree::new(&mut judge, *state, self.settings);
                if let Some((node, kept)) = kept {
                    tree.take_over(&kept, node);
                }
                budget.resume();
                tree.grow(&mut budget);
                is_full = tree.is_full();
                let best = tree.best().expect("a seat that is asked has a move");
                self.kept = matches!(self.limit, Limit::ClockAnd(u64::MAX)).then(|| tree.keep(table));
                best
            },
            |(action, lead)| (action, f32::from(u8::from(lead > 0)), 0),
        );
        self.waits.learn(&budget);
        self.numbers = of_search(eval.into(), budget.nodes(), depth);
        self.numbers.extend(is_full.then(|| ("full".to_owned(), 1.into())));
        action
    }

    fn decisions_left(&self, observation: &Observation) -> u64 {
        let space = observation.players[self.seat].space;
        u64::from(self.equipment.track().last().saturating_sub(space)).div_ceil(SPACES_A_DECISION) + 1
    }

    fn numbers(&self) -> Numbers {
        self.numbers.clone()
    }
}

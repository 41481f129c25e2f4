//! The bundled bots, and the loop that runs any bot over stdin and stdout.
//!
//! A bot is one file of strategy. It receives its [`Place`] in the match, then chooses one action per turn.
//! [`run`] speaks the protocol. Strategies depend on `engine` for the rules.

#![cfg_attr(not(feature = "training"), allow(dead_code))] // what training alone uses stands beside what it learns

mod budget;
mod coach;
pub mod doodle;
mod greedy;
pub mod patchwork;
mod random;
mod run;
mod stored;
mod strategy;
mod windows;

use engine::doodle::Doodle;
use engine::patchwork::Patchwork;

pub use budget::this_thread_stops_at;
pub use coach::{Coach, Compared, EVALUATOR};
pub use greedy::careless::Careless;
pub use run::{RunError, run};
pub use strategy::{Numbers, Place, Strategy};

/// A bundled bot.
#[derive(Clone, Copy, Debug)]
pub struct Bundled {
    /// The name on the command line and in tables.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// True if the bot looks only at its own sheet in doodle.
    pub solitary: bool,
    /// True if the bot plays when no bot is named.
    pub by_default: bool,
    /// True if the bot plays games that it does not know, if their states have a list `legal` of moves.
    pub plays_any_game: bool,
    /// The nodes of a move at Patchwork Doodle and at Patchwork, if the bot searches a fixed number. With a number in its
    /// [`Place`] it looks at no clock.
    pub nodes: Option<[u64; 2]>,
    /// Creates the strategy for Patchwork Doodle.
    pub doodle: Maker<Doodle>,
    /// Creates the strategy for Patchwork.
    pub patchwork: Maker<Patchwork>,
}

/// Creates the strategy of a bot for a game.
pub type Maker<G> = fn(Place<G>) -> Box<dyn Strategy<G>>;

/// The placements of a patch that `greedy` looks at closely.
const LOOKS: usize = 16;
/// The nodes of `scout` and of `planner` for a move: at Patchwork Doodle, and at Patchwork.
const SCOUT: [u64; 2] = [20, 200];
pub(crate) const PLANNER: [u64; 2] = [80, 500];

const RANDOM: Bundled = Bundled {
    name: "random",
    about: "any legal drawing or purchase, each equally likely",
    solitary: false,
    by_default: true,
    plays_any_game: true,
    nodes: None,
    doodle: |place| Box::new(random::RandomDoodle::new(place)),
    patchwork: |place| Box::new(random::RandomPatchwork::new(place)),
};
const GREEDY: Bundled = Bundled {
    name: "greedy",
    about: "the move that leaves the best looking board, one move ahead",
    solitary: true,
    by_default: true,
    plays_any_game: false,
    nodes: None,
    doodle: |place| Box::new(greedy::doodle::GreedyDoodle::new(place, LOOKS)),
    patchwork: |place| Box::new(patchwork::Searcher::greedy(place, LOOKS)),
};

/// The bundled bots, weakest first.
pub const BUNDLED: &[Bundled] = &[
    RANDOM,
    Bundled {
        name: "novice",
        about: "greedy, but for half of its moves, which are random",
        solitary: false,
        by_default: false,
        plays_any_game: false,
        nodes: None,
        doodle: |place| Box::new(Careless::new(place, 0.5, |bot| bot.doodle)),
        patchwork: |place| Box::new(Careless::new(place, 0.5, |bot| bot.patchwork)),
    },
    Bundled {
        name: "amateur",
        about: "greedy, but for one move in six, which is random",
        solitary: false,
        by_default: false,
        plays_any_game: false,
        nodes: None,
        doodle: |place| Box::new(Careless::new(place, 1.0 / 6.0, |bot| bot.doodle)),
        patchwork: |place| Box::new(Careless::new(place, 1.0 / 6.0, |bot| bot.patchwork)),
    },
    Bundled {
        name: "tidy",
        about: "greedy, but it looks at the tidiest placement of a patch alone",
        solitary: true,
        by_default: false,
        plays_any_game: false,
        nodes: None,
        doodle: |place| Box::new(greedy::doodle::GreedyDoodle::new(place, 1)),
        patchwork: |place| Box::new(patchwork::Searcher::greedy(place, 1)),
    },
    GREEDY,
    Bundled {
        name: "scout",
        about: "a search with the smallest budget",
        solitary: true,
        by_default: false,
        plays_any_game: false,
        nodes: Some(SCOUT),
        doodle: |place| Box::new(doodle::Searcher::small(place, SCOUT[0])),
        patchwork: |place| Box::new(patchwork::Searcher::small(place, SCOUT[1])),
    },
    Bundled {
        name: "planner",
        about: "a search with a small fixed budget",
        solitary: true,
        by_default: false,
        plays_any_game: false,
        nodes: Some(PLANNER),
        doodle: |place| Box::new(doodle::Searcher::small(place, PLANNER[0])),
        patchwork: |place| Box::new(patchwork::Searcher::small(place, PLANNER[1])),
    },
    Bundled {
        name: "master",
        about: "the same search with all the time it is given",
        solitary: true,
        by_default: false,
        plays_any_game: false,
        nodes: None,
        doodle: |place| Box::new(doodle::Searcher::master(place)),
        patchwork: |place| Box::new(patchwork::Searcher::master(place)),
    },
];

/// Returns the bundled bot with this name.
pub fn find(name: &str) -> Option<&'static Bundled> {
    BUNDLED.iter().find(|bot| bot.name == name)
}

//! The bundled bots, and the loop that runs any bot over stdin and stdout.
//!
//! A bot is one file of strategy. It receives its [`Place`] in the match, then chooses one action per turn.
//! [`run`] speaks the protocol. Strategies depend on `engine` for the rules.

mod budget;
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
    /// True if the bot searches, so that its moves take time. Such a bot plays only if it is named
    /// explicitly.
    pub searches: bool,
    /// Creates the strategy for Patchwork Doodle.
    pub doodle: fn(Place<Doodle>) -> Box<dyn Strategy<Doodle>>,
    /// Creates the strategy for Patchwork.
    pub patchwork: fn(Place<Patchwork>) -> Box<dyn Strategy<Patchwork>>,
}

/// The bundled bots, weakest first.
pub const BUNDLED: &[Bundled] = &[
    Bundled {
        name: "random",
        about: "any legal drawing or purchase, each equally likely",
        solitary: false,
        searches: false,
        doodle: |place| Box::new(random::RandomDoodle::new(place)),
        patchwork: |place| Box::new(random::RandomPatchwork::new(place)),
    },
    Bundled {
        name: "greedy",
        about: "the move that leaves the best looking board, one move ahead",
        solitary: true,
        searches: false,
        doodle: |place| Box::new(greedy::doodle::GreedyDoodle::new(place)),
        patchwork: |place| Box::new(patchwork::Searcher::greedy(place)),
    },
    Bundled {
        name: "planner",
        about: "a search with a small fixed budget",
        solitary: true,
        searches: true,
        doodle: |place| Box::new(doodle::Searcher::planner(place)),
        patchwork: |place| Box::new(patchwork::Searcher::planner(place)),
    },
    Bundled {
        name: "master",
        about: "the same search with all the time it is given",
        solitary: true,
        searches: true,
        doodle: |place| Box::new(doodle::Searcher::master(place)),
        patchwork: |place| Box::new(patchwork::Searcher::master(place)),
    },
];

/// Returns the bundled bot with this name.
pub fn find(name: &str) -> Option<&'static Bundled> {
    BUNDLED.iter().find(|bot| bot.name == name)
}

//! The bundled bots by name. The crate `bots` has their code. Only the program depends on that crate.

/// A bot that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundled {
    /// The name on the command line and in tables.
    pub name: &'static str,
    /// True if the bot plays when no bot is named.
    pub by_default: bool,
}

/// The bundled bots, in the order of all lists.
pub const BUNDLED: [Bundled; 8] = [
    Bundled { name: "random", by_default: true },
    Bundled { name: "novice", by_default: false },
    Bundled { name: "amateur", by_default: false },
    Bundled { name: "tidy", by_default: false },
    Bundled { name: "greedy", by_default: true },
    Bundled { name: "scout", by_default: false },
    Bundled { name: "planner", by_default: false },
    Bundled { name: "master", by_default: false },
];

/// Returns the bundled bot of this name.
pub fn find(name: &str) -> Option<Bundled> {
    BUNDLED.into_iter().find(|bot| bot.name == name)
}

//! The bundled bots by name. The crate `bots` has their code. Only the program depends on that crate.

/// A bot that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundled {
    /// The name on the command line and in tables.
    pub name: &'static str,
    /// True if the bot searches, so that its moves take time. Such a bot plays only when the user names it.
    pub searches: bool,
}

/// The bundled bots, in the order of all lists.
pub const BUNDLED: [Bundled; 4] = [
    Bundled { name: "random", searches: false },
    Bundled { name: "greedy", searches: false },
    Bundled { name: "planner", searches: true },
    Bundled { name: "master", searches: true },
];

/// Returns the bundled bot of this name.
pub fn find(name: &str) -> Option<Bundled> {
    BUNDLED.into_iter().find(|bot| bot.name == name)
}

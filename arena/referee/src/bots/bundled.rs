//! The bundled bots by name. What they do is in the crate `bots`, on which only the program depends.

/// A bot that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundled {
    /// Its name on the command line and in tables.
    pub name: &'static str,
    /// Whether it searches, so that its moves take time. Such a bot only plays where it is named.
    pub searches: bool,
}

/// The bundled bots, in the order in which they are listed.
pub const BUNDLED: [Bundled; 4] = [
    Bundled { name: "random", searches: false },
    Bundled { name: "greedy", searches: false },
    Bundled { name: "planner", searches: true },
    Bundled { name: "master", searches: true },
];

/// The bundled bot of this name.
pub fn find(name: &str) -> Option<Bundled> {
    BUNDLED.into_iter().find(|bot| bot.name == name)
}

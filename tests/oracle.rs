//! Compares the engine with a second implementation of the rules, written from the rule text with lists and
//! loops. Both play the same random games. All states, all scores, and the legal moves of sampled turns must
//! agree.
//!
//! `QUILT_ORACLE_GAMES` sets the number of games of each comparison (default 3,000).
//! `QUILT_ORACLE_LISTED_EVERY` sets the interval between turns with listed moves (default 6: one turn in
//! six).

mod doodle;
mod naive;
mod patchwork;

/// Returns the number of games of each comparison.
fn games() -> u64 {
    number("QUILT_ORACLE_GAMES", 3_000)
}

/// Returns the mean interval between turns whose legal moves are compared one by one.
fn listed_every() -> u32 {
    static SET: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *SET.get_or_init(|| number("QUILT_ORACLE_LISTED_EVERY", 6) as u32)
}

/// Returns a number from the environment.
fn number(variable: &str, unless_set: u64) -> u64 {
    std::env::var(variable).map_or(unless_set, |text| text.parse().expect("a number"))
}

/// Plays games `0..games()` on all cores.
fn on_all_cores(play: impl Fn(u64) + Sync) {
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let play = &play;
            scope.spawn(move || (worker..games()).step_by(workers as usize).for_each(play));
        }
    });
}

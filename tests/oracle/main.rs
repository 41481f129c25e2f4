//! The engine against a second implementation of the rules, written from the rule text with lists
//! and loops. Both play the same random games; every state, every score and the legal moves of
//! sampled turns must agree.
//!
//! `QUILT_ORACLE_GAMES` sets the number of games of each comparison (20,000 unless set).

mod doodle;
mod naive;
mod patchwork;

/// Number of games of each comparison.
fn games() -> u64 {
    let set = std::env::var("QUILT_ORACLE_GAMES").ok();
    set.map_or(20_000, |text| text.parse().expect("QUILT_ORACLE_GAMES is a number"))
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

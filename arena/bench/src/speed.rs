//! The speed of the rules: games, legal moves, and positions per second of CPU time on one core.
//!
//! Each figure is the median of several windows of equal length. All windows play the same deals again and
//! again with new random numbers. Deals and components are prepared before the clock starts. The measured
//! code allocates nothing. This module writes to no terminal.

use engine::wire::WireFormat;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use engine::doodle::{self, Doodle};
use engine::patchwork::{self, Moves, Patchwork, State};
use referee::play::Start;
use rustix::time::{ClockId, clock_gettime};

use crate::figure::Figure;

/// The number of deals that are played in turn.
const DEALS: u64 = 512;

/// The length of a measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// The number of windows for each figure, at least one.
    pub(crate) windows: usize,
    /// The CPU time of each window.
    pub(crate) window: Duration,
}

/// Measures all figures, in a fixed order.
pub(crate) fn all(effort: Effort) -> Vec<Figure> {
    let [games, moves] = random_games(effort);
    let met = legal_moves_in_play(effort);
    let starts = positions_at_start(effort);
    vec![games, moves, met, starts, random_solo_games(effort), greedy_solo_games(effort)]
}

/// Patchwork games in which every legal move of a decision is equally likely. Counts the games and the legal
/// moves found in them.
fn random_games(effort: Effort) -> [Figure; 2] {
    let matches = patchwork_matches();
    let mut chance = Chance(1);
    let counts = measure(effort, || {
        let mut counts = [0; 2];
        for one in &matches {
            let playout = one.state().clone().play_out(one.table(), |bound| chance.below(bound));
            counts = [counts[0] + 1, counts[1] + u64::from(playout.moves)];
        }
        counts
    });
    let [games, moves] = counts;
    [
        Figure::new("patchwork: random games", "games", games),
        Figure::new("patchwork: in them", "legal moves", moves),
    ]
}

/// Patchwork: finds the legal moves of positions from random games, as sets with their number.
fn legal_moves_in_play(effort: Effort) -> Figure {
    let matches = patchwork_matches();
    let mut chance = Chance(2);
    let mut met: Vec<(&Patchwork, State)> = Vec::new();
    for one in &matches {
        met.extend(positions_of(one, &mut chance).into_iter().map(|state| (one, state)));
    }
    let mut moves = Moves::none();
    let [count] = measure(effort, || [met.iter().map(|(one, state)| found(&mut moves, one, state)).sum()]);
    Figure::new("patchwork: moves of positions in play", "legal moves", count)
}

/// Patchwork: finds all legal moves of starting positions, as sets with their number.
fn positions_at_start(effort: Effort) -> Figure {
    let matches = patchwork_matches();
    let mut moves = Moves::none();
    let [count] = measure(effort, || {
        for one in &matches {
            black_box(found(&mut moves, one, black_box(one.state())));
        }
        [DEALS]
    });
    Figure::new("patchwork: moves of starting positions", "positions", count)
}

/// Solo doodle without special actions: every place of every card on offer is equally likely.
fn random_solo_games(effort: Effort) -> Figure {
    let matches = doodle_matches();
    let mut chance = Chance(3);
    let [count] = measure(effort, || {
        for one in &matches {
            let mut state = doodle::State::NEW;
            black_box(state.play_out(one.table(0), |bound| chance.below(bound)));
            black_box(state);
        }
        [DEALS]
    });
    Figure::new("doodle: random solo games", "games", count)
}

/// Solo doodle without special actions: always takes the place with the fewest free neighbour cells.
fn greedy_solo_games(effort: Effort) -> Figure {
    let matches = doodle_matches();
    let [count] = measure(effort, || {
        for one in &matches {
            let mut state = doodle::State::NEW;
            black_box(state.play_greedily(one.table(0)));
            black_box(state);
        }
        [DEALS]
    });
    Figure::new("doodle: greedy solo games", "games", count)
}

fn patchwork_matches() -> Vec<Patchwork> {
    matches_of(patchwork::Equipment::standard(), 2)
}

fn doodle_matches() -> Vec<Doodle> {
    matches_of(doodle::Equipment::standard(), 1)
}

fn matches_of<G: WireFormat>(equipment: G::Equipment, seats: usize) -> Vec<G> {
    let equipment = Arc::new(equipment);
    let new_match = |seed| -> G {
        let deal = G::deal(&equipment, seats, seed).expect("so many seats can play");
        Start::of(deal).begin(&equipment).expect("a fresh deal")
    };
    (0..DEALS).map(new_match).collect()
}

/// Returns the positions of a random game.
fn positions_of(one: &Patchwork, chance: &mut Chance) -> Vec<State> {
    let (mut state, mut met) = (*one.state(), Vec::new());
    while state.to_move(one.table()).is_some() {
        met.push(state);
        let moves = Moves::new(one.table(), &state);
        let action = moves.nth(chance.below(moves.count())).expect("below the count");
        state.apply(one.table(), action);
    }
    met
}

fn found<'t>(moves: &mut Moves<'t>, one: &'t Patchwork, state: &State) -> u64 {
    moves.find(one.table(), state);
    black_box(&*moves).count().into()
}

/// Runs `work` once as a warm-up, then repeats it until each window is over. Returns the counts per second of
/// CPU time: one list for each of the `N` counts, with one rate a window.
fn measure<const N: usize>(effort: Effort, mut work: impl FnMut() -> [u64; N]) -> [Vec<f64>; N] {
    work();
    let mut rates = [(); N].map(|()| Vec::new());
    for _ in 0..effort.windows.max(1) {
        let (start, mut total) = (cpu_time(), [0; N]);
        let took = loop {
            let counts = work();
            total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            let took = cpu_time() - start;
            if took >= effort.window {
                break took;
            }
        };
        let per_second = |count: u64| count as f64 / took.as_secs_f64();
        rates.iter_mut().zip(total).for_each(|(rates, count)| rates.push(per_second(count)));
    }
    rates
}

/// Returns the CPU time of this thread. Other work on the machine does not count.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Cheap random numbers by SplitMix64, so that the rules dominate the measurement.
struct Chance(u64);

impl Chance {
    /// Returns a number below `bound`. For the small bounds of games the bias is negligible.
    #[inline]
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u64::from(bound) * (mixed >> 32)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_there_whatever_the_machine() {
        let figures = all(Effort { windows: 5, window: Duration::ZERO });
        assert_eq!(figures.len(), 6);
        for figure in figures {
            assert_eq!(figure.windows, 5, "{}", figure.name);
            assert!(figure.figure > 0.0, "{}", figure.name);
        }
    }
}

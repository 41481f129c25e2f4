//! Learns the value from its own games by temporal differences, TD(λ) with λ = 0.7.
//!
//! The pupil plays deals with its present parameters, one move ahead or with a small search. After a batch of games it
//! moves the value of each position towards a target, which mixes the result of the game with the values of the
//! positions that followed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::game::{Game, Seat};
use engine::patchwork::{Action, Equipment, Patchwork, State, Table};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::features::Seen;
use super::judge::{Judge, Judged, Memory, best_odds};
use super::net::{Net, chance};
use super::settings::Settings;
use super::tree::Tree;
use crate::budget::Budget;

/// λ: the weight of what follows in a target. The value of the best move has the rest.
const FAR: f32 = 0.7;
/// The games of a batch, and the parts that are summed up apart, so that the number of threads changes no sum.
pub const BATCH: u64 = 64;
const PARTS: u64 = 8;
/// The placements of each patch that are tried in games.
const JUDGED: usize = 5;
/// A move is chosen with odds that this power of its value gives: the noise of the games.
const SHARPNESS: i32 = 16;
/// A random move that is worse than this share of the best odds is not learned from.
const BLUNDER: f32 = 0.9;
/// The parameters of windows learn at this share of the rate, because each position has many of them.
const WINDOWS_SHARE: f32 = 0.5;

/// How a batch is played and learned from.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The learning rate of Adam: the approximate size of a step.
    pub rate: f32,
    /// The share of random moves.
    pub random: f32,
    /// The evaluations of a search for each move. `None` looks one move ahead.
    pub search: Option<u64>,
}

/// Learns the value from its own play.
#[derive(Debug)]
pub struct Pupil {
    equipment: Arc<Equipment>,
    net: Net,
    /// The running means of the gradient and of its square.
    mean: Net,
    square: Net,
    /// What is left of the first values of these means.
    young: [f32; 2],
}

/// A position that was played.
struct Met {
    state: State,
    seat: Seat,
    /// The chance of seat 0 after the best move.
    best: f32,
    /// True if the move that was played is not learned from.
    is_cut: bool,
}

impl Pupil {
    /// Makes a pupil that starts with these parameters.
    pub fn new(equipment: Arc<Equipment>, net: Net) -> Pupil {
        Pupil { equipment, net, mean: Net::zero(), square: Net::zero(), young: [1.0; 2] }
    }

    /// Returns the present parameters.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// Plays [`BATCH`] deals from this seed on, and learns from them. Returns the mean score. The number of threads makes
    /// no difference.
    pub fn study(&mut self, seed: u64, pace: Pace, threads: usize) -> f64 {
        let next = AtomicUsize::new(0);
        let (equipment, net) = (&self.equipment, &self.net);
        let work = || {
            let mut done = Vec::new();
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed) as u64;
                if part >= PARTS {
                    return done;
                }
                let (mut wanted, mut score, mut count) = (Net::zero(), 0.0, 0);
                for game in (part..BATCH).step_by(PARTS as usize) {
                    let (mean, positions) = lesson(equipment, net, seed + game, pace, &mut wanted);
                    (score, count) = (score + mean, count + positions);
                }
                done.push((part, wanted, score, count));
            }
        };
        let mut parts = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("no lesson fails")).collect::<Vec<_>>()
        });
        parts.sort_by_key(|(part, ..)| *part);
        let count: usize = parts.iter().map(|(_, _, _, count)| count).sum();
        let score = parts.iter().map(|(_, _, score, _)| score).sum::<f64>();
        let mut wanted = parts.remove(0).1;
        for (_, other, ..) in &mut parts {
            wanted.numbers_mut().zip(other.numbers_mut()).for_each(|(sum, more)| *sum += *more);
        }
        self.step(&mut wanted, 1.0 / count as f32, pace.rate);
        score / BATCH as f64
    }

    /// Makes one step of Adam (Kingma and Ba, 2015).
    fn step(&mut self, wanted: &mut Net, each: f32, rate: f32) {
        /// The decay rates of the running means, and the ε that avoids a division by zero.
        const MEAN: f32 = 0.9;
        const SQUARE: f32 = 0.999;
        const LEAST: f32 = 1e-6;
        self.young = [self.young[0] * MEAN, self.young[1] * SQUARE];
        let [young_mean, young_square] = self.young.map(|young| 1.0 - young);
        let of_windows = self.net.windows_len();
        let running = self.mean.numbers_mut().zip(self.square.numbers_mut());
        let numbers = self.net.numbers_mut().zip(wanted.numbers_mut());
        for (place, ((number, wanted), (mean, square))) in numbers.zip(running).enumerate() {
            let each = *wanted * each;
            *mean = MEAN * *mean + (1.0 - MEAN) * each;
            *square = SQUARE * *square + (1.0 - SQUARE) * each * each;
            let rate = if place < of_windows { rate * WINDOWS_SHARE } else { rate };
            *number += rate * (*mean / young_mean) / ((*square / young_square).sqrt() + LEAST);
        }
    }
}

/// Plays a game and adds what it teaches. Returns the mean score and the number of positions.
fn lesson(equipment: &Arc<Equipment>, net: &Net, seed: u64, pace: Pace, wanted: &mut Net) -> (f64, usize) {
    let deal = Patchwork::deal(equipment, 2, seed).expect("two seats can always play");
    let game = Patchwork::new(equipment, &deal).expect("the deal was just made for these patches");
    let (met, end) = played(game.table(), net, &mut ChaCha8Rng::seed_from_u64(seed), pace);
    let mut memory = Memory::new(game.table());
    let mut target = chance(Judge::new(game.table(), net, &mut memory).odds(&end, 0));
    let mut seen = Seen::NOTHING;
    for Met { state, seat, best, is_cut } in met.iter().rev() {
        target = if *is_cut { *best } else { FAR * target + (1.0 - FAR) * best };
        engine::cpu::with_vectors(
            #[inline(always)]
            || {
                seen.look(game.table(), state, *seat);
                net.teach(&seen, if *seat == 0 { target } else { 1.0 - target }, wanted);
            },
        );
    }
    (end.players().iter().map(|player| f64::from(player.score())).sum::<f64>() / 2.0, met.len())
}

fn played(table: &Table, net: &Net, dice: &mut ChaCha8Rng, pace: Pace) -> (Vec<Met>, State) {
    let mut memory = Memory::new(table);
    let mut judge = Judge::new(table, net, &mut memory);
    let (mut state, mut met) = (State::new(table), Vec::new());
    while let Some(seat) = state.to_move(table) {
        let moves = judge.moves(&state, JUDGED, JUDGED);
        let top = best_odds(&moves);
        let random = dice.random::<f32>() < pace.random;
        let (mut best, mut after) = (chance(top), drawn(&moves, top, dice).after);
        if let Some(evaluations) = pace.search {
            let settings = Settings { root: 3, judged: 9, ..Settings::default() };
            let mut tree = Tree::new(&mut judge, state, settings);
            tree.grow(&mut Budget::of(evaluations));
            let (action, value, _) = tree.best().expect("a move");
            (best, after) = (value, judge.after(&state, action));
        }
        let mut is_cut = false;
        if random {
            // The advance, or the best placement of a patch.
            let kind =
                |one: &Judged| if let Action::Buy { patch, .. } = one.action { Some(patch) } else { None };
            let kinds: Vec<&Judged> =
                moves.chunk_by(|one, other| kind(one) == kind(other)).map(|of| &of[0]).collect();
            let any = kinds[dice.random_range(0..kinds.len())];
            (after, is_cut) = (any.after, any.odds < BLUNDER * top);
        }
        let best = if seat == 0 { best } else { 1.0 - best };
        met.push(Met { state, seat, best, is_cut });
        state = after;
    }
    (met, state)
}

/// Draws a move; better ones are likelier.
fn drawn<'m>(moves: &'m [Judged], top: f32, dice: &mut ChaCha8Rng) -> &'m Judged {
    let weight = |one: &Judged| (0..SHARPNESS).fold(1.0, |power, _| power * (one.odds / top));
    let mut lot = dice.random::<f32>() * moves.iter().map(weight).sum::<f32>();
    let is_it = |one: &&Judged| {
        lot -= weight(one);
        lot <= 0.0
    };
    moves.iter().find(is_it).unwrap_or(&moves[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_studies_learns_the_same_with_any_number_of_threads() {
        let equipment = Arc::new(Equipment::standard());
        let studied = |threads| {
            let mut dice = ChaCha8Rng::seed_from_u64(0);
            let mut pupil = Pupil::new(Arc::clone(&equipment), Net::untrained(|| dice.random()));
            for (batch, search) in [(0, None), (1, None), (2, Some(20))] {
                pupil.study(batch * BATCH, Pace { rate: 0.002, random: 0.1, search }, threads);
            }
            pupil.net().to_bytes()
        };
        let alone = studied(1);
        assert_eq!(alone, studied(3));
        assert_ne!(alone, Net::untrained(|| 0.5).to_bytes());
    }
}

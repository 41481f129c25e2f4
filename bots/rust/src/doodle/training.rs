//! Learns the value function by temporal differences, TD(λ) with λ = 0.9.
//!
//! The pupil plays deals with the policy of `greedy` and its present parameters. After each match, it moves
//! the values of all sheets on the way towards their targets. A target mixes the result of the match with the
//! value of the next sheet.

use engine::bitboard::Bitboard;
use engine::doodle::{Equipment, Specials, State, Table};

use super::ahead::Turn;
use super::evaluator::Evaluator;
use super::features::Seen;
use super::learned::Learned;
use super::net::{HIDDEN, Net, UNIT};
use super::policy::scored;
use super::timeline;
use crate::windows;

/// Drawings that are tried with single cells in training matches.
pub(super) const FINALISTS: usize = 4;
/// λ: the weight of the match result in a target. The value of the next sheet has the rest.
const FAR: f32 = 0.9;
/// The batch size of network updates, in matches.
const BATCH: u32 = 16;

/// Learning rates.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The share of an error that one update corrects, spread over the windows of a sheet.
    pub windows: f32,
    /// The learning rate of Adam for the networks: the approximate size of a step.
    pub networks: f32,
    /// True to use no special actions in turns without a scoring. A pupil that never saves them cannot learn
    /// their value.
    pub is_sparing: bool,
}

/// Learns the value function from its own play.
#[derive(Debug)]
pub struct Pupil<'e> {
    equipment: &'e Equipment,
    learned: Learned,
    lessons: Vec<Lesson>,
    played: u32,
}

/// A sheet at the end of a turn, with the points scored in that turn.
#[derive(Clone, Copy, Debug)]
struct Left {
    turn: u8,
    board: Bitboard,
    specials: Specials,
    points: f32,
}

impl<'e> Pupil<'e> {
    /// Makes a pupil that starts with these parameters.
    pub fn new(equipment: &'e Equipment, learned: Learned) -> Pupil<'e> {
        let lessons = vec![Lesson::new(); learned.stages.len()];
        Pupil { equipment, learned, lessons, played: 0 }
    }

    /// Returns the present parameters.
    pub fn learned(&self) -> &Learned {
        &self.learned
    }

    /// Plays the deal of this seed and returns the score.
    pub fn play(&self, seed: u64) -> i32 {
        self.played_out(seed, false).0
    }

    /// Plays the deal of this seed, learns from it, and returns the score.
    pub fn study(&mut self, seed: u64, pace: Pace) -> i32 {
        let (score, path) = self.played_out(seed, pace.is_sparing);
        let value = |left: &Left| Evaluator::new(&self.learned, left.turn).value(left.board, left.specials);
        let values: Vec<f32> = path.iter().map(value).collect();
        let (Some(&last), pairs) = (values.last(), path.iter().zip(&values).zip(values.iter().skip(1)))
        else {
            return score;
        };
        let mut became = last;
        let mut errors = Vec::with_capacity(path.len());
        for ((left, value), next) in pairs.rev() {
            became = left.points + FAR * became + (1.0 - FAR) * next;
            errors.push((*left, became - value));
        }
        for (left, error) in errors {
            self.correct(&left, error, pace);
        }
        self.played += 1;
        if self.played.is_multiple_of(BATCH) {
            for (stage, lesson) in self.learned.stages.iter_mut().zip(&mut self.lessons) {
                lesson.take(&mut stage.net, pace.networks);
            }
        }
        score
    }

    fn played_out(&self, seed: u64, is_sparing: bool) -> (i32, Vec<Left>) {
        let timeline = timeline(self.equipment, seed);
        let table = Table { equipment: self.equipment, timeline: &timeline, seat: 0 };
        let (mut state, mut path) = (State::NEW, Vec::new());
        while let Some(turn) = Turn::on_table(table, &state, &self.learned) {
            let turn = if is_sparing { turn.sparing() } else { turn };
            let choice = turn.choices(FINALISTS)[0];
            let (turn, before) = (state.turn, scored(&state));
            state.apply(&timeline, &choice.action, choice.uses);
            let (board, specials) = (state.sheet.board, state.sheet.specials);
            path.push(Left { turn, board, specials, points: scored(&state) - before });
        }
        (state.sheet.score(), path)
    }

    /// Moves the value of a sheet by a part of `error`, in points.
    fn correct(&mut self, left: &Left, error: f32, pace: Pace) {
        let turn = usize::from(left.turn);
        let stage = &mut self.learned.stages[turn];
        let seen = Seen::new(left.board, left.specials);
        self.lessons[turn].add(&stage.net, &seen, error);
        windows::correct(&mut stage.windows, left.board, pace.windows * error);
    }
}

/// The state of the Adam optimizer of one network (Kingma and Ba, 2015).
#[derive(Clone, Debug)]
struct Lesson {
    /// The sum of the gradients since the last step.
    wanted: Net,
    /// The running means of the gradient and of its square, per match.
    mean: Net,
    square: Net,
    steps: i32,
}

impl Lesson {
    /// The decay rates of the running means.
    const MEAN: f32 = 0.9;
    const SQUARE: f32 = 0.999;
    /// The ε of Adam, which avoids a division by zero.
    const LEAST: f32 = 1e-6;

    fn new() -> Lesson {
        Lesson { wanted: Net::ZERO, mean: Net::ZERO, square: Net::ZERO, steps: 0 }
    }

    /// Adds the gradient that reduces `error`: the negative derivative of half its square.
    fn add(&mut self, net: &Net, seen: &Seen, error: f32) {
        let error = error / UNIT;
        let (units, wanted) = (net.units(&seen.features), &mut self.wanted);
        wanted.offset += error;
        for unit in (0..HIDDEN).filter(|&unit| units[unit] > 0.0) {
            wanted.out[unit] += error * units[unit];
            let back = error * net.out[unit];
            wanted.offsets[unit] += back;
            for (weights, feature) in wanted.weights.iter_mut().zip(&seen.features) {
                weights[unit] += back * feature;
            }
        }
    }

    /// Makes one Adam step.
    fn take(&mut self, net: &mut Net, pace: f32) {
        self.steps += 1;
        let young = |running: f32| 1.0 - running.powi(self.steps);
        let (young_mean, young_square) = (young(Self::MEAN), young(Self::SQUARE));
        let running = self.mean.numbers_mut().zip(self.square.numbers_mut());
        let numbers = net.numbers_mut().zip(self.wanted.numbers_mut());
        for ((number, wanted), (mean, square)) in numbers.zip(running) {
            let each = std::mem::take(wanted) / BATCH as f32;
            *mean = Self::MEAN * *mean + (1.0 - Self::MEAN) * each;
            *square = Self::SQUARE * *square + (1.0 - Self::SQUARE) * each * each;
            *number += pace * (*mean / young_mean) / ((*square / young_square).sqrt() + Self::LEAST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_studies_gets_better_and_the_same_every_time() {
        let equipment = Equipment::standard();
        let pace = Pace { windows: 0.01, networks: 0.01, is_sparing: true };
        let studied = |deals: u64| {
            let mut seed = 1u32;
            let chance = || {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 8) as f32 / (1 << 24) as f32
            };
            let mut pupil = Pupil::new(&equipment, Learned::nothing(chance));
            for seed in 1_000..1_000 + deals {
                pupil.study(seed, pace);
            }
            pupil
        };
        let total = |pupil: &Pupil<'_>| (0..10).map(|seed| pupil.play(seed)).sum::<i32>();
        let [before, after] = [0, 120].map(|deals| total(&studied(deals)));
        assert!(after > before + 10 * 10, "{before} before, {after} after");
        let [one, other] = [20, 20].map(|deals| studied(deals).learned().to_bytes());
        assert_eq!(one, other);
    }
}

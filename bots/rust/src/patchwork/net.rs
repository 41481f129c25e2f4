//! A small value network, from a position to the logarithm of the odds of the player to move.
//!
//! Every sum has a fixed order and no operation is fused, so that all processors get the same result.

use std::sync::LazyLock;

use crate::{stored, windows};

use super::features::{FEATURES, Seen};

/// The learned numbers of each window. Their sum describes a quilt.
pub(super) const ROW: usize = 16;
/// The inputs: the features, and the sums of both quilts.
const INPUTS: usize = FEATURES + 2 * ROW;
/// The units of the two layers.
const UNITS: usize = 64;
const LAST: usize = 16;
/// Stored integers per unit of a parameter.
const SCALE: f32 = 16_384.0;

/// The parameters of the bundled bots, written by `cargo lab --release --example train -- positions`.
static BUNDLED: LazyLock<Net> =
    LazyLock::new(|| Net::from_bytes(include_bytes!("learned.bin")).expect("the trainer wrote it"));

/// A network with two hidden layers of ReLU units. Both players share the numbers of the windows.
#[derive(Clone, Debug)]
pub struct Net {
    windows: Vec<[f32; ROW]>,
    first: Box<[[f32; UNITS]; INPUTS]>,
    first_offsets: [f32; UNITS],
    second: [[f32; LAST]; UNITS],
    second_offsets: [f32; LAST],
    out: [f32; LAST],
    offset: f32,
}

/// What the units of a network computed.
struct Units {
    inputs: [f32; INPUTS],
    first: [f32; UNITS],
    second: [f32; LAST],
    output: f32,
}

impl Net {
    /// Returns the parameters of the bundled bots.
    pub fn bundled() -> &'static Net {
        &BUNDLED
    }

    /// Returns a network with all parameters 0.
    pub(super) fn zero() -> Net {
        Net {
            windows: vec![[0.0; ROW]; windows::count()],
            first: Box::new([[0.0; UNITS]; INPUTS]),
            first_offsets: [0.0; UNITS],
            second: [[0.0; LAST]; UNITS],
            second_offsets: [0.0; LAST],
            out: [0.0; LAST],
            offset: 0.0,
        }
    }

    /// Returns an untrained network. `chance` must return numbers from 0 to 1.
    pub fn untrained(mut chance: impl FnMut() -> f32) -> Net {
        let mut net = Net::zero();
        let mut draw = |numbers: &mut [f32], most: f32| {
            numbers.iter_mut().for_each(|number| *number = (2.0 * chance() - 1.0) * most);
        };
        net.first.iter_mut().for_each(|weights| draw(weights, 0.1));
        net.second.iter_mut().for_each(|weights| draw(weights, 0.2));
        draw(&mut net.out, 0.08);
        net
    }

    /// Serializes the parameters as little-endian 16-bit integers.
    pub fn to_bytes(&self) -> Vec<u8> {
        stored::to_bytes(self.numbers(), SCALE)
    }

    /// Reads parameters from the format of [`Net::to_bytes`]. `None` if the length is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Net> {
        let mut net = Net::zero();
        stored::read(bytes, net.numbers_mut(), SCALE)?;
        Some(net)
    }

    /// Returns all parameters in a fixed order, those of the windows first.
    fn numbers(&self) -> impl Iterator<Item = f32> {
        let Net { windows, first, first_offsets, second, second_offsets, out, offset } = self;
        let of_first = windows.iter().flatten().chain(first.iter().flatten()).chain(first_offsets);
        of_first.chain(second.iter().flatten()).chain(second_offsets).chain(out).chain([offset]).copied()
    }

    /// Returns all parameters for modification, in the order of [`Net::numbers`].
    pub(super) fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let Net { windows, first, first_offsets, second, second_offsets, out, offset } = self;
        let of_first = windows.iter_mut().flatten().chain(first.iter_mut().flatten()).chain(first_offsets);
        of_first.chain(second.iter_mut().flatten()).chain(second_offsets).chain(out).chain([offset])
    }

    /// Returns the number of parameters of the windows.
    pub(super) fn windows_len(&self) -> usize {
        self.windows.len() * ROW
    }

    /// Returns the odds that the player to move wins.
    #[inline(always)]
    pub(super) fn odds(&self, seen: &Seen) -> f32 {
        exp(self.units(seen).output)
    }

    #[inline(always)]
    fn units(&self, seen: &Seen) -> Units {
        let mut inputs = [0.0; INPUTS];
        inputs[..FEATURES].copy_from_slice(&seen.features);
        for (who, quilt) in seen.quilts.into_iter().enumerate() {
            let mut sums = [0.0; ROW];
            windows::visit(quilt, |number| add(&mut sums, 1.0, &self.windows[number]));
            inputs[FEATURES + who * ROW..][..ROW].copy_from_slice(&sums);
        }
        let mut first = self.first_offsets;
        for (input, weights) in inputs.iter().zip(&*self.first) {
            add(&mut first, *input, weights);
        }
        first.iter_mut().for_each(|unit| *unit = unit.max(0.0));
        let mut second = self.second_offsets;
        for (unit, weights) in first.iter().zip(&self.second) {
            add(&mut second, *unit, weights);
        }
        second.iter_mut().for_each(|unit| *unit = unit.max(0.0));
        let mut output = self.offset;
        for (unit, weight) in second.iter().zip(&self.out) {
            output += unit * weight;
        }
        Units { inputs, first, second, output }
    }

    /// Adds the gradient that moves the chance to win in this position towards `target`: the negative derivative of the
    /// cross entropy.
    #[inline(always)]
    pub(super) fn teach(&self, seen: &Seen, target: f32, wanted: &mut Net) {
        let Units { inputs, first, second, output } = self.units(seen);
        let error = target - chance(exp(output));
        wanted.offset += error;
        add(&mut wanted.out, error, &second);
        let mut of_second = [0.0; LAST];
        for unit in (0..LAST).filter(|&unit| second[unit] > 0.0) {
            of_second[unit] = error * self.out[unit];
        }
        add(&mut wanted.second_offsets, 1.0, &of_second);
        let mut of_first = [0.0; UNITS];
        for unit in (0..UNITS).filter(|&unit| first[unit] > 0.0) {
            of_first[unit] = product(&self.second[unit], &of_second);
            add(&mut wanted.second[unit], first[unit], &of_second);
        }
        add(&mut wanted.first_offsets, 1.0, &of_first);
        for (input, weights) in inputs.iter().zip(&mut *wanted.first) {
            add(weights, *input, &of_first);
        }
        for (who, quilt) in seen.quilts.into_iter().enumerate() {
            let of_row: [f32; ROW] =
                std::array::from_fn(|place| product(&self.first[FEATURES + who * ROW + place], &of_first));
            windows::visit(quilt, |number| add(&mut wanted.windows[number], 1.0, &of_row));
        }
    }
}

/// Adds a multiple of some numbers to others.
#[inline(always)]
fn add<const N: usize>(to: &mut [f32; N], times: f32, numbers: &[f32; N]) {
    for place in 0..N {
        to[place] += times * numbers[place];
    }
}

/// Returns the sum of the products.
#[inline(always)]
fn product<const N: usize>(some: &[f32; N], others: &[f32; N]) -> f32 {
    some.iter().zip(others).fold(0.0, |sum, (one, other)| sum + one * other)
}

/// Returns the probability with these odds.
#[inline(always)]
pub(super) fn chance(odds: f32) -> f32 {
    odds / (1.0 + odds)
}

/// Returns `e` to the power of a number, to about six digits. Systems differ in the last bit of theirs.
#[inline(always)]
pub(super) fn exp(power: f32) -> f32 {
    let power = power.clamp(-60.0, 60.0) * std::f32::consts::LOG2_E;
    let whole = (power + 0.5).floor();
    let rest = (power - whole) * std::f32::consts::LN_2;
    let series = (1..=6).rev().fold(1.0, |sum, term| 1.0 + sum * rest / term as f32);
    f32::from_bits(((whole as i32 + 127) << 23) as u32) * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_being_written() {
        let bytes = Net::bundled().to_bytes();
        assert_eq!(bytes, include_bytes!("learned.bin"));
        assert!(Net::from_bytes(&bytes[2..]).is_none());
        assert!(Net::from_bytes(&[&bytes[..], &[0]].concat()).is_none());
    }

    #[test]
    fn the_power_is_that_of_the_system_to_six_digits() {
        for power in (-4_000..4_000).map(|step| step as f32 / 100.0) {
            let (own, there) = (exp(power), power.exp());
            assert!((own / there - 1.0).abs() < 4e-6, "{power}: {own} and {there}");
        }
    }
}

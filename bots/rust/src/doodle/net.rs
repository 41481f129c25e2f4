//! A small value network, from the features of a sheet to points.

use super::features::FEATURES;

/// The number of hidden units.
pub(super) const HIDDEN: usize = 32;
/// The number of partial sums, computed in parallel.
const LANES: usize = 8;
/// Points per unit of output.
pub(super) const UNIT: f32 = 50.0;

/// A network with one hidden layer of ReLU units and one linear output.
#[derive(Clone, Debug)]
pub(super) struct Net {
    /// Weights from each feature to each hidden unit.
    pub(super) weights: [[f32; HIDDEN]; FEATURES],
    /// Biases of the hidden units.
    pub(super) offsets: [f32; HIDDEN],
    /// Weights from the hidden units to the output.
    pub(super) out: [f32; HIDDEN],
    /// The bias of the output.
    pub(super) offset: f32,
}

impl Net {
    /// A network with all parameters 0.
    pub(super) const ZERO: Net =
        Net { weights: [[0.0; HIDDEN]; FEATURES], offsets: [0.0; HIDDEN], out: [0.0; HIDDEN], offset: 0.0 };

    /// Returns all parameters in a fixed order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = f32> {
        let Net { weights, offsets, out, offset } = self;
        weights.iter().flatten().chain(offsets).chain(out).chain([offset]).copied()
    }

    /// Returns all parameters for modification, in the order of [`Net::numbers`].
    pub(super) fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let Net { weights, offsets, out, offset } = self;
        weights.iter_mut().flatten().chain(offsets).chain(out).chain([offset])
    }

    /// Returns the inputs of the hidden units, before the ReLU.
    #[inline(always)]
    pub(super) fn units(&self, features: &[f32; FEATURES]) -> [f32; HIDDEN] {
        let mut units = self.offsets;
        for (feature, weights) in features.iter().zip(&self.weights) {
            for unit in 0..HIDDEN {
                units[unit] += feature * weights[unit];
            }
        }
        units
    }

    /// Returns the output in points. The order of the sum is fixed, so that all processors get the same
    /// result.
    #[inline(always)]
    pub(super) fn points(&self, features: &[f32; FEATURES]) -> f32 {
        let units = self.units(features);
        let mut sums = [0.0; LANES];
        for (units, out) in units.chunks_exact(LANES).zip(self.out.chunks_exact(LANES)) {
            for lane in 0..LANES {
                sums[lane] += units[lane].max(0.0) * out[lane];
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        (((a + e) + (b + f)) + ((c + g) + (d + h)) + self.offset) * UNIT
    }
}

//! A small network from the features of a sheet to points.

use super::features::FEATURES;

/// Units between the features and the points.
pub(super) const HIDDEN: usize = 32;
/// Units that are added up side by side.
const LANES: usize = 8;
/// Points that an output of 1 stands for.
pub(super) const UNIT: f32 = 50.0;

/// One layer of units that pass on what is above 0, and their weighted sum.
#[derive(Clone, Debug)]
pub(super) struct Net {
    /// What each feature adds to each unit.
    pub(super) weights: [[f32; HIDDEN]; FEATURES],
    /// What each unit has without them.
    pub(super) offsets: [f32; HIDDEN],
    /// What each unit adds to the output.
    pub(super) out: [f32; HIDDEN],
    /// The output without them.
    pub(super) offset: f32,
}

impl Net {
    /// All numbers 0.
    pub(super) const ZERO: Net =
        Net { weights: [[0.0; HIDDEN]; FEATURES], offsets: [0.0; HIDDEN], out: [0.0; HIDDEN], offset: 0.0 };

    /// All numbers, in a fixed order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = f32> {
        let Net { weights, offsets, out, offset } = self;
        weights.iter().flatten().chain(offsets).chain(out).chain([offset]).copied()
    }

    /// The same, to be changed.
    pub(super) fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let Net { weights, offsets, out, offset } = self;
        weights.iter_mut().flatten().chain(offsets).chain(out).chain([offset])
    }

    /// What comes into each unit.
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

    /// The output in points. The sum is taken in an order of its own, the same on every processor.
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

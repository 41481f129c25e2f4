//! Input features of the value network.

use engine::bitboard::Bitboard;
use engine::doodle::{Special, Specials};

use super::holes::Holes;
use super::targets::{POINTS, SIZES, STEPS, easiest};

/// A rectangle harder to fill than 20 ordinary empty cells counts as out of reach.
const REACH: f32 = 20.0 * STEPS;
/// Divisors that scale the counts of holes to about 1: empty, lone, ends, narrow.
const USUAL_HOLES: [f32; 4] = [81.0, 5.0, 10.0, 20.0];
/// The divisor that scales the best score to at most 1.
const USUAL_POINTS: f32 = 81.0;

/// The number of features of a sheet. They are the progress of the easiest rectangle of each size, the kinds
/// of holes, the current best score, and the special actions left.
pub(super) const FEATURES: usize = SIZES.len() + USUAL_HOLES.len() + 1 + Special::ALL.len();

/// The features of a sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// The features, each about 0 to 1.
    pub(super) features: [f32; FEATURES],
    /// The score of the best full rectangle, in points. 0 if none has at least two rows and two columns.
    pub(super) full: f32,
}

impl Seen {
    /// Computes the features of a sheet with these cells shaded and these special actions left.
    #[inline(always)]
    pub(super) fn new(shaded: Bitboard, specials: Specials) -> Seen {
        let holes = Holes::new(shaded);
        let easiest = easiest(&holes);
        let mut features = [0.0; FEATURES];
        let mut full = 0;
        for size in 0..SIZES.len() {
            features[size] = (1.0 - f32::from(easiest[size]) * (1.0 / REACH)).max(0.0);
            full = full.max(if easiest[size] == 0 { POINTS[size] } else { 0 });
        }
        let full = f32::from(full);
        let (_, rest) = features.split_at_mut(SIZES.len());
        let kinds = [holes.empty, holes.lone, holes.ends, holes.narrow];
        for (feature, (kind, usual)) in rest.iter_mut().zip(kinds.into_iter().zip(USUAL_HOLES)) {
            *feature = kind.count_ones() as f32 / usual;
        }
        let (_, rest) = rest.split_at_mut(USUAL_HOLES.len());
        rest[0] = full / USUAL_POINTS;
        for (feature, special) in rest[1..].iter_mut().zip(Special::ALL) {
            *feature = f32::from(u8::from(specials.has(special)));
        }
        Seen { features, full }
    }
}

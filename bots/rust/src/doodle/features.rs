//! What the network sees of a sheet.

use engine::bitboard::Bitboard;
use engine::doodle::{Special, Specials};

use super::holes::Holes;
use super::targets::{POINTS, SIZES, STEPS, easiest};

/// A rectangle that is harder to fill than so many ordinary empty cells counts as out of reach.
const REACH: f32 = 20.0 * STEPS;
/// Counts of holes that give a feature of about 1: empty, lone, ends, narrow.
const USUAL_HOLES: [f32; 4] = [81.0, 5.0, 10.0, 20.0];
/// The most that a rectangle scores, for the same.
const USUAL_POINTS: f32 = 81.0;

/// Features of a sheet: how near the easiest rectangle of each size is to be full, the kinds of holes, what would score
/// now, the special actions.
pub(super) const FEATURES: usize = SIZES.len() + USUAL_HOLES.len() + 1 + Special::ALL.len();

/// A sheet as the network sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Each about 0 to 1.
    pub(super) features: [f32; FEATURES],
    /// What the best full rectangle scores, in points; 0 where none has two rows and columns.
    pub(super) full: f32,
}

impl Seen {
    /// Looks at a sheet with these cells shaded and these special actions left.
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

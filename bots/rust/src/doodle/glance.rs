//! A fast evaluation of sheets: the sum of window weights. It is about ten times faster than the
//! [`evaluator`](super::evaluator) and nearly always ranks the best sheet among its first few. Searches use it
//! for move ordering, to choose the sheets that get the full evaluation.

use std::sync::LazyLock;

use engine::bitboard::Bitboard;
use engine::cpu::with_vectors;

use super::learned::MATCH_TURNS;
use crate::stored;
use crate::windows::{self, Sums};

/// Units per point in the integer weights.
const SCALE: f32 = 256.0;

/// The weights of the bundled bots, written by `cargo lab --release --example train`.
static BUNDLED: LazyLock<Vec<Sums>> = LazyLock::new(|| {
    from_bytes(include_bytes!("glances.bin")).iter().map(|weights| Sums::new(weights)).collect()
});

/// The fast evaluation of sheets after a given turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glance(&'static Sums);

impl Glance {
    /// Returns the evaluation after the turn with this number. `None` after the last turn, when sheets are
    /// scored exactly.
    pub(super) fn new(turn: u8) -> Option<Glance> {
        BUNDLED.get(usize::from(turn)).map(Glance)
    }

    /// Returns the value of a sheet, in units of 1/256 point. It is only comparable between sheets with the
    /// same special actions.
    pub(super) fn value(&self, shaded: Bitboard) -> i32 {
        with_vectors(
            #[inline(always)]
            || self.0.sum(shaded),
        )
    }
}

/// Serializes weights as little-endian 16-bit integers: by turn, then by window number.
pub(super) fn to_bytes(turns: &[Vec<f32>]) -> Vec<u8> {
    stored::to_bytes(turns.iter().flatten().copied(), SCALE)
}

fn from_bytes(bytes: &[u8]) -> Vec<Vec<i16>> {
    let (pairs, rest) = bytes.as_chunks();
    let numbers: Vec<i16> = pairs.iter().map(|&pair| i16::from_le_bytes(pair)).collect();
    let turns: Vec<Vec<i16>> = numbers.chunks(windows::count()).map(<[i16]>::to_vec).collect();
    assert!(
        rest.is_empty() && numbers.len() == windows::count() * usize::from(MATCH_TURNS),
        "the trainer wrote it"
    );
    turns
}

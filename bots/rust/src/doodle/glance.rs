//! What a sheet looks to be worth at a glance: the sum of what its small windows add. That is some ten times
//! quicker than the [outlook](super::outlook) and nearly always has the best sheet among its first few, so it
//! tells which of many sheets are worth weighing.

use std::sync::LazyLock;

use engine::bitboard::Bitboard;
use engine::cpu::with_vectors;

use super::learned::MATCH_TURNS;
use super::windows::{self, Sums};

/// Parts of a point that are told apart.
const SCALE: f32 = 256.0;

/// The numbers that the bots play with, written by `cargo run --release -p bench --example train`.
static BUNDLED: LazyLock<Vec<Sums>> = LazyLock::new(|| {
    from_bytes(include_bytes!("glances.bin")).iter().map(|weights| Sums::new(weights)).collect()
});

/// How sheets look after a certain turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glance(&'static Sums);

impl Glance {
    /// After the turn with this number; `None` after the last one, when sheets are counted.
    pub(super) fn new(turn: u8) -> Option<Glance> {
        BUNDLED.get(usize::from(turn)).map(Glance)
    }

    /// Tells sheets with the same special actions apart, in parts of a point: what looks better has more.
    pub(super) fn value(&self, shaded: Bitboard) -> i32 {
        with_vectors(
            #[inline(always)]
            || self.0.sum(shaded),
        )
    }
}

/// Two bytes for each number, the lower one first: by turn, then by the window's number.
pub(super) fn to_bytes(turns: &[Vec<f32>]) -> Vec<u8> {
    turns.iter().flatten().flat_map(|points| ((points * SCALE).round() as i16).to_le_bytes()).collect()
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

//! Numbers for moves, the same for both games, so that one output layer of a network fits both.
//!
//! A shape on the board has the number `(8 * slot + turn) * 81 + cell`. `slot` is the place of its card or patch on
//! offer, 0 to 2; `turn` is how it is turned, as in [`Orientation::turn`](crate::patch::Orientation::turn); `cell` is the
//! top left corner of its bounding box, `9 * row + col`. The numbers from [`CELL`] on are single cells. [`LAST`] is the
//! advance of Patchwork, and the pass of Patchwork Doodle and the end of its lists of cells.
//!
//! At Patchwork, each move has one of [`PATCHWORK`] numbers: see [`State::mask`](crate::patchwork::State::mask). A move of
//! Patchwork Doodle is a list of one to seven of [`DOODLE`] numbers: see [`Steps`](crate::doodle::Steps).

use crate::shapes::bitboard::{Bitboard, CELLS, Cell, write_bits};
use crate::shapes::cpu::nth_bit;
use crate::shapes::patch::{ORIENTATIONS_MAX, Patch};

/// Cards or patches on offer that have numbers.
pub const SLOTS: usize = 3;
/// The number of the single cell 0.
pub const CELL: usize = SLOTS * ORIENTATIONS_MAX * CELLS as usize;
/// The number behind all places: advance, pass, done, wait.
pub const LAST: usize = CELL + CELLS as usize;
/// Numbers of Patchwork: 0 to [`LAST`].
pub const PATCHWORK: usize = LAST + 1;
/// The number that cuts the patch in slot 0; the other slots follow.
pub const CUT: usize = LAST + 1;
/// Numbers of Patchwork Doodle: 0 to `CUT + 2`.
pub const DOODLE: usize = CUT + SLOTS;
/// Words of 64 bits in a [`Mask`].
pub const WORDS: usize = DOODLE.div_ceil(u64::BITS as usize);

/// The number of a shape in this turn in the top left corner.
#[inline(always)]
pub(crate) fn first_of(slot: usize, turn: u8) -> usize {
    (slot * ORIENTATIONS_MAX + usize::from(turn)) * CELLS as usize
}

/// The number of the whole patch on these cells; `None` if they have another shape.
pub(crate) fn of_patch(slot: usize, patch: &Patch, cells: Bitboard) -> Option<usize> {
    let row = cells.iter().map(Cell::row).min()?;
    let corner = Cell::new(row, cells.iter().map(Cell::col).min()?)?;
    let shape = patch.whole().shapes().iter().find(|shape| shape.at(corner) == cells)?;
    Some(first_of(slot, shape.turn()) + usize::from(corner.index()))
}

/// The number of a single cell.
#[inline(always)]
pub(crate) fn of_cell(cell: Cell) -> usize {
    CELL + usize::from(cell.index())
}

/// The slot, turn, and corner of a shape with this number; `None` for other numbers.
#[inline(always)]
pub(crate) fn shape(number: usize) -> Option<(usize, u8, Cell)> {
    let (plane, cell) = (number / CELLS as usize, number % CELLS as usize);
    let corner = Cell::from_index(cell as u8).filter(|_| number < CELL)?;
    Some((plane / ORIENTATIONS_MAX, (plane % ORIENTATIONS_MAX) as u8, corner))
}

/// The single cell with this number; `None` for other numbers.
#[inline(always)]
pub(crate) fn cell(number: usize) -> Option<Cell> {
    Cell::from_index(u8::try_from(number.checked_sub(CELL)?).ok()?)
}

/// A set of numbers, as a mask of the outputs of a network.
///
/// # Examples
/// ```
/// # use engine::{game::Game, patchwork::{Equipment, Patchwork}};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
/// use engine::numbers::{LAST, PATCHWORK};
///
/// let mask = game.state().mask(game.table());
/// assert_eq!(u64::from(mask.len()), game.legal_count(0));
/// assert!(mask.contains(LAST)); // the advance
/// let mut bytes = [0; PATCHWORK];
/// mask.write(&mut bytes);
/// assert_eq!(bytes.iter().filter(|byte| **byte == 1).count(), mask.iter().count());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask([u64; WORDS]);

impl Mask {
    /// The empty set.
    pub const EMPTY: Mask = Mask([0; WORDS]);
    /// The set of [`LAST`] alone: the choice of a seat that waits for others.
    pub const LAST: Mask = {
        let mut words = [0; WORDS];
        words[LAST / 64] = 1 << (LAST % 64);
        Mask(words)
    };

    /// Returns true if the number is in the set.
    #[inline(always)]
    pub fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// How many numbers are in the set.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns true if no number is in the set.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        (0..).zip(self.0).flat_map(|(place, word)| {
            let rest = |word: &u64| Some(word & (word - 1)).filter(|rest| *rest != 0);
            let words = std::iter::successors(Some(word).filter(|word| *word != 0), rest);
            words.map(move |word| 64 * place + word.trailing_zeros() as usize)
        })
    }

    /// The number at position `place`, from 0, in the order of [`iter`](Self::iter).
    #[inline(always)]
    pub fn nth(&self, mut place: u32) -> Option<usize> {
        for (number, &word) in (0..).zip(&self.0) {
            let count = word.count_ones();
            if place < count {
                return Some(64 * number + nth_bit(word, place) as usize);
            }
            place -= count;
        }
        None
    }

    /// The set as bits, the lowest first.
    #[inline(always)]
    pub fn words(&self) -> &[u64; WORDS] {
        &self.0
    }

    /// Writes 1 for each number in the set and 0 for the others, as far as `bytes` goes.
    #[inline(always)]
    pub fn write(&self, bytes: &mut [u8]) {
        for (place, chunk) in bytes.chunks_mut(64).enumerate() {
            write_bits(self.0.get(place).copied().unwrap_or(0), chunk);
        }
    }

    /// Puts a number into the set.
    #[inline(always)]
    pub(crate) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Puts `first` plus the number of each cell into the set.
    #[inline(always)]
    pub(crate) fn insert_cells(&mut self, first: usize, cells: Bitboard) {
        let (word, shift) = (first / 64, first as u32 % 64);
        let bits = cells.bits();
        let low = bits << shift; // all but the upper `shift` bits
        let high = bits.checked_shr(128 - shift).unwrap_or(0);
        for (place, part) in [low as u64, (low >> 64) as u64, high as u64].into_iter().enumerate() {
            // A number of a cell is below the last word, so parts beyond it are empty.
            if let Some(word) = self.0.get_mut(word + place) {
                *word |= part;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_documents() {
        assert_eq!((CELL, LAST, PATCHWORK, CUT, DOODLE, WORDS), (1944, 2025, 2026, 2026, 2029, 32));
        for number in 0..CELL {
            let (slot, turn, corner) = shape(number).expect("a shape");
            assert_eq!(first_of(slot, turn) + usize::from(corner.index()), number);
        }
        for number in CELL..LAST {
            assert_eq!((shape(number), cell(number).map(of_cell)), (None, Some(number)));
        }
        assert_eq!([CELL - 1, LAST, usize::MAX].map(cell), [None; 3]);
    }

    #[test]
    fn a_set_is_listed_counted_and_written_alike() {
        let mut chance = crate::dealer::Dealer::new(1, 82);
        for round in 0..200 {
            let mut mask = Mask::EMPTY;
            let plane = chance.below(25) as usize * CELLS as usize;
            let cells: Bitboard = Cell::all().filter(|_| chance.below(4) == 0).collect();
            mask.insert_cells(plane, cells);
            assert!(mask.iter().eq(cells.iter().map(|cell| plane + usize::from(cell.index()))));
            (0..round % 7).for_each(|_| mask.insert(chance.below(DOODLE as u32) as usize));
            let listed: Vec<usize> = mask.iter().collect();
            assert_eq!(listed.len(), mask.len() as usize);
            assert!((0..).map_while(|place| mask.nth(place)).eq(listed.iter().copied()));
            for length in [PATCHWORK, DOODLE, 0, 7, 64, 3000] {
                let mut bytes = vec![0; length];
                mask.write(&mut bytes);
                let found = (0..length).filter(|&number| bytes[number] == 1);
                assert!(found.eq(listed.iter().copied().filter(|&number| number < length)));
            }
        }
        assert!(Mask::EMPTY.is_empty() && !Mask::EMPTY.contains(usize::MAX));
    }
}

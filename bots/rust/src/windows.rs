//! The small windows of a sheet. Each pair of a window and its shaded cells has a number. Pairs that a
//! rotation or reflection of the sheet maps onto each other share a number.

use std::sync::LazyLock;

use engine::bitboard::{Bitboard, SIDE};

/// The side of a window, in cells.
const WINDOW: usize = 3;
/// The number of windows along a side of the sheet.
const PLACES: usize = SIDE as usize - WINDOW + 1;
/// The number of windows of a sheet.
const WINDOWS: usize = PLACES * PLACES;
/// The number of ways to shade a window.
const FILLS: usize = 1 << (WINDOW * WINDOW);
/// The bits of a row, spread out to leave room for the other rows of a window.
static SPREAD: [u32; 1 << SIDE] = {
    let mut spread = [0; 1 << SIDE];
    let mut row = 0;
    while row < spread.len() {
        let mut col = 0;
        while col < SIDE as usize {
            spread[row] |= ((row >> col & 1) << (col * WINDOW)) as u32;
            col += 1;
        }
        row += 1;
    }
    spread
};
/// The number of rotations and reflections of a sheet.
const SYMMETRIES: usize = 8;

/// The number of each window and fill, and the count of distinct numbers.
struct Numbering {
    numbers: Vec<[u16; FILLS]>,
    count: usize,
}

static NUMBERING: LazyLock<Numbering> = LazyLock::new(|| {
    let mut numbers = vec![[u16::MAX; FILLS]; WINDOWS];
    let mut count = 0;
    for window in 0..WINDOWS {
        let images: [Image; SYMMETRIES] = std::array::from_fn(|symmetry| Image::new(symmetry, window));
        for fill in 0..FILLS {
            if numbers[window][fill] == u16::MAX {
                for image in &images {
                    numbers[image.window][image.fill(fill)] = count;
                }
                count += 1;
            }
        }
    }
    Numbering { numbers, count: count.into() }
});

/// The image of a window under a rotation or reflection of the sheet.
struct Image {
    /// The index of the window's image.
    window: usize,
    /// The new position of each cell in the image.
    bits: [usize; WINDOW * WINDOW],
}

impl Image {
    fn new(symmetry: usize, window: usize) -> Image {
        let (top, left) = (window / PLACES, window % PLACES);
        let cells: [(usize, usize); WINDOW * WINDOW] =
            std::array::from_fn(|bit| turned_cell(symmetry, top + bit / WINDOW, left + bit % WINDOW));
        // The first and last cells map to opposite corners of the image, so they determine its origin.
        let [first, .., last] = cells;
        let (top, left) = (first.0.min(last.0), first.1.min(last.1));
        Image { window: top * PLACES + left, bits: cells.map(|(row, col)| (row - top) * WINDOW + col - left) }
    }

    /// Returns the image of a fill.
    fn fill(&self, fill: usize) -> usize {
        self.bits.iter().enumerate().map(|(bit, image)| (fill >> bit & 1) << image).sum()
    }
}

fn turned_cell(symmetry: usize, row: usize, col: usize) -> (usize, usize) {
    let mirrored =
        |place: usize, bit: usize| if symmetry & bit == 0 { place } else { SIDE as usize - 1 - place };
    let (row, col) = (mirrored(row, 1), mirrored(col, 2));
    if symmetry & 4 == 0 { (row, col) } else { (col, row) }
}

/// Returns the count of distinct numbers.
pub(crate) fn count() -> usize {
    NUMBERING.count
}

/// Returns the sum of the weights of a sheet's windows. `weights` has one entry per number.
#[inline(always)]
pub(crate) fn sum(weights: &[f32], shaded: Bitboard) -> f32 {
    let mut sum = 0.0;
    visit(shaded, |number| sum += weights[number]);
    sum
}

/// Adds `change` to the sum of a sheet's weights, spread evenly over its windows.
pub(crate) fn correct(weights: &mut [f32], shaded: Bitboard, change: f32) {
    let each = change / WINDOWS as f32;
    visit(shaded, |number| weights[number] += each);
}

/// Calls `each` with the number of each window of a sheet.
#[inline(always)]
pub(crate) fn visit(shaded: Bitboard, mut each: impl FnMut(usize)) {
    let numbers = &NUMBERING.numbers[..WINDOWS];
    visit_fills(shaded, |window, fill| each(numbers[window][fill].into()));
}

/// Calls `each` with the index and fill of each window of the transposed sheet. Its rows are the columns of
/// this sheet, so that the cells of a window lie in adjacent bits.
#[inline(always)]
fn visit_fills(shaded: Bitboard, mut each: impl FnMut(usize, usize)) {
    let rows: [u32; SIDE as usize] = std::array::from_fn(|row| SPREAD[usize::from(shaded.row(row as u8))]);
    for top in 0..PLACES {
        let columns = (0..WINDOW).fold(0, |columns, row| columns | rows[top + row] << row);
        for left in 0..PLACES {
            each(left * PLACES + top, (columns >> (left * WINDOW)) as usize % FILLS);
        }
    }
}

/// Integer weights of a sheet's windows, by window and fill.
#[derive(Clone, Debug)]
pub(crate) struct Sums(Box<[[i16; FILLS]; WINDOWS]>);

impl Sums {
    /// Builds the table from the weight of each number.
    pub(crate) fn new(weights: &[i16]) -> Sums {
        let of = |window: usize| NUMBERING.numbers[window].map(|number| weights[usize::from(number)]);
        Sums(Box::new(std::array::from_fn(of)))
    }

    /// Returns the sum of the weights for a sheet with these cells shaded.
    #[inline(always)]
    pub(crate) fn sum(&self, shaded: Bitboard) -> i32 {
        let mut sum = 0;
        visit_fills(shaded, |window, fill| sum += i32::from(self.0[window][fill]));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_and_reflecting_change_no_number() {
        let sheet: Bitboard = "
            .########
            ##...####
            ####.####
            ##.......
            #........
            ###.#....
            ##...####
            ###.#####
            #####...."
            .parse()
            .expect("a board");
        let numbers = |sheet: Bitboard| {
            let mut numbers = Vec::new();
            visit(sheet, |number| numbers.push(number));
            numbers.sort_unstable();
            numbers
        };
        let plain = numbers(sheet);
        assert_eq!(plain.len(), WINDOWS);
        assert!(plain.iter().all(|&number| number < count()));
        for symmetry in 1..SYMMETRIES {
            let turned = sheet.iter().map(|cell| {
                let (row, col) = turned_cell(symmetry, cell.row().into(), cell.col().into());
                engine::bitboard::Cell::new(row as u8, col as u8).expect("a cell")
            });
            assert_eq!(numbers(turned.collect()), plain, "symmetry {symmetry}");
        }
    }

    #[test]
    fn whole_numbers_add_up_as_others_do() {
        let weights: Vec<i16> = (0..count()).map(|number| (number * 37 % 1_001) as i16 - 500).collect();
        let floats: Vec<f32> = weights.iter().map(|&weight| weight.into()).collect();
        let sums = Sums::new(&weights);
        for seed in 1..50u128 {
            let bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> (128 - 81);
            let sheet = Bitboard::from_bits(bits);
            assert_eq!(sums.sum(sheet) as f32, sum(&floats, sheet));
        }
    }
}

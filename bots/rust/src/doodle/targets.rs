//! Rectangles worth filling, and how much is left to do in each.

use std::sync::LazyLock;

use engine::bitboard::{Bitboard, SIDE};
use engine::doodle::rectangle_points;

use super::holes::Holes;
use super::weights;

/// Difficulties are counted in eighths of an ordinary empty cell, so that whole numbers do.
pub(crate) const STEPS: f32 = 8.0;
/// A row of [`Sums`]: ten are needed, sixteen make two whole vector registers.
const WIDE: usize = 16;
/// The shortest side of a rectangle that anybody aims at.
const SIDE_MIN: u8 = 2;

/// `PREFIX[row][col]`: how many of the first `col` bits of a row are set.
static PREFIX: [[i16; WIDE]; 512] = {
    let mut table = [[0; WIDE]; 512];
    let mut row = 0;
    while row < 512 {
        let mut col = 0;
        while col < WIDE - 1 {
            table[row][col + 1] = table[row][col] + (row >> col & 1) as i16;
            col += 1;
        }
        row += 1;
    }
    table
};

/// A rectangle of the board as something to fill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// Its cells.
    pub(crate) cells: Bitboard,
    /// What it scores.
    pub(crate) points: u8,
    /// Where the four numbers stand in [`Sums`] from which its difficulty follows.
    corners: [u8; 4],
}

/// Every rectangle of the board but the single rows and columns, by points.
pub(crate) static ALL_TARGETS: LazyLock<Vec<Target>> = LazyLock::new(|| {
    let sides = SIDE_MIN..=SIDE;
    let sizes = sides.clone().flat_map(|height| sides.clone().map(move |width| (height, width)));
    let mut targets: Vec<Target> = sizes.flat_map(|(height, width)| targets_of(height, width)).collect();
    targets.sort_by_key(|target| target.points);
    targets
});

/// The rectangles of one size.
fn targets_of(height: u8, width: u8) -> impl Iterator<Item = Target> {
    let places = (0..=SIDE - height).flat_map(move |row| (0..=SIDE - width).map(move |col| (row, col)));
    places.map(move |(row, col)| {
        let at = |row: u8, col: u8| row * WIDE as u8 + col;
        let (below, behind) = (row + height, col + width);
        Target {
            cells: Bitboard::rectangle(height, width).shifted_down(row * SIDE + col),
            points: rectangle_points(height, width),
            corners: [at(row, col), at(row, behind), at(below, col), at(below, behind)],
        }
    })
}

/// The difficulty of every rectangle at once: each entry is the sum over all cells above and left
/// of it, so that any rectangle takes four look-ups instead of counting its holes.
#[derive(Debug)]
pub(crate) struct Sums([[i16; WIDE]; SIDE as usize + 1]);

impl Sums {
    /// Adds up the holes of a sheet, each with its weight.
    pub(crate) fn new(holes: &Holes) -> Sums {
        const EMPTY: i16 = STEPS as i16;
        const LONE: i16 = (weights::LONE * STEPS) as i16;
        const END: i16 = (weights::END * STEPS) as i16;
        const NARROW: i16 = (weights::NARROW * STEPS) as i16;
        let mut sums = [[0; WIDE]; SIDE as usize + 1];
        for row in 0..usize::from(SIDE) {
            let of = |cells: u128| &PREFIX[(cells >> (row * usize::from(SIDE))) as usize & 0x1ff];
            let (empty, lone, ends, narrow) =
                (of(holes.empty), of(holes.lone), of(holes.ends), of(holes.narrow));
            for col in 0..WIDE {
                let here = empty[col] * EMPTY + lone[col] * LONE + ends[col] * END + narrow[col] * NARROW;
                sums[row + 1][col] = sums[row][col] + here;
            }
        }
        Sums(sums)
    }

    /// How hard the rectangle is to fill, in [`STEPS`]; 0 where it is full.
    #[inline]
    pub(crate) fn difficulty(&self, target: &Target) -> usize {
        let sums = self.0.as_flattened();
        let [top_left, top_right, bottom_left, bottom_right] =
            target.corners.map(|corner| sums[usize::from(corner)]);
        (bottom_right - bottom_left - top_right + top_left) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rectangle_is_there_once() {
        let mut cells: Vec<Bitboard> = ALL_TARGETS.iter().map(|target| target.cells).collect();
        cells.sort();
        cells.dedup();
        assert_eq!(cells.len(), 36 * 36);
    }

    #[test]
    fn sums_give_what_counting_gives() {
        let shaded: Bitboard = "
            .########
            ##...####
            ####.####
            ####.####
            .........
            ###.#####
            ##...####
            ###.#####
            #######.."
            .parse()
            .expect("a board");
        let holes = Holes::new(shaded);
        let sums = Sums::new(&holes);
        for target in ALL_TARGETS.iter() {
            let count = |cells: u128| (cells & target.cells.bits()).count_ones();
            let unit = |weight: f32| (weight * STEPS) as u32;
            let expected = count(holes.empty) * unit(1.0)
                + count(holes.lone) * unit(weights::LONE)
                + count(holes.ends) * unit(weights::END)
                + count(holes.narrow) * unit(weights::NARROW);
            assert_eq!(sums.difficulty(target), expected as usize, "{}", target.cells);
        }
    }
}

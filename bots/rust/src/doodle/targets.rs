//! Rectangles to fill, and how much each one lacks.

use std::sync::LazyLock;

use engine::bitboard::{Bitboard, SIDE};
use engine::doodle::rectangle_points;

use super::holes::Holes;
use super::weights;

/// Units of difficulty per ordinary empty cell. They allow integer arithmetic.
pub(crate) const STEPS: f32 = 8.0;
/// The width of a row of sums. Ten entries are needed; sixteen fill two vector registers.
const WIDE: usize = 16;
/// The shortest side of a rectangle that counts as a target.
const SIDE_MIN: u8 = 2;
/// The number of first columns of a target, and of lengths of its sides.
const PLACES: usize = (SIDE + 1 - SIDE_MIN) as usize;
/// The sizes of targets, as height and width, with the width at least the height.
pub(crate) const SIZES: [(u8, u8); PLACES * (PLACES + 1) / 2] = {
    let mut sizes = [(0, 0); PLACES * (PLACES + 1) / 2];
    let (mut at, mut height) = (0, SIDE_MIN);
    while height <= SIDE {
        let mut width = height;
        while width <= SIDE {
            sizes[at] = (height, width);
            at += 1;
            width += 1;
        }
        height += 1;
    }
    sizes
};
/// The scores of rectangles of these sizes, in points.
pub(crate) const POINTS: [i16; SIZES.len()] = {
    let mut points = [0; SIZES.len()];
    let mut size = 0;
    while size < SIZES.len() {
        points[size] = rectangle_points(SIZES[size].0, SIZES[size].1) as i16;
        size += 1;
    }
    points
};
/// The difficulty of columns off the board, higher than the sum over any rectangle.
const OUTSIDE: [i16; WIDE] = {
    let mut columns = [0; WIDE];
    let mut col = SIDE as usize + 1;
    while col < WIDE {
        columns[col] = 3_000;
        col += 1;
    }
    columns
};

/// `PREFIX[row][col]` is the number of set bits among the first `col` bits of `row`.
static PREFIX: [[i16; WIDE]; 512] = {
    let mut table = [[0; WIDE]; 512];
    let mut row = 0;
    while row < 512 {
        let mut col = 0;
        while col < SIDE as usize {
            table[row][col + 1] = table[row][col] + (row >> col & 1) as i16;
            col += 1;
        }
        row += 1;
    }
    table
};

/// A rectangle of the board as a target.
#[derive(Clone, Copy, Debug)]
struct Target {
    /// The cells of the rectangle.
    cells: Bitboard,
    /// The score of the rectangle, in points.
    points: u8,
}

/// All rectangles of the board with at least two rows and two columns, by score.
static ALL_TARGETS: LazyLock<Vec<Target>> = LazyLock::new(|| {
    let sides = SIDE_MIN..=SIDE;
    let sizes = sides.clone().flat_map(|height| sides.clone().map(move |width| (height, width)));
    let mut targets: Vec<Target> = sizes.flat_map(|(height, width)| targets_of(height, width)).collect();
    targets.sort_by_key(|target| target.points);
    targets
});

/// Returns all rectangles of one size.
fn targets_of(height: u8, width: u8) -> impl Iterator<Item = Target> {
    let places = (0..=SIDE - height).flat_map(move |row| (0..=SIDE - width).map(move |col| (row, col)));
    places.map(move |(row, col)| Target {
        cells: Bitboard::rectangle(height, width).shifted_down(row * SIDE + col),
        points: rectangle_points(height, width),
    })
}

/// Returns the difficulty of the easiest rectangle of each of the [`SIZES`], in both orientations, in units
/// of 1/[`STEPS`] cell. The difficulty of a full rectangle is 0.
#[inline(always)]
pub(crate) fn easiest(holes: &Holes) -> [i16; SIZES.len()] {
    let sums = sums(holes);
    // All first columns and widths side by side, for vector instructions. Differences of sums cannot overflow, and a check
    // for it would keep builds that have one from using those.
    let mut wide = [[0i16; PLACES * PLACES]; SIDE as usize + 1];
    for (wide, sums) in wide.iter_mut().zip(&sums) {
        for first in 0..PLACES {
            for width in 0..PLACES {
                let behind = (first + width + usize::from(SIDE_MIN)).min(WIDE - 1);
                wide[first * PLACES + width] = sums[behind].wrapping_sub(sums[first]);
            }
        }
    }
    let mut least = [[0i16; PLACES]; PLACES];
    for (height, least) in (usize::from(SIDE_MIN)..).zip(&mut least) {
        let mut all = [i16::MAX; PLACES * PLACES];
        for top in 0..=usize::from(SIDE) - height {
            let (above, below) = (&wide[top], &wide[top + height]);
            for at in 0..PLACES * PLACES {
                all[at] = all[at].min(below[at].wrapping_sub(above[at]));
            }
        }
        for at in 0..4 * PLACES {
            all[at] = all[at].min(all[at + 4 * PLACES]);
        }
        for at in 0..2 * PLACES {
            all[at] = all[at].min(all[at + 2 * PLACES]);
        }
        for at in 0..PLACES {
            least[at] = all[at].min(all[at + PLACES]);
        }
    }
    // In the order of `SIZES`.
    let (mut easiest, mut size) = ([0; SIZES.len()], 0);
    for (short, row) in least.iter().enumerate() {
        for (long, &difficulty) in row.iter().enumerate().skip(short) {
            easiest[size] = difficulty.min(least[long][short]);
            size += 1;
        }
    }
    easiest
}

/// Returns the summed-area table of the weighted holes: each entry is the sum over all cells above and left
/// of it. Any rectangle then takes four look-ups. Columns off the board count as full of holes.
#[inline(always)]
fn sums(holes: &Holes) -> [[i16; WIDE]; SIDE as usize + 1] {
    const EMPTY: i16 = STEPS as i16;
    const LONE: i16 = (weights::LONE * STEPS) as i16;
    const END: i16 = (weights::END * STEPS) as i16;
    const NARROW: i16 = (weights::NARROW * STEPS) as i16;
    let mut sums = [[0; WIDE]; SIDE as usize + 1];
    for row in 0..usize::from(SIDE) {
        let of = |cells: u128| &PREFIX[(cells >> (row * usize::from(SIDE))) as usize & 0x1ff];
        let (empty, lone, ends, narrow) = (of(holes.empty), of(holes.lone), of(holes.ends), of(holes.narrow));
        for col in 0..WIDE {
            let here = empty[col] * EMPTY + lone[col] * LONE + ends[col] * END + narrow[col] * NARROW;
            sums[row + 1][col] = sums[row][col] + here + OUTSIDE[col];
        }
    }
    sums
}

/// Returns the missing cells of each rectangle that scores more than `points` and lacks 1 to `most` cells.
pub(crate) fn lacking(shaded: Bitboard, points: u8, most: u32) -> impl Iterator<Item = Bitboard> {
    let better = ALL_TARGETS.partition_point(|target| target.points <= points);
    let missing = ALL_TARGETS[better..].iter().map(move |target| target.cells - shaded);
    missing.filter(move |missing| (1..=most).contains(&missing.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rectangle_is_there_once() {
        let mut cells: Vec<Bitboard> = ALL_TARGETS.iter().map(|target| target.cells).collect();
        cells.sort_unstable();
        cells.dedup();
        assert_eq!(cells.len(), 36 * 36);
    }

    #[test]
    fn the_easiest_are_found() {
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
        let difficulty = |target: &Target| {
            let count = |cells: u128| (cells & target.cells.bits()).count_ones() as i16;
            let unit = |weight: f32| (weight * STEPS) as i16;
            count(holes.empty) * unit(1.0)
                + count(holes.lone) * unit(weights::LONE)
                + count(holes.ends) * unit(weights::END)
                + count(holes.narrow) * unit(weights::NARROW)
        };
        for (size, found) in SIZES.into_iter().zip(easiest(&holes)) {
            let (height, width) = size;
            let least = targets_of(height, width).chain(targets_of(width, height));
            assert_eq!(
                found,
                least.map(|target| difficulty(&target)).min().expect("there are some"),
                "{size:?}"
            );
        }
    }

    #[test]
    fn what_lacks_little_and_scores_more_is_listed() {
        let shaded = Bitboard::rectangle(5, 5) - Bitboard::rectangle(1, 2);
        let sets: Vec<Bitboard> = lacking(shaded, 16, 2).collect();
        let corner = |height, width| Bitboard::rectangle(height, width) - shaded;
        assert!(sets.contains(&corner(5, 5)));
        assert!(sets.iter().all(|set| (1..=2).contains(&set.len()) && (*set & shaded).is_empty()));
        assert_eq!(lacking(shaded, 25, 2).count(), 0);
    }
}

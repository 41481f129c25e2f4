//! Dense matrices: products, and linear systems with a symmetric, positive definite matrix.
//!
//! Every inner loop multiplies a row of a matrix by [`WIDTH`] columns side by side. The compiler turns it into vector
//! instructions, and the columns stay in the cache.

use std::ops::{Index, IndexMut};

/// The number of columns side by side.
const WIDTH: usize = 8;

/// A row of some columns side by side.
type Wide = [f64; WIDTH];

/// A matrix, row by row. An index is a row and a column.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) columns: usize,
    pub(crate) values: Vec<f64>,
}

impl Matrix {
    pub(crate) fn zeros(rows: usize, columns: usize) -> Matrix {
        Matrix { columns, values: vec![0.0; rows * columns] }
    }

    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    /// Copies the upper triangle of a square matrix to the lower one.
    pub(crate) fn mirror(&mut self) {
        for row in 0..self.columns {
            (0..row).for_each(|column| self[(row, column)] = self[(column, row)]);
        }
    }

    /// Returns the product of this matrix (rows × n) and the transpose of `other` (columns × n).
    pub(crate) fn times_transposed(&self, other: &Matrix) -> Matrix {
        let [rows, columns] = [self, other].map(|matrix| matrix.values.len() / matrix.columns.max(1));
        let mut product = Matrix::zeros(rows, columns);
        let mut wide = vec![[0.0; WIDTH]; self.columns];
        for first in (0..columns).step_by(WIDTH) {
            let width = WIDTH.min(columns - first);
            for lane in 0..width {
                wide.iter_mut().zip(other.row(first + lane)).for_each(|(wide, value)| wide[lane] = *value);
            }
            for row in 0..rows {
                let place = row * columns + first;
                product.values[place..place + width].copy_from_slice(&times(self.row(row), &wide)[..width]);
            }
        }
        product
    }

    /// Returns the Cholesky factor L of a symmetric matrix (n × n), or `None` if it is not positive definite. Reads
    /// only the lower triangle.
    pub(crate) fn cholesky(mut self) -> Option<Cholesky> {
        let mut wide = vec![[0.0; WIDTH]; self.columns];
        for first in (0..self.columns).step_by(WIDTH) {
            let width = WIDTH.min(self.columns - first);
            // Finds these rows of L together, one column after the other. Each lane is a row.
            for column in 0..first + width {
                let lane_of_column = column.checked_sub(first);
                if let Some(lane) = lane_of_column {
                    (0..column).for_each(|place| self[(column, place)] = wide[place][lane]);
                }
                let sums = times(&self.row(column)[..column], &wide);
                (0..width).for_each(|lane| wide[column][lane] = self[(first + lane, column)] - sums[lane]);
                if let Some(lane) = lane_of_column {
                    self[(column, column)] = Some(wide[column][lane]).filter(|square| *square > 0.0)?.sqrt();
                    (column + 1..self.columns).for_each(|place| self[(column, place)] = 0.0);
                }
                wide[column] = wide[column].map(|value| value / self[(column, column)]);
            }
        }
        Some(Cholesky(self))
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.values[row * self.columns + column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.values[row * self.columns + column]
    }
}

/// The lower triangle L of a symmetric matrix L Lᵀ. The upper triangle is 0.
pub(crate) struct Cholesky(pub(crate) Matrix);

impl Cholesky {
    /// Returns x for which L Lᵀ x is `right` (n values).
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut wide: Vec<Wide> = right.iter().map(|value| [*value; WIDTH]).collect();
        self.solve_wide(0, &mut wide);
        wide.iter().map(|wide| wide[0]).collect()
    }

    /// Returns the inverse of L Lᵀ.
    pub(crate) fn inverse(&self) -> Matrix {
        let size = self.0.columns;
        let mut inverse = Matrix::zeros(size, size);
        for first in (0..size).step_by(WIDTH) {
            let mut wide = vec![[0.0; WIDTH]; size];
            let lanes = first..size.min(first + WIDTH);
            lanes.clone().for_each(|column| wide[column][column - first] = 1.0);
            self.solve_wide(first, &mut wide);
            for column in lanes {
                (first..size).for_each(|row| inverse[(column, row)] = wide[row][column - first]);
            }
        }
        inverse.mirror();
        inverse
    }

    /// Solves for [`WIDTH`] right sides that are 0 above the row `first`. Leaves the rows above it as they are.
    fn solve_wide(&self, first: usize, wide: &mut [Wide]) {
        for row in first..wide.len() {
            let sums = times(&self.0.row(row)[first..row], &wide[first..]);
            wide[row].iter_mut().zip(sums).for_each(|(value, sum)| *value -= sum);
            wide[row] = wide[row].map(|value| value / self.0[(row, row)]);
        }
        for row in (first..wide.len()).rev() {
            let found = wide[row].map(|value| value / self.0[(row, row)]);
            wide[row] = found;
            for (value, wide) in self.0.row(row)[first..row].iter().zip(&mut wide[first..]) {
                (0..WIDTH).for_each(|lane| wide[lane] -= value * found[lane]);
            }
        }
    }
}

/// Returns the product of a row (n) and columns side by side (at least n × [`WIDTH`]).
fn times(row: &[f64], wide: &[Wide]) -> Wide {
    let mut sums = [0.0; WIDTH];
    for (value, wide) in row.iter().zip(wide) {
        (0..WIDTH).for_each(|lane| sums[lane] += value * wide[lane]);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_the_product_of_its_factor() {
        let matrix =
            Matrix { columns: 3, values: vec![4.0, 12.0, -16.0, 12.0, 37.0, -43.0, -16.0, -43.0, 98.0] };
        let Cholesky(factor) = matrix.cholesky().unwrap();
        assert_eq!(factor.values, [2.0, 0.0, 0.0, 6.0, 1.0, 0.0, -8.0, 5.0, 3.0]);
    }

    #[test]
    fn solutions_and_inverses_give_the_right_side() {
        for size in [1, WIDTH, 5 * WIDTH + 3] {
            let mut matrix = Matrix::zeros(size, size);
            for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
                matrix[(row, column)] = 1.0 / (1.0 + row.abs_diff(column) as f64);
            }
            let factor = matrix.clone().cholesky().unwrap();
            let right = matrix.row(size / 2).to_vec();
            let product = matrix.times_transposed(&factor.inverse());
            for (row, solved) in factor.solve(&right).into_iter().enumerate() {
                let one = f64::from(row == size / 2);
                assert!((solved - one).abs() < 1e-12, "row {row} of {size}: {solved}");
                let unit = product[(size / 2, row)];
                assert!((unit - one).abs() < 1e-12, "row {row} of {size}: {unit}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factor() {
        assert!(Matrix { columns: 2, values: vec![1.0; 4] }.cholesky().is_none());
        assert!(Matrix { columns: 1, values: vec![f64::NAN] }.cholesky().is_none());
    }
}

//! Symmetric positive definite systems of equations.

/// A symmetric matrix: the lower triangle, each row stored from its first nonzero column on
/// ("skyline"). A ladder's matrix is narrow, because checkpoints play recent ones, so thousands of
/// players cost little; with full rows it is an ordinary dense matrix.
#[derive(Clone, Debug)]
pub struct SymmetricMatrix {
    rows: Vec<Row>,
}

/// Elements of a row from the column `first` to the diagonal.
#[derive(Clone, Debug)]
struct Row {
    first: usize,
    values: Vec<f64>,
}

impl Row {
    /// The elements of the columns `from..to`; none of them left of `first`.
    fn columns(&self, from: usize, to: usize) -> &[f64] {
        &self.values[from - self.first..to - self.first]
    }

    fn diagonal(&self) -> f64 {
        *self.values.last().expect("a row has its diagonal")
    }
}

impl SymmetricMatrix {
    /// Zeros; `first_columns[i]` is the first column of row `i` that may become nonzero.
    pub fn zeros(first_columns: &[usize]) -> SymmetricMatrix {
        let row = |(i, &first): (usize, &usize)| {
            assert!(first <= i, "row {i} must reach its diagonal");
            Row {
                first,
                values: vec![0.0; i + 1 - first],
            }
        };
        SymmetricMatrix {
            rows: first_columns.iter().enumerate().map(row).collect(),
        }
    }

    /// A full matrix; `element(row, column)` is asked for `column <= row`.
    pub fn dense(size: usize, element: impl Fn(usize, usize) -> f64) -> SymmetricMatrix {
        let row = |i| Row {
            first: 0,
            values: (0..=i).map(|j| element(i, j)).collect(),
        };
        SymmetricMatrix {
            rows: (0..size).map(row).collect(),
        }
    }

    /// Adds to the elements (`a`, `b`) and (`b`, `a`), which must be within the stored part.
    pub fn add(&mut self, a: usize, b: usize, value: f64) {
        let (i, j) = (a.max(b), a.min(b));
        let row = &mut self.rows[i];
        row.values[j - row.first] += value;
    }

    /// The factor `L` of `L · Lᵀ`. The matrix must be positive definite; a pivot that rounding
    /// made zero or negative is taken for the smallest positive number.
    pub fn cholesky(mut self) -> Cholesky {
        for i in 0..self.rows.len() {
            let (above, rest) = self.rows.split_at_mut(i);
            let row = &mut rest[0];
            for (j, other) in above.iter().enumerate().skip(row.first) {
                let from = row.first.max(other.first);
                let sum = subtract_products(
                    row.values[j - row.first],
                    row.columns(from, j),
                    other.columns(from, j),
                );
                row.values[j - row.first] = sum / other.diagonal();
            }
            let left = row.columns(row.first, i);
            let pivot = subtract_products(row.diagonal(), left, left);
            row.values[i - row.first] = pivot.max(f64::MIN_POSITIVE).sqrt();
        }
        Cholesky { rows: self.rows }
    }
}

/// `start` minus the products of `a` and `b`, in order.
fn subtract_products(start: f64, a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(start, |sum, (a, b)| sum - a * b)
}

/// A factorised symmetric positive definite matrix.
#[derive(Clone, Debug)]
pub struct Cholesky {
    rows: Vec<Row>,
}

impl Cholesky {
    /// Solves `matrix · x = right`.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        self.solve_lower(&mut x, 0);
        for (i, row) in self.rows.iter().enumerate().rev() {
            x[i] /= row.diagonal();
            let (before, at) = x.split_at_mut(i);
            for (x, value) in before[row.first..].iter_mut().zip(&row.values) {
                *x -= value * at[0];
            }
        }
        x
    }

    /// The diagonal of the inverse matrix.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let mut column = vec![0.0; self.rows.len()];
        (0..self.rows.len())
            .map(|i| {
                // inverse = L⁻ᵀ · L⁻¹, so its element (i, i) is the square of L⁻¹'s column i.
                column.fill(0.0);
                column[i] = 1.0;
                self.solve_lower(&mut column, i);
                column[i..].iter().map(|x| x * x).sum()
            })
            .collect()
    }

    /// Solves `L · x = right` in place, where everything before `start` is zero.
    fn solve_lower(&self, x: &mut [f64], start: usize) {
        for (i, row) in self.rows.iter().enumerate().skip(start) {
            let from = row.first.max(start);
            let sum = subtract_products(x[i], row.columns(from, i), &x[from..i]);
            x[i] = sum / row.diagonal();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positive definite, with row `i` reaching back to column `first[i]`.
    fn example(first: &[usize]) -> (SymmetricMatrix, Vec<Vec<f64>>) {
        let n = first.len();
        let element = |i: usize, j: usize| match i == j {
            true => 10.0 + i as f64,
            false => ((3 * i + 5 * j) % 7) as f64 / 7.0 - 0.5,
        };
        let is_stored = |i: usize, j: usize| first[i.max(j)] <= i.min(j);
        let full: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| {
                        if is_stored(i, j) {
                            element(i.max(j), i.min(j))
                        } else {
                            0.0
                        }
                    })
                    .collect()
            })
            .collect();
        let mut matrix = SymmetricMatrix::zeros(first);
        for (i, &first) in first.iter().enumerate() {
            (first..=i).for_each(|j| matrix.add(j, i, full[i][j]));
        }
        (matrix, full)
    }

    #[test]
    fn solutions_satisfy_their_equations() {
        for first in [vec![0; 6], vec![0, 0, 1, 3, 2, 4], vec![0, 1, 2, 3, 4, 0]] {
            let (matrix, full) = example(&first);
            let right: Vec<f64> = (0..6).map(|i| f64::from(i) - 2.5).collect();
            let x = matrix.cholesky().solve(&right);
            for (row, right) in full.iter().zip(&right) {
                let left: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
                assert!((left - right).abs() < 1e-12, "{first:?}");
            }
        }
    }

    #[test]
    fn skyline_and_dense_agree() {
        let (matrix, full) = example(&[0, 0, 1, 3, 2, 4]);
        let dense = SymmetricMatrix::dense(6, |i, j| full[i][j]).cholesky();
        let right = [1.0, -2.0, 3.0, 0.5, 0.0, 4.0];
        assert_eq!(matrix.cholesky().solve(&right), dense.solve(&right));
    }

    #[test]
    fn inverse_diagonal_is_that_of_unit_solutions() {
        let (matrix, _) = example(&[0, 0, 1, 0, 2, 4]);
        let factor = matrix.cholesky();
        let diagonal = factor.inverse_diagonal();
        for (i, found) in diagonal.into_iter().enumerate() {
            let mut unit = [0.0; 6];
            unit[i] = 1.0;
            assert!((factor.solve(&unit)[i] - found).abs() < 1e-14);
        }
    }
}

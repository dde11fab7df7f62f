use garuda_arena::ratings::linear::SymmetricMatrix;
use ndarray::{Array1, Array2, ArrayView1};

use super::GameSample;

/// Precision of the normal prior of every coefficient, centred at 0. It matters only for
/// coefficients that the games say next to nothing about.
const PRIOR_PRECISION: f64 = 0.1;
const MAX_STEPS: usize = 50;
/// A Newton step whose square, in standard errors, is below this is the last one.
const TOLERANCE: f64 = 1e-10;

/// Coefficients of a logistic regression: the log-odds of the score are the row times these.
pub type Coefficients = Array1<f64>;

/// The logarithm of the likelihood of some games at a point, its gradient, and its negative second
/// derivative (only the part on and below the diagonal is kept).
#[derive(Clone, Debug)]
pub(super) struct LogLikelihood {
    value: f64,
    gradient: Array1<f64>,
    information: Array2<f64>,
}

/// The maximum a posteriori coefficients, by Newton's method. A draw is half a win and half a
/// loss.
pub fn fit(sample: &GameSample) -> Coefficients {
    let posterior = |at: &Coefficients| {
        let mut likelihood = LogLikelihood::prior(at);
        for (score, rows) in sample.iter() {
            likelihood.add_game(at, score, rows);
        }
        likelihood
    };
    let mut at = Array1::zeros(sample.columns());
    let mut here = posterior(&at);
    for _ in 0..MAX_STEPS {
        let mut step = here.newton_step();
        let size = step.dot(&here.gradient);
        let mut next = &at + &step;
        if size < TOLERANCE {
            return next;
        }
        let mut there = posterior(&next);
        // The posterior is concave, so some fraction of the step increases it; far from the
        // maximum a whole step may overshoot.
        while there.value < here.value && step.dot(&step) > f64::EPSILON {
            step *= 0.5;
            next = &at + &step;
            there = posterior(&next);
        }
        (at, here) = (next, there);
    }
    at
}

impl LogLikelihood {
    /// Of no games.
    pub(super) fn none(columns: usize) -> LogLikelihood {
        LogLikelihood {
            value: 0.0,
            gradient: Array1::zeros(columns),
            information: Array2::zeros((columns, columns)),
        }
    }

    /// The prior: coefficients are not huge.
    pub(super) fn prior(at: &Coefficients) -> LogLikelihood {
        LogLikelihood {
            value: -0.5 * PRIOR_PRECISION * at.dot(at),
            gradient: at * -PRIOR_PRECISION,
            information: Array2::from_diag_elem(at.len(), PRIOR_PRECISION),
        }
    }

    /// Adds a game with the weight 1, whatever the number of its rows.
    pub(super) fn add_game<'a>(
        &mut self,
        at: &Coefficients,
        score: f32,
        rows: impl ExactSizeIterator<Item = ArrayView1<'a, i8>>,
    ) {
        let weight = 1.0 / rows.len() as f64;
        let score = f64::from(score);
        // Most differences are zero.
        let mut others: Vec<(usize, f64)> = Vec::with_capacity(at.len());
        for row in rows {
            others.clear();
            others.extend(
                (row.iter().enumerate())
                    .filter(|(_, x)| **x != 0)
                    .map(|(i, &x)| (i, f64::from(x))),
            );
            let odds: f64 = others.iter().map(|&(i, x)| x * at[i]).sum();
            // ln(1 + e^x) in a form that neither overflows nor loses small values.
            let decay = (-odds.abs()).exp();
            self.value += weight * (score * odds - odds.max(0.0) - decay.ln_1p());
            let chance = if odds >= 0.0 { 1.0 } else { decay } / (1.0 + decay);
            let spread = weight * chance * (1.0 - chance);
            let miss = weight * (score - chance);
            for (k, &(i, x)) in others.iter().enumerate() {
                self.gradient[i] += miss * x;
                for &(j, y) in &others[..=k] {
                    self.information[[i, j]] += spread * x * y;
                }
            }
        }
    }

    /// Adds another likelihood with a weight.
    pub(super) fn add(&mut self, other: &LogLikelihood, weight: f64) {
        self.value += weight * other.value;
        self.gradient.scaled_add(weight, &other.gradient);
        self.information.scaled_add(weight, &other.information);
    }

    /// The step to the maximum of the quadratic approximation. The information must be positive
    /// definite, as it is with the prior.
    pub(super) fn newton_step(&self) -> Array1<f64> {
        let information =
            SymmetricMatrix::dense(self.gradient.len(), |i, j| self.information[[i, j]]);
        information.cholesky().solve(&self.gradient.to_vec()).into()
    }
}

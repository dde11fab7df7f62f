//! Bounds of a mean that hold at all times at once.
//!
//! Results X are between 0 and 1, independent, with mean m. For every λ from −1/(1−m) to 1/m the
//! product of 1 + λ(X − m) is a fair bet's capital, and so is any mixture of such products. The
//! mixture with the arcsine density (Cover's universal portfolio of the two assets X/m and
//! (1−X)/(1−m)) has, after n results, at least 1/√(πn+1) of the capital of the best λ in hindsight.
//! By Ville's inequality its capital ever exceeds 1/δ with a probability of at most δ. So with a
//! probability of at least 1 − δ, for all n at once,
//!
//! ```text
//! max over λ of Σ ln(1 + λ(X − m))  ≤  ln(1/δ) + ½ ln(πn + 1).
//! ```
//!
//! The interval consists of all m that satisfy this. It may be looked at as often as one likes, and
//! stopping because of what it shows is allowed. Draws make it narrower. (Orabona and Jun, "Tight
//! concentrations and confidence sequences from the regret of universal portfolio", 2021.)

/// Steps of a bisection: far more precise than any number of games.
const STEPS: usize = 40;

/// Numbers of results by value.
#[derive(Copy, Clone, Debug)]
pub(super) struct ResultCounts<const N: usize> {
    /// From 0 to 1.
    pub(super) values: [f64; N],
    pub(super) counts: [u64; N],
}

impl<const N: usize> ResultCounts<N> {
    pub(super) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// `None` without results.
    pub(super) fn mean(&self) -> Option<f64> {
        let sum: f64 = self.pairs().map(|(value, count)| value * count).sum();
        (self.total() > 0).then(|| sum / self.total() as f64)
    }

    fn pairs(&self) -> impl Iterator<Item = (f64, f64)> {
        let counts = self.counts.iter().map(|&count| count as f64);
        (self.values.iter().copied().zip(counts)).filter(|&(_, count)| count > 0.0)
    }

    /// With 1 − X in place of X.
    fn reflected(&self) -> ResultCounts<N> {
        ResultCounts {
            values: self.values.map(|value| 1.0 - value),
            counts: self.counts,
        }
    }

    /// Whether the true mean is above `m`, by the bound with error probability `delta`.
    pub(super) fn is_above(&self, m: f64, delta: f64) -> bool {
        if self.mean().is_none_or(|mean| mean <= m) || m >= 1.0 {
            return false;
        }
        m < 0.0 || self.log_capital(m) > threshold(self.total(), delta)
    }

    /// Whether the true mean is below `m`.
    pub(super) fn is_below(&self, m: f64, delta: f64) -> bool {
        self.reflected().is_above(1.0 - m, delta)
    }

    /// The largest logarithm of a capital that bets on a mean above `m`.
    fn log_capital(&self, m: f64) -> f64 {
        if m <= 0.0 {
            return f64::INFINITY;
        }
        // The logarithm is concave in λ: its slope is bisected.
        let slope = |lambda: f64| -> f64 {
            let terms = (self.pairs()).map(|(value, count)| {
                let gain = value - m;
                count * gain / (1.0 + lambda * gain)
            });
            terms.sum()
        };
        let (mut low, mut high) = (0.0, 1.0 / m);
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            if slope(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        (self.pairs())
            .map(|(value, count)| count * (low * (value - m)).ln_1p())
            .sum()
    }

    /// The lower and upper bound of the mean.
    pub(super) fn bounds(&self, delta: f64) -> [f64; 2] {
        [
            self.lower_bound(delta),
            1.0 - self.reflected().lower_bound(delta),
        ]
    }

    fn lower_bound(&self, delta: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.mean().unwrap_or(0.0));
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            if self.is_above(middle, delta) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// The logarithm of the capital that refutes a mean after `n` results.
pub(super) fn threshold(n: u64, delta: f64) -> f64 {
    (1.0 / delta).ln() + 0.5 * (std::f64::consts::PI * n as f64 + 1.0).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(wins: u64, draws: u64, losses: u64) -> ResultCounts<3> {
        ResultCounts {
            values: [0.0, 0.5, 1.0],
            counts: [losses, draws, wins],
        }
    }

    #[test]
    fn bounds_without_draws_are_those_of_the_relative_entropy() {
        let sample = counts(600, 0, 400);
        let [low, high] = sample.bounds(0.05);
        let entropy = |m: f64| 0.6 * (0.6 / m).ln() + 0.4 * (0.4 / (1.0 - m)).ln();
        for m in [low, high] {
            assert!((1000.0 * entropy(m) - threshold(1000, 0.05)).abs() < 1e-3);
        }
        assert!(low < 0.6 && 0.6 < high && high - low < 0.13);
    }

    #[test]
    fn bounds_are_symmetric_and_narrower_with_draws() {
        let [low, high] = counts(30, 40, 30).bounds(0.05);
        assert!((low + high - 1.0).abs() < 1e-6);
        let [wide_low, wide_high] = counts(50, 0, 50).bounds(0.05);
        assert!(high - low < wide_high - wide_low);
        assert_eq!(counts(0, 0, 0).bounds(0.05), [0.0, 1.0]);
        let [low, high] = counts(100, 0, 0).bounds(0.05);
        assert!(low > 0.9 && high == 1.0, "{low} {high}");
        let [low, high] = counts(0, 100, 0).bounds(0.05);
        assert!(low > 0.4 && high < 0.6, "{low} {high}");
    }

    #[test]
    fn comparisons_agree_with_bounds() {
        let sample = counts(55, 20, 25);
        let [low, high] = sample.bounds(0.01);
        assert!(sample.is_above(low - 1e-6, 0.01) && !sample.is_above(low + 1e-6, 0.01));
        assert!(sample.is_below(high + 1e-6, 0.01) && !sample.is_below(high - 1e-6, 0.01));
        assert!(!counts(0, 0, 0).is_above(0.1, 0.01));
    }
}

use serde::{Deserialize, Serialize};

/// How well search values predict the scores of games, over the arms that have both.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Calibration {
    /// Number of arms.
    pub arms: usize,
    /// Pearson's correlation of value and score; `None` if either does not vary.
    pub correlation: Option<f64>,
    /// Mean of score minus the score that the value stands for.
    pub bias: f64,
    /// Root of the mean squared difference between the two.
    pub error: f64,
}

impl Calibration {
    /// From values (−1 to 1) and scores (0 to 1) of arms; `None` with fewer than three.
    pub fn new(arms: &[(f64, f64)]) -> Option<Calibration> {
        if arms.len() < 3 {
            return None;
        }
        let n = arms.len() as f64;
        let expected = |value: f64| f64::midpoint(1.0, value);
        let mean = |f: &dyn Fn(f64, f64) -> f64| {
            arms.iter()
                .map(|&(value, score)| f(value, score))
                .sum::<f64>()
                / n
        };
        let [mean_value, mean_score] = [mean(&|value, _| expected(value)), mean(&|_, score| score)];
        let covariance =
            mean(&|value, score| (expected(value) - mean_value) * (score - mean_score));
        let variances = mean(&|value, _| (expected(value) - mean_value).powi(2))
            * mean(&|_, score| (score - mean_score).powi(2));
        Some(Calibration {
            arms: arms.len(),
            correlation: (variances > 0.0).then(|| covariance / variances.sqrt()),
            bias: mean_score - mean_value,
            error: mean(&|value, score| (score - expected(value)).powi(2)).sqrt(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_scores_are_calibrated() {
        let arms = [(-0.5, 0.25), (0.0, 0.5), (0.5, 0.75), (0.2, 0.6)];
        let found = Calibration::new(&arms).unwrap();
        assert!((found.correlation.unwrap() - 1.0).abs() < 1e-9);
        assert!(found.bias.abs() < 1e-9 && found.error < 1e-9);
        let shifted = arms.map(|(value, score)| (value, score - 0.1));
        let found = Calibration::new(&shifted).unwrap();
        assert!((found.correlation.unwrap() - 1.0).abs() < 1e-9);
        assert!((found.bias + 0.1).abs() < 1e-9 && (found.error - 0.1).abs() < 1e-9);
        let flat = Calibration::new(&[(0.0, 0.1), (0.0, 0.2), (0.0, 0.3)]).unwrap();
        assert_eq!(flat.correlation, None);
        assert_eq!(Calibration::new(&arms[..2]), None);
    }
}

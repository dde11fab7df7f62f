use serde::{Deserialize, Serialize};

/// An estimate with its 95 % confidence interval.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ConfidenceInterval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl ConfidenceInterval {
    /// The mean of at least one value, with the interval of Student's t. A single value has an
    /// interval of width 0.
    pub fn of_mean(values: &[f64]) -> ConfidenceInterval {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let half = match values.len() {
            1 => 0.0,
            _ => student_t(values.len() - 1) * (squares / (n - 1.0) / n).sqrt(),
        };
        ConfidenceInterval {
            value: mean,
            low: mean - half,
            high: mean + half,
        }
    }
}

/// The 97.5 % quantile of Student's t, rounded up where a row covers several degrees of freedom.
fn student_t(degrees_of_freedom: usize) -> f64 {
    const FIRST: [f64; 10] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    ];
    match degrees_of_freedom {
        0 => f64::INFINITY,
        1..=10 => FIRST[degrees_of_freedom - 1],
        11..=20 => 2.201,
        21..=40 => 2.080,
        _ => 2.020,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_has_student_t_interval() {
        // By hand: mean 0.1, deviation 0.1, t with two degrees of freedom 4.303.
        let estimate = ConfidenceInterval::of_mean(&[0.0, 0.1, 0.2]);
        assert!((estimate.value - 0.1).abs() < 1e-12);
        let half = 4.303 * 0.1 / 3.0_f64.sqrt();
        assert!((estimate.high - 0.1 - half).abs() < 1e-9);
        assert!((0.1 - half - estimate.low).abs() < 1e-9);
        assert_eq!(ConfidenceInterval::of_mean(&[1.0]).low, 1.0);
    }
}

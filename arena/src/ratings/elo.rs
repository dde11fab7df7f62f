use garuda_run::Tally;
use serde::Serialize;

/// Standard errors on either side of the mean in a 95 % confidence interval.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// The difference in Elo at which the expected score is `score`, from 0 to 1. Infinite at both
/// ends.
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected score, from 0 to 1, of a player who is stronger by `elo`.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// A difference in Elo with its 95 % confidence interval. Always finite: a perfect score counts
/// as half a point less.
#[derive(Copy, Clone, PartialEq, Debug, Serialize)]
pub struct EloEstimate {
    pub elo: f64,
    pub low: f64,
    pub high: f64,
}

impl From<&Tally> for EloEstimate {
    fn from(tally: &Tally) -> EloEstimate {
        let (mean, variance) = tally.pair_moments();
        // A pair is two games: the mean of two independent games has half the variance of one.
        EloEstimate::new(mean, 2.0 * variance, 2.0 * tally.pairs() as f64)
    }
}

impl EloEstimate {
    /// From the mean and variance of `n` results, each from 0 to 1.
    ///
    /// The interval is Wilson's for the number of games that would have this variance if all were
    /// won or lost: draws and pairs narrow it, and a perfect score still has a width.
    pub fn new(mean: f64, variance: f64, n: f64) -> EloEstimate {
        if n <= 0.0 {
            let high = EloEstimate::clamped(1.0, 1.0);
            return EloEstimate {
                elo: 0.0,
                low: -high,
                high,
            };
        }
        let binomial = mean * (1.0 - mean);
        // One more game with the variance of wins and losses: a sample variance of 0 is luck.
        let variance = (n * variance + binomial) / (n + 1.0);
        let n_effective = if binomial > 0.0 {
            n * binomial / variance
        } else {
            n
        };
        let z2n = Z * Z / n_effective;
        let centre = (mean + z2n / 2.0) / (1.0 + z2n);
        let half = Z / (1.0 + z2n) * (binomial / n_effective + z2n / (4.0 * n_effective)).sqrt();
        EloEstimate {
            elo: EloEstimate::clamped(mean, n),
            low: EloEstimate::clamped(centre - half, n),
            high: EloEstimate::clamped(centre + half, n),
        }
    }

    fn clamped(score: f64, n: f64) -> f64 {
        let edge = 0.5 / (n + 1.0);
        elo_of_score(score.clamp(edge, 1.0 - edge))
    }
}

use garuda_run::Tally;
use serde::Serialize;

/// Two-sided 95 % of a normal distribution.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// The difference in Elo at which a player scores `score` of 0 to 1. Infinite at the ends.
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The share of points a player scores who is stronger by `elo`.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// A difference in Elo and where it lies with 95 % confidence. Always finite: a clean score is
/// taken for half a point less.
#[derive(Copy, Clone, PartialEq, Debug, Serialize)]
pub struct Estimate {
    pub elo: f64,
    pub low: f64,
    pub high: f64,
}

impl From<&Tally> for Estimate {
    fn from(tally: &Tally) -> Estimate {
        let (mean, variance) = tally.pair_moments();
        // Per game: a pair is two games, and has half a game's variance if they are independent.
        Estimate::new(mean, 2.0 * variance, 2.0 * tally.pairs() as f64)
    }
}

impl Estimate {
    /// From the mean of `n` results of 0 to 1 each and their variance.
    ///
    /// The interval is Wilson's with as many games as would have this variance if all were won
    /// or lost, so that draws and pairs narrow it and a clean score still has a width.
    pub fn new(mean: f64, variance: f64, n: f64) -> Estimate {
        if n <= 0.0 {
            let high = Estimate::clamped(1.0, 1.0);
            return Estimate {
                elo: 0.0,
                low: -high,
                high,
            };
        }
        let binomial = mean * (1.0 - mean);
        // One game more that varies as wins and losses do: no variance at all is only luck.
        let variance = (n * variance + binomial) / (n + 1.0);
        let n_effective = if binomial > 0.0 {
            n * binomial / variance
        } else {
            n
        };
        let z2n = Z * Z / n_effective;
        let centre = (mean + z2n / 2.0) / (1.0 + z2n);
        let half = Z / (1.0 + z2n) * (binomial / n_effective + z2n / (4.0 * n_effective)).sqrt();
        Estimate {
            elo: Estimate::clamped(mean, n),
            low: Estimate::clamped(centre - half, n),
            high: Estimate::clamped(centre + half, n),
        }
    }

    fn clamped(score: f64, n: f64) -> f64 {
        let edge = 0.5 / (n + 1.0);
        elo_of_score(score.clamp(edge, 1.0 - edge))
    }
}

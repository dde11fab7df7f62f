use garuda_run::Tally;

use super::score_of_elo;

/// A sequential probability ratio test of "stronger by `elo1`" (H1) against "stronger by `elo0`"
/// (H0).
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
    /// Probability of either error, α = β.
    pub error: f64,
}

/// The test of all our matches: is the first player stronger by 30 Elo, or not at all?
impl Default for Sprt {
    fn default() -> Sprt {
        Sprt {
            elo0: 0.0,
            elo1: 30.0,
            error: 0.05,
        }
    }
}

/// What a test has decided so far.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SprtDecision {
    /// H1 is accepted.
    Stronger,
    /// H0 is accepted.
    NotStronger,
    Undecided,
}

impl Sprt {
    /// Log-likelihood ratio of H1 to H0, by the normal approximation of the pentanomial
    /// distribution. One pair between equal players who never draw is added to the variance, so
    /// that a few equal results decide nothing.
    pub fn log_likelihood_ratio(&self, tally: &Tally) -> f64 {
        if tally.pairs() == 0 {
            return 0.0;
        }
        let n = tally.pairs() as f64;
        let (mean, variance) = tally.pair_moments();
        let variance = (n * variance + 0.125) / (n + 1.0);
        let (s0, s1) = (score_of_elo(self.elo0), score_of_elo(self.elo1));
        n * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance)
    }

    pub fn decide(&self, tally: &Tally) -> SprtDecision {
        let bound = ((1.0 - self.error) / self.error).ln();
        match self.log_likelihood_ratio(tally) {
            llr if llr >= bound => SprtDecision::Stronger,
            llr if llr <= -bound => SprtDecision::NotStronger,
            _ => SprtDecision::Undecided,
        }
    }
}

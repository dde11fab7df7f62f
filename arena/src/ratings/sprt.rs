use garuda_run::Tally;

use super::score_of_elo;

/// A sequential test of "stronger by `elo1`" against "stronger by `elo0`".
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
    /// The chance of either error.
    pub error: f64,
}

/// What a test says so far.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Stronger,
    NotStronger,
    Open,
}

impl Sprt {
    /// Logarithm of how much likelier the pairs are under `elo1` than under `elo0`, by the normal
    /// approximation of the pentanomial distribution. The variance is that of one pair more,
    /// between equal players who never draw, so that a few like results decide nothing.
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

    pub fn verdict(&self, tally: &Tally) -> Verdict {
        let bound = ((1.0 - self.error) / self.error).ln();
        match self.log_likelihood_ratio(tally) {
            llr if llr >= bound => Verdict::Stronger,
            llr if llr <= -bound => Verdict::NotStronger,
            _ => Verdict::Open,
        }
    }
}

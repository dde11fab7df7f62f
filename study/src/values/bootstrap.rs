use garuda_run::seeds;
use rand::Rng;
use rayon::prelude::*;

use super::GameSample;
use super::logistic::{Coefficients, LogLikelihood, fit};
use crate::ConfidenceInterval;

/// A fit and what it would have been had other games been played.
#[derive(Clone, Debug)]
pub struct BootstrapFit {
    pub best: Coefficients,
    /// One fit for each resample.
    pub others: Vec<Coefficients>,
}

/// More games than these are dealt into as many groups, which are resampled in their stead.
const MOST_GROUPS: usize = 4000;

/// Fits a sample, and then again with every game counted as often as chance has it: about as
/// often as drawing all games anew with replacement would (Poisson's 0, 1, 2 …).
///
/// The other fits are one step of Newton's method away from the best. What they miss is small
/// beside the width of the intervals, and they cost next to nothing.
pub fn resample(sample: &GameSample, resamples: usize, seed: u64) -> BootstrapFit {
    let best = fit(sample);
    let columns = sample.columns();
    let mut groups = vec![LogLikelihood::none(columns); sample.games().min(MOST_GROUPS)];
    for (game, (score, rows)) in sample.iter().enumerate() {
        groups[game % MOST_GROUPS].add_game(&best, score, rows);
    }
    let others = (0..resamples as u64)
        .into_par_iter()
        .map(|number| {
            let mut rng = seeds::rng(seeds::derive(seed, "resample", &[number]));
            let mut evidence = LogLikelihood::prior(&best);
            for group in &groups {
                let times = poisson(&mut rng);
                if times > 0.0 {
                    evidence.add(group, times);
                }
            }
            &best + &evidence.newton_step()
        })
        .collect();
    BootstrapFit { best, others }
}

impl BootstrapFit {
    /// A quantity of the coefficients with its 95 % interval.
    pub fn interval(&self, of: impl Fn(&Coefficients) -> f64) -> ConfidenceInterval {
        let mut values: Vec<_> = self.others.iter().map(&of).collect();
        values.sort_by(f64::total_cmp);
        ConfidenceInterval {
            value: of(&self.best),
            low: quantile(&values, 0.025),
            high: quantile(&values, 0.975),
        }
    }

    /// The share of resamples of which something holds.
    pub fn share(&self, holds: impl Fn(&Coefficients) -> bool) -> f64 {
        let count = self.others.iter().filter(|other| holds(other)).count();
        count as f64 / self.others.len().max(1) as f64
    }
}

/// Between the two nearest of some ordered values.
fn quantile(ordered: &[f64], share: f64) -> f64 {
    let Some(last) = ordered.len().checked_sub(1) else {
        return f64::NAN;
    };
    let at = share * last as f64;
    let (below, above) = (ordered[at.floor() as usize], ordered[at.ceil() as usize]);
    if below == above || below.is_infinite() {
        return below;
    }
    below + (above - below) * at.fract()
}

/// A draw from Poisson's distribution with mean 1.
fn poisson(rng: &mut impl Rng) -> f64 {
    let draw = f64::from(rng.next_u32()) / (f64::from(u32::MAX) + 1.0);
    let mut chance = (-1f64).exp();
    let mut sum = chance;
    let mut count = 0.0;
    while draw >= sum && chance > 1e-12 {
        count += 1.0;
        chance /= count;
        sum += chance;
    }
    count
}

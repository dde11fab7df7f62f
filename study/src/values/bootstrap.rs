use garuda_run::seeds;
use rand::Rng;
use rayon::prelude::*;

use super::GameSample;
use super::logistic::{Coefficients, LogLikelihood, fit};
use crate::ConfidenceInterval;

/// A fit, and the fits to resampled games.
#[derive(Clone, Debug)]
pub struct BootstrapFit {
    pub best: Coefficients,
    /// One fit for each resample.
    pub others: Vec<Coefficients>,
}

/// Largest number of groups of games: with more games than this, groups are resampled.
const MAX_GROUPS: usize = 4000;

/// Fits a sample, and fits it again for each resample: every game is given a weight from the
/// Poisson distribution with mean 1, which approximates drawing games with replacement.
///
/// Each of these fits is one Newton step from the best one. The error is small compared with the
/// width of the intervals, and the cost is negligible.
pub fn resample(sample: &GameSample, resamples: usize, seed: u64) -> BootstrapFit {
    let best = fit(sample);
    let columns = sample.columns();
    let mut groups = vec![LogLikelihood::none(columns); sample.games().min(MAX_GROUPS)];
    for (game, (score, rows)) in sample.iter().enumerate() {
        groups[game % MAX_GROUPS].add_game(&best, score, rows);
    }
    let others = (0..resamples as u64)
        .into_par_iter()
        .map(|number| {
            let mut rng = seeds::rng(seeds::derive(seed, "resample", &[number]));
            let mut likelihood = LogLikelihood::prior(&best);
            for group in &groups {
                let times = poisson(&mut rng);
                if times > 0.0 {
                    likelihood.add(group, times);
                }
            }
            &best + &likelihood.newton_step()
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

    /// The share of resamples for which `holds` is true.
    pub fn share(&self, holds: impl Fn(&Coefficients) -> bool) -> f64 {
        let count = self.others.iter().filter(|other| holds(other)).count();
        count as f64 / self.others.len().max(1) as f64
    }
}

/// Interpolated between the two nearest of the ordered values.
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

/// A sample of the Poisson distribution with mean 1.
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

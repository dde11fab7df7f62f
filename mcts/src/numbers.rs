//! Arithmetic on policies.

use rand::Rng;

/// Writes the probabilities that logits stand for. None is zero: a move that the evaluator
/// thinks impossible keeps a finite logarithm.
pub(crate) fn softmax(logits: &[f32], probabilities: &mut [f32]) {
    let max = logits.iter().fold(f32::NEG_INFINITY, |max, &l| max.max(l));
    let mut sum = 0.0;
    for (probability, &logit) in probabilities.iter_mut().zip(logits) {
        *probability = (logit - max).exp();
        sum += *probability;
    }
    for probability in probabilities {
        *probability = (*probability / sum).max(f32::MIN_POSITIVE);
    }
}

/// A number evenly distributed between 0 and 1, both excluded.
fn unit(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

/// A draw from the Gumbel distribution.
pub(crate) fn gumbel(rng: &mut impl Rng) -> f32 {
    -(-unit(rng).ln()).ln() as f32
}

/// Draws an index with probability proportional to `weights[index]^(1 / temperature)`. A
/// temperature of 0 takes the greatest weight, the first of equal ones.
///
/// # Panics
/// If there is no positive weight.
pub fn sample(weights: &[f32], temperature: f32, rng: &mut impl Rng) -> usize {
    let max = weights.iter().fold(0.0_f32, |max, &weight| max.max(weight));
    assert!(max > 0.0, "one weight at least is positive");
    if temperature <= 0.0 {
        return weights
            .iter()
            .position(|&weight| weight == max)
            .expect("the maximum is one of the weights");
    }
    let power = 1.0 / f64::from(temperature);
    let heat = |weight: f32| (f64::from(weight) / f64::from(max)).powf(power);
    let total: f64 = weights.iter().map(|&weight| heat(weight)).sum();
    let mut left = unit(rng) * total;
    let mut drawn = 0;
    for (index, &weight) in weights.iter().enumerate() {
        if weight <= 0.0 {
            continue;
        }
        drawn = index;
        left -= heat(weight);
        if left < 0.0 {
            break;
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn softmax_survives_extremes() {
        let mut probabilities = [0.0; 3];
        softmax(&[1000.0, 0.0, 1000.0], &mut probabilities);
        assert_eq!(probabilities, [0.5, f32::MIN_POSITIVE, 0.5]);
    }

    #[test]
    fn samples_follow_the_weights() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let weights = [0.0, 0.1, 0.3, 0.6, 0.0];
        for (temperature, expected) in [
            (1.0, [0.0, 0.1, 0.3, 0.6, 0.0]),
            (0.5, [0.0, 1.0 / 46.0, 9.0 / 46.0, 36.0 / 46.0, 0.0]),
            (0.0, [0.0, 0.0, 0.0, 1.0, 0.0]),
        ] {
            let mut counts = [0; 5];
            for _ in 0..20_000 {
                counts[sample(&weights, temperature, &mut rng)] += 1;
            }
            for (count, expected) in counts.into_iter().zip(expected) {
                let share = f64::from(count) / 20_000.0;
                assert!((share - expected).abs() < 0.015, "{counts:?}");
            }
        }
    }

    #[test]
    fn gumbel_draws_have_the_right_mean() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mean = (0..100_000).map(|_| gumbel(&mut rng)).sum::<f32>() / 100_000.0;
        assert!((mean - 0.5772).abs() < 0.02, "{mean}");
    }
}

//! Arithmetic on policies: softmax, sampling, Gumbel noise.

use rand::Rng;

/// eˣ within about an ulp, and never 0: results below the smallest normal number are clamped to
/// about that.
///
/// It gives the same result on every machine and can be vectorised. The method is that of Cephes:
/// eˣ = 2ⁿ·eʳ with r within ±ln 2 / 2, and a polynomial for eʳ.
#[inline]
pub(crate) fn exp(x: f32) -> f32 {
    /// Adding this rounds to an integer, which is then in the low bits.
    const ROUND: f32 = 12_582_912.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = x - n * LN_2_HIGH - n * LN_2_LOW;
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_2e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 0.166_666_65;
    p = p * r + 0.5;
    p = p * r * r + r + 1.0;
    let exponent = rounded.to_bits().wrapping_sub(ROUND.to_bits());
    p * f32::from_bits(exponent.wrapping_add(127) << 23)
}

/// Writes the softmax of `logits` to `probabilities`. None is zero, so that every prior has a
/// finite logarithm.
///
/// # Panics
/// If the slices differ in length.
pub fn softmax(logits: &[f32], probabilities: &mut [f32]) {
    softmax_at(1.0, logits, probabilities);
}

/// [`softmax`] of the logits divided by a temperature: above 1 the probabilities are more equal.
pub(crate) fn softmax_at(temperature: f32, logits: &[f32], probabilities: &mut [f32]) {
    assert_eq!(
        logits.len(),
        probabilities.len(),
        "one probability per logit"
    );
    let max = greatest(logits);
    let sharpness = temperature.recip();
    // Two loops, of which the first is vectorised: the sum must be taken in order.
    for (probability, &logit) in probabilities.iter_mut().zip(logits) {
        *probability = exp((logit - max) * sharpness);
    }
    let sum: f32 = probabilities.iter().sum();
    for probability in probabilities {
        *probability = (*probability / sum).max(f32::MIN_POSITIVE);
    }
}

/// The greatest of finite numbers, negative infinity if there are none.
#[inline]
pub(crate) fn greatest(numbers: &[f32]) -> f32 {
    // Several maxima at a time: one alone would wait for the last comparison.
    let max = |a: f32, b: f32| if b > a { b } else { a };
    let (chunks, rest) = numbers.as_chunks::<8>();
    let mut maxima = [f32::NEG_INFINITY; 8];
    for chunk in chunks {
        for i in 0..8 {
            maxima[i] = max(maxima[i], chunk[i]);
        }
    }
    maxima
        .iter()
        .chain(rest)
        .fold(f32::NEG_INFINITY, |a, &b| max(a, b))
}

/// A number uniformly distributed in the open interval from 0 to 1.
fn unit(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

/// A sample of the standard Gumbel distribution.
pub(crate) fn gumbel(rng: &mut impl Rng) -> f32 {
    -(-unit(rng).ln()).ln() as f32
}

/// Samples an index with probability proportional to `weights[index]^(1 / temperature)`. A
/// temperature of 0 selects the greatest weight, the first among equals.
///
/// # Panics
/// If there is no positive weight.
pub fn sample(weights: &[f32], temperature: f32, rng: &mut impl Rng) -> usize {
    let max = weights.iter().fold(0.0_f32, |max, &weight| max.max(weight));
    assert!(max > 0.0, "at least one weight is positive");
    if temperature <= 0.0 {
        return weights
            .iter()
            .position(|&weight| weight == max)
            .expect("the maximum is one of the weights");
    }
    let power = 1.0 / f64::from(temperature);
    let scaled = |weight: f32| (f64::from(weight) / f64::from(max)).powf(power);
    let total: f64 = weights.iter().map(|&weight| scaled(weight)).sum();
    let mut remaining = unit(rng) * total;
    let mut sampled = 0;
    for (index, &weight) in weights.iter().enumerate() {
        if weight <= 0.0 {
            continue;
        }
        sampled = index;
        remaining -= scaled(weight);
        if remaining < 0.0 {
            break;
        }
    }
    sampled
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn exp_is_accurate() {
        assert_eq!(exp(0.0), 1.0);
        let mut x = -86.9;
        while x < 87.9 {
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(error < 3e-7, "{x}: {error}");
            x += 0.001_7;
        }
        assert!(exp(f32::NEG_INFINITY) > 0.0 && exp(-1e30) < 1e-37);
    }

    #[test]
    fn softmax_of_extreme_logits_is_finite_and_positive() {
        let mut probabilities = [0.0; 3];
        softmax(&[1000.0, 0.0, 1000.0], &mut probabilities);
        assert_eq!((probabilities[0], probabilities[2]), (0.5, 0.5));
        assert!(probabilities[1] > 0.0 && probabilities[1] < 1e-37);
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
    fn gumbel_samples_have_the_right_mean() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mean = (0..100_000).map(|_| gumbel(&mut rng)).sum::<f32>() / 100_000.0;
        assert!((mean - 0.5772).abs() < 0.02, "{mean}");
    }
}

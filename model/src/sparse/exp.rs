//! An exponential made of additions and multiplications in a fixed order. The standard library's
//! differs between machines in the last bit, and evaluations must not.

/// e to the power of `x`, within two units in the last place for `x` from −87 to 88.
pub(super) fn exp(x: f32) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    // ln 2 in two parts, the first with few enough bits that its products are exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let power = (x * LOG2_E + 0.5).floor();
    let rest = (x - power * LN_2_HIGH) - power * LN_2_LOW;
    // e^rest by its series; |rest| is at most half of ln 2.
    let mut sum = 1.0 / 5040.0;
    for factor in [
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        sum = sum * rest + factor;
    }
    sum * f32::from_bits(((power as i32 + 127) as u32) << 23)
}

/// Probabilities from logits.
pub(super) fn softmax<const N: usize>(logits: [f32; N]) -> [f32; N] {
    let most = logits.into_iter().fold(f32::NEG_INFINITY, f32::max);
    let powers = logits.map(|logit| exp(logit - most));
    let mut sum = 0.0;
    for power in powers {
        sum += power;
    }
    powers.map(|power| power / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_the_exponential() {
        let mut x = -87.0_f32;
        while x < 88.0 {
            let (ours, exact) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((ours / exact - 1.0).abs() < 3e-7, "{x}: {ours} {exact}");
            x += 0.013;
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1000.0) > 0.0 && exp(1000.0).is_finite());
    }

    #[test]
    fn softmax_sums_to_one() {
        let shares = softmax([3.0, -50.0, 3.0]);
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(shares[0], shares[2]);
    }
}

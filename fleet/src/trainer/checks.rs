//! Which games of workers the trainer plays again, to see whether they are what the plan makes of
//! their numbers.

use rand::RngExt;

/// Share of a worker's games that are played again: of a new worker, and of one that has passed
/// [`PROVEN_AFTER`] checks.
pub(crate) const NEW_SHARE: f64 = 0.1;
pub(crate) const PROVEN_SHARE: f64 = 0.01;
pub(crate) const PROVEN_AFTER: u64 = 50;

/// Whether a worker with this number of passed checks is no longer new.
pub(super) fn is_proven(passed: u64) -> bool {
    passed >= PROVEN_AFTER
}

/// The places of the games that are played again, among those of one message.
///
/// Of a new worker's message at least one game. They are drawn from the machine's randomness, unlike
/// everything else in a run: workers know the run's seed.
pub(super) fn choose(games: usize, passed: u64) -> Vec<usize> {
    let mut rng = rand::rng();
    if is_proven(passed) {
        return (0..games)
            .filter(|_| rng.random_bool(PROVEN_SHARE))
            .collect();
    }
    let count = (games as f64 * NEW_SHARE).ceil() as usize;
    let mut places: Vec<_> = (0..games).collect();
    for i in 0..count {
        let other = rng.random_range(i..games);
        places.swap(i, other);
    }
    places.truncate(count);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_is_as_likely_to_be_checked_as_is_documented() {
        let rounds = 20_000;
        for (games, passed, share) in [
            (1, 0, 1.0),
            (10, 0, 0.1),
            (32, PROVEN_AFTER - 1, 4.0 / 32.0),
            (32, PROVEN_AFTER, PROVEN_SHARE),
        ] {
            let mut counts = vec![0u32; games];
            for _ in 0..rounds {
                let mut chosen = choose(games, passed);
                chosen.iter().for_each(|&i| counts[i] += 1);
                chosen.sort_unstable();
                chosen.dedup();
                let expected = (games as f64 * NEW_SHARE).ceil() as usize;
                assert!(is_proven(passed) || chosen.len() == expected);
            }
            // Six standard deviations.
            let slack = 6.0 * (share * (1.0 - share) / f64::from(rounds)).sqrt();
            for count in counts {
                let found = f64::from(count) / f64::from(rounds);
                assert!((found - share).abs() <= slack, "{found} is not {share}");
            }
        }
        assert_eq!(choose(0, 0), [0; 0]);
    }
}

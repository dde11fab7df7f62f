use serde::{Deserialize, Serialize};

/// The results of a match from the first player's side, in pairs of games from one opening with
/// sides exchanged.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// How many pairs brought 0, ½, 1, 1½, 2 points.
    pub pentanomial: [u64; 5],
}

impl Tally {
    /// Adds a pair; results are 1, 0 or −1 for the first player.
    pub fn add_pair(&mut self, results: [i8; 2]) {
        for result in results {
            match result {
                1 => self.wins += 1,
                0 => self.draws += 1,
                _ => self.losses += 1,
            }
        }
        self.pentanomial[(2 + results[0] + results[1]) as usize] += 1;
    }

    pub fn add(&mut self, other: &Tally) {
        self.wins = self.wins.saturating_add(other.wins);
        self.draws = self.draws.saturating_add(other.draws);
        self.losses = self.losses.saturating_add(other.losses);
        for (ours, theirs) in self.pentanomial.iter_mut().zip(other.pentanomial) {
            *ours = ours.saturating_add(theirs);
        }
    }

    pub fn games(&self) -> u64 {
        // A file that was tampered with can claim any numbers.
        (self.wins.saturating_add(self.draws)).saturating_add(self.losses)
    }

    pub fn pairs(&self) -> u64 {
        (self.pentanomial.iter()).fold(0, |sum, pairs| sum.saturating_add(*pairs))
    }

    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Share of the points, ½ if there were no games.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => self.points() / games as f64,
        }
    }

    /// Mean and variance of the share of points of a pair.
    pub fn pair_moments(&self) -> (f64, f64) {
        let counts = self.pentanomial.map(|n| n as f64);
        let n: f64 = counts.iter().sum();
        let moment = |f: &dyn Fn(f64) -> f64| -> f64 {
            (counts.iter().enumerate())
                .map(|(i, count)| count * f(i as f64 / 4.0))
                .sum::<f64>()
                / n
        };
        let mean = moment(&|x| x);
        (mean, moment(&|x| (x - mean) * (x - mean)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_counts_of_a_file_do_no_harm() {
        let text = r#"{"wins":18446744073709551615,"draws":1,"losses":18446744073709551615,
            "pentanomial":[18446744073709551615,1,1,1,18446744073709551615]}"#;
        let mut tally: Tally = serde_json::from_str(text).unwrap();
        tally.add(&tally.clone());
        assert_eq!((tally.games(), tally.pairs()), (u64::MAX, u64::MAX));
        assert!(tally.score().is_finite() && tally.pair_moments().0.is_finite());
    }
}

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
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        for (ours, theirs) in self.pentanomial.iter_mut().zip(other.pentanomial) {
            *ours += theirs;
        }
    }

    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    pub fn pairs(&self) -> u64 {
        self.pentanomial.iter().sum()
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

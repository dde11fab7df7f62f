use std::iter::Sum;
use std::ops::AddAssign;

use garuda_rules::Color;
use serde::{Deserialize, Serialize};

/// Numbers of games by result, from one side's view.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct GameResults {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

impl GameResults {
    /// One game, from the view of `side`.
    pub fn of(winner: Option<Color>, side: Color) -> GameResults {
        GameResults {
            wins: u32::from(winner == Some(side)),
            draws: u32::from(winner.is_none()),
            losses: u32::from(winner == Some(!side)),
        }
    }

    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points per game, a draw being half a point. `None` without games.
    pub fn score(&self) -> Option<f64> {
        let points = f64::from(self.wins) + 0.5 * f64::from(self.draws);
        (self.games() > 0).then(|| points / f64::from(self.games()))
    }
}

impl AddAssign for GameResults {
    fn add_assign(&mut self, other: GameResults) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

impl Sum for GameResults {
    fn sum<I: Iterator<Item = GameResults>>(all: I) -> GameResults {
        all.fold(GameResults::default(), |mut sum, results| {
            sum += results;
            sum
        })
    }
}

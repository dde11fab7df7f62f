use std::iter::Sum;
use std::ops::AddAssign;

use garuda_rules::Color;
use serde::Serialize;

/// How games ended, from one side's view.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct GameResults {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

impl GameResults {
    /// One game, from the view of `side`.
    pub fn of(winner: Option<Color>, side: Color) -> GameResults {
        let count = |is: bool| u32::from(is);
        GameResults {
            wins: count(winner == Some(side)),
            draws: count(winner.is_none()),
            losses: count(winner == Some(!side)),
        }
    }

    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points for each game, a draw being half of one. `None` without games.
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

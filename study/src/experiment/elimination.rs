use serde::{Deserialize, Serialize};

use super::bounds::{ResultCounts, threshold};
use crate::ConfidenceInterval;
use crate::GameResults;

/// Games of an arm before the first look, and at least between two looks.
const FIRST_GAMES: u64 = 32;
/// Quantile of the normal distribution for 95 % power.
const POWER_Z: f64 = 1.645;

/// How long arms are played, and what is said about them.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EliminationSettings {
    /// Largest number of games of an arm.
    pub games: u64,
    /// Largest number of games of all arms together.
    pub total_games: Option<u64>,
    /// How much worse than the best arm a good one may be, in score from 0 to 1.
    pub margin: f64,
    /// Probability that all verdicts are right, however often they are looked at.
    pub confidence: f64,
    /// Half the width of its interval at which an arm needs no more games.
    pub half_width: Option<f64>,
    /// Whether bad arms get as many games as the others.
    pub equal_games: bool,
}

/// What the games say about an arm.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Not worse than the best by more than the margin.
    Good,
    /// Worse than the best by more than the margin.
    Bad,
    /// Neither is shown.
    Open,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Good => "good",
            Verdict::Bad => "bad",
            Verdict::Open => "open",
        }
    }
}

/// Successive elimination: arms (start positions, first moves, set-ups) are played in rounds, and
/// those that are clearly worse than the best get no further games.
///
/// Verdicts compare two arms by the differences of their results, game by game, with an error
/// probability of (1 − confidence) / number of pairs for each pair: all comparisons of all looks are
/// right together with at least the stated confidence. See `bounds.rs` for the formula.
#[derive(Clone, Debug)]
pub struct Elimination {
    settings: EliminationSettings,
    arms: Vec<ArmState>,
}

#[derive(Clone, Debug)]
struct ArmState {
    /// 1, 0 or −1 for the side whose score is counted, in the order of the games' numbers.
    results: Vec<i8>,
    verdict: Verdict,
}

impl Elimination {
    pub fn new(arms: usize, settings: EliminationSettings) -> Elimination {
        let arm = ArmState {
            results: Vec::new(),
            verdict: Verdict::Open,
        };
        Elimination {
            settings,
            arms: vec![arm; arms],
        }
    }

    /// The arms to be played before the next look, with their new numbers of games. Empty when no
    /// more games are needed or allowed.
    pub fn next_round(&self) -> Vec<(usize, u64)> {
        let is_decided = (self.arms.iter()).all(|arm| arm.verdict != Verdict::Open);
        if is_decided && !self.settings.equal_games && self.settings.half_width.is_none() {
            return Vec::new();
        }
        let round: Vec<_> = (self.arms.iter().enumerate())
            .filter(|(arm, _)| self.needs_games(*arm))
            .map(|(index, arm)| {
                let games = arm.results.len() as u64;
                let more = (games / 4).max(FIRST_GAMES);
                (index, (games + more).min(self.settings.games))
            })
            .collect();
        let added: u64 = (round.iter())
            .map(|&(arm, games)| games - self.arms[arm].results.len() as u64)
            .sum();
        let total = self.games() + added;
        if self.settings.total_games.is_some_and(|most| total > most) {
            return Vec::new();
        }
        round
    }

    fn needs_games(&self, index: usize) -> bool {
        let arm = &self.arms[index];
        if arm.results.len() as u64 >= self.settings.games {
            return false;
        }
        if arm.verdict == Verdict::Bad && !self.settings.equal_games {
            return false;
        }
        self.settings.half_width.is_none_or(|wanted| {
            let interval = self.interval(index);
            (interval.high - interval.low) / 2.0 > wanted
        })
    }

    /// Adds results of an arm's next games: 1, 0 or −1.
    pub fn add(&mut self, arm: usize, results: impl IntoIterator<Item = i8>) {
        self.arms[arm].results.extend(results);
    }

    /// Looks at the results after a round. A verdict that was reached stays.
    pub fn look(&mut self) {
        let count = self.arms.len();
        let pairs = (count * count.saturating_sub(1) / 2).max(1);
        let delta = (1.0 - self.settings.confidence) / pairs as f64;
        let margin = self.settings.margin;
        for arm in 0..count {
            let is_bad = (0..count).any(|other| self.is_better_by(other, arm, margin, delta));
            if self.arms[arm].verdict == Verdict::Open && is_bad {
                self.arms[arm].verdict = Verdict::Bad;
            }
        }
        // The best arm is not among the bad ones, so a good one is compared with the others only.
        for arm in 0..count {
            let mut others = (0..count)
                .filter(|&other| other != arm && self.arms[other].verdict != Verdict::Bad);
            let is_played = !self.arms[arm].results.is_empty();
            if self.arms[arm].verdict == Verdict::Open
                && is_played
                && others.all(|other| self.is_not_better_by(other, arm, margin, delta))
            {
                self.arms[arm].verdict = Verdict::Good;
            }
        }
    }

    /// Whether arm `a` is surely better than `b` by more than `margin`.
    fn is_better_by(&self, a: usize, b: usize, margin: f64, delta: f64) -> bool {
        a != b && (self.differences(a, b)).is_above(f64::midpoint(1.0, margin), delta)
    }

    /// Whether arm `a` is surely not better than `b` by more than `margin`.
    fn is_not_better_by(&self, a: usize, b: usize, margin: f64, delta: f64) -> bool {
        (self.differences(a, b)).is_below(f64::midpoint(1.0, margin), delta)
    }

    /// The differences of the results of equal numbers, from 0 (`b` won, `a` lost) to 1. The mean
    /// is ½ + half the difference of the scores.
    fn differences(&self, a: usize, b: usize) -> ResultCounts<5> {
        let mut counts = [0; 5];
        for (a, b) in self.arms[a].results.iter().zip(&self.arms[b].results) {
            counts[(a - b + 2) as usize] += 1;
        }
        ResultCounts {
            values: [0.0, 0.25, 0.5, 0.75, 1.0],
            counts,
        }
    }

    /// Number of arms.
    pub fn arms(&self) -> usize {
        self.arms.len()
    }

    pub fn verdict(&self, arm: usize) -> Verdict {
        self.arms[arm].verdict
    }

    pub fn results(&self, arm: usize) -> GameResults {
        let count = |result: i8| {
            let found = (self.arms[arm].results.iter()).filter(|&&other| other == result);
            found.count() as u32
        };
        GameResults {
            wins: count(1),
            draws: count(0),
            losses: count(-1),
        }
    }

    /// The score of an arm with an interval that contains the true one at all times at once with
    /// the stated confidence, for this arm alone.
    pub fn interval(&self, arm: usize) -> ConfidenceInterval {
        let results = self.results(arm);
        let counts = ResultCounts {
            values: [0.0, 0.5, 1.0],
            counts: [results.losses, results.draws, results.wins].map(u64::from),
        };
        let [low, high] = counts.bounds(1.0 - self.settings.confidence);
        ConfidenceInterval {
            value: results.score().unwrap_or(0.5),
            low,
            high,
        }
    }

    /// Number of games of all arms.
    pub fn games(&self) -> u64 {
        self.arms.iter().map(|arm| arm.results.len() as u64).sum()
    }
}

impl EliminationSettings {
    /// Number of games of an arm by which it has been found bad with a probability of 95 %, if the
    /// best of `arms` is better by `gap`, whatever the number of draws; `None` if `gap` is not above
    /// the margin.
    ///
    /// With half the distance d = (gap − margin)/2 and the variance v ≤ 1/8 of a difference, n games
    /// make a capital of about exp(n d²/(2v)): n is the first number with
    /// d √(n/v) ≥ √(2 threshold(n)) + 1.645, rounded up to the end of its round.
    pub fn games_to_find(&self, gap: f64, arms: usize) -> Option<u64> {
        let distance = (gap - self.margin) / 2.0;
        if distance <= 0.0 {
            return None;
        }
        let pairs = (arms * arms.saturating_sub(1) / 2).max(1);
        let delta = (1.0 - self.confidence) / pairs as f64;
        let variance: f64 = 0.125 + distance * distance;
        let mut games = FIRST_GAMES;
        while distance * (games as f64 / variance).sqrt()
            < (2.0 * threshold(games, delta)).sqrt() + POWER_Z
        {
            games += (games / 4).max(FIRST_GAMES);
        }
        Some(games)
    }
}

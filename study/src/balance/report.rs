use std::collections::BTreeMap;

use garuda_rules::{Position, Termination};
use serde::Serialize;

use super::GameFacts;

/// Parts that a run's checkpoints are divided into.
const BANDS: usize = 4;
/// Bars of a histogram, at most.
const BARS: u32 = 20;
/// Of the normal distribution: 95 % lie within as many standard errors.
const Z: f64 = 1.96;

/// The balance of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BalanceReport {
    /// What lengths are counted in.
    pub length_unit: &'static str,
    /// What a piece put on the board from off it is called; `None` where there is no such thing.
    pub drop_word: Option<&'static str>,
    /// Whether the rules count plies to protect a weaker side.
    pub has_counting: bool,
    pub has_promotion: bool,
    /// Games from the run's ordinary start.
    pub ordinary: BalanceStats,
    /// Games from handicaps, uneven armies and random arrays.
    pub varied: BalanceStats,
    /// Games from the ordinary start by checkpoint: about as many in each part.
    pub bands: Vec<CheckpointBand>,
}

/// Checkpoints from the first to the last, both included.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CheckpointBand {
    pub from: u32,
    pub to: u32,
    pub facts: BalanceStats,
}

/// What some games have in common. All shares are of games.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct BalanceStats {
    pub games: u64,
    /// Of the side that moved first.
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Points of the side that moved first, for a game; `None` without games.
    pub score: Option<f64>,
    /// Half the width of the score's 95 % interval.
    pub score_error: Option<f64>,
    pub draw_share: Option<f64>,
    pub draw_error: Option<f64>,
    pub lengths: Option<LengthStats>,
    /// How games ended, the commonest first.
    pub ends: Vec<TerminationCount>,
    /// Share of games that counting ended, and in which plies were counted at all.
    pub decided_by_counting: Option<f64>,
    pub counted: Option<f64>,
    /// Of a game, on average.
    pub captures: Option<f64>,
    pub promotions: Option<f64>,
    pub drops: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LengthStats {
    pub mean: f64,
    pub shortest: u32,
    pub p5: u32,
    pub p25: u32,
    pub median: u32,
    pub p75: u32,
    pub p95: u32,
    pub longest: u32,
    pub histogram: LengthHistogram,
}

/// How many games had lengths of `i · width` and more, but less than `(i + 1) · width`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LengthHistogram {
    pub width: u32,
    pub games: Vec<u64>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TerminationCount {
    pub termination: &'static str,
    pub games: u64,
    /// Won by the side that moved first.
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

/// Sums up games, in whatever order they come.
pub fn balance<P: Position>(games: &[GameFacts]) -> BalanceReport {
    let (ordinary, varied): (Vec<_>, Vec<_>) = games.iter().partition(|game| game.ordinary);
    BalanceReport {
        length_unit: match P::DECISIONS_PER_TURN {
            1 => "plies",
            _ => "turns",
        },
        drop_word: P::DROP_WORD,
        has_counting: P::COUNTING_LIMIT.is_some(),
        has_promotion: P::HAS_PROMOTION,
        bands: bands(&ordinary),
        ordinary: BalanceStats::of(&ordinary),
        varied: BalanceStats::of(&varied),
    }
}

/// Games of one checkpoint are never divided.
fn bands(games: &[&GameFacts]) -> Vec<CheckpointBand> {
    let mut by_net: BTreeMap<u32, Vec<&GameFacts>> = BTreeMap::new();
    for game in games {
        by_net.entry(game.id.0).or_default().push(game);
    }
    let mut bands: BTreeMap<usize, Vec<&GameFacts>> = BTreeMap::new();
    let mut before = 0;
    for of_net in by_net.into_values() {
        // Where the middle one of its games is.
        let band = (2 * before + of_net.len()) * BANDS / (2 * games.len());
        before += of_net.len();
        bands.entry(band).or_default().extend(of_net);
    }
    (bands.into_values())
        .filter_map(|games| {
            // In the order of checkpoints.
            let (first, last) = (games.first()?, games.last()?);
            Some(CheckpointBand {
                from: first.id.0,
                to: last.id.0,
                facts: BalanceStats::of(&games),
            })
        })
        .collect()
}

impl BalanceStats {
    fn of(games: &[&GameFacts]) -> BalanceStats {
        let count = |result| games.iter().filter(|g| g.first_mover == result).count() as u64;
        let (wins, draws, losses) = (count(1), count(0), count(-1));
        let n = games.len() as f64;
        let some = |value: f64| (!games.is_empty()).then_some(value);
        // From counts rather than game by game, so that the order of games changes nothing.
        let score = (wins as f64 + draws as f64 / 2.0) / n;
        let drawn = draws as f64 / n;
        let score_variance = (wins as f64 + draws as f64 / 4.0) / n - score * score;
        let draw_variance = drawn - drawn * drawn;
        let error = |variance: f64| some(Z * (variance.max(0.0) / n).sqrt());
        let mean = |of: &dyn Fn(&GameFacts) -> u32| {
            let sum: u64 = games.iter().map(|game| u64::from(of(game))).sum();
            some(sum as f64 / n)
        };
        let counting = |game: &GameFacts| {
            matches!(
                game.termination,
                Termination::BoardHonour | Termination::PiecesHonour
            )
        };
        BalanceStats {
            games: games.len() as u64,
            wins,
            draws,
            losses,
            score: some(score),
            score_error: error(score_variance),
            draw_share: some(drawn),
            draw_error: error(draw_variance),
            lengths: LengthStats::of(games),
            ends: ends(games),
            decided_by_counting: mean(&|game| u32::from(counting(game))),
            counted: mean(&|game| u32::from(game.counted)),
            captures: mean(&|game| game.captures),
            promotions: mean(&|game| game.promotions),
            drops: mean(&|game| game.drops),
        }
    }
}

fn ends(games: &[&GameFacts]) -> Vec<TerminationCount> {
    let mut by_termination: BTreeMap<Termination, TerminationCount> = BTreeMap::new();
    for game in games {
        let end = by_termination
            .entry(game.termination)
            .or_insert(TerminationCount {
                termination: game.termination.name(),
                games: 0,
                wins: 0,
                draws: 0,
                losses: 0,
            });
        end.games += 1;
        match game.first_mover {
            0 => end.draws += 1,
            n if n > 0 => end.wins += 1,
            _ => end.losses += 1,
        }
    }
    let mut ends: Vec<_> = by_termination.into_values().collect();
    ends.sort_by_key(|end| std::cmp::Reverse(end.games));
    ends
}

impl LengthStats {
    fn of(games: &[&GameFacts]) -> Option<LengthStats> {
        let mut lengths: Vec<_> = games.iter().map(|game| game.length).collect();
        lengths.sort_unstable();
        let (&shortest, &longest) = (lengths.first()?, lengths.last()?);
        // The smallest length that so many games do not exceed.
        let quantile = |percent: usize| {
            let rank = (lengths.len() * percent).div_ceil(100).max(1);
            lengths[rank - 1]
        };
        let sum: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        Some(LengthStats {
            mean: sum as f64 / lengths.len() as f64,
            shortest,
            p5: quantile(5),
            p25: quantile(25),
            median: quantile(50),
            p75: quantile(75),
            p95: quantile(95),
            longest,
            histogram: LengthHistogram::of(&lengths, longest),
        })
    }
}

impl LengthHistogram {
    fn of(lengths: &[u32], longest: u32) -> LengthHistogram {
        let rough = (longest + 1).div_ceil(BARS);
        let width = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500]
            .into_iter()
            .find(|&width| width >= rough)
            .unwrap_or(rough);
        let mut games = vec![0; (longest / width) as usize + 1];
        for length in lengths {
            games[(length / width) as usize] += 1;
        }
        LengthHistogram { width, games }
    }
}

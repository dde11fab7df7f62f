use std::collections::BTreeMap;

use garuda_rules::{Position, Termination};
use serde::{Deserialize, Serialize};

use super::GameFacts;
use crate::{CheckpointRange, VersionedReport};

/// Number of parts that a run's games are divided into, by checkpoint.
const BANDS: usize = 4;
/// Largest number of bars of a histogram.
const BARS: u32 = 20;
/// 95 % of a normal distribution lie within this many standard errors of its mean.
const Z: f64 = 1.96;

/// How balanced the games of a run are.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BalanceReport {
    pub version: u32,
    /// The unit of game lengths, in the plural.
    pub length_unit: String,
    /// What placing a piece from off the board is called, in the plural; `None` where a game has
    /// no such moves.
    pub drop_word: Option<String>,
    /// Whether the rules count plies to protect a weaker side.
    pub has_counting: bool,
    pub has_promotion: bool,
    /// Games from the run's ordinary start position.
    pub ordinary: BalanceStats,
    /// Games from handicaps, uneven armies and random arrays.
    pub varied: BalanceStats,
    /// Games from the ordinary start by checkpoint, with about equal numbers of games in each part.
    pub bands: Vec<CheckpointBand>,
}

impl VersionedReport for BalanceReport {
    const VERSION: u32 = 1;
}

/// Games of a range of checkpoints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CheckpointBand {
    #[serde(flatten)]
    pub checkpoints: CheckpointRange,
    pub stats: BalanceStats,
}

/// Statistics of a set of games. Shares are fractions of the games, from 0 to 1; everything that
/// has no value without games is `None` without games.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BalanceStats {
    pub games: u64,
    /// Of the first mover.
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Mean points per game of the first mover: 1 for a win, ½ for a draw.
    pub score: Option<f64>,
    /// Half the width of the score's 95 % interval.
    pub score_error: Option<f64>,
    pub draw_share: Option<f64>,
    /// Half the width of the draw share's 95 % interval.
    pub draw_error: Option<f64>,
    pub lengths: Option<LengthStats>,
    /// Most frequent first.
    pub terminations: Vec<TerminationCount>,
    /// Share of games that counting ended.
    pub decided_by_counting: Option<f64>,
    /// Share of games in which counting ran.
    pub counted: Option<f64>,
    /// Mean number of captures per game.
    pub captures: Option<f64>,
    /// Mean number of promotions per game.
    pub promotions: Option<f64>,
    /// Mean number of drops per game.
    pub drops: Option<f64>,
}

/// Game lengths in the report's length unit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
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

/// `games[i]` is the number of games of length `i · width` to `(i + 1) · width - 1`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LengthHistogram {
    pub width: u32,
    pub games: Vec<u64>,
}

/// Number of games with a termination, and their results for the first mover.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TerminationCount {
    pub termination: String,
    pub games: u64,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl BalanceReport {
    /// Sums up games. Their order does not matter.
    pub fn new<P: Position>(games: &[GameFacts]) -> BalanceReport {
        let (ordinary, varied): (Vec<_>, Vec<_>) = games.iter().partition(|game| game.ordinary);
        BalanceReport {
            version: BalanceReport::VERSION,
            length_unit: match P::DECISIONS_PER_TURN {
                1 => "plies",
                _ => "turns",
            }
            .to_owned(),
            drop_word: P::DROP_WORD.map(str::to_owned),
            has_counting: P::COUNTING_LIMIT.is_some(),
            has_promotion: P::HAS_PROMOTION,
            bands: bands(&ordinary),
            ordinary: BalanceStats::of(&ordinary),
            varied: BalanceStats::of(&varied),
        }
    }
}

/// All games of a checkpoint are in the same band.
fn bands(games: &[&GameFacts]) -> Vec<CheckpointBand> {
    let mut by_checkpoint: BTreeMap<u32, Vec<&GameFacts>> = BTreeMap::new();
    for game in games {
        by_checkpoint.entry(game.id.0).or_default().push(game);
    }
    let mut bands: BTreeMap<usize, Vec<&GameFacts>> = BTreeMap::new();
    let mut before = 0;
    for of_checkpoint in by_checkpoint.into_values() {
        // The band that the middle one of its games falls into.
        let band = (2 * before + of_checkpoint.len()) * BANDS / (2 * games.len());
        before += of_checkpoint.len();
        bands.entry(band).or_default().extend(of_checkpoint);
    }
    (bands.into_values())
        .filter_map(|games| {
            // Sorted by checkpoint.
            let (first, last) = (games.first()?, games.last()?);
            Some(CheckpointBand {
                checkpoints: CheckpointRange {
                    from: first.id.0,
                    to: last.id.0,
                },
                stats: BalanceStats::of(&games),
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
        // Computed from counts: a sum over games would depend on their order.
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
            terminations: terminations(games),
            decided_by_counting: mean(&|game| u32::from(counting(game))),
            counted: mean(&|game| u32::from(game.counted)),
            captures: mean(&|game| game.captures),
            promotions: mean(&|game| game.promotions),
            drops: mean(&|game| game.drops),
        }
    }
}

fn terminations(games: &[&GameFacts]) -> Vec<TerminationCount> {
    let mut counts: BTreeMap<Termination, TerminationCount> = BTreeMap::new();
    for game in games {
        let count = counts.entry(game.termination).or_insert(TerminationCount {
            termination: game.termination.name().to_owned(),
            games: 0,
            wins: 0,
            draws: 0,
            losses: 0,
        });
        count.games += 1;
        match game.first_mover {
            0 => count.draws += 1,
            n if n > 0 => count.wins += 1,
            _ => count.losses += 1,
        }
    }
    let mut counts: Vec<_> = counts.into_values().collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.games));
    counts
}

impl LengthStats {
    fn of(games: &[&GameFacts]) -> Option<LengthStats> {
        let mut lengths: Vec<_> = games.iter().map(|game| game.length).collect();
        lengths.sort_unstable();
        let (&shortest, &longest) = (lengths.first()?, lengths.last()?);
        // The smallest length that at least this share of games does not exceed.
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

use std::collections::BTreeMap;

use garuda_run::{Ladder, Rating};

use super::elo::Z;
use super::linear::{Cholesky, SymmetricMatrix};

/// The games of two players against each other, summed over all their matches.
#[derive(Clone, PartialEq, Debug)]
pub struct Pairing {
    pub first: String,
    pub second: String,
    /// Points of the first player; a draw is half a point.
    pub points: f64,
    pub games: f64,
}

/// Elo of one unit of the natural logistic scale.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Drawn games added to each pairing, so that a perfect score has a finite rating.
const PRIOR_GAMES: f64 = 1.0;
/// A very weak pull towards 0, for players that no chain of games connects.
const PRIOR_PRECISION: f64 = 1e-3;
const MAX_STEPS: usize = 100;

/// The player whose rating is 0 in a ladder.
const ANCHOR: &str = "random";

/// The ratings that follow from a ladder's matches, best first.
pub fn ladder_ratings(ladder: &Ladder) -> Vec<Rating> {
    let pairings: Vec<_> = (ladder.matches().iter())
        .map(|m| Pairing {
            first: m.first.clone(),
            second: m.second.clone(),
            points: m.tally.points(),
            games: m.tally.games() as f64,
        })
        .collect();
    ratings(&pairings, ANCHOR)
}

/// Maximum-likelihood Bradley–Terry ratings over all pairings, best first, with `anchor` at 0
/// (the mean of all at 0 if it has not played). Newton's method; the error bars follow from the
/// inverse of the information matrix.
///
/// Players are ordered by name: checkpoints come first, by number, and the fixed players that all
/// of them play come last, which keeps the matrix narrow.
pub fn ratings(pairings: &[Pairing], anchor: &str) -> Vec<Rating> {
    let mut index = BTreeMap::new();
    for pairing in pairings {
        for player in [&pairing.first, &pairing.second] {
            index.entry(player.as_str()).or_insert(0);
        }
    }
    for (i, place) in index.values_mut().enumerate() {
        *place = i;
    }
    let n = index.len();
    let mut pairs: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
    let mut totals = vec![(0.0, 0.0); n];
    for pairing in pairings {
        let (a, b) = (
            index[pairing.first.as_str()],
            index[pairing.second.as_str()],
        );
        if a == b || pairing.games <= 0.0 {
            continue;
        }
        let won = pairing.points;
        let lost = pairing.games - won;
        for (player, points) in [(a, won), (b, lost)] {
            totals[player].0 += points;
            totals[player].1 += pairing.games;
        }
        let (key, points) = if a < b { ((a, b), won) } else { ((b, a), lost) };
        let entry = pairs.entry(key).or_insert((PRIOR_GAMES / 2.0, PRIOR_GAMES));
        entry.0 += points;
        entry.1 += pairing.games;
    }

    let mut first_columns: Vec<usize> = (0..n).collect();
    for &(a, b) in pairs.keys() {
        first_columns[b] = first_columns[b].min(a);
    }
    let mut strength = vec![0.0; n];
    let mut factor = SymmetricMatrix::zeros(&[]).cholesky();
    for _ in 0..MAX_STEPS {
        let mut gradient: Vec<f64> = strength.iter().map(|s| -PRIOR_PRECISION * s).collect();
        let mut information = SymmetricMatrix::zeros(&first_columns);
        for i in 0..n {
            information.add(i, i, PRIOR_PRECISION);
        }
        for (&(a, b), &(points, games)) in &pairs {
            let expected = 1.0 / (1.0 + (strength[b] - strength[a]).exp());
            gradient[a] += points - games * expected;
            gradient[b] -= points - games * expected;
            let weight = games * expected * (1.0 - expected);
            information.add(a, a, weight);
            information.add(b, b, weight);
            information.add(a, b, -weight);
        }
        factor = information.cholesky();
        let step = factor.solve(&gradient);
        // Far from the optimum a full step can overshoot without end.
        let largest = step.iter().fold(0.0f64, |m, s| m.max(s.abs()));
        let scale = if largest > 1.0 { 1.0 / largest } else { 1.0 };
        for (s, d) in strength.iter_mut().zip(&step) {
            *s += scale * d;
        }
        if largest < 1e-10 {
            break;
        }
    }

    let variances = variances_from_mean(&factor, n);
    let zero = index.get(anchor).map_or(0.0, |&i| strength[i]);
    let mut ratings: Vec<_> = index
        .into_iter()
        .map(|(player, i)| Rating {
            player: player.to_owned(),
            elo: ELO * (strength[i] - zero),
            error: ELO * Z * variances[i].sqrt(),
            games: totals[i].1.round() as u64,
            points: totals[i].0,
        })
        .collect();
    ratings.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    ratings
}

/// Variance of each player's strength relative to the mean of all, the part that games determine.
fn variances_from_mean(information: &Cholesky, players: usize) -> Vec<f64> {
    let n = players as f64;
    let row_sums = information.solve(&vec![1.0; players]);
    let total: f64 = row_sums.iter().sum();
    (information.inverse_diagonal().iter())
        .zip(&row_sums)
        .map(|(own, row)| (own - 2.0 * row / n + total / (n * n)).max(0.0))
        .collect()
}

use std::collections::BTreeMap;

use garuda_run::{Ladder, Rating};

use super::elo::Z;

/// The games two players had with each other, however many matches they come from.
#[derive(Clone, PartialEq, Debug)]
pub struct Meeting {
    pub first: String,
    pub second: String,
    /// Points of the first player; a draw is half a point.
    pub points: f64,
    pub games: f64,
}

/// Elo of one unit of the natural logistic scale.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Each pair that met has drawn this many games more: a clean score has a finite rating.
const PRIOR_GAMES: f64 = 1.0;
/// A very weak pull towards the mean, for players that no chain of games connects.
const PRIOR_PRECISION: f64 = 1e-3;

/// Whose rating is 0 in a ladder.
const ANCHOR: &str = "random";

/// The ratings that follow from a ladder's matches, best first.
pub fn ladder_ratings(ladder: &Ladder) -> Vec<Rating> {
    let meetings: Vec<_> = (ladder.matches().iter())
        .map(|m| Meeting {
            first: m.first.clone(),
            second: m.second.clone(),
            points: m.tally.points(),
            games: m.tally.games() as f64,
        })
        .collect();
    ratings(&meetings, ANCHOR)
}

/// Maximum-likelihood Bradley–Terry ratings over all meetings, best first, with `anchor` at 0
/// (or the mean where it has not played). Newton's method; the error bars are those of the
/// inverse information.
pub fn ratings(meetings: &[Meeting], anchor: &str) -> Vec<Rating> {
    let mut index = BTreeMap::new();
    for meeting in meetings {
        for player in [&meeting.first, &meeting.second] {
            index.entry(player.as_str()).or_insert(0);
        }
    }
    for (i, place) in index.values_mut().enumerate() {
        *place = i;
    }
    let n = index.len();
    let mut pairs: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
    let mut totals = vec![(0.0, 0.0); n];
    for meeting in meetings {
        let (a, b) = (
            index[meeting.first.as_str()],
            index[meeting.second.as_str()],
        );
        if a == b || meeting.games <= 0.0 {
            continue;
        }
        let won = meeting.points;
        let lost = meeting.games - won;
        for (player, points) in [(a, won), (b, lost)] {
            totals[player].0 += points;
            totals[player].1 += meeting.games;
        }
        let (key, points) = if a < b { ((a, b), won) } else { ((b, a), lost) };
        let entry = pairs.entry(key).or_insert((PRIOR_GAMES / 2.0, PRIOR_GAMES));
        entry.0 += points;
        entry.1 += meeting.games;
    }

    let mut strength = vec![0.0; n];
    let mut covariance = Vec::new();
    for _ in 0..100 {
        let mut gradient: Vec<f64> = strength.iter().map(|s| -PRIOR_PRECISION * s).collect();
        let mut information = vec![vec![0.0; n]; n];
        for (i, row) in information.iter_mut().enumerate() {
            row[i] = PRIOR_PRECISION;
        }
        for (&(a, b), &(points, games)) in &pairs {
            let expected = 1.0 / (1.0 + (strength[b] - strength[a]).exp());
            gradient[a] += points - games * expected;
            gradient[b] -= points - games * expected;
            let weight = games * expected * (1.0 - expected);
            information[a][a] += weight;
            information[b][b] += weight;
            information[a][b] -= weight;
            information[b][a] -= weight;
        }
        covariance = inverse(information);
        let step: Vec<f64> = (covariance.iter())
            .map(|row| row.iter().zip(&gradient).map(|(c, g)| c * g).sum::<f64>())
            .collect();
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

    let zero = index.get(anchor).map_or(0.0, |&i| strength[i]);
    let mut ratings: Vec<_> = index
        .into_iter()
        .map(|(player, i)| Rating {
            player: player.to_owned(),
            elo: ELO * (strength[i] - zero),
            error: ELO * Z * variance_from_mean(&covariance, i).sqrt(),
            games: totals[i].1.round() as u64,
            points: totals[i].0,
        })
        .collect();
    ratings.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    ratings
}

/// Variance of a player's strength less the mean of all, which is what games can tell.
fn variance_from_mean(covariance: &[Vec<f64>], i: usize) -> f64 {
    let n = covariance.len() as f64;
    let row: f64 = covariance[i].iter().sum();
    let all: f64 = covariance.iter().flatten().sum();
    (covariance[i][i] - 2.0 * row / n + all / (n * n)).max(0.0)
}

/// Inverse of a symmetric positive definite matrix, by Gauss–Jordan elimination.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))
            .expect("columns are left");
        matrix.swap(column, pivot);
        let scale = matrix[column][column];
        for x in &mut matrix[column] {
            *x /= scale;
        }
        let pivot_row = matrix[column].clone();
        for (i, row) in matrix.iter_mut().enumerate() {
            let factor = row[column];
            if i != column && factor != 0.0 {
                for (x, p) in row.iter_mut().zip(&pivot_row) {
                    *x -= factor * p;
                }
            }
        }
    }
    matrix.into_iter().map(|row| row[n..].to_vec()).collect()
}

use ndarray::{Array2, ArrayView1};

/// The data of a regression: rows of small integers, and games that each have some of the rows and
/// one score.
///
/// Rows of one game share its score and are not independent, so every game has weight 1 whatever
/// the number of its rows, and resampling draws games.
#[derive(Clone, PartialEq, Debug)]
pub struct GameSample {
    /// `[rows, columns]`
    rows: Array2<i8>,
    /// One past the last row of each game.
    ends: Vec<u32>,
    /// 1 for a win, ½ for a draw and 0 for a loss, of each game.
    scores: Vec<f32>,
}

impl GameSample {
    /// A sample of these games: the score of each, and its rows concatenated. Games without rows
    /// are left out.
    ///
    /// # Panics
    /// If a row is not `columns` long.
    pub fn new<'a>(columns: usize, games: impl Iterator<Item = (f32, &'a [i8])>) -> GameSample {
        let mut cells = Vec::new();
        let (mut ends, mut scores) = (Vec::new(), Vec::new());
        for (score, rows) in games.filter(|(_, rows)| !rows.is_empty()) {
            cells.extend_from_slice(rows);
            ends.push((cells.len() / columns) as u32);
            scores.push(score);
        }
        let count = cells.len() / columns;
        GameSample {
            rows: Array2::from_shape_vec((count, columns), cells)
                .expect("games are made of whole rows"),
            ends,
            scores,
        }
    }

    pub fn columns(&self) -> usize {
        self.rows.ncols()
    }

    pub fn rows(&self) -> usize {
        self.rows.nrows()
    }

    pub fn games(&self) -> usize {
        self.ends.len()
    }

    pub fn scores(&self) -> &[f32] {
        &self.scores
    }

    /// The score of each game and its rows.
    pub(super) fn iter(
        &self,
    ) -> impl Iterator<Item = (f32, impl ExactSizeIterator<Item = ArrayView1<'_, i8>>)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .zip(&self.scores)
            .map(|((start, &end), &score)| {
                let rows = (start as usize..end as usize).map(|row| self.rows.row(row));
                (score, rows)
            })
    }

    /// The number of games in which each column is ever non-zero.
    pub(super) fn games_with_difference(&self) -> Vec<u32> {
        let mut games = vec![0; self.columns()];
        for (_, rows) in self.iter() {
            let mut seen = vec![false; self.columns()];
            for row in rows {
                for (seen, &x) in seen.iter_mut().zip(row) {
                    *seen |= x != 0;
                }
            }
            for (games, seen) in games.iter_mut().zip(seen) {
                *games += u32::from(seen);
            }
        }
        games
    }

    /// For each column whether the side with more of it won all games in which it differed, or lost
    /// all of them: the likelihood has no finite maximum then.
    pub(super) fn separated(&self) -> Vec<bool> {
        let mut seen = vec![[false; 2]; self.columns()];
        for (score, rows) in self.iter() {
            for row in rows {
                for (seen, &x) in seen.iter_mut().zip(row) {
                    let ahead = f32::from(x.signum()) * (score - 0.5);
                    if x != 0 {
                        seen[0] |= ahead <= 0.0;
                        seen[1] |= ahead >= 0.0;
                    }
                }
            }
        }
        let differs = self.games_with_difference();
        (seen.into_iter().zip(differs))
            .map(|([fails, succeeds], games)| games > 0 && !(fails && succeeds))
            .collect()
    }
}

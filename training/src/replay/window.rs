use garuda_run::config::ReplaySettings;
use garuda_run::records::GameRecord;
use rayon::prelude::*;

use super::ReplayGame;

/// How many of `positions` recorded positions are trained on.
///
/// The window grows more slowly than the run: early games were played by a weak network and are soon
/// dropped, later ones stay useful for longer.
pub fn window_size(settings: &ReplaySettings, positions: u64) -> u64 {
    let first = settings.window_min as f64;
    if positions as f64 <= first {
        return positions;
    }
    let exponent = settings.window_taper_exponent;
    let x = positions as f64;
    let growth =
        (x.powf(exponent) - first.powf(exponent)) / (exponent * first.powf(exponent - 1.0));
    let size = first + settings.window_expand_per_position * growth;
    (size as u64).min(positions)
}

/// The games that are trained on, and those kept for validation, which show whether the network
/// overfits.
#[derive(Debug, Default)]
pub struct Replay {
    training: GameQueue,
    validation: GameQueue,
    /// Positions of all games so far, dropped ones included.
    recorded: u64,
}

/// Games in order, and how to find a position in them.
#[derive(Debug, Default)]
struct GameQueue {
    games: Vec<ReplayGame>,
    /// Positions in all games up to and including each.
    ends: Vec<u64>,
    /// The same counted over both queues since the start of the run.
    ages: Vec<u64>,
}

impl GameQueue {
    fn push(&mut self, game: ReplayGame, recorded: u64) {
        self.ends.push(self.len() + game.positions() as u64);
        self.ages.push(recorded);
        self.games.push(game);
    }

    fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Drops the games that end at or before this age.
    fn drop_until(&mut self, age: u64) {
        let count = self.ages.partition_point(|&a| a <= age);
        if count > 0 {
            let gone = self.ends[count - 1];
            self.games.drain(..count);
            self.ages.drain(..count);
            self.ends.drain(..count);
            for end in &mut self.ends {
                *end -= gone;
            }
        }
    }

    /// The game that position number `index` belongs to, and its number among that game's.
    fn position(&self, index: u64) -> (&ReplayGame, usize) {
        let at = self.ends.partition_point(|&end| end <= index);
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        (&self.games[at], (index - start) as usize)
    }
}

/// The index of the first game that the window still reaches, given the number of positions of each
/// game in order.
pub fn first_in_window(
    settings: &ReplaySettings,
    games: impl Iterator<Item = u64> + Clone,
) -> usize {
    let recorded = games.clone().sum();
    let mut left = recorded - window_size(settings, recorded);
    games
        .take_while(|&positions| {
            let is_outside = positions <= left;
            left = left.saturating_sub(positions);
            is_outside
        })
        .count()
}

impl Replay {
    /// An empty window of a run that has recorded a number of positions already.
    pub fn after(recorded: u64) -> Replay {
        Replay {
            recorded,
            ..Replay::default()
        }
    }

    /// Adds the records of one checkpoint, each as what `keep` makes of it, and drops what the
    /// window no longer reaches. Records must come in the order of checkpoint and number, so that
    /// what is trained on does not depend on which game was finished first.
    pub fn extend(
        &mut self,
        records: Vec<GameRecord>,
        settings: &ReplaySettings,
        keep: impl Fn(GameRecord) -> ReplayGame + Sync,
    ) {
        let games: Vec<_> = (records.into_par_iter())
            .filter(|record| record.positions() > 0)
            .map(|record| {
                let is_validation = is_validation(&record, settings.validation_fraction);
                (keep(record), is_validation)
            })
            .collect();
        for (game, is_validation) in games {
            self.recorded += game.positions() as u64;
            if is_validation {
                self.validation.push(game, self.recorded);
            } else {
                self.training.push(game, self.recorded);
            }
        }
        // The window grows more slowly than the run, so what is dropped is never needed again.
        let age = self.recorded - window_size(settings, self.recorded);
        self.training.drop_until(age);
        self.validation.drop_until(age);
    }

    /// Positions to train on.
    pub fn len(&self) -> u64 {
        self.training.len()
    }

    pub fn is_empty(&self) -> bool {
        self.training.len() == 0
    }

    /// Positions kept for validation.
    pub fn validation_len(&self) -> u64 {
        self.validation.len()
    }

    /// A position to train on, counted from the oldest: its game, and its number among that
    /// game's.
    pub fn position(&self, index: u64) -> (&ReplayGame, usize) {
        self.training.position(index)
    }

    /// Likewise of those kept for validation.
    pub fn validation_position(&self, index: u64) -> (&ReplayGame, usize) {
        self.validation.position(index)
    }
}

/// Drawn from the game's own seed: the same games are kept for validation whenever they are read.
fn is_validation(record: &GameRecord, share: f64) -> bool {
    let draw = garuda_run::seeds::derive(record.seed(), "held out", &[]);
    ((draw >> 11) as f64) < share * (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_grows_more_and_more_slowly() {
        let settings = ReplaySettings::default();
        assert_eq!(window_size(&settings, 10_000), 10_000);
        assert_eq!(window_size(&settings, 50_000), 50_000);
        // By hand: 50,000 + 0.4 · (200,000^0.65 − 50,000^0.65) / (0.65 · 50,000^−0.35).
        let at_200k = window_size(&settings, 200_000);
        assert!((94_900..=95_200).contains(&at_200k), "{at_200k}");
        let mut last = (50_000, window_size(&settings, 50_000));
        for positions in (100_000..5_000_000).step_by(50_000) {
            let size = window_size(&settings, positions);
            assert!(size > last.1 && size - last.1 < positions - last.0);
            last = (positions, size);
        }
    }
}

use garuda_run::config::ReplaySettings;
use garuda_run::records::{DecisionKind, GameRecord};

/// How many of `positions` recorded positions are trained on.
///
/// The window grows more slowly than the run: early games were played by a poor net and are soon
/// forgotten, later ones stay useful for longer.
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

/// The records that are trained on, and those that are held out to tell whether the network
/// learned more than these.
#[derive(Debug, Default)]
pub struct Replay {
    training: Part,
    held_out: Part,
    /// Positions of all records there ever were, forgotten ones included.
    recorded: u64,
}

/// Records in the order of their making, and how to find a position in them.
#[derive(Debug, Default)]
struct Part {
    records: Vec<GameRecord>,
    /// Positions in all records up to and including each.
    ends: Vec<u64>,
    /// The same counted over both parts since the beginning of the run.
    ages: Vec<u64>,
}

impl Part {
    fn push(&mut self, record: GameRecord, recorded: u64) {
        self.ends.push(self.len() + record.positions() as u64);
        self.ages.push(recorded);
        self.records.push(record);
    }

    fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Forgets the records that end at or before this age.
    fn forget(&mut self, age: u64) {
        let count = self.ages.partition_point(|&a| a <= age);
        if count > 0 {
            let gone = self.ends[count - 1];
            self.records.drain(..count);
            self.ages.drain(..count);
            self.ends.drain(..count);
            for end in &mut self.ends {
                *end -= gone;
            }
        }
    }

    /// The record and ply of position number `index`.
    fn position(&self, index: u64) -> (&GameRecord, usize) {
        let at = self.ends.partition_point(|&end| end <= index);
        let record = &self.records[at];
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        let ply = (record.kinds().enumerate())
            .filter(|(_, kind)| *kind != DecisionKind::Unsearched)
            .nth((index - start) as usize)
            .expect("the index is below the record's end")
            .0;
        (record, ply)
    }
}

/// Of games that were learned from, given by their positions in the order of their making, the
/// first that the window still reaches.
pub fn first_remembered(
    settings: &ReplaySettings,
    games: impl Iterator<Item = u64> + Clone,
) -> usize {
    let recorded = games.clone().sum();
    let mut left = recorded - window_size(settings, recorded);
    games
        .take_while(|&positions| {
            let is_forgotten = positions <= left;
            left = left.saturating_sub(positions);
            is_forgotten
        })
        .count()
}

impl Replay {
    /// Without the records of so many positions, which the window no longer reaches.
    pub fn after(forgotten: u64) -> Replay {
        Replay {
            recorded: forgotten,
            ..Replay::default()
        }
    }

    /// Adds the records of one checkpoint and forgets what the window no longer reaches. They
    /// must come in the order of checkpoint and number, so that what is trained on does not
    /// depend on which game was finished first.
    pub fn extend(
        &mut self,
        records: impl IntoIterator<Item = GameRecord>,
        settings: &ReplaySettings,
    ) {
        for record in records {
            let positions = record.positions() as u64;
            if positions == 0 {
                continue;
            }
            self.recorded += positions;
            if is_held_out(&record, settings.validation_fraction) {
                self.held_out.push(record, self.recorded);
            } else {
                self.training.push(record, self.recorded);
            }
        }
        // The window grows more slowly than the run, so what is forgotten is never needed again.
        let age = self.recorded - window_size(settings, self.recorded);
        self.training.forget(age);
        self.held_out.forget(age);
    }

    /// Positions to train on.
    pub fn len(&self) -> u64 {
        self.training.len()
    }

    pub fn is_empty(&self) -> bool {
        self.training.len() == 0
    }

    /// Positions held out.
    pub fn held_out_len(&self) -> u64 {
        self.held_out.len()
    }

    /// The record and ply of a position to train on, counted from the oldest.
    pub fn position(&self, index: u64) -> (&GameRecord, usize) {
        self.training.position(index)
    }

    /// The record and ply of a position held out, counted from the oldest.
    pub fn held_out_position(&self, index: u64) -> (&GameRecord, usize) {
        self.held_out.position(index)
    }
}

/// Decided by the game's own seed: the same games are held out however often they are read.
fn is_held_out(record: &GameRecord, share: f64) -> bool {
    let draw = garuda_run::seeds::derive(record.seed(), "held out", &[]);
    ((draw >> 11) as f64) < share * (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_grows_ever_more_slowly() {
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

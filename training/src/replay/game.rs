use garuda_model::NetworkKind;
use garuda_model::sparse::FeatureLayout;
use garuda_rules::Position;
use garuda_run::records::{DecisionKind, GameRecord};
use garuda_torch::{Batch, GameSamples};

use super::{SampleSettings, TrainingSample, game_samples};

/// A game in the replay window.
#[derive(Clone, PartialEq, Debug)]
pub enum ReplayGame {
    /// Replayed for every sample: the planes of a convolutional network take kilobytes a
    /// position, and its training far longer than a replay.
    Record(GameRecord),
    /// Replayed once, for a sparse network.
    Samples(GameSamples),
}

impl ReplayGame {
    /// A verified record as networks of a kind are trained on it.
    pub fn new<P: Position>(
        record: GameRecord,
        kind: NetworkKind,
        settings: &SampleSettings,
    ) -> ReplayGame {
        match kind {
            NetworkKind::Conv => ReplayGame::Record(record),
            NetworkKind::Sparse => {
                let layout = FeatureLayout::of::<P>();
                ReplayGame::Samples(game_samples::<P>(&record, &layout, settings))
            }
        }
    }

    /// Number of positions to train on.
    pub fn positions(&self) -> usize {
        match self {
            ReplayGame::Record(record) => record.positions(),
            ReplayGame::Samples(samples) => samples.len(),
        }
    }
}

/// The ply of position number `index` of a record.
pub fn ply_of(record: &GameRecord, index: usize) -> usize {
    (record.kinds().enumerate())
        .filter(|(_, kind)| *kind != DecisionKind::Unsearched)
        .nth(index)
        .expect("the index is below the number of positions")
        .0
}

/// A position that was chosen for a batch.
#[derive(Debug)]
pub(crate) enum ChosenSample<'a, P> {
    Made(Box<TrainingSample<P>>),
    Stored(&'a GameSamples, usize),
}

impl<'a, P: Position> ChosenSample<'a, P> {
    pub(crate) fn new(
        game: &'a ReplayGame,
        index: usize,
        settings: &SampleSettings,
    ) -> ChosenSample<'a, P> {
        match game {
            ReplayGame::Record(record) => {
                let sample = TrainingSample::new(record, ply_of(record, index), settings);
                ChosenSample::Made(Box::new(sample))
            }
            ReplayGame::Samples(samples) => ChosenSample::Stored(samples, index),
        }
    }

    /// Adds the sample to a batch, mirrored if asked and if it has a mirror image.
    pub(crate) fn push_to(&self, batch: &mut Batch<P>, mirror: bool) {
        match self {
            ChosenSample::Made(sample) => sample.push_to(batch, mirror && sample.has_mirror()),
            ChosenSample::Stored(samples, index) => batch.push_stored(samples, *index, mirror),
        }
    }
}

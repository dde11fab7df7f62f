use garuda_model::sparse::{FeatureLayout, SparseSample};
use garuda_rules::{GameState, Move, Position};

use crate::Targets;
use crate::batch::Values;

/// The positions of a game that a sparse network is trained on, as index lists and targets. Made
/// once, when a game enters the replay window: nothing is replayed when a batch is filled.
///
/// A position takes two bytes for a feature, six for a legal move, and 44 more.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct GameSamples {
    heads: Vec<Head>,
    /// The lists of all positions, one after the other.
    pub(crate) features: Vec<u16>,
    pub(crate) actions: Vec<u16>,
    pub(crate) moves: Vec<u16>,
    /// Policy targets in units of 1/[`SHARE_UNIT`].
    shares: Vec<u16>,
}

#[derive(Copy, Clone, PartialEq, Debug)]
struct Head {
    /// Where the position's lists end.
    features_end: u32,
    moves_end: u32,
    has_mirror: bool,
    values: Values,
}

/// A share of a policy is kept to within half of one over this.
const SHARE_UNIT: f32 = 65535.0;

/// One position of a [`GameSamples`].
#[derive(Copy, Clone, Debug)]
pub(crate) struct StoredSample<'a> {
    pub(crate) features: &'a [u16],
    pub(crate) actions: &'a [u16],
    pub(crate) moves: &'a [u16],
    shares: &'a [u16],
    pub(crate) has_mirror: bool,
    pub(crate) values: Values,
}

impl StoredSample<'_> {
    /// The policy targets, which sum to 1.
    pub(crate) fn policy(&self) -> impl Iterator<Item = f32> {
        let sum: u32 = self.shares.iter().map(|&share| u32::from(share)).sum();
        let unit = 1.0 / sum.max(1) as f32;
        self.shares
            .iter()
            .map(move |&share| f32::from(share) * unit)
    }
}

impl GameSamples {
    /// Adds a position, its legal moves and its targets; the opponent's policy is not kept.
    ///
    /// Panics if the policy has not one probability for each legal move.
    pub fn push<P: Position>(
        &mut self,
        layout: &FeatureLayout,
        game: &GameState<P>,
        legal: &[Move],
        targets: &Targets<'_>,
    ) {
        assert_eq!(legal.len(), targets.policy.len());
        let position = game.position();
        let mut sample = SparseSample::default();
        layout.fill(game, legal, garuda_model::View::of(position), &mut sample);
        self.features.extend_from_slice(&sample.features);
        self.actions.extend_from_slice(&sample.actions);
        self.moves.extend_from_slice(&sample.moves);
        let code = |share: &f32| (share * SHARE_UNIT).round() as u16;
        self.shares.extend(targets.policy.iter().map(code));
        self.heads.push(Head {
            features_end: self.features.len() as u32,
            moves_end: self.actions.len() as u32,
            has_mirror: position.mirrored().is_some(),
            values: Values::from(targets),
        });
    }

    /// Gives back memory that was taken in advance. To be called after the last position.
    pub fn shrink(&mut self) {
        self.heads.shrink_to_fit();
        self.features.shrink_to_fit();
        self.actions.shrink_to_fit();
        self.moves.shrink_to_fit();
        self.shares.shrink_to_fit();
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        let lists = [&self.features, &self.actions, &self.moves, &self.shares];
        let lists: usize = lists.iter().map(|list| list.capacity()).sum();
        size_of::<GameSamples>()
            + self.heads.capacity() * size_of::<Head>()
            + lists * size_of::<u16>()
    }

    pub(crate) fn get(&self, index: usize) -> StoredSample<'_> {
        let (features_start, moves_start) = match index.checked_sub(1) {
            None => (0, 0),
            Some(before) => (
                self.heads[before].features_end as usize,
                self.heads[before].moves_end as usize,
            ),
        };
        let head = &self.heads[index];
        let moves = moves_start..head.moves_end as usize;
        StoredSample {
            features: &self.features[features_start..head.features_end as usize],
            actions: &self.actions[moves.clone()],
            moves: &self.moves[moves.clone()],
            shares: &self.shares[moves],
            has_mirror: head.has_mirror,
            values: head.values,
        }
    }
}

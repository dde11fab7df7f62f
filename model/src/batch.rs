use std::marker::PhantomData;

use garuda_mcts::Wdl;
use garuda_rules::{GameState, Move, Position};

use crate::sparse::{FeatureLayout, SparseSample};
use crate::{Encoding, NetworkKind, View, encode};

/// What a network is to learn about one position.
#[derive(Copy, Clone, Debug)]
pub struct Targets<'a> {
    /// The search's improved policy: a probability for each legal move, in their order.
    pub policy: &'a [f32],
    /// All legal moves of the opponent's next decision and their improved policy, if there was
    /// one.
    pub opponent_policy: Option<(&'a [Move], &'a [f32])>,
    /// What the side to move can expect.
    pub wdl: Wdl,
    /// Exponential averages of later root values, −1 to 1 for the side to move, over
    /// [`SHORT_TERM_HORIZONS`].
    pub short_term_value: [f32; SHORT_TERM_HORIZONS.len()],
    /// Plies to the end of the game, unless it was cut short.
    pub moves_left: Option<f32>,
    /// How much the policies count; 1 is ordinary.
    pub policy_weight: f32,
    /// How much win, draw, loss, short-term values and plies left count; 1 is ordinary.
    pub value_weight: f32,
}

/// The horizons, in plies, that the short-term values are to be averaged over.
pub const SHORT_TERM_HORIZONS: [f32; 2] = [4.0, 12.0];

/// Positions to train on, encoded, with their targets. Cleared and filled
/// again it allocates nothing.
#[derive(Clone, Debug)]
pub struct Batch<P> {
    pub(crate) size: usize,
    pub(crate) inputs: Inputs,
    /// Legal moves and the reply's legal moves, in turns.
    pub(crate) policies: Policies,
    pub(crate) values: Vec<Values>,
    game: PhantomData<P>,
}

/// Positions as a kind of network sees them.
#[derive(Clone, Debug)]
pub(crate) enum Inputs {
    Planes {
        encoding: Encoding,
        /// `[size, planes, rank, file]`
        planes: Vec<f32>,
    },
    Sparse {
        layout: FeatureLayout,
        /// `size` of them are in use; the others keep their memory.
        samples: Vec<SparseSample>,
    },
}

/// Distributions over actions, of any lengths.
#[derive(Clone, Default, Debug)]
pub(crate) struct Policies {
    pub(crate) actions: Vec<u16>,
    pub(crate) targets: Vec<f32>,
    /// Where each distribution ends.
    pub(crate) ends: Vec<usize>,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Values {
    pub(crate) wdl: [f32; 3],
    pub(crate) short_term_value: [f32; SHORT_TERM_HORIZONS.len()],
    pub(crate) moves_left: Option<f32>,
    pub(crate) policy_weight: f32,
    pub(crate) value_weight: f32,
}

impl<P: Position> Batch<P> {
    /// An empty batch for networks of a kind.
    pub fn new(kind: NetworkKind) -> Self {
        let inputs = match kind {
            NetworkKind::Conv => Inputs::Planes {
                encoding: Encoding::of::<P>(),
                planes: Vec::new(),
            },
            NetworkKind::Sparse => Inputs::Sparse {
                layout: FeatureLayout::of::<P>(),
                samples: Vec::new(),
            },
        };
        Batch {
            size: 0,
            inputs,
            policies: Policies::default(),
            values: Vec::new(),
            game: PhantomData,
        }
    }

    pub fn len(&self) -> usize {
        self.size
    }

    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    pub fn clear(&mut self) {
        self.size = 0;
        if let Inputs::Planes { planes, .. } = &mut self.inputs {
            planes.clear();
        }
        self.policies.actions.clear();
        self.policies.targets.clear();
        self.policies.ends.clear();
        self.values.clear();
    }

    /// Adds a position, its legal moves and its targets. With `mirror`, left and right
    /// are exchanged in all of it; only positions that have a mirror image
    /// ([`Position::mirrored`](garuda_rules::Position::mirrored)) may be.
    ///
    /// Panics if a distribution has not one probability for each of its moves.
    pub fn push(
        &mut self,
        game: &GameState<P>,
        legal: &[Move],
        targets: &Targets<'_>,
        mirror: bool,
    ) {
        let position = game.position();
        let view = View::of(position).mirrored(mirror);
        match &mut self.inputs {
            Inputs::Planes { encoding, planes } => {
                let start = planes.len();
                planes.resize(start + encoding.input_len(), 0.0);
                encode(game, view, &mut planes[start..]);
            }
            Inputs::Sparse { layout, samples } => {
                if samples.len() == self.size {
                    samples.push(SparseSample::default());
                }
                layout.fill(game, legal, view, &mut samples[self.size]);
            }
        }

        let (reply_moves, opponent_policy) = targets.opponent_policy.unwrap_or_default();
        for (moves, probabilities) in [(legal, targets.policy), (reply_moves, opponent_policy)] {
            assert_eq!(moves.len(), probabilities.len());
            let actions = moves.iter().map(|&mv| view.action(position, mv) as u16);
            self.policies.actions.extend(actions);
            self.policies.targets.extend_from_slice(probabilities);
            self.policies.ends.push(self.policies.actions.len());
        }
        let Wdl { win, draw, loss } = targets.wdl;
        self.values.push(Values {
            wdl: [win, draw, loss],
            short_term_value: targets.short_term_value,
            moves_left: targets.moves_left,
            policy_weight: targets.policy_weight,
            value_weight: targets.value_weight,
        });
        self.size += 1;
    }
}

impl Policies {
    /// The actions and targets of each distribution.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u16], &[f32])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| (&self.actions[start..end], &self.targets[start..end]))
    }
}

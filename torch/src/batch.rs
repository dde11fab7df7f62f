use std::marker::PhantomData;
use std::ops::Range;

use garuda_mcts::Wdl;
use garuda_model::sparse::{FeatureLayout, MirrorTable, SparseSample};
use garuda_model::{Encoding, NetworkKind, View, encode};
use garuda_rules::{GameState, Move, Position};

use crate::GameSamples;

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
    pub(crate) inputs: Inputs,
    pub(crate) values: Vec<Values>,
    game: PhantomData<P>,
}

/// Positions and policies as a kind of network sees them.
#[derive(Clone, Debug)]
pub(crate) enum Inputs {
    Planes {
        encoding: Encoding,
        /// `[size, planes, rank, file]`
        planes: Vec<f32>,
        /// Legal moves and the reply's legal moves, in turns.
        policies: Policies,
    },
    Sparse(Box<SparseInputs>),
}

#[derive(Clone, Debug)]
pub(crate) struct SparseInputs {
    layout: FeatureLayout,
    mirror: MirrorTable,
    scratch: SparseSample,
    pub(crate) lists: SparseLists,
}

/// Distributions over actions, of any lengths.
#[derive(Clone, Default, Debug)]
pub(crate) struct Policies {
    pub(crate) actions: Vec<u16>,
    targets: Vec<f32>,
    /// Where each distribution ends.
    ends: Vec<usize>,
}

/// The index lists of all positions, one after the other, and the policy over their legal moves.
#[derive(Clone, Default, Debug)]
pub(crate) struct SparseLists {
    pub(crate) features: Vec<i32>,
    /// Where each position's features end.
    pub(crate) features_ends: Vec<usize>,
    pub(crate) actions: Vec<i32>,
    pub(crate) moves: Vec<i32>,
    pub(crate) targets: Vec<f32>,
    /// Where each position's legal moves end.
    pub(crate) moves_ends: Vec<usize>,
}

#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Values {
    pub(crate) wdl: [f32; 3],
    pub(crate) short_term_value: [f32; SHORT_TERM_HORIZONS.len()],
    pub(crate) moves_left: Option<f32>,
    pub(crate) policy_weight: f32,
    pub(crate) value_weight: f32,
}

impl From<&Targets<'_>> for Values {
    fn from(targets: &Targets<'_>) -> Values {
        let Wdl { win, draw, loss } = targets.wdl;
        Values {
            wdl: [win, draw, loss],
            short_term_value: targets.short_term_value,
            moves_left: targets.moves_left,
            policy_weight: targets.policy_weight,
            value_weight: targets.value_weight,
        }
    }
}

impl<P: Position> Batch<P> {
    /// An empty batch for networks of a kind.
    pub fn new(kind: NetworkKind) -> Self {
        let inputs = match kind {
            NetworkKind::Conv => Inputs::Planes {
                encoding: Encoding::of::<P>(),
                planes: Vec::new(),
                policies: Policies::default(),
            },
            NetworkKind::Sparse => Inputs::Sparse(Box::new(SparseInputs {
                layout: FeatureLayout::of::<P>(),
                mirror: MirrorTable::of::<P>(),
                scratch: SparseSample::default(),
                lists: SparseLists::default(),
            })),
        };
        Batch {
            inputs,
            values: Vec::new(),
            game: PhantomData,
        }
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub fn clear(&mut self) {
        match &mut self.inputs {
            Inputs::Planes {
                planes, policies, ..
            } => {
                planes.clear();
                policies.clear();
            }
            Inputs::Sparse(sparse) => sparse.lists.clear(),
        }
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
        assert_eq!(legal.len(), targets.policy.len());
        let position = game.position();
        let view = View::of(position).mirrored(mirror);
        match &mut self.inputs {
            Inputs::Planes {
                encoding,
                planes,
                policies,
            } => {
                let start = planes.len();
                planes.resize(start + encoding.input_len(), 0.0);
                encode(game, view, &mut planes[start..]);
                let reply = targets.opponent_policy.unwrap_or_default();
                for (moves, probabilities) in [(legal, targets.policy), reply] {
                    let actions = moves.iter().map(|&mv| view.action(position, mv) as u16);
                    policies.push(actions, probabilities);
                }
            }
            Inputs::Sparse(sparse) => {
                let SparseInputs {
                    layout,
                    scratch,
                    lists,
                    ..
                } = &mut **sparse;
                layout.fill(game, legal, view, scratch);
                let SparseSample {
                    features,
                    actions,
                    moves,
                } = scratch;
                lists
                    .features
                    .extend(features.iter().map(|&i| i32::from(i)));
                lists.actions.extend(actions.iter().map(|&i| i32::from(i)));
                lists.moves.extend(moves.iter().map(|&i| i32::from(i)));
                lists.targets.extend_from_slice(targets.policy);
                lists.end_position();
            }
        }
        self.values.push(Values::from(targets));
    }

    /// Adds a position of a game, mirrored if asked and if it has a mirror image.
    ///
    /// Panics if the batch is not for sparse networks.
    pub fn push_stored(&mut self, samples: &GameSamples, index: usize, mirror: bool) {
        let Inputs::Sparse(sparse) = &mut self.inputs else {
            panic!("the batch was made for another kind of network");
        };
        let SparseInputs {
            mirror: images,
            lists,
            ..
        } = &mut **sparse;
        let sample = samples.get(index);
        let columns = [
            (&mut lists.features, sample.features, &images.features),
            (&mut lists.actions, sample.actions, &images.actions),
            (&mut lists.moves, sample.moves, &images.moves),
        ];
        for (list, numbers, images) in columns {
            if mirror && sample.has_mirror {
                list.extend(numbers.iter().map(|&i| i32::from(images[usize::from(i)])));
            } else {
                list.extend(numbers.iter().map(|&i| i32::from(i)));
            }
        }
        lists.targets.extend(sample.policy());
        lists.end_position();
        self.values.push(sample.values);
    }
}

impl Policies {
    fn clear(&mut self) {
        self.actions.clear();
        self.targets.clear();
        self.ends.clear();
    }

    fn push(&mut self, actions: impl ExactSizeIterator<Item = u16>, targets: &[f32]) {
        assert_eq!(actions.len(), targets.len());
        self.actions.extend(actions);
        self.targets.extend_from_slice(targets);
        self.ends.push(self.actions.len());
    }

    /// The actions and targets of each distribution.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u16], &[f32])> + Clone {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| (&self.actions[start..end], &self.targets[start..end]))
    }
}

impl SparseLists {
    fn clear(&mut self) {
        self.features.clear();
        self.features_ends.clear();
        self.actions.clear();
        self.moves.clear();
        self.targets.clear();
        self.moves_ends.clear();
    }

    /// The largest number of legal moves of the positions in `range`, at least 1.
    pub(crate) fn longest(&self, range: &Range<usize>) -> usize {
        let counts = range.clone().map(|index| self.policy(index).len());
        counts.max().unwrap_or(0).max(1)
    }

    /// The policy over the legal moves of a position.
    pub(crate) fn policy(&self, index: usize) -> &[f32] {
        let start = index
            .checked_sub(1)
            .map_or(0, |before| self.moves_ends[before]);
        &self.targets[start..self.moves_ends[index]]
    }

    fn end_position(&mut self) {
        self.features_ends.push(self.features.len());
        self.moves_ends.push(self.actions.len());
    }
}

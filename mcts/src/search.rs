use garuda_rules::{Game, Move};

use crate::Wdl;
use crate::tree::NodeId;

/// A tree search that asks for the evaluations it needs, so that those of many searches, or
/// several of one, can be made in one batch.
pub trait Search<G: Game> {
    /// Simulates until a position must be judged. `None` if the search is over, if it can do
    /// nothing before it has the answers it waits for, or if it did a good deal of work without
    /// needing any.
    fn next_leaf(&mut self) -> Option<Leaf<'_, G>>;

    /// Gives the answer for a leaf: a logit for each of its moves, in their order.
    fn backup(&mut self, leaf: NodeId, wdl: Wdl, logits: &[f32]);

    /// Takes back that a leaf was asked for.
    fn cancel(&mut self, leaf: NodeId);

    /// Whether there is nothing left to do, and nothing to wait for.
    fn is_over(&self) -> bool;
}

/// A position that must be judged.
#[derive(Debug)]
pub struct Leaf<'a, G> {
    /// Its name when the answer is given.
    pub id: NodeId,
    pub game: &'a G,
    pub legal: &'a [Move],
}

/// How many simulations that need no evaluation a search may make in a row before it lets its
/// driver look at the clock.
pub(crate) const FREE_SIMULATIONS: u32 = 256;

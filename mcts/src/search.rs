use garuda_rules::{Game, Move};

use crate::Wdl;
use crate::tree::NodeId;

/// A tree search that yields the leaves it needs evaluated, so that the leaves of many searches,
/// or several of one, can be evaluated in one batch.
pub trait Search<G: Game> {
    /// Runs simulations until one reaches a leaf that must be evaluated. `None` if the search is
    /// over, if it cannot continue before pending leaves are backed up, or after a number of
    /// simulations that needed no evaluation.
    fn next_leaf(&mut self) -> Option<Leaf<'_, G>>;

    /// Expands a leaf and backs up its evaluation. `logits` has one number per legal move, in their
    /// order.
    fn backup(&mut self, leaf: NodeId, wdl: Wdl, logits: &[f32]);

    /// Gives up a pending leaf: the tree is as if it had not been yielded.
    fn cancel(&mut self, leaf: NodeId);

    /// Whether nothing is left to do and no leaf is pending.
    fn is_over(&self) -> bool;
}

/// A position that must be evaluated.
#[derive(Debug)]
pub struct Leaf<'a, G> {
    /// Identifies it in [`Search::backup`] and [`Search::cancel`].
    pub id: NodeId,
    /// The game at the leaf.
    pub game: &'a G,
    /// Its legal moves.
    pub legal: &'a [Move],
}

/// Maximum number of simulations without evaluation in one call of [`Search::next_leaf`], so that
/// the driver can check the clock.
pub(crate) const MAX_SIMULATIONS_PER_CALL: u32 = 256;

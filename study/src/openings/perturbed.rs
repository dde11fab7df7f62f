use garuda_mcts::{Gumbel, Leaf, NodeId, Search, Wdl};
use garuda_rules::Game;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// How far the logit of a move is shifted at most, up or down: its odds change by no more than a
/// factor of 1.65.
const SHIFT: f32 = 0.5;

/// A search that looks at a position in a way of its own: at every position the network's policy
/// is shifted a little at random, so that two searches follow different lines. What the network
/// says of values is left as it is.
///
/// Without it searches that agree on the first move would be the same below it, and their
/// agreement would mean nothing.
#[derive(Clone, Debug)]
pub(super) struct PerturbedSearch<G> {
    pub(super) search: Gumbel<G>,
    rng: ChaCha8Rng,
    logits: Vec<f32>,
}

impl<G: Game> PerturbedSearch<G> {
    pub(super) fn new(search: Gumbel<G>) -> PerturbedSearch<G> {
        PerturbedSearch {
            search,
            rng: garuda_run::seeds::rng(0),
            logits: Vec::new(),
        }
    }

    /// Sets where the shifts of the search at hand come from.
    pub(super) fn seed(&mut self, rng: ChaCha8Rng) {
        self.rng = rng;
    }
}

impl<G: Game> Search<G> for PerturbedSearch<G> {
    fn next_leaf(&mut self) -> Option<Leaf<'_, G>> {
        self.search.next_leaf()
    }

    fn backup(&mut self, leaf: NodeId, wdl: Wdl, logits: &[f32]) {
        self.logits.clear();
        for logit in logits {
            let shift = self.rng.random_range(-SHIFT..=SHIFT);
            self.logits.push(logit + shift);
        }
        self.search.backup(leaf, wdl, &self.logits);
    }

    fn cancel(&mut self, leaf: NodeId) {
        self.search.cancel(leaf);
    }

    fn is_over(&self) -> bool {
        self.search.is_over()
    }
}

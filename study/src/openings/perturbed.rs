use garuda_mcts::{Gumbel, Leaf, NodeId, Search, Wdl};
use garuda_rules::Game;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Largest shift of a move's logit, up or down: its odds change by at most a factor of 1.65.
const MAX_SHIFT: f32 = 0.5;

/// A search that sees the network's policy shifted a little at random at every position, so that
/// two searches follow different lines. The network's values are not changed.
///
/// Without it, searches that agree on the first move would be the same below it, and their
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

    /// Sets the source of the next search's shifts.
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
            let shift = self.rng.random_range(-MAX_SHIFT..=MAX_SHIFT);
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

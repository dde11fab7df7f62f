use garuda_rules::{Game, Move};
use rand::Rng;

use crate::best_move::{self, MoveSelection, PvLine};
use crate::descent::{Descent, DescentEnd, Selection};
use crate::math::{exp, gumbel};
use crate::policy_improvement::{self, VisitedChildren};
use crate::search::MAX_SIMULATIONS_PER_CALL;
use crate::sequential_halving::{Candidate, SequentialHalving};
use crate::tree::{Node, NodeId, Tree};
use crate::{Leaf, Proof, Search, TreeDump, ValueScale, Wdl};

/// Budget and exploration of one [`Gumbel`] search.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct GumbelSettings {
    /// Number of simulations, that is visits of the root's moves. With 0 only the root is
    /// evaluated and a move is sampled from its policy.
    pub simulations: u32,
    /// Maximum number of the root's moves that are visited.
    pub max_considered_actions: usize,
    /// Scale of the Gumbel noise: 1 to explore, 0 for the move considered best.
    pub gumbel_scale: f32,
    /// How values are weighed against priors.
    pub values: ValueScale,
    /// Whether each new position is checked for a win in one. It costs a move generation per
    /// legal move, little compared with a network, and finds mates sooner.
    pub check_win_in_one: bool,
    /// Value of a draw for either side, from −1 to 1. Below 0 both sides avoid draws in about
    /// equal positions.
    pub draw_value: f32,
}

impl Default for GumbelSettings {
    fn default() -> Self {
        GumbelSettings {
            simulations: 64,
            max_considered_actions: 16,
            gumbel_scale: 1.0,
            values: ValueScale::default(),
            check_win_in_one: false,
            draw_value: 0.0,
        }
    }
}

/// Gumbel AlphaZero: the root samples a few moves without replacement and distributes a small
/// budget over them by sequential halving; below it a deterministic search follows the improved
/// policy.
///
/// It searches the positions of one game: [`reset`](Gumbel::reset), then
/// [`begin`](Gumbel::begin) and [`play`](Gumbel::play) alternately.
#[derive(Clone, Debug)]
pub struct Gumbel<G> {
    descent: Descent<G>,
    settings: GumbelSettings,
    /// The logit of each of the root's moves, empty until the root is evaluated.
    logits: Vec<f32>,
    /// The Gumbel noise of each.
    noise: Vec<f32>,
    halving: SequentialHalving,
    /// Visits of the root's most visited move.
    max_visits: u32,
    simulations: u32,
    state: GumbelState,
    pending: Pending,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum GumbelState {
    /// The root is not evaluated yet.
    EvaluateRoot,
    Halving,
    Over,
}

/// The pending leaf of a search.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Pending {
    None,
    Root,
    /// The leaf of a simulation for this candidate.
    Candidate(usize),
}

impl<G: Game> Gumbel<G> {
    /// A search of `game` with a tree of at most `tree_bytes`. It starts with
    /// [`begin`](Gumbel::begin).
    pub fn new(game: G, tree_bytes: usize) -> Gumbel<G> {
        Gumbel {
            descent: Descent::new(game, tree_bytes),
            settings: GumbelSettings::default(),
            logits: Vec::new(),
            noise: Vec::new(),
            halving: SequentialHalving::default(),
            max_visits: 0,
            simulations: 0,
            state: GumbelState::Over,
            pending: Pending::None,
        }
    }

    /// The game as it stands.
    pub fn game(&self) -> &G {
        self.descent.game()
    }

    /// Starts another game with an empty tree.
    pub fn reset(&mut self, game: &G) {
        self.descent.reset(game);
        self.state = GumbelState::Over;
    }

    /// Plays a legal move. With `reuse` its subtree is kept for the next search.
    pub fn play(&mut self, mv: Move, reuse: bool) {
        self.descent.play(mv, reuse);
        self.state = GumbelState::Over;
    }

    /// Starts a search of the current position. All random numbers are drawn here.
    ///
    /// The search is over at once if the game is over or there is only one legal move.
    pub fn begin(&mut self, settings: GumbelSettings, rng: &mut impl Rng) {
        self.settings = settings;
        self.simulations = 0;
        self.pending = Pending::None;
        self.logits.clear();
        self.noise.clear();
        self.descent.begin(settings.check_win_in_one);
        self.descent.tree.set_draw_value(settings.draw_value);
        let moves = self.moves().len();
        self.noise
            .extend((0..moves).map(|_| settings.gumbel_scale * gumbel(rng)));
        let tree = &self.descent.tree;
        let root = tree.root();
        if root.visits() > 0 {
            let priors = tree.priors(NodeId::ROOT);
            self.logits.extend(priors.map(f32::ln));
        }
        self.max_visits = VisitedChildren::at(tree, NodeId::ROOT).max_visits;
        if moves < 2 || root.proof().is_some() {
            self.state = GumbelState::Over;
        } else if root.visits() > 0 {
            self.start_halving();
        } else {
            self.state = GumbelState::EvaluateRoot;
        }
    }

    fn start_halving(&mut self) {
        let tree = &self.descent.tree;
        let turn = tree.root().turn();
        let mixed_value =
            VisitedChildren::at(tree, NodeId::ROOT).mixed_value(tree.root().prediction());
        let candidates = tree
            .edges(NodeId::ROOT)
            .enumerate()
            .filter_map(|(i, edge)| {
                let child = edge.child.filter(|child| child.visits() > 0);
                let proof = child.and_then(|child| child.proof_for(turn));
                let lost = matches!(proof, Some(Proof::Loss(_)));
                let value = child.map_or(tree.value_of(mixed_value), |child| {
                    tree.value_for(child, turn)
                });
                let candidate = Candidate::new(i, self.noise[i] + self.logits[i], value);
                (!lost).then_some(candidate)
            });
        self.halving.start(
            candidates,
            self.settings.max_considered_actions,
            self.settings.simulations,
        );
        self.state = GumbelState::Halving;
        self.finish_if_done();
    }

    fn finish_if_done(&mut self) {
        let spent = self.simulations >= self.settings.simulations;
        if spent || self.descent.tree.root().proof().is_some() {
            self.state = GumbelState::Over;
        }
    }

    fn count_visit(&mut self, candidate: usize) {
        let tree = &self.descent.tree;
        let edge = self.halving.candidate(candidate).edge;
        let child = tree.child(NodeId::ROOT, edge).map(|id| tree.node(id));
        let child = child.expect("a simulation visited the candidate");
        let value = tree.value_for(child, tree.root().turn());
        self.max_visits = self.max_visits.max(child.visits());
        self.halving.visit(candidate, value);
        self.simulations += 1;
        self.finish_if_done();
    }

    /// Weight of values relative to logits at the root.
    fn value_weight(&self) -> f32 {
        self.settings.values.weight(self.max_visits)
    }

    /// The legal moves of the root. All lists below are in their order.
    pub fn moves(&self) -> &[Move] {
        self.descent.tree.root_moves()
    }

    /// Number of visits of each move.
    pub fn visits(&self) -> impl ExactSizeIterator<Item = u32> {
        let edges = self.descent.tree.edges(NodeId::ROOT);
        edges.map(|edge| edge.child.map_or(0, Node::visits))
    }

    /// Number of simulations of this search.
    pub fn simulations(&self) -> u32 {
        self.simulations
    }

    /// Memory allocated by the tree in bytes.
    pub fn bytes(&self) -> usize {
        self.descent.tree.bytes()
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.descent.tree
    }

    /// The tree as text, for tests and debugging.
    pub fn dump(&self) -> TreeDump<'_> {
        TreeDump(self.tree())
    }

    /// The principal variation: the move [to play](Gumbel::best) followed by the most visited
    /// moves. `None` if that move was not visited, or the game is over.
    pub fn pv_line(&self) -> Option<PvLine> {
        if self.moves().is_empty() || self.logits.is_empty() && self.proof().is_none() {
            return None;
        }
        let best = self.moves()[self.best()];
        best_move::pv_lines(&self.descent.tree, MoveSelection::MostVisits, usize::MAX)
            .into_iter()
            .find(|line| line.moves[0] == best)
    }

    /// The proven result of the root, if any.
    pub fn proof(&self) -> Option<Proof> {
        self.descent.tree.root().proof()
    }

    /// The completed values of the moves, for the side to move: unvisited moves get an estimate.
    /// Empty if the root was not evaluated, as when there is only one legal move.
    pub fn completed_values(&self) -> impl Iterator<Item = Wdl> {
        let tree = &self.descent.tree;
        let evaluated = tree.root().visits() > 0;
        let mixed_value =
            VisitedChildren::at(tree, NodeId::ROOT).mixed_value(tree.root().prediction());
        policy_improvement::completed_values(tree, NodeId::ROOT, mixed_value)
            .take_while(move |_| evaluated)
    }

    /// The logit of each move in the improved policy.
    fn improved_logits(&self) -> impl Iterator<Item = f32> {
        let (weight, tree) = (self.value_weight(), &self.descent.tree);
        let logits = self.logits.iter().zip(self.completed_values());
        logits.map(move |(logit, wdl)| logit + weight * tree.value_of(wdl))
    }

    /// The improved policy; empty if the root was not evaluated.
    fn improved_policy(&self) -> impl Iterator<Item = f32> {
        let max = self.improved_logits().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = self.improved_logits().map(|l| exp(l - max)).sum();
        self.improved_logits().map(move |l| exp(l - max) / sum)
    }

    /// Writes the improved policy over all legal moves: the policy target.
    pub fn policy(&self, policy: &mut Vec<f32>) {
        policy.clear();
        policy.extend(self.improved_policy());
        if policy.is_empty() {
            let moves = self.moves().len();
            policy.resize(moves, 1.0 / moves as f32);
        }
    }

    /// The value of the improved policy for the side to move, or the proven result. `None` if the
    /// root was not evaluated, as when there is only one legal move.
    pub fn value(&self) -> Option<Wdl> {
        let root = self.descent.tree.root();
        if let Some(proof) = root.proof() {
            return Some(proof.wdl());
        }
        let zero = Wdl {
            win: 0.0,
            draw: 0.0,
            loss: 0.0,
        };
        (root.visits() > 0).then(|| {
            let moves = self.improved_policy().zip(self.completed_values());
            moves.fold(zero, |sum, (probability, wdl)| Wdl {
                win: sum.win + probability * wdl.win,
                draw: sum.draw + probability * wdl.draw,
                loss: sum.loss + probability * wdl.loss,
            })
        })
    }

    /// Index in [`moves`](Gumbel::moves) of the move to play: the winner of the sequential
    /// halving, or the best move of a proven root.
    ///
    /// # Panics
    /// If the game is over, or the root is not evaluated yet.
    pub fn best(&self) -> usize {
        assert!(!self.moves().is_empty(), "the game is over");
        let tree = &self.descent.tree;
        let turn = tree.root().turn();
        let proof = |edge: usize| {
            let child = tree.child(NodeId::ROOT, edge)?;
            tree.node(child).proof_for(turn)
        };
        let edges = 0..self.moves().len();
        if tree.root().proof().is_some() {
            return edges
                .rev()
                .max_by_key(|&edge| proof(edge))
                .expect("the game is not over");
        }
        if self.moves().len() == 1 {
            return 0;
        }
        let winner = self.halving.winner(self.value_weight()).edge;
        let lost = |edge| matches!(proof(edge), Some(Proof::Loss(_)));
        if !lost(winner) {
            return winner;
        }
        edges
            .zip(self.improved_logits())
            .filter(|&(edge, _)| !lost(edge))
            .max_by(|(_, a), (_, b)| a.total_cmp(b))
            .expect("an unproven root has a move that is not lost")
            .0
    }
}

impl<G: Game> Search<G> for Gumbel<G> {
    fn next_leaf(&mut self) -> Option<Leaf<'_, G>> {
        if self.pending != Pending::None {
            return None;
        }
        for _ in 0..MAX_SIMULATIONS_PER_CALL {
            let (candidate, root_edge) = match self.state {
                GumbelState::Over => return None,
                GumbelState::EvaluateRoot => (None, 0),
                GumbelState::Halving => {
                    let weight = self.value_weight();
                    let candidate = self.halving.next(weight);
                    (Some(candidate), self.halving.candidate(candidate).edge)
                }
            };
            let values = self.settings.values;
            let end = self.descent.descend(|tree, id| match id {
                NodeId::ROOT => Selection::Edge(root_edge),
                _ => policy_improvement::select(tree, id, values),
            });
            match (end, candidate) {
                (DescentEnd::Leaf(id), _) => {
                    self.pending = candidate.map_or(Pending::Root, Pending::Candidate);
                    return Some(Leaf {
                        id,
                        game: self.descent.current(),
                        legal: self.descent.legal(),
                    });
                }
                (DescentEnd::Proven(id), Some(candidate)) => {
                    self.descent.tree.backup_proven(id);
                    self.count_visit(candidate);
                }
                (DescentEnd::TreeFull, _) => self.state = GumbelState::Over,
                (DescentEnd::Proven(_), None) | (DescentEnd::Pending(_), _) => {
                    unreachable!("the root is unproven and no leaf is pending")
                }
            }
        }
        None
    }

    fn backup(&mut self, leaf: NodeId, wdl: Wdl, logits: &[f32]) {
        let tree = &mut self.descent.tree;
        match leaf {
            // The edges of the root stay in the order of its lists of logits and noise.
            NodeId::ROOT => tree.expand(leaf, wdl, logits),
            _ => tree.expand_in_order(leaf, wdl, logits),
        }
        match std::mem::replace(&mut self.pending, Pending::None) {
            Pending::Root => {
                self.logits.extend_from_slice(logits);
                self.start_halving();
            }
            Pending::Candidate(candidate) => self.count_visit(candidate),
            Pending::None => panic!("no leaf is pending"),
        }
    }

    fn cancel(&mut self, _leaf: NodeId) {
        self.pending = Pending::None;
    }

    fn is_over(&self) -> bool {
        self.state == GumbelState::Over
    }
}

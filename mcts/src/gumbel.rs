use garuda_rules::{Game, Move};
use rand::Rng;

use crate::choice::{self, Choice, Line};
use crate::descent::{Arrival, Descent};
use crate::halving::{Candidate, Halving};
use crate::improve::{self, Tried};
use crate::numbers::{exp, gumbel};
use crate::search::FREE_SIMULATIONS;
use crate::tree::{Node, NodeId, Tree};
use crate::{Leaf, Outline, Proof, Search, ValueScale, Wdl};

/// What one decision of a [`Gumbel`] search may cost and how it explores.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct GumbelSettings {
    /// Visits of the root's moves. With 0 the root is judged and a move drawn from the policy.
    pub simulations: u32,
    /// How many moves are tried at most.
    pub max_considered_actions: usize,
    /// How much the Gumbel draws count: 1 explores, 0 takes what is thought best.
    pub gumbel_scale: f32,
    pub values: ValueScale,
    /// Whether each new position is searched for a move that wins at once. It costs a move
    /// generation for each of its moves, little against a network, and finds mates sooner.
    pub check_win_in_one: bool,
    /// What a draw is worth to either side, from −1 to 1. Below 0 both play on where they stand
    /// about equal.
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

/// Gumbel AlphaZero: a root that draws a few moves without replacement and spends a small budget
/// on them by sequential halving, and below it a deterministic search that follows the improved
/// policy.
///
/// It follows one game: [`reset`](Gumbel::reset), then [`begin`](Gumbel::begin) and
/// [`play`](Gumbel::play) in turn.
#[derive(Clone, Debug)]
pub struct Gumbel<G> {
    descent: Descent<G>,
    settings: GumbelSettings,
    /// The logit of each of the root's moves, empty until the root was judged.
    logits: Vec<f32>,
    /// The Gumbel draw of each.
    draws: Vec<f32>,
    halving: Halving,
    /// Visits of the root's most visited move.
    most_visits: u32,
    simulations: u32,
    state: State,
    waiting: Waiting,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    /// The root's logits are not known yet.
    Rooting,
    Halving,
    Over,
}

/// For what answer a search waits.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Waiting {
    No,
    Root,
    /// That of a simulation for this candidate.
    Candidate(usize),
}

impl<G: Game> Gumbel<G> {
    /// A search for `game` whose tree may take `memory` bytes. Nothing is searched before
    /// [`begin`](Gumbel::begin).
    pub fn new(game: G, memory: usize) -> Gumbel<G> {
        Gumbel {
            descent: Descent::new(game, memory),
            settings: GumbelSettings::default(),
            logits: Vec::new(),
            draws: Vec::new(),
            halving: Halving::default(),
            most_visits: 0,
            simulations: 0,
            state: State::Over,
            waiting: Waiting::No,
        }
    }

    pub fn game(&self) -> &G {
        self.descent.game()
    }

    /// Turns to another game.
    pub fn reset(&mut self, game: &G) {
        self.descent.reset(game);
        self.state = State::Over;
    }

    /// Plays a legal move. With `reuse`, what was found out about it is kept for the next search.
    pub fn play(&mut self, mv: Move, reuse: bool) {
        self.descent.play(mv, reuse);
        self.state = State::Over;
    }

    /// Starts to search the present position. All randomness is drawn here.
    ///
    /// The search is over at once when the game is, or when there is only one move.
    pub fn begin(&mut self, settings: GumbelSettings, rng: &mut impl Rng) {
        self.settings = settings;
        self.simulations = 0;
        self.waiting = Waiting::No;
        self.logits.clear();
        self.draws.clear();
        self.descent.begin(settings.check_win_in_one);
        self.descent.tree.set_draw_value(settings.draw_value);
        let moves = self.descent.tree.moves(NodeId::ROOT).len();
        self.draws
            .extend((0..moves).map(|_| settings.gumbel_scale * gumbel(rng)));
        let tree = &self.descent.tree;
        let root = tree.root();
        if root.visits() > 0 {
            let priors = tree.priors(NodeId::ROOT);
            self.logits.extend(priors.iter().map(|p| p.ln()));
        }
        self.most_visits = Tried::at(tree, NodeId::ROOT).most_visits;
        if moves < 2 || root.proof().is_some() {
            self.state = State::Over;
        } else if root.visits() > 0 {
            self.start_halving();
        } else {
            self.state = State::Rooting;
        }
    }

    fn start_halving(&mut self) {
        let tree = &self.descent.tree;
        let turn = tree.root().turn();
        let mixed = Tried::at(tree, NodeId::ROOT).mixed(tree.root().prediction());
        let candidates = tree
            .edges(NodeId::ROOT)
            .enumerate()
            .filter_map(|(i, edge)| {
                let child = edge.child.filter(|child| child.visits() > 0);
                let proof = child.and_then(|child| child.proof_for(turn));
                let lost = matches!(proof, Some(Proof::Loss(_)));
                let value = child.map_or(tree.value_of(mixed), |child| tree.value_for(child, turn));
                let candidate = Candidate::new(i, self.draws[i] + self.logits[i], value);
                (!lost).then_some(candidate)
            });
        self.halving.start(
            candidates,
            self.settings.max_considered_actions,
            self.settings.simulations,
        );
        self.state = State::Halving;
        self.finish_if_done();
    }

    fn finish_if_done(&mut self) {
        let spent = self.simulations >= self.settings.simulations;
        if spent || self.descent.tree.root().proof().is_some() {
            self.state = State::Over;
        }
    }

    fn count_visit(&mut self, candidate: usize) {
        let tree = &self.descent.tree;
        let edge = self.halving.candidate(candidate).edge;
        let child = tree.child(NodeId::ROOT, edge).map(|id| tree.node(id));
        let child = child.expect("a simulation has passed there");
        let value = tree.value_for(child, tree.root().turn());
        self.most_visits = self.most_visits.max(child.visits());
        self.halving.visit(candidate, value);
        self.simulations += 1;
        self.finish_if_done();
    }

    /// How much a value counts against a logit at the root.
    fn value_weight(&self) -> f32 {
        self.settings.values.weight(self.most_visits)
    }

    /// The legal moves of the position searched: what all lists below are in the order of.
    pub fn moves(&self) -> &[Move] {
        self.descent.tree.moves(NodeId::ROOT)
    }

    /// How often each move has been visited.
    pub fn visits(&self) -> impl ExactSizeIterator<Item = u32> {
        let edges = self.descent.tree.edges(NodeId::ROOT);
        edges.map(|edge| edge.child.map_or(0, Node::visits))
    }

    /// How many simulations this search has made.
    pub fn simulations(&self) -> u32 {
        self.simulations
    }

    /// The memory the tree takes, filled or not.
    pub fn bytes(&self) -> usize {
        self.descent.tree.bytes()
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.descent.tree
    }

    pub fn outline(&self) -> Outline<'_> {
        Outline(self.tree())
    }

    /// The move [to play](Gumbel::best) and what should follow it, each time the most visited
    /// move. `None` if that move was not visited, or the game is over.
    pub fn line(&self) -> Option<Line> {
        if self.moves().is_empty() || self.logits.is_empty() && self.proof().is_none() {
            return None;
        }
        let best = self.moves()[self.best()];
        choice::lines(&self.descent.tree, Choice::MostVisits, usize::MAX)
            .into_iter()
            .find(|line| line.moves[0] == best)
    }

    /// The result with best play, where the search could prove it.
    pub fn proof(&self) -> Option<Proof> {
        self.descent.tree.root().proof()
    }

    /// The chances of each move for the side to move: of those that were not visited, an
    /// estimate. Nothing if the root was not judged, as when there is only one move.
    pub fn completed(&self) -> impl Iterator<Item = Wdl> {
        let tree = &self.descent.tree;
        let known = tree.root().visits() > 0;
        let mixed = Tried::at(tree, NodeId::ROOT).mixed(tree.root().prediction());
        improve::completed(tree, NodeId::ROOT, mixed).take_while(move |_| known)
    }

    /// The logit of each move in the improved policy.
    fn improved_logits(&self) -> impl Iterator<Item = f32> {
        let (weight, tree) = (self.value_weight(), &self.descent.tree);
        let logits = self.logits.iter().zip(self.completed());
        logits.map(move |(logit, wdl)| logit + weight * tree.value_of(wdl))
    }

    /// The moves' shares of the improved policy, if the root was judged.
    fn improved(&self) -> impl Iterator<Item = f32> {
        let max = self.improved_logits().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = self.improved_logits().map(|l| exp(l - max)).sum();
        self.improved_logits().map(move |l| exp(l - max) / sum)
    }

    /// Writes the improved policy over all legal moves: the target to learn.
    pub fn policy(&self, policy: &mut Vec<f32>) {
        policy.clear();
        policy.extend(self.improved());
        if policy.is_empty() {
            let moves = self.moves().len();
            policy.resize(moves, 1.0 / moves as f32);
        }
    }

    /// The chances of the side to move if it follows the improved policy, or the proven result.
    /// `None` if nothing was judged, as when there is only one move.
    pub fn value(&self) -> Option<Wdl> {
        let root = self.descent.tree.root();
        if let Some(proof) = root.proof() {
            return Some(proof.wdl());
        }
        let none = Wdl {
            win: 0.0,
            draw: 0.0,
            loss: 0.0,
        };
        (root.visits() > 0).then(|| {
            let moves = self.improved().zip(self.completed());
            moves.fold(none, |sum, (share, wdl)| Wdl {
                win: sum.win + share * wdl.win,
                draw: sum.draw + share * wdl.draw,
                loss: sum.loss + share * wdl.loss,
            })
        })
    }

    /// The place in [`moves`](Gumbel::moves) of the move to play: the survivor of the halving,
    /// or the best proven one.
    ///
    /// # Panics
    /// If the game is over, or the search has not even judged the root.
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
                .expect("there is a move");
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
        if self.waiting != Waiting::No {
            return None;
        }
        for _ in 0..FREE_SIMULATIONS {
            let (candidate, root_edge) = match self.state {
                State::Over => return None,
                State::Rooting => (None, 0),
                State::Halving => {
                    let weight = self.value_weight();
                    let candidate = self.halving.next(weight);
                    (Some(candidate), self.halving.candidate(candidate).edge)
                }
            };
            let values = self.settings.values;
            let arrival = self.descent.descend(|tree, id| match id {
                NodeId::ROOT => root_edge,
                _ => improve::select(tree, id, values),
            });
            match (arrival, candidate) {
                (Arrival::Leaf(id), _) => {
                    self.waiting = candidate.map_or(Waiting::Root, Waiting::Candidate);
                    return Some(Leaf {
                        id,
                        game: self.descent.present(),
                        legal: self.descent.tree.moves(id),
                    });
                }
                (Arrival::Proven(id), Some(candidate)) => {
                    self.descent.tree.revisit(id);
                    self.count_visit(candidate);
                }
                (Arrival::Full, _) => self.state = State::Over,
                (Arrival::Proven(_), None) | (Arrival::Awaited(_), _) => {
                    unreachable!("the root is open and nothing is awaited")
                }
            }
        }
        None
    }

    fn backup(&mut self, leaf: NodeId, wdl: Wdl, logits: &[f32]) {
        self.descent.tree.expand(leaf, wdl, logits);
        match std::mem::replace(&mut self.waiting, Waiting::No) {
            Waiting::Root => {
                self.logits.extend_from_slice(logits);
                self.start_halving();
            }
            Waiting::Candidate(candidate) => self.count_visit(candidate),
            Waiting::No => panic!("no answer was asked for"),
        }
    }

    fn cancel(&mut self, _leaf: NodeId) {
        self.waiting = Waiting::No;
    }

    fn is_over(&self) -> bool {
        self.state == State::Over
    }
}

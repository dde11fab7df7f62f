use garuda_rules::{Game, Move};

use crate::choice::{self, Choice, Line};
use crate::search::FREE_SIMULATIONS;
use crate::tree::{NodeId, Tree};
use crate::walk::{Arrival, Walk};
use crate::{Leaf, Outline, Proof, Search, Wdl};

/// How a [`Puct`] search explores.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct PuctSettings {
    /// The weight of priors against values at a node with few visits…
    pub exploration: f32,
    /// …which grows with the logarithm of the visits in units of this.
    pub exploration_base: f32,
    /// How much worse than its parent an unvisited move is taken to be, when all the likely
    /// moves have been visited.
    pub urgency_reduction: f32,
    /// Whether each new position is searched for a move that wins at once. It costs a move
    /// generation for each of its moves, little against a network, and finds mates sooner.
    pub spot_wins: bool,
    /// What a draw is worth to either side, from −1 to 1. Below 0 both play on where they stand
    /// about equal.
    pub draw_value: f32,
}

impl Default for PuctSettings {
    fn default() -> Self {
        PuctSettings {
            exploration: 1.5,
            exploration_base: 20_000.0,
            urgency_reduction: 0.2,
            spot_wins: true,
            draw_value: 0.0,
        }
    }
}

/// AlphaZero's tree search with win/draw/loss values, for a player who wants the best move.
///
/// It follows one game: [`reset`](Puct::reset), then [`begin`](Puct::begin) and
/// [`play`](Puct::play) in turn. Several leaves can be asked for before the first is answered:
/// those that wait count as lost, so that the next ones go elsewhere.
#[derive(Clone, Debug)]
pub struct Puct<G> {
    walk: Walk<G>,
    settings: PuctSettings,
    /// The search ends when the root has this many visits.
    visits: u32,
    full: bool,
}

impl<G: Game> Puct<G> {
    /// A search for `game` whose tree may take `memory` bytes. Nothing is searched before
    /// [`begin`](Puct::begin).
    pub fn new(game: G, memory: usize, settings: PuctSettings) -> Puct<G> {
        let mut walk = Walk::new(game, memory);
        walk.tree.set_draw_value(settings.draw_value);
        Puct {
            walk,
            settings,
            visits: 0,
            full: false,
        }
    }

    pub fn game(&self) -> &G {
        self.walk.game()
    }

    /// Turns to another game.
    pub fn reset(&mut self, game: &G) {
        self.walk.reset(game);
        self.visits = 0;
    }

    /// Plays a legal move. With `reuse`, what was found out about it is kept for the next search.
    pub fn play(&mut self, mv: Move, reuse: bool) {
        self.walk.play(mv, reuse);
        self.visits = 0;
    }

    /// Starts to search the present position, or goes on with it, until the root has so many
    /// visits; its own first one and those of a reused tree count.
    pub fn begin(&mut self, visits: u32) {
        self.full = false;
        self.walk.begin(self.settings.spot_wins);
        self.limit(visits);
    }

    /// Changes when the search ends.
    pub fn limit(&mut self, visits: u32) {
        self.visits = visits;
    }

    /// How often the root was visited.
    pub fn visits(&self) -> u32 {
        self.walk.tree.root().visits()
    }

    /// The memory the tree takes, filled or not.
    pub fn bytes(&self) -> usize {
        self.walk.tree.bytes()
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.walk.tree
    }

    pub fn outline(&self) -> Outline<'_> {
        Outline(self.tree())
    }

    /// The result with best play, where the search could prove it.
    pub fn proof(&self) -> Option<Proof> {
        self.walk.tree.root().proof()
    }

    /// The chances of the side to move. `None` if nothing was judged.
    pub fn value(&self) -> Option<Wdl> {
        let root = self.walk.tree.root();
        root.is_known().then(|| root.wdl())
    }

    /// The legal moves of the position searched.
    pub fn moves(&self) -> &[Move] {
        self.walk.tree.moves(NodeId::ROOT)
    }

    /// The share of the permitted memory that is in use.
    pub fn fullness(&self) -> f64 {
        self.walk.tree.fullness()
    }

    /// Whether the memory is used up, so that the search cannot go on.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The best moves, at most `count`, with what should follow, best first.
    pub fn lines(&self, choice: Choice, count: usize) -> Vec<Line> {
        choice::lines(&self.walk.tree, choice, count)
    }

    /// The move to play; `None` if the game is over.
    pub fn best(&self, choice: Choice) -> Option<Move> {
        let edge = choice::best(&self.walk.tree, NodeId::ROOT, choice)?;
        Some(self.moves()[edge])
    }

    /// Visits of the most visited move besides the best, not counting moves that are lost.
    pub fn rival_visits(&self, choice: Choice) -> u32 {
        choice::rival_visits(&self.walk.tree, choice)
    }

    /// How long the principal variation is.
    pub fn depth(&self, choice: Choice) -> usize {
        choice::variation(&self.walk.tree, choice).count()
    }
}

impl<G: Game> Search<G> for Puct<G> {
    fn next_leaf(&mut self) -> Option<Leaf<'_, G>> {
        for _ in 0..FREE_SIMULATIONS {
            let root = self.walk.tree.root();
            let asked = root.visits().saturating_add(root.in_flight()) >= self.visits;
            if asked || self.full || root.proof().is_some() {
                return None;
            }
            let settings = self.settings;
            match self.walk.descend(|tree, id| select(tree, id, &settings)) {
                Arrival::Leaf(id) => {
                    self.walk.tree.take_off(id);
                    return Some(Leaf {
                        id,
                        game: self.walk.present(),
                        legal: self.walk.tree.moves(id),
                    });
                }
                Arrival::Proven(id) => self.walk.tree.revisit(id),
                Arrival::Awaited(_) => return None,
                Arrival::Full => self.full = true,
            }
        }
        None
    }

    fn supply(&mut self, leaf: NodeId, wdl: Wdl, logits: &[f32]) {
        self.walk.tree.land(leaf);
        self.walk.tree.expand(leaf, wdl, logits);
    }

    fn cancel(&mut self, leaf: NodeId) {
        self.walk.tree.land(leaf);
    }

    fn is_over(&self) -> bool {
        let root = self.walk.tree.root();
        let done = self.full || root.proof().is_some() || root.visits() >= self.visits;
        done && root.in_flight() == 0
    }
}

/// The edge to follow from a node. Moves that are proven to lose are left alone; there is
/// another one, or else the node would be proven.
fn select(tree: &Tree, id: NodeId, settings: &PuctSettings) -> usize {
    let node = tree.node(id);
    let turn = node.turn();
    let visits = (node.visits() + node.in_flight()) as f32;
    let growth = (1.0 + visits / settings.exploration_base).ln();
    let exploration = (settings.exploration + growth) * visits.sqrt();
    let visited_mass: f32 = tree
        .edges(id)
        .filter(|edge| edge.child.is_some_and(|child| child.visits() > 0))
        .map(|edge| edge.prior)
        .sum();
    let urgency = tree.value_for(node, turn) - settings.urgency_reduction * visited_mass.sqrt();
    let mut best = None;
    let mut consider = |score: f32, index: usize| {
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, index));
        }
    };
    for (index, edge) in tree.edges(id).enumerate() {
        let (value, visits) = match edge.child {
            Some(child) if child.is_known() => {
                match child.proof_for(turn) {
                    Some(Proof::Loss(_)) => continue,
                    Some(Proof::Draw) => {
                        // There is nothing to explore.
                        consider(tree.draw_value(), index);
                        continue;
                    }
                    _ => {}
                }
                let (known, waiting) = (child.visits() as f32, child.in_flight() as f32);
                let all = known + waiting;
                ((known * tree.value_for(child, turn) - waiting) / all, all)
            }
            Some(child) if child.in_flight() > 0 => (-1.0, child.in_flight() as f32),
            _ => (urgency, 0.0),
        };
        consider(value + exploration * edge.prior / (1.0 + visits), index);
    }
    best.expect("an unproven node has a move that is not lost")
        .1
}

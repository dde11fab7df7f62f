use garuda_rules::{Game, Move};

use crate::choice::{self, Choice, Line};
use crate::descent::{Arrival, Descent};
use crate::search::FREE_SIMULATIONS;
use crate::tree::{NodeId, Tree};
use crate::{Leaf, Outline, Proof, Search, Wdl};

/// How a [`Puct`] search explores.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct PuctSettings {
    /// The weight of priors against values at a node with few visits…
    pub cpuct: f32,
    /// …which grows with the logarithm of the visits in units of this.
    pub cpuct_base: f32,
    /// How much worse than its parent an unvisited move is taken to be, when all the likely
    /// moves have been visited.
    pub fpu_reduction: f32,
    /// Whether each new position is searched for a move that wins at once. It costs a move
    /// generation for each of its moves, little against a network, and finds mates sooner.
    pub check_win_in_one: bool,
    /// What a draw is worth to either side, from −1 to 1. Below 0 both play on where they stand
    /// about equal.
    pub draw_value: f32,
}

impl Default for PuctSettings {
    fn default() -> Self {
        PuctSettings {
            cpuct: 1.5,
            cpuct_base: 20_000.0,
            fpu_reduction: 0.2,
            check_win_in_one: true,
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
    descent: Descent<G>,
    settings: PuctSettings,
    /// The search ends when the root has this many visits.
    visits: u32,
    full: bool,
}

impl<G: Game> Puct<G> {
    /// A search for `game` whose tree may take `memory` bytes. Nothing is searched before
    /// [`begin`](Puct::begin).
    pub fn new(game: G, memory: usize, settings: PuctSettings) -> Puct<G> {
        let mut descent = Descent::new(game, memory);
        descent.tree.set_draw_value(settings.draw_value);
        Puct {
            descent,
            settings,
            visits: 0,
            full: false,
        }
    }

    pub fn game(&self) -> &G {
        self.descent.game()
    }

    /// Turns to another game.
    pub fn reset(&mut self, game: &G) {
        self.descent.reset(game);
        self.visits = 0;
    }

    /// Plays a legal move. With `reuse`, what was found out about it is kept for the next search.
    pub fn play(&mut self, mv: Move, reuse: bool) {
        self.descent.play(mv, reuse);
        self.visits = 0;
    }

    /// Starts to search the present position, or goes on with it, until the root has so many
    /// visits; its own first one and those of a reused tree count.
    pub fn begin(&mut self, visits: u32) {
        self.full = false;
        self.descent.begin(self.settings.check_win_in_one);
        self.limit(visits);
    }

    /// Changes when the search ends.
    pub fn limit(&mut self, visits: u32) {
        self.visits = visits;
    }

    /// How often the root was visited.
    pub fn visits(&self) -> u32 {
        self.descent.tree.root().visits()
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

    /// The result with best play, where the search could prove it.
    pub fn proof(&self) -> Option<Proof> {
        self.descent.tree.root().proof()
    }

    /// The chances of the side to move. `None` if nothing was judged.
    pub fn value(&self) -> Option<Wdl> {
        let root = self.descent.tree.root();
        root.is_known().then(|| root.wdl())
    }

    /// The legal moves of the position searched.
    pub fn moves(&self) -> &[Move] {
        self.descent.tree.moves(NodeId::ROOT)
    }

    /// The share of the permitted memory that is in use.
    pub fn fullness(&self) -> f64 {
        self.descent.tree.fullness()
    }

    /// Whether the memory is used up, so that the search cannot go on.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The best moves, at most `count`, with what should follow, best first.
    pub fn lines(&self, choice: Choice, count: usize) -> Vec<Line> {
        choice::lines(&self.descent.tree, choice, count)
    }

    /// The move to play; `None` if the game is over.
    pub fn best(&self, choice: Choice) -> Option<Move> {
        let edge = choice::best(&self.descent.tree, NodeId::ROOT, choice)?;
        Some(self.moves()[edge])
    }

    /// Visits of the most visited move besides the best, not counting moves that are lost.
    pub fn rival_visits(&self, choice: Choice) -> u32 {
        choice::rival_visits(&self.descent.tree, choice)
    }

    /// How long the principal variation is.
    pub fn depth(&self, choice: Choice) -> usize {
        choice::variation(&self.descent.tree, choice).count()
    }
}

impl<G: Game> Search<G> for Puct<G> {
    fn next_leaf(&mut self) -> Option<Leaf<'_, G>> {
        for _ in 0..FREE_SIMULATIONS {
            let root = self.descent.tree.root();
            let asked = root.visits().saturating_add(root.in_flight()) >= self.visits;
            if asked || self.full || root.proof().is_some() {
                return None;
            }
            let settings = self.settings;
            match self.descent.descend(|tree, id| select(tree, id, &settings)) {
                Arrival::Leaf(id) => {
                    self.descent.tree.add_virtual_loss(id);
                    return Some(Leaf {
                        id,
                        game: self.descent.present(),
                        legal: self.descent.tree.moves(id),
                    });
                }
                Arrival::Proven(id) => self.descent.tree.revisit(id),
                Arrival::Awaited(_) => return None,
                Arrival::Full => self.full = true,
            }
        }
        None
    }

    fn backup(&mut self, leaf: NodeId, wdl: Wdl, logits: &[f32]) {
        self.descent.tree.remove_virtual_loss(leaf);
        self.descent.tree.expand(leaf, wdl, logits);
    }

    fn cancel(&mut self, leaf: NodeId) {
        self.descent.tree.remove_virtual_loss(leaf);
    }

    fn is_over(&self) -> bool {
        let root = self.descent.tree.root();
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
    let growth = (1.0 + visits / settings.cpuct_base).ln();
    let cpuct = (settings.cpuct + growth) * visits.sqrt();
    let visited_mass: f32 = tree
        .edges(id)
        .filter(|edge| edge.child.is_some_and(|child| child.visits() > 0))
        .map(|edge| edge.prior)
        .sum();
    let fpu = tree.value_for(node, turn) - settings.fpu_reduction * visited_mass.sqrt();
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
            _ => (fpu, 0.0),
        };
        consider(value + cpuct * edge.prior / (1.0 + visits), index);
    }
    best.expect("an unproven node has a move that is not lost")
        .1
}

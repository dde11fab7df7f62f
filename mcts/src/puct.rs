use garuda_rules::{Game, Move};

use crate::best_move::{self, MoveSelection, PvLine};
use crate::descent::{Descent, DescentEnd, Selection};
use crate::search::MAX_SIMULATIONS_PER_CALL;
use crate::tree::{ChildStatus, Node, NodeId, Nodes, Tree};
use crate::{Leaf, Proof, Search, TreeDump, Wdl};

/// Exploration of a [`Puct`] search.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct PuctSettings {
    /// Weight of priors relative to values at a node with few visits…
    pub cpuct: f32,
    /// …to which ln(1 + visits / `cpuct_base`) is added.
    pub cpuct_base: f32,
    /// First play urgency: the value of an unvisited move is that of its parent minus this times
    /// the square root of the visited moves' total prior.
    pub fpu_reduction: f32,
    /// The network's logits are divided by this before they become priors. Above 1 it spreads the
    /// search over more moves: a policy trained for few simulations is too sure of itself for
    /// thousands.
    pub policy_temperature: f32,
    /// Whether each new position is checked for a win in one. It costs a move generation per
    /// legal move, little compared with a network, and finds mates sooner.
    pub check_win_in_one: bool,
    /// Value of a draw for either side, from −1 to 1. Below 0 both sides avoid draws in about
    /// equal positions.
    pub draw_value: f32,
}

impl Default for PuctSettings {
    fn default() -> Self {
        PuctSettings {
            cpuct: 1.5,
            cpuct_base: 20_000.0,
            fpu_reduction: 0.2,
            policy_temperature: 1.0,
            check_win_in_one: true,
            draw_value: 0.0,
        }
    }
}

/// AlphaZero's tree search (PUCT) with win/draw/loss values.
///
/// It searches the positions of one game: [`reset`](Puct::reset), then [`begin`](Puct::begin)
/// and [`play`](Puct::play) alternately. Several leaves can be pending: each adds a virtual loss,
/// so that the next descents go elsewhere.
#[derive(Clone, Debug)]
pub struct Puct<G> {
    pub(crate) descent: Descent<G>,
    pub(crate) settings: PuctSettings,
    /// The search ends when the root has this number of visits.
    visit_limit: u32,
    /// The last leaf that was yielded and not backed up. It gets its virtual loss when another
    /// leaf is asked for: a search that evaluates one leaf at a time needs none.
    last_leaf: Option<NodeId>,
    pub(crate) full: bool,
}

impl<G: Game> Puct<G> {
    /// A search of `game` with a tree of at most `tree_bytes`. It starts with
    /// [`begin`](Puct::begin).
    pub fn new(game: G, tree_bytes: usize, settings: PuctSettings) -> Puct<G> {
        let mut descent = Descent::new(game, tree_bytes);
        descent.tree.set_draw_value(settings.draw_value);
        descent
            .tree
            .set_policy_temperature(settings.policy_temperature);
        Puct {
            descent,
            settings,
            visit_limit: 0,
            last_leaf: None,
            full: false,
        }
    }

    /// The game as it stands.
    pub fn game(&self) -> &G {
        self.descent.game()
    }

    /// Starts another game with an empty tree.
    pub fn reset(&mut self, game: &G) {
        self.descent.reset(game);
        self.visit_limit = 0;
    }

    /// Plays a legal move. With `reuse` its subtree is kept for the next search.
    pub fn play(&mut self, mv: Move, reuse: bool) {
        self.descent.play(mv, reuse);
        self.visit_limit = 0;
    }

    /// Starts or continues a search of the current position until the root has this number of
    /// visits, including its own evaluation and the visits of a reused tree.
    pub fn begin(&mut self, visits: u32) {
        self.full = false;
        self.descent.begin(self.settings.check_win_in_one);
        self.set_visit_limit(visits);
    }

    /// Changes the number of visits at which the search ends.
    pub fn set_visit_limit(&mut self, visits: u32) {
        self.visit_limit = visits;
    }

    pub(crate) fn visit_limit(&self) -> u32 {
        self.visit_limit
    }

    /// Number of visits of the root.
    pub fn visits(&self) -> u32 {
        self.descent.tree.root().visits()
    }

    /// Whether another simulation may begin.
    pub(crate) fn may_descend(&self) -> bool {
        let root = self.descent.tree.root();
        let limit_reached = root.visits().saturating_add(root.in_flight()) >= self.visit_limit;
        !limit_reached && !self.full && root.proof().is_none()
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

    /// The proven result of the root, if any.
    pub fn proof(&self) -> Option<Proof> {
        self.descent.tree.root().proof()
    }

    /// The value of the root for the side to move. `None` if it was not evaluated.
    pub fn value(&self) -> Option<Wdl> {
        let root = self.descent.tree.root();
        root.is_evaluated().then(|| root.wdl())
    }

    /// The legal moves of the root.
    pub fn moves(&self) -> &[Move] {
        self.descent.tree.root_moves()
    }

    /// Share of the tree's memory limit in use, from 0 to 1.
    pub fn hashfull(&self) -> f64 {
        self.descent.tree.hashfull()
    }

    /// Whether the search ended because its memory is full.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The principal variations of the best moves, at most `count`, best first.
    pub fn pv_lines(&self, selection: MoveSelection, count: usize) -> Vec<PvLine> {
        best_move::pv_lines(&self.descent.tree, selection, count)
    }

    /// The move to play; `None` if the game is over.
    pub fn best_move(&self, selection: MoveSelection) -> Option<Move> {
        let edge = best_move::best(&self.descent.tree, NodeId::ROOT, selection)?;
        Some(self.moves()[edge])
    }

    /// Visits of the most visited move other than the best, not counting proven losses.
    pub fn runner_up_visits(&self, selection: MoveSelection) -> u32 {
        best_move::runner_up_visits(&self.descent.tree, selection)
    }

    /// Length of the principal variation.
    pub fn pv_length(&self, selection: MoveSelection) -> usize {
        best_move::principal_variation(&self.descent.tree, selection).count()
    }
}

impl<G: Game> Search<G> for Puct<G> {
    fn next_leaf(&mut self) -> Option<Leaf<'_, G>> {
        if let Some(leaf) = self.last_leaf.take() {
            self.descent.tree.add_virtual_loss(leaf);
        }
        for _ in 0..MAX_SIMULATIONS_PER_CALL {
            if !self.may_descend() {
                return None;
            }
            let settings = self.settings;
            let select = |tree: &Tree, id| select(tree, tree.node(id), 0, &settings);
            match self.descent.descend(select) {
                DescentEnd::Leaf(id) => {
                    self.last_leaf = Some(id);
                    return Some(Leaf {
                        id,
                        game: self.descent.current(),
                        legal: self.descent.legal(),
                    });
                }
                DescentEnd::Proven(id) => self.descent.tree.backup_proven(id),
                DescentEnd::Pending(_) => return None,
                DescentEnd::TreeFull => self.full = true,
            }
        }
        None
    }

    fn backup(&mut self, leaf: NodeId, wdl: Wdl, logits: &[f32]) {
        self.cancel(leaf);
        self.descent.tree.expand_in_order(leaf, wdl, logits);
    }

    fn cancel(&mut self, leaf: NodeId) {
        if self.last_leaf == Some(leaf) {
            self.last_leaf = None;
        } else {
            self.descent.tree.remove_virtual_loss(leaf);
        }
    }

    fn is_over(&self) -> bool {
        let root = self.descent.tree.root();
        let done = self.full || root.proof().is_some() || root.visits() >= self.visit_limit;
        done && root.in_flight() == 0 && self.last_leaf.is_none()
    }
}

/// Selects where to descend from a node. Proven losses are skipped; there is another move, or else
/// the node would be proven. Of the node's virtual losses `own` are those of this descent.
pub(crate) fn select(tree: &Nodes, node: &Node, own: u32, settings: &PuctSettings) -> Selection {
    let visits = (node.visits() + node.in_flight() - own) as f32;
    let growth = (1.0 + visits / settings.cpuct_base).ln();
    let cpuct = (settings.cpuct + growth) * visits.sqrt();
    let reduction = settings.fpu_reduction * node.visited_prior().sqrt();
    let fpu = tree.value_for(node, node.turn()) - reduction;
    let mut best = f32::NEG_INFINITY;
    let mut selection = None;
    for (slot, child) in tree.children_of(node).iter().enumerate() {
        let visits = child.visits();
        let bonus = cpuct * child.prior() / (1.0 + visits as f32);
        let score = match child.status() {
            ChildStatus::Lost => continue,
            // Nothing is left to explore: no exploration bonus.
            ChildStatus::Drawn => tree.draw_value(),
            _ if visits == 0 => fpu + bonus,
            _ => child.value() + bonus,
        };
        if score > best {
            best = score;
            selection = Some(Selection::Child(slot));
        }
    }
    if node.next_prior() > 0.0 && fpu + cpuct * node.next_prior() > best {
        selection = Some(Selection::NextEdge);
    }
    selection.expect("an unproven node has a move that is not a proven loss")
}

use garuda_rules::{Game, Move, MoveList};

use crate::tree::{Full, NodeId, Tree};

/// A game with its search tree, which always has a root, and a walk down that tree.
#[derive(Clone, Debug)]
pub(crate) struct Descent<G> {
    pub(crate) tree: Tree,
    game: G,
    /// The game at the end of the present walk.
    present: G,
    legal: MoveList,
    /// Whether each new node is searched for a move that wins at once.
    check_win_in_one: bool,
    /// The game one move further, and the replies there.
    probe: G,
    replies: MoveList,
}

/// Where a walk ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Arrival {
    /// At a node that the evaluator must judge.
    Leaf(NodeId),
    /// At a node whose result is certain.
    Proven(NodeId),
    /// At a node that an earlier walk is waiting for.
    Awaited(NodeId),
    /// Nowhere: the tree has no room for another node.
    Full,
}

impl<G: Game> Descent<G> {
    pub(crate) fn new(game: G, memory: usize) -> Descent<G> {
        let mut descent = Descent {
            tree: Tree::new(memory),
            present: game.clone(),
            probe: game.clone(),
            game,
            legal: MoveList::new(),
            replies: MoveList::new(),
            check_win_in_one: false,
        };
        descent.plant();
        descent
    }

    pub(crate) fn game(&self) -> &G {
        &self.game
    }

    /// The game at the end of the last walk.
    pub(crate) fn present(&self) -> &G {
        &self.present
    }

    /// Turns to another game.
    pub(crate) fn reset(&mut self, game: &G) {
        self.game.clone_from(game);
        self.present.clone_from(game);
        self.tree.clear();
        self.plant();
    }

    /// Plays a move of the game. What the tree knows about the new position is kept if `reuse`.
    pub(crate) fn play(&mut self, mv: Move, reuse: bool) {
        let moves = self.tree.moves(NodeId::ROOT);
        let child = moves
            .iter()
            .position(|&other| other == mv && reuse)
            .and_then(|edge| self.tree.child(NodeId::ROOT, edge));
        self.game.play(mv);
        self.present.clone_from(&self.game);
        match child {
            Some(child) => self.tree.keep(child),
            None => {
                self.tree.clear();
                self.plant();
            }
        }
    }

    /// Makes the root of an empty tree.
    fn plant(&mut self) {
        self.add(None)
            .expect("the least memory of a tree suffices for a root");
    }

    /// Prepares for walks from the root. With `check_win_in_one` each new node is searched for a move
    /// that wins at once, beginning with the root.
    pub(crate) fn begin(&mut self, check_win_in_one: bool) {
        self.check_win_in_one = check_win_in_one;
        if check_win_in_one && !self.tree.root().is_known() {
            self.present.return_to(&self.game);
            self.present.legal_moves(&mut self.legal);
            if let Ok(Some(end)) = self.spot_win(NodeId::ROOT) {
                self.tree.revisit(end);
            }
        }
    }

    /// Looks for a move that wins at once from the present position, that of node `id`, and adds
    /// the node where it leads.
    fn spot_win(&mut self, id: NodeId) -> Result<Option<NodeId>, Full> {
        let turn = self.present.turn();
        self.probe.clone_from(&self.present);
        for (edge, &mv) in self.legal.iter().enumerate() {
            self.probe.return_to(&self.present);
            self.probe.play(mv);
            self.probe.legal_moves(&mut self.replies);
            let outcome = self.probe.outcome_given(&self.replies);
            if outcome.is_some_and(|outcome| outcome.winner == Some(turn)) {
                let place = Some((id, edge));
                let end = self.tree.add(place, self.probe.turn(), &[], outcome)?;
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Walks from the root, by the edges that `select` chooses, to the first node that is new,
    /// unknown or proven.
    pub(crate) fn descend(&mut self, mut select: impl FnMut(&Tree, NodeId) -> usize) -> Arrival {
        self.present.return_to(&self.game);
        let mut id = NodeId::ROOT;
        loop {
            let node = self.tree.node(id);
            if node.proof().is_some() {
                return Arrival::Proven(id);
            }
            if !node.is_known() {
                return if node.in_flight() > 0 {
                    Arrival::Awaited(id)
                } else {
                    Arrival::Leaf(id)
                };
            }
            let edge = select(&self.tree, id);
            self.present.play(self.tree.moves(id)[edge]);
            id = match self.tree.child(id, edge) {
                Some(child) => child,
                None => match self.grow(id, edge) {
                    Ok(child) => child,
                    Err(Full) => return Arrival::Full,
                },
            };
        }
    }

    /// Adds the node behind an edge, for the present position, and goes one further if that wins.
    fn grow(&mut self, id: NodeId, edge: usize) -> Result<NodeId, Full> {
        let child = self.add(Some((id, edge)))?;
        if self.check_win_in_one && !self.tree.node(child).is_known() {
            let end = self.spot_win(child)?;
            return Ok(end.unwrap_or(child));
        }
        Ok(child)
    }

    /// Adds a node for the present position.
    fn add(&mut self, place: Option<(NodeId, usize)>) -> Result<NodeId, Full> {
        self.present.legal_moves(&mut self.legal);
        let outcome = self.present.outcome_given(&self.legal);
        self.tree
            .add(place, self.present.turn(), &self.legal, outcome)
    }
}

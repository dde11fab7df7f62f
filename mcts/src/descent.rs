use garuda_rules::{Game, Move, MoveList};

use crate::tree::{NodeId, Tree, TreeFull};

/// A game with its search tree, which always has a root, and the current descent of that tree.
#[derive(Clone, Debug)]
pub(crate) struct Descent<G> {
    pub(crate) tree: Tree,
    game: G,
    /// The game at the node the descent has reached.
    current: G,
    legal: MoveList,
    /// Whether each new node is checked for a win in one.
    check_win_in_one: bool,
    /// Scratch space for that check: the game one move further, and its legal moves.
    probe: G,
    replies: MoveList,
}

/// Where a descent ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum DescentEnd {
    /// At a node that must be evaluated.
    Leaf(NodeId),
    /// At a proven node.
    Proven(NodeId),
    /// At a leaf whose evaluation an earlier descent is waiting for.
    Pending(NodeId),
    /// Above a child that does not fit into the tree's memory.
    TreeFull,
}

impl<G: Game> Descent<G> {
    pub(crate) fn new(game: G, memory: usize) -> Descent<G> {
        let mut descent = Descent {
            tree: Tree::new(memory),
            current: game.clone(),
            probe: game.clone(),
            game,
            legal: MoveList::new(),
            replies: MoveList::new(),
            check_win_in_one: false,
        };
        descent.add_root();
        descent
    }

    pub(crate) fn game(&self) -> &G {
        &self.game
    }

    /// The game at the end of the last descent.
    pub(crate) fn current(&self) -> &G {
        &self.current
    }

    /// Starts another game with an empty tree.
    pub(crate) fn reset(&mut self, game: &G) {
        self.game.clone_from(game);
        self.current.clone_from(game);
        self.tree.clear();
        self.add_root();
    }

    /// Plays a move of the game. With `reuse` its subtree is kept.
    pub(crate) fn play(&mut self, mv: Move, reuse: bool) {
        let moves = self.tree.moves(NodeId::ROOT);
        let child = moves
            .iter()
            .position(|&other| other == mv && reuse)
            .and_then(|edge| self.tree.child(NodeId::ROOT, edge));
        self.game.play(mv);
        self.current.clone_from(&self.game);
        match child {
            Some(child) => self.tree.reroot(child),
            None => {
                self.tree.clear();
                self.add_root();
            }
        }
    }

    /// Adds the root of an empty tree.
    fn add_root(&mut self) {
        self.add(None)
            .expect("the minimum memory of a tree suffices for a root");
    }

    /// Prepares for descents from the root. With `check_win_in_one` the root and each new node
    /// are checked for a win in one.
    pub(crate) fn begin(&mut self, check_win_in_one: bool) {
        self.check_win_in_one = check_win_in_one;
        if check_win_in_one && !self.tree.root().is_evaluated() {
            self.current.return_to(&self.game);
            self.current.legal_moves(&mut self.legal);
            if let Ok(Some(terminal)) = self.find_win_in_one(NodeId::ROOT) {
                self.tree.backup_proven(terminal);
            }
        }
    }

    /// Looks for a move that wins at once in the current position, that of node `id`, and adds
    /// the terminal node it leads to.
    fn find_win_in_one(&mut self, id: NodeId) -> Result<Option<NodeId>, TreeFull> {
        let turn = self.current.turn();
        self.probe.clone_from(&self.current);
        for (edge, &mv) in self.legal.iter().enumerate() {
            self.probe.return_to(&self.current);
            self.probe.play(mv);
            self.probe.legal_moves(&mut self.replies);
            let outcome = self.probe.outcome_given(&self.replies);
            if outcome.is_some_and(|outcome| outcome.winner == Some(turn)) {
                let parent = Some((id, edge));
                let terminal = self.tree.add(parent, self.probe.turn(), &[], outcome)?;
                return Ok(Some(terminal));
            }
        }
        Ok(None)
    }

    /// Descends from the root, along the edges that `select` chooses, to the first node that is
    /// not evaluated or is proven.
    pub(crate) fn descend(&mut self, mut select: impl FnMut(&Tree, NodeId) -> usize) -> DescentEnd {
        self.current.return_to(&self.game);
        let mut id = NodeId::ROOT;
        loop {
            let node = self.tree.node(id);
            if node.proof().is_some() {
                return DescentEnd::Proven(id);
            }
            if !node.is_evaluated() {
                return if node.in_flight() > 0 {
                    DescentEnd::Pending(id)
                } else {
                    DescentEnd::Leaf(id)
                };
            }
            let edge = select(&self.tree, id);
            self.current.play(self.tree.moves(id)[edge]);
            id = match self.tree.child(id, edge) {
                Some(child) => child,
                None => match self.add_child(id, edge) {
                    Ok(child) => child,
                    Err(TreeFull) => return DescentEnd::TreeFull,
                },
            };
        }
    }

    /// Adds the node behind an edge, for the current position, or its terminal child if there is a
    /// win in one.
    fn add_child(&mut self, id: NodeId, edge: usize) -> Result<NodeId, TreeFull> {
        let child = self.add(Some((id, edge)))?;
        if self.check_win_in_one && !self.tree.node(child).is_evaluated() {
            let terminal = self.find_win_in_one(child)?;
            return Ok(terminal.unwrap_or(child));
        }
        Ok(child)
    }

    /// Adds a node for the current position.
    fn add(&mut self, parent: Option<(NodeId, usize)>) -> Result<NodeId, TreeFull> {
        self.current.legal_moves(&mut self.legal);
        let outcome = self.current.outcome_given(&self.legal);
        self.tree
            .add(parent, self.current.turn(), &self.legal, outcome)
    }
}

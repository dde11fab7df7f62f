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
}

/// Where to descend from a node.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Selection {
    /// To the child at this place.
    Child(usize),
    /// To a new child, behind the likeliest edge that has none.
    NextEdge,
    /// Along this edge, where edges are not followed in the order of their priors.
    Edge(usize),
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
            game,
            legal: MoveList::new(),
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

    /// The legal moves at the leaf where the last descent ended.
    pub(crate) fn legal(&self) -> &[Move] {
        &self.legal
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
        let mut moves = self.tree.root_moves().iter();
        let child = moves
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

    /// Looks for a move that wins at once in the current position, that of node `id`, and plays it
    /// and adds the terminal node it leads to.
    fn find_win_in_one(&mut self, id: NodeId) -> Result<Option<NodeId>, TreeFull> {
        let Some(edge) = self.current.winning_move(&self.legal) else {
            return Ok(None);
        };
        self.current.play(self.legal[edge]);
        self.add(Some((id, edge))).map(Some)
    }

    /// Descends from the root, to where `select` says, to the first node that is not evaluated or
    /// is proven.
    pub(crate) fn descend(
        &mut self,
        mut select: impl FnMut(&Tree, NodeId) -> Selection,
    ) -> DescentEnd {
        self.current.return_to(&self.game);
        let mut id = NodeId::ROOT;
        // Whether `legal` has its moves.
        let mut is_new = false;
        loop {
            let node = self.tree.node(id);
            if node.proof().is_some() {
                return DescentEnd::Proven(id);
            }
            if !node.is_evaluated() {
                if node.in_flight() > 0 {
                    return DescentEnd::Pending(id);
                }
                if is_new {
                    return DescentEnd::Leaf(id);
                }
                // It was given up before.
                if node.is_settled() {
                    self.legal.clear();
                    self.legal.extend(self.tree.moves(id));
                    return DescentEnd::Leaf(id);
                }
                let settled = self.settle(id).and_then(|()| self.check_for_win(id));
                match settled {
                    Ok(settled) => id = settled,
                    Err(TreeFull) => return DescentEnd::TreeFull,
                }
                is_new = true;
                continue;
            }
            let selection = select(&self.tree, id);
            let children = self.tree.children(id);
            let child = match selection {
                Selection::Child(slot) => Some(&children[slot]),
                Selection::NextEdge => None,
                Selection::Edge(edge) => children.iter().find(|child| child.edge() == edge),
            };
            if let Some(child) = child {
                self.current.play(child.mv());
                id = child.node();
                continue;
            }
            let edge = match selection {
                Selection::Edge(edge) => edge,
                _ => children.len(),
            };
            self.current.play(self.tree.mv(id, edge));
            let added = self.add(Some((id, edge)));
            if added.is_ok() && selection == Selection::NextEdge {
                self.tree.order_edges(id);
            }
            id = match added.and_then(|child| self.check_for_win(child)) {
                Ok(child) => child,
                Err(TreeFull) => return DescentEnd::TreeFull,
            };
            is_new = true;
        }
    }

    /// The new node of the current position, or its terminal child if there is a win in one.
    fn check_for_win(&mut self, id: NodeId) -> Result<NodeId, TreeFull> {
        if self.check_win_in_one && !self.tree.node(id).is_evaluated() {
            let terminal = self.find_win_in_one(id)?;
            return Ok(terminal.unwrap_or(id));
        }
        Ok(id)
    }

    /// Sets what the current position is at its node.
    fn settle(&mut self, id: NodeId) -> Result<(), TreeFull> {
        self.current.legal_moves(&mut self.legal);
        let outcome = self.current.outcome_given(&self.legal);
        self.tree
            .settle(id, self.current.turn(), &self.legal, outcome)
    }

    /// Adds a node for the current position.
    fn add(&mut self, parent: Option<(NodeId, usize)>) -> Result<NodeId, TreeFull> {
        self.current.legal_moves(&mut self.legal);
        let outcome = self.current.outcome_given(&self.legal);
        self.tree
            .add(parent, self.current.turn(), &self.legal, outcome)
    }
}

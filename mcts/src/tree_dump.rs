use std::fmt;

use crate::tree::{Edge, NodeId, Tree};

/// A search tree as text: one line per node, below its parent, in the order of moves. Equal
/// searches have equal dumps.
#[derive(Clone, Debug)]
pub struct TreeDump<'a>(pub(crate) &'a Tree);

impl fmt::Display for TreeDump<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = self.0.root();
        write!(f, "{}", root.turn())?;
        write_node(f, self.0, NodeId::ROOT, 0)
    }
}

/// Completes the line of a node and writes the lines of its descendants.
fn write_node(f: &mut fmt::Formatter<'_>, tree: &Tree, id: NodeId, depth: usize) -> fmt::Result {
    let node = tree.node(id);
    write!(f, " n {}", node.visits())?;
    if node.is_evaluated() {
        let wdl = node.wdl();
        write!(f, " wdl {:.4} {:.4} {:.4}", wdl.win, wdl.draw, wdl.loss)?;
    }
    if let Some(proof) = node.proof() {
        write!(f, " {proof:?}")?;
    }
    writeln!(f)?;
    for (index, Edge { mv, prior, child }) in tree.edges(id).enumerate() {
        if let (Some(child), Some(child_id)) = (child, tree.child(id, index)) {
            let indent = 2 * depth + 2;
            write!(f, "{:indent$}{mv:?} {prior:.4} {}", "", child.turn())?;
            write_node(f, tree, child_id, depth + 1)?;
        }
    }
    Ok(())
}

//! A virtual loss counts only while its leaf is pending.

use garuda_mcts::evaluators::Uniform;
use garuda_mcts::{Evaluations, Evaluator, Puct, PuctSettings, Search};

use crate::helpers::TREE_BYTES;
use crate::toy_games::Heap;

fn new_search() -> Puct<Heap> {
    let mut search = Puct::new(Heap::new(40), TREE_BYTES, PuctSettings::default());
    search.begin(1000);
    search
}

/// Evaluates a batch of at most `leaves` leaves and returns their number.
fn run_batch(search: &mut Puct<Heap>, leaves: usize) -> usize {
    let mut evaluator = Uniform::default();
    let mut ids = Vec::new();
    while ids.len() < leaves
        && let Some(leaf) = search.next_leaf()
    {
        evaluator.push(leaf.game, leaf.legal);
        ids.push(leaf.id);
    }
    let mut evaluations = Evaluations::default();
    Evaluator::<Heap>::run(&mut evaluator, &mut evaluations).unwrap();
    for (i, &id) in ids.iter().enumerate() {
        let (wdl, logits) = evaluations.get(i);
        search.backup(id, wdl, logits);
    }
    ids.len()
}

#[test]
fn cancelled_leaves_change_nothing() {
    let mut search = new_search();
    let mut plain = new_search();
    while !plain.is_over() {
        // Cancelling a batch of leaves has no effect on the leaves that follow.
        let mut ids = Vec::new();
        while ids.len() < 13
            && let Some(leaf) = search.next_leaf()
        {
            ids.push(leaf.id);
        }
        ids.into_iter().for_each(|id| search.cancel(id));
        run_batch(&mut search, 1);
        run_batch(&mut plain, 1);
        assert_eq!(visited(&search), visited(&plain));
    }
    assert!(search.is_over());
}

/// The tree without the nodes that were never evaluated.
fn visited(search: &Puct<Heap>) -> String {
    let dump = search.dump().to_string();
    let lines = dump.lines().filter(|line| !line.ends_with(" n 0"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn leaves_of_a_batch_differ() {
    let mut search = new_search();
    let mut leaves = 0;
    let mut batches = 0;
    while !search.is_over() {
        leaves += run_batch(&mut search, 8);
        batches += 1;
    }
    assert_eq!(search.visits(), 1000);
    assert_eq!(
        leaves, 1000,
        "no visit without evaluation: the game is too long"
    );
    assert!(batches < 1000 / 4, "{batches} batches: most had few leaves");
}

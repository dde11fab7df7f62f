//! Leaves that wait for an answer count as lost only as long as they wait.

use garuda_mcts::evaluators::Uniform;
use garuda_mcts::{Evaluations, Evaluator, Puct, PuctSettings, Search};

use crate::runs::MEMORY;
use crate::toys::Heap;

fn started() -> Puct<Heap> {
    let mut search = Puct::new(Heap::new(40), MEMORY, PuctSettings::default());
    search.begin(1000);
    search
}

/// Asks for so many leaves and has them answered. Returns how many there were.
fn batch(search: &mut Puct<Heap>, leaves: usize) -> usize {
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
fn virtual_loss_leaves_no_trace() {
    let mut search = started();
    let mut plain = started();
    while !plain.is_over() {
        // Ask, take everything back, and go on one by one: as if nothing had been asked.
        let mut ids = Vec::new();
        while ids.len() < 13
            && let Some(leaf) = search.next_leaf()
        {
            ids.push(leaf.id);
        }
        ids.into_iter().for_each(|id| search.cancel(id));
        batch(&mut search, 1);
        batch(&mut plain, 1);
        assert_eq!(visited(&search), visited(&plain));
    }
    assert!(search.is_over());
}

/// The tree without the nodes that were never judged.
fn visited(search: &Puct<Heap>) -> String {
    let outline = search.outline().to_string();
    let lines = outline.lines().filter(|line| !line.ends_with(" n 0"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn leaves_of_a_batch_differ_and_all_are_counted() {
    let mut search = started();
    let mut asked = 0;
    let mut batches = 0;
    while !search.is_over() {
        asked += batch(&mut search, 8);
        batches += 1;
    }
    assert_eq!(search.visits(), 1000);
    assert_eq!(asked, 1000, "nothing ends within so few moves");
    assert!(
        batches < 1000 / 4,
        "{batches} batches: mostly single leaves"
    );
}

use garuda_rules::{Eternal, Game, GameState, Position, ToriShogi};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::evaluators::Material;
use crate::parallel::search_round;
use crate::{Evaluator, Gumbel, GumbelSettings, Puct, PuctSettings, Search, Shard};

/// Checks the invariants between nodes and their children.
fn check_invariants(tree: &Tree) {
    for (index, node) in tree.nodes.nodes[..tree.size().nodes].iter().enumerate() {
        let id = NodeId(index as u32);
        assert_eq!(node.in_flight(), 0);
        let (win, loss) = (node.win.get(), node.loss.get());
        assert!(win >= 0.0 && loss >= 0.0);
        assert!(win + loss <= f64::from(node.visits()) * (1.0 + 1e-6));
        let children = (0..tree.moves(id).len()).filter_map(|edge| tree.child(id, edge));
        let mut child_visits = 0;
        for child in children {
            assert!(child > id && tree.node(child).parent.get() == id);
            child_visits += tree.node(child).visits();
            let proof = tree.proof_by_child(node, tree.node(child));
            assert!(proof.is_none() || node.proof().is_some());
        }
        for (slot, child) in tree.children(id).iter().enumerate() {
            assert_eq!(usize::from(tree.node(child.node()).slot.get()), slot);
            assert_eq!(child.mv(), tree.mv(id, child.edge()));
            // Nothing is left of virtual losses, and no back-up was lost.
            let known = (child.visits(), child.value(), child.status());
            tree.update_child(node, tree.node(child.node()));
            assert_eq!(known, (child.visits(), child.value(), child.status()));
        }
        if node.proof().is_none() {
            assert_eq!(node.visits(), child_visits + u32::from(node.visits() > 0));
        } else {
            assert!(node.visits() >= child_visits);
        }
    }
}

fn finish<G: Game, S: Search<G>>(search: S, evaluator: &mut impl Evaluator<G>) -> S {
    let mut shard = Shard::new(vec![search], None);
    while !shard.searches()[0].is_over() {
        shard.step(evaluator).unwrap();
    }
    shard.into_searches().remove(0)
}

#[test]
fn nodes_are_consistent_with_their_children() {
    // A mate in three, and a forced win by a turn of several decisions.
    let tori = "7/3+Sss1/7/1S1s2c/1+FS4/C2S3/4K1k[] w - - 10 21";
    let tori = ToriShogi::from_fen(tori).unwrap();
    let eternal = "8/r1n3c1/4Npbp/8/Aocn1rBa/3b2PA/R2CP2C/3B1N2/6R1 r P:a 3 2";
    let eternal = Eternal::from_fen(eternal).unwrap();
    for check_win_in_one in [false, true] {
        let settings = PuctSettings {
            check_win_in_one,
            ..PuctSettings::default()
        };
        let mut search = Puct::new(tori.clone(), 1 << 24, settings);
        search.begin(3000);
        check_invariants(finish(search, &mut Material::default()).tree());
        let mut search = Puct::new(eternal.clone(), 1 << 24, settings);
        search.begin(3000);
        check_invariants(finish(search, &mut Material::default()).tree());
        let settings = GumbelSettings {
            simulations: 1000,
            check_win_in_one,
            ..GumbelSettings::default()
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut search = Gumbel::new(tori.clone(), 1 << 24);
        search.begin(settings, &mut rng);
        search = finish(search, &mut Material::default());
        check_invariants(search.tree());
        search.play(search.moves()[search.best()], true);
        check_invariants(search.tree());
    }
}

/// Searches until the root has this number of visits, is proven, or there is no memory.
fn search_by_threads<G: Game + Send + Sync>(
    search: &mut Puct<G>,
    visits: u32,
    evaluators: &mut [impl Evaluator<G> + Send],
) {
    search.begin(visits);
    while !search.is_over() {
        search_round(search, None, evaluators, || false).unwrap();
    }
}

#[test]
fn nodes_of_threads_are_consistent() {
    let mate = "7/3+Sss1/7/1S1s2c/1+FS4/C2S3/4K1k[] w - - 10 21";
    let eternal = "8/r1n3c1/4Npbp/8/Aocn1rBa/3b2PA/R2CP2C/3B1N2/6R1 r P:a 3 2";
    check_threads(&ToriShogi::start());
    check_threads(&ToriShogi::from_fen(mate).unwrap());
    check_threads(&Eternal::from_fen(eternal).unwrap());
}

fn check_threads<P: Position>(game: &GameState<P>) {
    for (threads, check_win_in_one) in [(1, true), (2, false), (2, true), (3, true), (4, true)] {
        let settings = PuctSettings {
            check_win_in_one,
            ..PuctSettings::default()
        };
        let mut search = Puct::new(game.clone(), 1 << 24, settings);
        let mut evaluators = vec![Material::<P>::default(); threads];
        for _ in 0..3 {
            // Rounds that are over at once, and one that continues the search.
            search.begin(2000);
            for _ in 0..5 {
                search_round(&mut search, None, &mut evaluators, || true).unwrap();
                check_invariants(search.tree());
            }
            search_by_threads(&mut search, 2000, &mut evaluators);
            check_invariants(search.tree());
            let Some(best) = search.best_move(crate::MoveSelection::MostVisits) else {
                break;
            };
            search.play(best, true);
            check_invariants(search.tree());
            // One thread takes over what several have left.
            search.begin(search.visits() + 100);
            search = finish(search, &mut Material::<P>::default());
            check_invariants(search.tree());
        }
    }
}

#[test]
fn threads_keep_to_the_memory_limit() {
    for (limit, threads) in [(1 << 16, 1), (1 << 18, 2), (1 << 20, 4)] {
        let mut search = Puct::new(ToriShogi::start(), limit, PuctSettings::default());
        let mut evaluators = vec![Material::default(); threads];
        for _ in 0..4 {
            search_by_threads(&mut search, u32::MAX, &mut evaluators);
            assert!(search.is_full() && search.bytes() <= limit);
            assert!(search.visits() > 20);
            check_invariants(search.tree());
            let best = search.best_move(crate::MoveSelection::MostVisits);
            search.play(best.unwrap(), true);
            check_invariants(search.tree());
        }
    }
}

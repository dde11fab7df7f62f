use garuda_rules::{Eternal, Game, ToriShogi};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::evaluators::Material;
use crate::parallel::search_parallel;
use crate::{Evaluator, Gumbel, GumbelSettings, Puct, PuctSettings, Search, Shard};

/// Checks the invariants between nodes and their children.
fn check_invariants(tree: &Tree) {
    for (index, node) in tree.nodes.iter().enumerate() {
        let id = NodeId(index as u32);
        assert_eq!(node.in_flight, 0);
        assert!(node.win >= 0.0 && node.loss >= 0.0);
        assert!(node.win + node.loss <= f64::from(node.visits) * (1.0 + 1e-6));
        let children = (0..tree.moves(id).len()).filter_map(|edge| tree.child(id, edge));
        let mut child_visits = 0;
        for child in children {
            assert!(child > id && tree.node(child).parent == id);
            child_visits += tree.node(child).visits;
            let proof = tree.proof_by_child(id, child);
            assert!(proof.is_none() || node.proof.is_some());
        }
        if node.proof.is_none() {
            assert_eq!(node.visits, child_visits + u32::from(node.visits > 0));
        } else {
            assert!(node.visits >= child_visits);
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
        for game in [&tori, &ToriShogi::start()] {
            let mut search = Puct::new(game.clone(), 1 << 24, settings);
            search.begin(3000);
            let mut evaluators = vec![Material::default(); 4];
            let is_done = |search: &mut Puct<_>, _| search.is_over();
            search_parallel(&mut search, None, &mut evaluators, is_done).unwrap();
            check_invariants(search.tree());
        }
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

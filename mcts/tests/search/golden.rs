//! Search trees compared with snapshots: any change of behaviour shows as a difference.

use garuda_mcts::GumbelSettings;
use garuda_mcts::evaluators::{Material, Uniform};
use garuda_rules::GameState;
use garuda_rules::eternal::EternalPosition;
use garuda_rules::tori::ToriPosition;

use crate::helpers::{gumbel, policy, puct};

#[test]
fn gumbel_tree() {
    let settings = GumbelSettings {
        simulations: 24,
        ..GumbelSettings::default()
    };
    let game = GameState::<ToriPosition>::start();
    let search = gumbel(&game, settings, 7, &mut Material::default());
    let policy = policy(&search);
    let best = search.moves()[search.best()];
    let dump = search.dump();
    insta::assert_snapshot!(format!("{dump}best {best:?}\npolicy {policy:.4?}"));
}

#[test]
fn gumbel_tree_of_a_turn_of_several_decisions() {
    let text = "8/r1n3c1/4Npbp/8/Aocn1rBa/3b2PA/R2CP2C/3B1N2/6R1 r P:a 3 2";
    let game = GameState::<EternalPosition>::from_fen(text).unwrap();
    let settings = GumbelSettings {
        simulations: 32,
        max_considered_actions: 8,
        ..GumbelSettings::default()
    };
    let search = gumbel(&game, settings, 7, &mut Uniform::default());
    insta::assert_snapshot!(search.dump());
}

#[test]
fn puct_tree() {
    let text = "3K1k1/4+S2/3L3/P6/1s1f2S/4F2/5S1[F] w - - 0 138";
    let game = GameState::<ToriPosition>::from_fen(text).unwrap();
    let search = puct(&game, 40, &mut Material::default());
    insta::assert_snapshot!(search.dump());
}

//! Forced wins in our games: `data/mates` has positions with the distance to mate in decisions,
//! which the example `compose_mates` found by exhaustive search.

use garuda_mcts::evaluators::Material;
use garuda_mcts::{MoveSelection, Proof};
use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Game, GameState, Move, MoveList, Position};

use crate::helpers::puct;

const NODES: u32 = 20_000;

/// Whether a move forces a win within this number of decisions, by exhaustive search.
fn wins<G: Game>(game: &G, mv: Move, decisions: u16) -> bool {
    fn forced<G: Game>(game: &G, attacker: garuda_rules::Color, decisions: u16) -> bool {
        let mut moves = MoveList::new();
        game.legal_moves(&mut moves);
        if let Some(outcome) = game.outcome_given(&moves) {
            return outcome.winner == Some(attacker);
        }
        let mut rest = moves.iter().map(|&mv| {
            let mut next = game.clone();
            next.play(mv);
            forced(&next, attacker, decisions - 1)
        });
        match (decisions, game.turn() == attacker) {
            (0, _) => false,
            (_, true) => rest.any(|won| won),
            (_, false) => rest.all(|won| won),
        }
    }
    let mut next = game.clone();
    next.play(mv);
    forced(&next, game.turn(), decisions - 1)
}

fn find_mates<P: Position>(file: &str) {
    let mut material = Material::<P>::default();
    let mut missed = Vec::new();
    let mut positions = 0;
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let (distance, text) = line.split_once(' ').unwrap();
        let distance: u16 = distance.parse().unwrap();
        let game = GameState::<P>::from_fen(text).unwrap();
        let search = puct(&game, NODES, &mut material);
        match search.proof() {
            Some(Proof::Win(found)) => {
                assert!(found >= distance, "{line}: a win in {found} is impossible");
                let best = search.best_move(MoveSelection::Lcb).unwrap();
                assert!(found > 3 || wins(&game, best, found), "{line}: {best:?}");
                println!("{distance} found {found} after {}", search.visits());
            }
            other => missed.push((line, other)),
        }
        positions += 1;
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(positions >= 10);
}

#[test]
fn mates_are_found_in_makruk() {
    find_mates::<MakrukPosition>(include_str!("../data/mates/makruk.mates"));
}

#[test]
fn mates_are_found_in_sittuyin() {
    find_mates::<SittuyinPosition<false>>(include_str!("../data/mates/sittuyin.mates"));
}

#[test]
fn mates_are_found_in_booklet_sittuyin() {
    find_mates::<SittuyinPosition<true>>(include_str!("../data/mates/sittuyin-booklet.mates"));
}

#[test]
fn mates_are_found_in_tori_shogi() {
    find_mates::<ToriPosition>(include_str!("../data/mates/torishogi.mates"));
}

#[test]
fn forced_wins_are_found_in_eternal_chess() {
    find_mates::<EternalPosition>(include_str!("../data/mates/eternal.mates"));
}

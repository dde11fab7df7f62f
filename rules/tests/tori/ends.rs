//! How games end, but for repetition.

use garuda_rules::{Color, Game, MoveList, Outcome, Position, Termination, ToriShogi};

use super::{legal, outcome_after, play, position};

#[test]
fn checkmate_wins() {
    let text = "k6/7/1CF4/7/7/7/6K[] w - - 0 1";
    let mate = Outcome::win(Color::White, Termination::Checkmate);
    assert_eq!(outcome_after(text, &["c5b6+"]), Some(mate));
}

#[test]
fn a_side_with_no_legal_move_loses() {
    let text = "k6/7/1P5/F6/7/7/6K[] w - - 0 1";
    let stalemate = Outcome::win(Color::White, Termination::Stalemate);
    assert_eq!(outcome_after(text, &["a4a5"]), Some(stalemate));
}

const BEFORE_DROP_MATE: &str = "1sss3/1sks3/7/1C1C3/7/7/6K[FS] w - - 0 1";

#[test]
fn mate_by_a_dropped_swallow_is_generated_and_loses() {
    assert!(legal(&position(BEFORE_DROP_MATE)).contains("S@c5"));
    let lost = Outcome::win(Color::Black, Termination::SwallowDropMate);
    assert_eq!(outcome_after(BEFORE_DROP_MATE, &["S@c5"]), Some(lost));
    let black = position(BEFORE_DROP_MATE).rotated().to_string();
    let lost = Outcome::win(Color::White, Termination::SwallowDropMate);
    assert_eq!(outcome_after(&black, &["S@e3"]), Some(lost));
}

#[test]
fn mate_by_another_drop_wins() {
    let mate = Outcome::win(Color::White, Termination::Checkmate);
    assert_eq!(outcome_after(BEFORE_DROP_MATE, &["F@c5"]), Some(mate));
}

#[test]
fn mate_by_a_swallows_move_wins() {
    let text = "1sss3/1sks3/7/1CSC3/7/7/6K[] w - - 0 1";
    let mate = Outcome::win(Color::White, Termination::Checkmate);
    assert_eq!(outcome_after(text, &["c4c5"]), Some(mate));
}

#[test]
fn check_by_a_dropped_swallow_is_no_mate() {
    let text = "7/2k4/7/7/7/7/6K[S] w - - 0 1";
    let game = play(text, &["S@c5"]);
    assert!(game.position().is_check());
    assert_eq!(game.outcome(), None);
}

#[test]
fn mate_soon_after_a_dropped_swallow_wins() {
    let text = "k6/7/1C5/7/7/7/6K[FS] w - - 0 1";
    let mate = Outcome::win(Color::White, Termination::Checkmate);
    let moves = ["S@a5", "a7b7", "F@c5", "b7a7", "c5b6+"];
    assert_eq!(outcome_after(text, &moves), Some(mate));
}

#[test]
fn there_is_no_material_draw() {
    assert_eq!(outcome_after("3k3/7/7/7/7/7/3K3[] w - - 0 1", &[]), None);
}

#[test]
fn there_is_no_move_count_draw() {
    let text = "3k3/7/7/7/7/7/3K3[] w - - 350 176";
    assert_eq!(outcome_after(text, &["d1d2", "d7d6"]), None);
}

#[test]
fn four_hundred_plies_are_a_draw() {
    // The white phoenix walks round in a larger circle than the black one: nothing comes back
    // before both circles close at the same time.
    let white: &[&str] = &[
        "a1", "b1", "c1", "d1", "e1", "f1", "g1", "g2", "f2", "e2", "d2",
    ];
    let white = [white, &["c2", "b2"]].concat();
    let black: &[&str] = &[
        "a6", "b6", "c6", "d6", "e6", "f6", "g6", "g7", "f7", "e7", "d7",
    ];
    let black = [black, &["c7", "b7", "a7"]].concat();
    let mut game = ToriShogi::from_position(position("7/k6/7/7/7/7/K6[] w - - 0 1"));
    for ply in 0..400 {
        assert_eq!(game.outcome(), None, "after {ply} plies");
        let way = if ply % 2 == 0 { &white } else { &black };
        let [from, to] = [ply / 2, ply / 2 + 1].map(|i| way[i % way.len()]);
        game.play_uci(&format!("{from}{to}")).unwrap();
    }
    assert_eq!(
        game.outcome(),
        Some(Outcome::draw(Termination::LengthLimit))
    );
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    assert!(!legal.is_empty());
}

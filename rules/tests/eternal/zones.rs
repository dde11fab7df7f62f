//! Zones and guardians.

use crate::{after, legal, position, squares, targets};

/// Where a rook of a side scores. It slides along every row in turn.
fn scoring_squares(side: char) -> String {
    let (rook, other) = if side == 'r' { ('R', 'b') } else { ('r', 'r') };
    let mut squares = Vec::new();
    for row in 1..=9 {
        let mut rows = ["8"; 9].map(str::to_owned);
        rows[9 - row] = format!("{rook}7");
        let text = format!("{} {side} - 0 0", rows.join("/"));
        for file in 'b'..='h' {
            let square = format!("{file}{row}");
            let next = after(&text, &[&format!("a{row}{square}")]);
            if next.contains(&format!(" {other} D:{} ", square.to_uppercase())) {
                squares.push(square);
            } else {
                assert!(next.ends_with(&format!(" {other} - 0 0")), "{next}");
            }
        }
    }
    squares.join(" ")
}

#[test]
fn reds_zone_is_d1_e1_d2_e2() {
    assert_eq!(scoring_squares('b'), "d1 e1 d2 e2");
}

#[test]
fn blacks_zone_is_d8_e8_d9_e9() {
    assert_eq!(scoring_squares('r'), "d8 e8 d9 e9");
}

#[test]
fn a_piece_may_become_the_guardian_of_an_empty_zone() {
    assert!(legal(&position("8/8/8/8/8/8/8/R7/8 r - 0 0")).contains("a2d2"));
}

#[test]
fn a_move_may_not_end_in_the_own_zone_while_another_own_piece_stands_there() {
    // The horse on d1 guards; the rook slides through d2 and e2.
    assert_eq!(
        targets("8/8/8/8/8/8/8/R7/3N4 r - 0 0", "a2"),
        "a1 a3 a4 a5 a6 a7 a8 a9 b2 c2 f2 g2 h2"
    );
}

#[test]
fn the_guardian_may_move_inside_the_zone_or_leave() {
    assert_eq!(
        targets("8/8/8/8/8/8/8/8/3R4 r - 0 0", "d1"),
        "a1 b1 c1 d2 d3 d4 d5 d6 d7 d8 d9 e1 f1 g1 h1"
    );
}

#[test]
fn a_guardian_cannot_be_captured_by_the_enemy() {
    assert_eq!(
        targets("8/8/8/8/8/8/8/3N4/r7 b - 0 0", "a1"),
        "a2 a3 a4 a5 a6 a7 a8 a9 b1 c1 d1 e1 f1 g1 h1"
    );
    assert_eq!(
        targets("8/8/8/8/8/8/8/r2N4/8 b - 0 0", "a2"),
        "a1 a3 a4 a5 a6 a7 a8 a9 b2 c2"
    );
}

#[test]
fn a_guardian_cannot_be_captured_by_its_own_side() {
    assert_eq!(
        targets("8/8/8/8/8/8/8/R2N4/8 r - 0 0", "a2"),
        "a1 a3 a4 a5 a6 a7 a8 a9 b2 c2"
    );
}

#[test]
fn a_guardian_still_blocks() {
    assert_eq!(
        targets("8/8/8/8/8/8/8/r2A4/8 b - 0 0", "a2"),
        "a1 a3 a4 a5 a6 a7 a8 a9 b2 c2"
    );
}

#[test]
fn a_guardian_is_a_screen_for_cannons() {
    assert_eq!(
        targets("8/8/8/8/8/8/8/c2A2N1/8 b - 0 0", "a2"),
        "a1 a3 a4 a5 a6 a7 a8 a9 b2 c2 g2"
    );
}

#[test]
fn a_guardian_is_a_model_for_advisors() {
    assert_eq!(
        targets("8/8/8/8/8/8/2a5/3N4/8 b - 0 0", "c3"),
        "a2 a4 b1 b5 d1 d5 e2 e4"
    );
}

#[test]
fn a_guardian_is_a_jump_base_for_soldiers() {
    assert_eq!(targets("8/8/8/8/8/8/2p5/3N4/8 b - 0 0", "c3"), "e1");
}

#[test]
fn an_intermediate_landing_in_the_own_guarded_zone_is_allowed() {
    // c3 over the guardian d2 to e1, where it may not stay, over f2 to g3.
    assert_eq!(targets("8/8/8/8/8/8/2P5/3N1R2/8 r - 0 0", "c3"), "g3");
}

#[test]
fn an_intermediate_landing_in_the_enemy_zone_does_not_score() {
    // c7 over d8 to e9, over f8 to g7.
    let text = "8/3n1R2/2P5/8/8/8/8/8/8 r - 0 0";
    assert_eq!(targets(text, "c7"), "e9 g7");
    assert_eq!(after(text, &["c7g7"]), "8/3n1R2/6P1/8/8/8/8/8/8 b - 0 0");
    assert_eq!(after(text, &["c7e9"]), "4P3/3n1R2/8/8/8/8/8/8/8 b D:E9 1 0");
}

#[test]
fn squares_slid_over_may_lie_in_a_zone() {
    let text = "8/R7/8/8/8/8/8/8/8 r - 0 0";
    assert_eq!(after(text, &["a8h8"]), "8/7R/8/8/8/8/8/8/8 b - 0 0");
}

#[test]
fn a_side_has_never_more_than_one_guardian_by_placing() {
    assert_eq!(
        targets("8/8/8/8/8/8/8/3R4/8 b P:N 0 0", "N@"),
        squares(1..=4, "d1 e1 d2 e2")
    );
}

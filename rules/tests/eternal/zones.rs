//! Zones and guardians.

use crate::{after, legal, position, squares, targets};

#[test]
fn reds_zone_is_d1_e1_d2_e2() {
    // With a guardian on e1, a rook may go anywhere but into the rest of the zone.
    let inside = |text: &str, from: &str, square: &str| {
        targets(text, from).split(' ').any(|to| to == square)
    };
    for (square, text, from) in [
        ("d1", "8/8/8/8/8/8/8/4N3/R7 r - 0 0", "a1"),
        ("e1", "8/8/8/8/8/8/8/3N4/7R r - 0 0", "h1"),
        ("d2", "8/8/8/8/8/8/8/R7/4N3 r - 0 0", "a2"),
        ("e2", "8/8/8/8/8/8/8/7R/3N4 r - 0 0", "h2"),
    ] {
        assert!(!inside(text, from, square), "{square}");
    }
    let around = "8/8/8/8/8/R6R/8/4N3/8 r - 0 0";
    for square in ["c4", "d4", "e4", "f4"] {
        assert!(inside(around, "a4", square), "{square}");
    }
    for (square, text, from) in [
        ("c1", "8/8/8/8/8/8/8/4N3/R7 r - 0 0", "a1"),
        ("f1", "8/8/8/8/8/8/8/3N4/7R r - 0 0", "h1"),
        ("c2", "8/8/8/8/8/8/8/R7/4N3 r - 0 0", "a2"),
        ("f2", "8/8/8/8/8/8/8/7R/3N4 r - 0 0", "h2"),
        ("d3", "8/8/8/8/8/8/R7/8/3N4 r - 0 0", "a3"),
        ("e3", "8/8/8/8/8/8/R7/8/3N4 r - 0 0", "a3"),
    ] {
        assert!(inside(text, from, square), "{square}");
    }
}

#[test]
fn blacks_zone_is_d8_e8_d9_e9() {
    for (from, score, text) in [
        ("a8", "d8", "8/R7/8/8/8/8/8/8/8 r - 0 0"),
        ("a8", "e8", "8/R7/8/8/8/8/8/8/8 r - 0 0"),
        ("a9", "d9", "R7/8/8/8/8/8/8/8/8 r - 0 0"),
        ("a9", "e9", "R7/8/8/8/8/8/8/8/8 r - 0 0"),
    ] {
        let after = after(text, &[&format!("{from}{score}")]);
        assert!(
            after.ends_with(&format!(" b D:{} 1 0", score.to_uppercase())),
            "{after}"
        );
    }
    for (from, no_score, text) in [
        ("a8", "c8", "8/R7/8/8/8/8/8/8/8 r - 0 0"),
        ("a8", "f8", "8/R7/8/8/8/8/8/8/8 r - 0 0"),
        ("a9", "c9", "R7/8/8/8/8/8/8/8/8 r - 0 0"),
        ("a9", "f9", "R7/8/8/8/8/8/8/8/8 r - 0 0"),
        ("a7", "d7", "8/8/R7/8/8/8/8/8/8 r - 0 0"),
        ("a7", "e7", "8/8/R7/8/8/8/8/8/8 r - 0 0"),
    ] {
        let after = after(text, &[&format!("{from}{no_score}")]);
        assert!(after.ends_with(" b - 0 0"), "{after}");
    }
}

#[test]
fn a_man_may_become_the_guardian_of_an_empty_zone() {
    assert!(legal(&position("8/8/8/8/8/8/8/R7/8 r - 0 0")).contains("a2d2"));
}

#[test]
fn a_move_may_not_end_in_the_own_zone_while_another_own_man_stands_there() {
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

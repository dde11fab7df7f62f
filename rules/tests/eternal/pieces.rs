//! How the pieces move and capture.

use crate::{after, game, legal, position, targets};
use garuda_rules::{Color, Game, Outcome, Termination};

#[test]
fn any_piece_may_capture_its_own_sides_pieces() {
    assert_eq!(
        after("8/8/8/8/8/8/8/R1N5/8 r - 0 0", &["a2c2"]),
        "8/8/8/8/8/8/8/2R5/8 r P:N 0 0"
    );
}

#[test]
fn any_piece_may_capture_enemy_pieces() {
    assert_eq!(
        after("8/8/8/8/8/8/8/R1n5/8 r - 0 0", &["a2c2"]),
        "8/8/8/8/8/8/8/2R5/8 r P:n 0 0"
    );
}

#[test]
fn a_captured_stone_leaves_the_game_and_ends_the_turn() {
    assert_eq!(
        after("8/8/8/8/o7/8/8/R7/8 r - 0 0", &["a2a5"]),
        "8/8/8/8/R7/8/8/8/8 b - 0 0"
    );
}

#[test]
fn there_is_no_passing() {
    let text = "8/8/8/8/8/8/8/P6R/8 r - 0 0";
    for mv in legal(&position(text)) {
        assert_ne!(
            after(text, &[&mv]).split(' ').next(),
            text.split(' ').next()
        );
    }
}

#[test]
fn a_side_without_a_legal_move_loses() {
    // An advisor and a soldier beside nothing they can use.
    let stuck = game("8/8/n7/8/8/8/8/A6P/8 r - 0 0");
    assert_eq!(legal(stuck.position()).len(), 0);
    let lost = Outcome::win(Color::Black, Termination::Stalemate);
    assert_eq!(stuck.outcome(), Some(lost));
}

#[test]
fn the_rook_slides_along_rows_and_files() {
    assert_eq!(
        targets("8/8/8/8/8/2R5/8/8/8 r - 0 0", "c4"),
        "a4 b4 c1 c2 c3 c5 c6 c7 c8 c9 d4 e4 f4 g4 h4"
    );
}

#[test]
fn the_elephant_slides_along_diagonals() {
    assert_eq!(
        targets("8/8/8/8/8/2B5/8/8/8 r - 0 0", "c4"),
        "a2 a6 b3 b5 d3 d5 e2 e6 f1 f7 g8 h9"
    );
}

#[test]
fn pieces_block_sliders_but_the_first_is_captured() {
    assert_eq!(
        targets("8/8/2r5/8/8/N1R1p3/8/2A5/8 r - 0 0", "c4"),
        "a4 b4 c2 c3 c5 c6 c7 d4 e4"
    );
}

#[test]
fn stones_block_like_any_piece() {
    assert_eq!(
        targets("8/8/8/8/oooooooo/8/8/8/2R5 r - 0 0", "c1"),
        "a1 b1 c2 c3 c4 c5 d1 e1 f1 g1 h1"
    );
    assert_eq!(
        targets("8/8/8/8/oooooooo/8/2B5/8/8 r - 0 0", "c3"),
        "a1 a5 b2 b4 d2 d4 e1 e5"
    );
}

#[test]
fn the_horse_leaps_and_is_not_hobbled() {
    let all = "b3 b5 c2 c6 e2 e6 f3 f5";
    assert_eq!(targets("8/8/8/8/8/3N4/8/8/8 r - 0 0", "d4"), all);
    let hemmed_in = "8/8/8/8/2ooo3/2rNp3/2apc3/8/8 r - 0 0";
    assert_eq!(targets(hemmed_in, "d4"), all);
}

#[test]
fn the_cannon_moves_like_a_rook_over_empty_squares() {
    assert_eq!(
        targets("8/8/8/8/8/2C5/8/8/8 r - 0 0", "c4"),
        targets("8/8/8/8/8/2R5/8/8/8 r - 0 0", "c4")
    );
}

#[test]
fn the_cannon_does_not_capture_without_a_screen() {
    assert_eq!(
        targets("8/8/8/8/8/8/C1n5/8/8 r - 0 0", "a3"),
        "a1 a2 a4 a5 a6 a7 a8 a9 b3"
    );
}

#[test]
fn the_cannon_captures_the_first_piece_beyond_exactly_one_screen() {
    // The screen on c3, empty squares, the target on f3, and one more on h3.
    assert_eq!(
        targets("8/8/8/8/8/8/C1n2r1b/8/8 r - 0 0", "a3"),
        "a1 a2 a4 a5 a6 a7 a8 a9 b3 f3"
    );
}

#[test]
fn screen_and_target_of_a_cannon_may_be_any_piece_or_stone() {
    for (screen, target) in [('n', 'R'), ('N', 'r'), ('A', 'a'), ('p', 'P')] {
        let text = format!("8/8/8/8/8/8/C{screen}{target}5/8/8 r - 0 0");
        assert_eq!(targets(&text, "a3"), "a1 a2 a4 a5 a6 a7 a8 a9 c3", "{text}");
    }
    let stone_as_screen = "8/8/8/8/Con5/8/8/8/8 r - 0 0";
    assert!(legal(&position(stone_as_screen)).contains("a5c5"));
    let stone_as_target = "8/8/8/8/Cno5/8/8/8/8 r - 0 0";
    assert!(legal(&position(stone_as_target)).contains("a5c5"));
}

#[test]
fn the_cannon_never_captures_a_guardian() {
    let text = "3r4/8/3n4/8/8/3C4/8/8/8 r - 0 0";
    assert!(!legal(&position(text)).contains("d4d9"));
}

#[test]
fn the_advisor_moves_as_its_neighbours_of_either_colour() {
    let rook = "a3 b1 b2 b4 b5 b6 b7 b8 b9 c3 d3 e3 f3 g3 h3";
    assert_eq!(targets("8/8/8/8/8/R7/1A6/8/8 r - 0 0", "b3"), rook);
    assert_eq!(targets("8/8/8/8/8/r7/1A6/8/8 r - 0 0", "b3"), rook);
    assert_eq!(
        targets("8/8/8/8/8/8/1AN5/8/8 r - 0 0", "b3"),
        "a1 a5 c1 c5 d2 d4"
    );
    assert_eq!(
        targets("8/8/8/8/8/8/1A6/b7/8 r - 0 0", "b3"),
        "a2 a4 c2 c4 d1 d5 e6 f7 g8 h9"
    );
}

#[test]
fn the_advisor_captures_as_the_kind_it_copies() {
    // As a cannon: over the cannon it copies, but never that neighbour itself.
    assert_eq!(
        targets("8/8/8/8/8/8/AC1n4/8/8 r - 0 0", "a3"),
        "a1 a2 a4 a5 a6 a7 a8 a9 d3"
    );
}

#[test]
fn the_advisor_may_capture_the_very_piece_it_copies() {
    assert_eq!(
        after("8/8/8/8/8/8/AR6/8/8 r - 0 0", &["a3b3"]),
        "8/8/8/8/8/8/1A6/8/8 r P:R 0 0"
    );
}

#[test]
fn the_advisor_with_nobody_to_copy_cannot_move() {
    assert_eq!(targets("8/8/8/8/8/8/A1R5/8/8 r - 0 0", "a3"), "");
}

#[test]
fn advisors_soldiers_and_stones_are_not_copied() {
    assert_eq!(targets("8/8/8/8/1o6/A1p5/1Pa5/8/8 r - 0 0", "a4"), "");
    assert_eq!(targets("8/8/8/8/ooo5/aAp5/PP6/8/8 r - 0 0", "b4"), "");
}

#[test]
fn the_advisor_copies_guardians() {
    assert_eq!(
        targets("8/8/8/8/8/8/2A5/3N4/8 r - 0 0", "c3"),
        "a2 a4 b1 b5 d5 e4"
    );
    assert_eq!(
        targets("8/3b4/4A3/8/8/8/8/8/8 r - 0 0", "e7"),
        "a3 b4 c5 d6 f6 f8 g5 g9 h4"
    );
}

#[test]
fn the_soldier_jumps_in_all_eight_directions() {
    assert_eq!(
        targets("8/8/8/8/2RnR3/2NPb3/2CcB3/8/8 r - 0 0", "d4"),
        "b2 b4 b6 d2 d6 f2 f4 f6"
    );
}

#[test]
fn the_soldier_needs_a_neighbour_and_a_square_behind_it() {
    assert_eq!(targets("8/8/8/8/8/8/P1R5/8/8 r - 0 0", "a3"), "");
    assert_eq!(targets("8/8/8/8/8/8/6PR/8/8 r - 0 0", "g3"), "");
    assert_eq!(targets("8/8/8/8/8/8/8/1P6/R1R5 r - 0 0", "b2"), "");
}

#[test]
fn landing_on_an_empty_square_it_may_stop_or_jump_on() {
    assert_eq!(targets("8/8/8/8/8/8/PR1R1N2/8/8 r - 0 0", "a3"), "c3 e3 g3");
}

#[test]
fn landing_on_a_piece_or_stone_it_captures_and_stops() {
    assert_eq!(targets("8/8/8/8/8/8/PRaR4/8/8 r - 0 0", "a3"), "c3");
    assert_eq!(targets("8/8/8/8/8/8/PRNR4/8/8 r - 0 0", "a3"), "c3");
    assert_eq!(targets("8/8/8/8/PRoR4/8/8/8/8 r - 0 0", "a5"), "c5");
    assert_eq!(
        after("8/8/8/8/8/8/PRaR4/8/8 r - 0 0", &["a3c3"]),
        "8/8/8/8/8/8/1RPR4/8/8 r P:a 0 0"
    );
}

#[test]
fn the_soldier_cannot_land_on_a_guardian() {
    assert_eq!(targets("8/8/8/8/8/8/8/1PRN4/8 r - 0 0", "b2"), "");
    assert_eq!(targets("8/1PRn4/8/8/8/8/8/8/8 r - 0 0", "b8"), "");
}

#[test]
fn the_soldier_jumps_guardians() {
    assert_eq!(targets("8/8/8/8/8/8/4P3/3N4/8 r - 0 0", "e3"), "c1");
    assert_eq!(targets("8/4n3/3P4/8/8/8/8/8/8 r - 0 0", "d7"), "f9");
}

#[test]
fn the_soldier_never_jumps_stones_advisors_or_soldiers() {
    assert_eq!(targets("8/8/8/8/1o6/P7/Ap6/8/8 r - 0 0", "a4"), "");
    assert_eq!(targets("8/8/8/8/oo6/Pa6/p7/8/8 r - 0 0", "a4"), "");
}

#[test]
fn the_soldiers_origin_counts_as_empty_and_it_may_not_end_there() {
    // From a3 over b3 to c3 and back again.
    assert_eq!(targets("8/8/8/8/8/8/PR6/8/8 r - 0 0", "a3"), "c3");
    // Round by c5, e3 and c1: it does not capture itself.
    let ring = "8/8/8/8/8/1R1N4/P7/1C1B4/8 r - 0 0";
    assert_eq!(targets(ring, "a3"), "c1 c5 e3");
}

#[test]
fn a_soldier_move_is_from_and_to_whatever_the_path() {
    // Two ways from a3 to e3, by c5 and by c1; it is one move (`legal` refuses doubles).
    let ring = "8/8/8/8/8/1R1N4/P7/1C1B4/8 r - 0 0";
    assert!(legal(&position(ring)).contains("a3e3"));
}

#[test]
fn the_guides_soldier_that_captures_on_a2_stops_there() {
    // From e2 over d3 to c4, over b3 onto the advisor; the cannon on a3 could be jumped to a4.
    let text = "8/8/8/8/8/8/CN1R4/A3P3/8 r - 0 0";
    assert_eq!(targets(text, "e2"), "a2 c4");
    assert_eq!(after(text, &["e2a2"]), "8/8/8/8/8/8/CN1R4/P7/8 r P:A 0 0");
}

#[test]
fn the_guides_pieces_beside_an_advisor_a_soldier_and_stones_cannot_move() {
    for piece in ['P', 'A'] {
        let text = format!("8/8/8/8/oooooooo/6A{piece}/6p1/8/8 r - 0 0");
        assert_eq!(targets(&text, "h4"), "", "{piece}");
    }
}

#[test]
fn the_guides_advisor_has_the_union_of_its_neighbours_moves() {
    // An elephant on a3, a horse on b3, a cannon on b1.
    let text = "8/8/8/8/oooooooo/8/BN6/A7/1C6 r - 0 0";
    let as_elephant = ["b1", "b3"];
    let as_horse = ["b4", "c1", "c3"];
    let as_cannon = ["a1", "a5", "b2", "c2", "d2", "e2", "f2", "g2", "h2"];
    let mut union = [&as_elephant[..], &as_horse, &as_cannon].concat();
    union.sort_unstable();
    assert_eq!(targets(text, "a2"), union.join(" "));
}

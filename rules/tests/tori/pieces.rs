//! How the nine kinds move.

use garuda_rules::Position;
use garuda_rules::tori::ToriPosition;

use super::{legal, position, targets};

/// A piece on d4 of an open board, with the phoenixes out of its way.
fn from_d4(letter: &str) -> String {
    targets(&format!("1k5/7/7/3{letter}3/7/7/5K1[] w - - 0 1"), "d4")
}

/// The same for Black, whose piece on d4 stands in the middle, too: the board turned round.
fn from_d4_for_black(letter: &str) -> String {
    targets(&format!("1k5/7/7/3{letter}3/7/7/5K1[] b - - 0 1"), "d4")
}

#[test]
fn phoenix_steps_in_all_directions() {
    let text = "1k5/7/7/3K3/7/7/7[] w - - 0 1";
    assert_eq!(targets(text, "d4"), "c3 c4 c5 d3 d5 e3 e4 e5");
}

#[test]
fn swallow_steps_forward_and_captures_there() {
    assert_eq!(from_d4("S"), "d5");
    assert_eq!(from_d4_for_black("s"), "d3");
    let blocked = "1k5/7/2sss2/2sS3/7/7/5K1[] w - - 0 1";
    assert_eq!(targets(blocked, "d4"), "d5");
}

#[test]
fn falcon_steps_everywhere_but_straight_back() {
    assert_eq!(from_d4("F"), "c3 c4 c5 d5 e3 e4 e5");
    assert_eq!(from_d4_for_black("f"), "c3 c4 c5 d3 e3 e4 e5");
}

#[test]
fn crane_steps_diagonally_forward_and_back() {
    assert_eq!(from_d4("C"), "c3 c5 d3 d5 e3 e5");
    assert_eq!(from_d4_for_black("c"), "c3 c5 d3 d5 e3 e5");
}

#[test]
fn pheasant_jumps_two_ahead_and_steps_diagonally_back() {
    assert_eq!(from_d4("P"), "c3 d6 e3");
    assert_eq!(from_d4_for_black("p"), "c5 d2 e5");
    let over = "1k5/3s3/3S3/3P3/7/7/5K1[] w - - 0 1";
    assert_eq!(targets(over, "d4"), "c3 d6 e3");
}

#[test]
fn left_quail_slides_forward_and_back_right_and_steps_back_left() {
    assert_eq!(from_d4("L"), "c3 d5 d6 d7 e3 f2 g1");
    assert_eq!(from_d4_for_black("l"), "a7 b6 c5 d1 d2 d3 e5");
}

#[test]
fn right_quail_slides_forward_and_back_left_and_steps_back_right() {
    assert_eq!(from_d4("R"), "a1 b2 c3 d5 d6 d7 e3");
    assert_eq!(from_d4_for_black("r"), "c5 d1 d2 d3 e5 f6 g7");
}

#[test]
fn quails_slide_up_to_the_first_piece() {
    let text = "1k5/3s3/7/3L3/7/5S1/5K1[] w - - 0 1";
    assert_eq!(targets(text, "d4"), "c3 d5 d6 e3");
}

#[test]
fn goose_jumps_exactly_two_diagonally_forward_or_straight_back() {
    assert_eq!(from_d4("+S"), "b6 d2 f6");
    assert_eq!(from_d4_for_black("+s"), "b2 d6 f2");
    let over = "1k5/7/2s1s2/3+S3/3s3/7/5K1[] w - - 0 1";
    assert_eq!(targets(over, "d4"), "b6 d2 f6");
}

#[test]
fn eagle_steps_everywhere_slides_in_three_directions_and_goes_two_diagonally_back() {
    assert_eq!(
        from_d4("+F"),
        "a7 b2 b6 c3 c4 c5 d1 d2 d3 d5 e3 e4 e5 f2 f6 g7"
    );
    assert_eq!(
        from_d4_for_black("+f"),
        "a1 b2 b6 c3 c4 c5 d3 d5 d6 d7 e3 e4 e5 f2 f6 g1"
    );
}

#[test]
fn eagle_is_blocked_also_on_its_two_squares_diagonally_back() {
    let text = "1k5/7/2s1S2/3+F3/2s1S2/7/5K1[] w - - 0 1";
    assert_eq!(targets(text, "d4"), "c3 c4 c5 d1 d2 d3 d5 e4");
}

#[test]
fn left_quails_start_in_their_owners_left_corners() {
    let start = ToriPosition::start().to_string();
    assert!(start.starts_with("rpckcpl/"));
    assert!(start.contains("/LPCKCPR["));
}

#[test]
fn a_side_may_not_leave_its_phoenix_attacked() {
    // The falcon covers all squares round it but d3, and the swallow covers the falcon.
    let alone = "3k3/7/7/7/7/3f3/3K3[] w - - 0 1";
    assert_eq!(targets(alone, "d1"), "d2");
    let covered = "3k3/7/7/7/3s3/3f3/3K3[] w - - 0 1";
    assert_eq!(targets(covered, "d1"), "");
}

#[test]
fn a_pinned_piece_stays_on_its_line() {
    let crane = "3k3/7/3l3/7/3C3/7/3K3[] w - - 0 1";
    assert_eq!(targets(crane, "d3"), "d2 d4");
}

#[test]
fn a_pinned_pheasant_may_not_jump_over_its_pinner() {
    let text = "2k4/7/7/7/3l3/3P3/3K3[] w - - 0 1";
    assert_eq!(targets(text, "d2"), "");
}

#[test]
fn a_pinned_goose_may_not_jump_over_its_phoenix() {
    let text = "2k4/3l3/7/3+S3/3K3/7/7[] w - - 0 1";
    assert_eq!(targets(text, "d4"), "");
}

#[test]
fn an_eagle_pins_two_squares_diagonally_behind_it_and_no_further() {
    let near = "2k4/7/5K1/4S2/3+f3/7/7[] w - - 0 1";
    assert_eq!(targets(near, "e4"), "");
    let far = "2k4/6K/7/4S2/3+f3/7/7[] w - - 0 1";
    assert_eq!(targets(far, "e4"), "e5");
}

#[test]
fn a_check_is_answered_by_capture_block_or_step() {
    let text = "k2l3/2C4/7/7/1C3S1/2S1S2/3K3[P] w - - 0 1";
    assert_eq!(targets(text, "c6"), "d5 d7");
    assert_eq!(targets(text, "P@"), "d2 d3 d4 d5 d6");
    assert_eq!(targets(text, "b3"), "");
    assert_eq!(targets(text, "d1"), "c1 e1");
}

#[test]
fn two_checkers_leave_only_the_phoenix() {
    let text = "k2l3/2C4/7/7/7/2f4/3K3[P] w - - 0 1";
    let moves: Vec<_> = legal(&position(text)).into_iter().collect();
    assert_eq!(moves, ["d1c2", "d1e1", "d1e2"]);
}

#[test]
fn the_square_behind_the_phoenix_on_a_line_is_attacked() {
    let text = "k6/3l3/7/7/3K3/7/7[] w - - 0 1";
    assert_eq!(targets(text, "d3"), "c2 c3 c4 e2 e3 e4");
}

#[test]
fn left_and_right_quails_are_mirror_images() {
    let left = position("1k5/7/7/3L3/7/7/5K1[l] w - - 0 1");
    let mirror = left.mirrored().unwrap();
    assert_eq!(mirror.to_string(), "5k1/7/7/3R3/7/7/1K5[r] w - - 0 1");
    let slide = left.parse_uci("d4g1").unwrap();
    assert_eq!(mirror.uci(left.mirror_move(slide)), "d4a1");
    let holding = position("1k5/7/7/7/7/7/5K1[L] w - - 0 1");
    let drop = holding.parse_uci("L@a4").unwrap();
    let mirror = holding.mirrored().unwrap();
    assert_eq!(mirror.uci(holding.mirror_move(drop)), "R@g4");
}

#[test]
fn turning_the_board_keeps_left_and_right() {
    let left = position("1k5/7/7/3L3/7/7/5K1[L] w - - 0 1");
    let turned = left.rotated();
    assert_eq!(turned.to_string(), "1k5/7/7/3l3/7/7/5K1[l] b - - 0 1");
    let drop = left.parse_uci("L@a4").unwrap();
    assert_eq!(turned.uci(ToriPosition::rotate_move(drop)), "L@g4");
}

//! Forced promotion on the last two ranks.

use super::{after, targets};

#[test]
fn a_swallow_that_enters_the_zone_must_promote() {
    let text = "k6/7/4S2/7/7/7/6K[] w - - 0 1";
    assert_eq!(targets(text, "e5"), "e6+");
    assert_eq!(after(text, &["e5e6+"]), "k6/4+S2/7/7/7/7/6K[] b - - 0 1");
    let black = "k6/7/7/7/4s2/7/6K[] b - - 0 1";
    assert_eq!(targets(black, "e3"), "e2+");
}

#[test]
fn the_zone_is_two_ranks_deep() {
    assert_eq!(targets("k6/7/7/4S2/7/7/6K[] w - - 0 1", "e4"), "e5");
    assert_eq!(targets("k6/7/7/4s2/7/7/6K[] b - - 0 1", "e4"), "e3");
    assert_eq!(targets("k6/4S2/7/7/7/7/6K[] w - - 0 1", "e6"), "e7+");
}

#[test]
fn a_falcon_promotes_when_its_move_ends_or_starts_in_the_zone() {
    let below = "k6/7/4F2/7/7/7/6K[] w - - 0 1";
    assert_eq!(targets(below, "e5"), "d4 d5 d6+ e6+ f4 f5 f6+");
    let inside = "k6/4F2/7/7/7/7/6K[] w - - 0 1";
    assert_eq!(targets(inside, "e6"), "d5+ d6+ d7+ e7+ f5+ f6+ f7+");
    assert_eq!(after(inside, &["e6d5+"]), "k6/7/3+F3/7/7/7/6K[] b - - 0 1");
}

#[test]
fn a_falcon_dropped_into_the_zone_must_promote_with_its_next_move() {
    let text = "k6/7/7/7/7/7/6K[F] w - - 0 1";
    let dropped = after(text, &["F@e6", "a7b7"]);
    assert_eq!(dropped, "1k5/4F2/7/7/7/7/6K[] w - - 1 2");
    assert_eq!(targets(&dropped, "e6"), "d5+ d6+ d7+ e7+ f5+ f6+ f7+");
}

#[test]
fn nothing_else_promotes() {
    let text = "k6/7/C1P1L1R/7/7/4K2/7[] w - - 0 1";
    assert_eq!(targets(text, "a5"), "a4 a6 b4 b6");
    assert_eq!(targets(text, "c5"), "b4 c7 d4");
    assert_eq!(targets(text, "e5"), "d4 e6 e7 f4 g3");
    let promoted = "1k5/7/2+S4/7/7/4K2/7[] w - - 0 1";
    assert_eq!(targets(promoted, "c5"), "a7 c3 e7");
    let phoenix = "k6/7/4K2/7/7/7/7[] w - - 0 1";
    assert_eq!(targets(phoenix, "e5"), "d4 d5 d6 e4 e6 f4 f5 f6");
}

#[test]
fn captured_pieces_go_to_the_captors_hand_unpromoted() {
    let goose = "k6/7/4+s2/4S2/7/7/6K[] w - - 7 1";
    assert_eq!(after(goose, &["e4e5"]), "k6/7/4S2/7/7/7/6K[S] b - - 0 1");
    let eagle = "k6/7/7/3s3/3+F3/7/6K[] b - - 0 1";
    assert_eq!(after(eagle, &["d4d3"]), "k6/7/7/7/3s3/7/6K[f] w - - 0 2");
    let capture_and_promotion = "k6/4l2/4S2/7/7/7/6K[S] w - - 0 1";
    assert_eq!(
        after(capture_and_promotion, &["e5e6+"]),
        "k6/4+S2/7/7/7/7/6K[LS] b - - 0 1"
    );
}

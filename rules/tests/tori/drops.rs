//! Putting pieces from the hand on the board.

use super::{after, targets};

const EVERY_SQUARE: &str = "a1 a2 a3 a4 a5 a6 a7 b1 b2 b3 b4 b5 b6 b7 c1 c2 c3 c4 c5 c6 c7 d1 d2 \
    d3 d4 d5 d6 d7 e1 e2 e3 e4 e5 e6 e7 f1 f2 f3 f4 f5 f6 f7 g1 g2 g3 g4 g5 g6 g7";

/// All squares but those in `except` and those of `rank`.
fn squares_without(except: &str, rank: Option<char>) -> String {
    let squares: Vec<_> = EVERY_SQUARE
        .split(' ')
        .filter(|name| !except.split(' ').any(|other| other == *name))
        .filter(|name| rank.is_none_or(|rank| !name.ends_with(rank)))
        .collect();
    squares.join(" ")
}

#[test]
fn pieces_are_dropped_on_any_empty_square() {
    let text = "k6/7/7/3s3/7/7/6K[FCPLR] w - - 0 1";
    for letter in ["F@", "C@", "P@", "L@", "R@"] {
        let expected = squares_without("a7 d4 g1", None);
        assert_eq!(targets(text, letter), expected, "{letter}");
    }
    assert_eq!(targets(text, "S@"), "");
}

#[test]
fn pieces_are_dropped_unpromoted_also_in_the_zone() {
    let text = "k6/7/7/7/7/7/6K[FS] w - - 3 1";
    assert_eq!(after(text, &["F@e7"]), "k3F2/7/7/7/7/7/6K[S] b - - 0 1");
    assert_eq!(after(text, &["S@e6"]), "k6/4S2/7/7/7/7/6K[F] b - - 0 1");
}

#[test]
fn no_swallow_is_dropped_on_the_last_rank() {
    let white = "k6/7/7/7/7/7/6K[S] w - - 0 1";
    assert_eq!(targets(white, "S@"), squares_without("g1", Some('7')));
    let black = "k6/7/7/7/7/7/6K[s] b - - 0 1";
    assert_eq!(targets(black, "S@"), squares_without("a7", Some('1')));
}

#[test]
fn a_file_takes_two_swallows_of_a_side_and_no_third() {
    let one = "k6/7/7/7/7/3S3/6K[S] w - - 0 1";
    assert_eq!(targets(one, "S@"), squares_without("g1 d2", Some('7')));
    let two = "k6/7/3S3/7/7/3S3/6K[S] w - - 0 1";
    let closed = "g1 d1 d2 d3 d4 d5 d6";
    assert_eq!(targets(two, "S@"), squares_without(closed, Some('7')));
    let edges = "k6/7/S5S/S5S/7/7/3K3[S] w - - 0 1";
    let closed = "d1 a1 a2 a3 a4 a5 a6 g1 g2 g3 g4 g5 g6";
    assert_eq!(targets(edges, "S@"), squares_without(closed, Some('7')));
}

#[test]
fn geese_and_the_others_swallows_do_not_count() {
    let geese = "k6/7/3S3/3+S3/3+S3/7/6K[S] w - - 0 1";
    let taken = "g1 d3 d4 d5";
    assert_eq!(targets(geese, "S@"), squares_without(taken, Some('7')));
    let others = "k6/7/3S3/3s3/3s3/7/6K[S] w - - 0 1";
    assert_eq!(targets(others, "S@"), squares_without(taken, Some('7')));
}

#[test]
fn the_two_swallows_may_stand_anywhere_on_the_file_and_other_pieces_are_free() {
    let text = "k6/3S3/3S3/7/7/7/6K[SC] w - - 0 1";
    let closed = "g1 d1 d2 d3 d4 d5 d6";
    assert_eq!(targets(text, "S@"), squares_without(closed, Some('7')));
    assert_eq!(targets(text, "C@"), squares_without("a7 g1 d5 d6", None));
}

#[test]
fn a_dropped_piece_leaves_the_hand_and_is_its_droppers() {
    let text = "k6/7/7/7/7/7/6K[Css] b - - 0 1";
    assert_eq!(
        after(text, &["S@b3", "C@c3"]),
        "k6/7/7/7/1sC4/7/6K[s] b - - 0 2"
    );
}

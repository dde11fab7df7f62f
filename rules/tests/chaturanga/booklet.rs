//! What Sittuyin's page of rules says of the booklet's set, sentence by sentence.

use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::{Color, Game, Outcome, Position, Termination};

use crate::sittuyin::{distinct_set_ups, promoting_squares};
use crate::{after, legal, legal_from, outcome, position, text_after};

type Booklet = SittuyinPosition<true>;

const START: &str = "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[KFRRSSNNkfrrssnn] w - - 0 1";

const RED: &str = "K@e2 F@f2 R@a1 R@h1 S@e3 S@f3 N@g3 N@b2";
const BLACK: &str = "K@d7 F@c7 R@a8 R@h8 S@d6 S@c6 N@b6 N@g7";

/// The legal moves that begin with `from`, without it.
fn moves(text: &str, from: &str) -> String {
    legal_from::<Booklet>(text, from)
}

// "Red places all eight of its pieces first, then Black all eight; then Red moves. (The side to
// move stays the same for eight plies.)"

#[test]
fn red_places_all_its_pieces_first() {
    let mut game = after::<Booklet>(START, "");
    for mv in RED.split(' ') {
        assert_eq!(game.turn(), Color::White);
        game.play_uci(mv).unwrap_or_else(|error| panic!("{error}"));
    }
    assert_eq!(game.turn(), Color::Black);
    assert_eq!(
        game.position().to_string(),
        "8/8/4pppp/pppp4/4PPPP/PPPPSSN1/1N2KF2/R6R[kssfrrnn] b - - 0 1"
    );
}

#[test]
fn then_black_places_all_its_pieces() {
    let mut game = after::<Booklet>(START, RED);
    for mv in BLACK.split(' ') {
        assert_eq!(game.turn(), Color::Black);
        game.play_uci(mv).unwrap_or_else(|error| panic!("{error}"));
    }
    assert_eq!(game.turn(), Color::White);
    assert_eq!((game.plies(), game.turns()), (16, 2));
}

#[test]
fn then_red_moves() {
    let game = after::<Booklet>(START, &format!("{RED} {BLACK}"));
    let text = game.position().to_string();
    assert_eq!(
        text,
        "r6r/2fk2n1/1nsspppp/pppp4/4PPPP/PPPPSSN1/1N2KF2/R6R[] w - - 0 9"
    );
    assert!(legal(game.position()).iter().all(|mv| !mv.contains('@')));
    let game = after::<Booklet>(&text, "e2d2");
    assert_eq!(game.turn(), Color::Black);
}

// "Rooks on the back rank only, and nothing else there: K, F, S, N go behind the pawns on ranks 2
// and 3 (White: all of rank 2, and e3–h3; Black: all of rank 7, and a6–d6)."

#[test]
fn rooks_go_on_the_back_rank_only() {
    assert_eq!(moves(START, "R@"), "a1 b1 c1 d1 e1 f1 g1 h1");
    let black = text_after::<Booklet>(START, RED);
    // On e8 too: there is a piece between it and the king.
    assert_eq!(moves(&black, "R@"), "a8 b8 c8 d8 e8 f8 g8 h8");
}

#[test]
fn others_go_behind_the_pawns() {
    for piece in ["K@", "F@", "S@", "N@"] {
        assert_eq!(moves(START, piece), "a2 b2 c2 d2 e2 e3 f2 f3 g2 g3 h2 h3");
    }
    let black = text_after::<Booklet>(START, RED);
    for piece in ["K@", "F@", "S@", "N@"] {
        assert_eq!(moves(&black, piece), "a6 a7 b6 b7 c6 c7 d6 d7 e7 f7 g7 h7");
    }
}

// "Black may not place a rook on the file of the red king unless at least one piece other than a
// pawn, of either side, stands between them at that moment."

/// Red's king on e2 with only pawns before it.
const RED_OPEN: &str = "K@e2 F@f2 R@a1 R@h1 S@f3 S@h3 N@g3 N@b2";

#[test]
fn black_may_not_place_a_rook_on_the_file_of_the_red_king() {
    let black = text_after::<Booklet>(START, RED_OPEN);
    assert_eq!(moves(&black, "R@"), "a8 b8 c8 d8 f8 g8 h8");
}

#[test]
fn unless_a_red_piece_stands_between_them() {
    let red = RED_OPEN.replace("S@f3", "S@e3");
    let black = text_after::<Booklet>(START, &red);
    assert_eq!(moves(&black, "R@"), "a8 b8 c8 d8 e8 f8 g8 h8");
}

#[test]
fn unless_a_black_piece_stands_between_them_at_that_moment() {
    let black = text_after::<Booklet>(START, &format!("{RED_OPEN} N@e7"));
    assert_eq!(moves(&black, "R@"), "a8 b8 c8 d8 e8 f8 g8 h8");
    // A piece behind the king is not between.
    let red = "R@e1 K@e2 F@f2 R@h1 S@f3 S@h3 N@g3 N@b2";
    let black = text_after::<Booklet>(START, red);
    assert_eq!(moves(&black, "R@"), "a8 b8 c8 d8 f8 g8 h8");
}

// "Promotion in place only (`e5e5f`), on a turn after the pawn reached the square, and only while
// the side has no F."

#[test]
fn promotion_is_in_place_only() {
    let text = "4k3/8/8/4P3/4P3/8/8/4K3[] w - - 0 1";
    assert_eq!(moves(text, "e5"), "e5f e6");
    let text = text_after::<Booklet>(text, "e5e5f");
    assert_eq!(text, "4k3/8/8/4F3/4P3/8/8/4K3[] b - - 0 1");
}

#[test]
fn promotion_is_on_a_turn_after_the_pawn_reached_the_square() {
    let text = "4k3/8/8/8/4P3/P7/8/4K3[] w - - 0 1";
    assert_eq!(moves(text, "e4"), "e5");
    let text = text_after::<Booklet>(text, "e4e5 e8e7");
    assert_eq!(moves(&text, "e5"), "e5f e6");
}

#[test]
fn promotion_needs_a_side_without_general() {
    let text = "4k3/8/8/4P3/4P3/8/8/4KF2[] w - - 0 1";
    assert_eq!(moves(text, "e5"), "e6");
    let text = "4k2f/8/8/4P3/4P3/8/8/4K3[] w - - 0 1";
    assert_eq!(moves(text, "e5"), "e5f e6");
}

// "No other restriction but the safety of the own king; a check by the new general is allowed."

#[test]
fn new_general_may_give_check() {
    let text = "8/8/8/4P3/3k4/8/P7/6K1[] w - - 0 1";
    assert_eq!(moves(text, "e5"), "e5f e6");
    assert!(after::<Booklet>(text, "e5e5f").position().is_check());
}

#[test]
fn new_general_may_attack() {
    let text = "k7/8/8/4P3/3r4/8/P7/K7[] w - - 0 1";
    assert_eq!(moves(text, "e5"), "e5f e6");
}

#[test]
fn promotion_may_not_leave_the_king_in_check() {
    let checked = "k7/8/8/4P3/K6r/8/P7/8[] w - - 0 1";
    assert_eq!(moves(checked, "e5"), "");
    let pinned = "k7/8/8/3KP2r/8/8/P7/8[] w - - 0 1";
    assert_eq!(moves(pinned, "e5"), "e5f");
}

// "Only the promotion squares; the last pawn gets no exception."

#[test]
fn only_the_promotion_squares() {
    assert_eq!(promoting_squares::<Booklet>(), "d5 e5 c6 f6 b7 g7 a8 h8");
}

#[test]
fn the_last_pawn_gets_no_exception() {
    let text = "4k3/8/8/8/4P3/8/8/4K3[] w - - 0 1";
    assert_eq!(moves(text, "e4"), "e5");
}

// "Stalemate may not be given: a move that leaves the opponent without a legal move and not in
// check is illegal."

#[test]
fn stalemate_may_not_be_given() {
    let text = "k7/8/1K1S4/8/8/8/8/8[] w - - 0 1";
    assert_eq!(moves(text, "d6"), "c5 d7 e5 e7");
    assert_eq!(moves(text, "b6"), "a5 a6 b5 c5 c6 c7");
    // The same move is legal if the enemy can still move something.
    let text = "k7/8/1K1S4/8/7p/8/8/8[] w - - 0 1";
    assert_eq!(moves(text, "d6"), "c5 c7 d7 e5 e7");
}

#[test]
fn checkmate_may_be_given() {
    let text = "k7/8/1K6/8/8/8/8/7R[] w - - 0 1";
    let end = Outcome::win(Color::White, Termination::Checkmate);
    assert_eq!(outcome::<Booklet>(text, "h1h8"), Some(end));
}

// "(A side with no legal move left for that reason alone: a draw.)"

/// White's king is shut in whatever Black does.
const SHUT_IN: &str = "8/8/8/8/8/4p3/2f1p3/1k1sK3[] b - - 0 1";

#[test]
fn a_side_that_could_only_stalemate_draws() {
    assert_eq!(moves(SHUT_IN, ""), "");
    let end = Outcome::draw(Termination::Stalemate);
    assert_eq!(outcome::<Booklet>(SHUT_IN, ""), Some(end));
    // In check too: both ways to take the rook would leave White's king without a move.
    let text = "1r4pk/7R/8/8/8/2n5/8/K7[] b - - 0 1";
    assert!(position::<Booklet>(text).is_check());
    assert_eq!(moves(text, ""), "");
    assert_eq!(outcome::<Booklet>(text, ""), Some(end));
}

#[test]
fn stalemate_is_judged_by_ordinary_moves() {
    // White shuts itself in. Black's moves would all give stalemate, but they are moves, so
    // White's is legal; then the game is drawn.
    let text = "8/8/8/8/8/4p3/2f1pK2/1k1s4[] w - - 0 1";
    let end = Outcome::draw(Termination::Stalemate);
    assert_eq!(outcome::<Booklet>(text, "f2e1"), Some(end));
}

// "No counting and no promotion-only draw; repetition, the 100-ply rule and material as in
// `sittuyin`, so that games end."

#[test]
fn there_is_no_counting() {
    let text = "8/8/8/3k4/8/8/8/R3K3[] w - - 0 1";
    let text = text_after::<Booklet>(text, "e1f1 d5d6");
    assert_eq!(text, "8/8/3k4/8/8/8/8/R4K2[] w - - 2 2");
}

#[test]
fn there_is_no_promotion_only_draw() {
    let text = "1k4KP/r7/8/8/8/8/8/5r2[] w - - 0 1";
    assert_eq!(moves(text, ""), "h8h8f");
    assert_eq!(outcome::<Booklet>(text, ""), None);
}

#[test]
fn third_occurrence_is_a_draw() {
    let text = "4k3/2r5/8/3p4/4P3/3p4/2R5/4K3[] w - - 0 1";
    let moves = "c2d2 c7d7 d2c2 d7c7 c2d2 c7d7 d2c2 d7c7";
    let end = Outcome::draw(Termination::Repetition);
    assert_eq!(outcome::<Booklet>(text, moves), Some(end));
}

#[test]
fn a_hundred_quiet_plies_are_a_draw() {
    let text = "4k3/2r5/8/3p4/4P3/3p4/2R5/4K3[] w - - 98 60";
    assert_eq!(outcome::<Booklet>(text, "c2d2"), None);
    let end = Outcome::draw(Termination::MoveRule);
    assert_eq!(outcome::<Booklet>(text, "c2d2 c7c8"), Some(end));
}

#[test]
fn material_draw() {
    let end = Outcome::draw(Termination::Material);
    let text = "8/8/8/3k4/8/8/8/N2K4[] w - - 0 1";
    assert_eq!(outcome::<Booklet>(text, ""), Some(end));
    let text = "8/8/8/3k4/8/8/8/S2K4[] w - - 0 1";
    assert_eq!(outcome::<Booklet>(text, ""), None);
}

// "Distinct completed set-ups of one side: … 4,656,960 in the booklet (without the rook-and-king
// rule)."

#[test]
fn distinct_set_ups_of_a_side() {
    assert_eq!(distinct_set_ups::<Booklet>(), 4_656_960);
}

// "Last resort for both: 600 plies, a draw."

#[test]
fn drawn_after_600_plies() {
    let position = Booklet::start();
    assert_eq!(position.length_limit(599, 0), None);
    assert_eq!(
        position.length_limit(600, 0),
        Some(Outcome::draw(Termination::LengthLimit))
    );
}

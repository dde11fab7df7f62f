//! Sittuyin's page of rules, the set played online, sentence by sentence.

use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::{Color, Move, MoveList, Outcome, Position, Termination, perft};

use crate::{legal, legal_from, outcome, position, text_after};

type Sittuyin = SittuyinPosition<false>;

/// The counting limit and count (or `-` and the half-move clock) after some moves.
fn counting(text: &str, moves: &str) -> String {
    let text = text_after::<Sittuyin>(text, moves);
    let fields: Vec<_> = text.split(' ').collect();
    format!("{} {}", fields[3], fields[4])
}

const START: &str = "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[KFRRSSNNkfrrssnn] w - - 0 1";

/// A whole set-up, White's pieces and Black's in turn.
const SET_UP: &str = "R@b1 S@g8 S@a2 N@a7 F@g1 K@c6 N@e3 F@b7 N@f3 S@c8 K@h3 N@e7 S@h1 R@b8 \
                      R@e1 R@f8";

#[test]
fn the_sides_place_their_pieces_in_turn() {
    let text = text_after::<Sittuyin>(START, "R@b1");
    assert_eq!(
        text,
        "8/8/4pppp/pppp4/4PPPP/PPPP4/8/1R6[KSSFRNNkssfrrnn] b - - 0 1"
    );
    let text = text_after::<Sittuyin>(START, SET_UP);
    assert_eq!(
        text,
        "1rs2rs1/nf2n3/2k1pppp/pppp4/4PPPP/PPPPNN1K/S7/1R2R1FS[] w - - 0 9"
    );
    assert!(
        legal(&position::<Sittuyin>(&text))
            .iter()
            .all(|mv| !mv.contains('@'))
    );
}

#[test]
fn a_side_with_pieces_in_hand_must_place_one() {
    let start = position::<Sittuyin>(START);
    assert!(legal(&start).iter().all(|mv| mv.contains('@')));
}

#[test]
fn rooks_go_on_the_back_rank_and_others_on_three_ranks() {
    assert_eq!(
        legal_from::<Sittuyin>(START, "R@"),
        "a1 b1 c1 d1 e1 f1 g1 h1"
    );
    let three_ranks = "a1 a2 b1 b2 c1 c2 d1 d2 e1 e2 e3 f1 f2 f3 g1 g2 g3 h1 h2 h3";
    for piece in ["K@", "F@", "S@", "N@"] {
        assert_eq!(legal_from::<Sittuyin>(START, piece), three_ranks);
    }
    let black = text_after::<Sittuyin>(START, "R@a1");
    assert_eq!(
        legal_from::<Sittuyin>(&black, "R@"),
        "a8 b8 c8 d8 e8 f8 g8 h8"
    );
    let three_ranks = "a6 a7 a8 b6 b7 b8 c6 c7 c8 d6 d7 d8 e7 e8 f7 f8 g7 g8 h7 h8";
    assert_eq!(legal_from::<Sittuyin>(&black, "K@"), three_ranks);
}

/// The set-ups of the two sides do not interact: what White can do does not depend on what
/// Black answers.
#[test]
fn perft_of_the_set_up_is_a_square() {
    let start = Sittuyin::start();
    for (moves, count) in [(1, 88_u64), (2, 6592), (3, 414_288)] {
        assert_eq!(placings(&start, moves), count);
        if moves < 3 {
            assert_eq!(perft(&start, 2 * moves), count * count);
        }
    }
}

/// The number of sequences of `moves` placings by White.
fn placings(position: &Sittuyin, moves: u32) -> u64 {
    if moves == 0 {
        return 1;
    }
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    list.iter()
        .map(|&mv| {
            let mut next = *position;
            next.play(mv);
            let mut answers = MoveList::new();
            next.legal_moves(&mut answers);
            next.play(answers[0]);
            placings(&next, moves - 1)
        })
        .sum()
}

#[test]
fn distinct_set_ups_of_a_side() {
    assert_eq!(distinct_set_ups::<Sittuyin>(), 93_562_560);
}

/// The number of ways White's pieces can stand after the set-up. Rooks first and the others after
/// them, each placing leaves the next one as many squares wherever it went; so it is the product,
/// halved for each pair. Black, where it is its turn, copies White.
pub(crate) fn distinct_set_ups<P: Position>() -> usize {
    let order = ["R@", "R@", "K@", "F@", "S@", "S@", "N@", "N@"];
    let mut product = 1;
    let mut position = P::start();
    for (i, letters) in order.into_iter().enumerate() {
        let nexts: Vec<P> = placings_of(&position, letters)
            .into_iter()
            .map(|mv| {
                let mut next = position;
                next.play(mv);
                if next.turn() == Color::Black {
                    next.play(P::rotate_move(mv));
                }
                next
            })
            .collect();
        product *= nexts.len();
        if let Some(following) = order.get(i + 1) {
            let squares = |position: &P| placings_of(position, following).len();
            assert!(nexts.iter().all(|next| squares(next) == squares(&nexts[0])));
        }
        position = nexts[0];
    }
    product / 8
}

/// The legal moves that begin with some letters.
fn placings_of<P: Position>(position: &P, letters: &str) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves
        .into_iter()
        .filter(|&mv| position.uci(mv).starts_with(letters))
        .collect()
}

#[test]
fn pawns_never_promote_by_moving() {
    let text = "8/8/8/5r2/4P3/P7/8/K1k5[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(text, "e4"), "e5 f5");
    let last = "8/3P4/8/4k3/8/P7/8/K7[] w - - 0 1";
    let text = text_after::<Sittuyin>(last, "d7d8");
    assert_eq!(text, "3P4/8/8/4k3/8/P7/8/K7[] b - - 0 1");
}

#[test]
fn a_pawn_on_the_last_rank_has_no_forward_move() {
    let text = "3Pk3/8/8/8/8/8/P7/4K3[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(text, "d8"), "");
    let text = "P3k3/8/8/8/8/8/P7/4K3[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(text, "a8"), "a8f b7f");
}

#[test]
fn promotion_is_a_move_of_its_own_in_place_or_aside() {
    let text = "4k3/8/8/4P3/4P3/8/8/4K3[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(text, "e5"), "d4f d6f e5f e6 f4f f6f");
    let text = text_after::<Sittuyin>(text, "e5e5f");
    assert_eq!(text, "4k3/8/8/4F3/4P3/8/8/4K3[] b - - 0 1");
}

#[test]
fn promotion_squares_are_the_far_halves_of_the_diagonals() {
    assert_eq!(promoting_squares::<Sittuyin>(), "d5 e5 c6 f6 b7 g7 a8 h8");
}

/// The squares where a white pawn, not the only one, can be promoted.
pub(crate) fn promoting_squares<P: Position>() -> String {
    let promotes = |square: &String| {
        // The kings and the other pawn stand out of the way.
        let rows = if square.ends_with(['1', '2', '3', '4']) {
            ["k6K", "8", "8", "P7"]
        } else {
            ["7P", "8", "8", "k6K"]
        };
        let file = square.as_bytes()[0] - b'a';
        let row = format!("{file}P{}", 7 - file).replace('0', "");
        let rank = usize::from(square.as_bytes()[1] - b'1');
        let mut board = ["8"; 8];
        board[if rank < 4 { 0..4 } else { 4..8 }].copy_from_slice(&rows);
        board[7 - rank] = &row;
        let text = format!("{}[] w - - 0 1", board.join("/"));
        let moves = legal_from::<P>(&text, square);
        moves.split(' ').any(|to| to.ends_with('f'))
    };
    let names = P::BOARD.all().map(|square| P::BOARD.name(square));
    names.filter(promotes).collect::<Vec<_>>().join(" ")
}

#[test]
fn promotion_only_without_a_general() {
    let text = "4k3/8/8/4P3/4P3/8/8/4KF2[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(text, "e5"), "e6");
}

#[test]
fn the_only_pawn_may_promote_anywhere() {
    let text = "4k3/8/8/8/4P3/8/8/4K3[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(text, "e4"), "d3f d5f e4f e5 f3f f5f");
}

#[test]
fn promotion_never_captures() {
    let text = "4k3/8/5p2/4P3/8/8/P7/4K3[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(text, "e5"), "d4f d6f e6 f4f f6");
}

#[test]
fn new_general_may_attack_nothing() {
    let king = "8/4k3/8/4P3/4P3/8/8/4K3[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(king, "e5"), "d4f e5f e6 f4f");
    let rook = "k7/8/8/4P3/3r4/8/P7/K7[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(rook, "e5"), "d6f e6 f4f f6f");
}

#[test]
fn promotion_may_not_discover_check() {
    let text = "4k3/8/8/4P3/8/8/P7/K3R3[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(text, "e5"), "e5f e6");
}

#[test]
fn promotion_may_not_leave_the_king_in_check() {
    let pinned = "k7/8/8/3KP2r/8/8/P7/8[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(pinned, "e5"), "e5f");
    let checked = "k7/8/8/4P3/K6r/8/P7/8[] w - - 0 1";
    assert_eq!(legal_from::<Sittuyin>(checked, "e5"), "d4f f4f");
}

#[test]
fn checkmate_wins_and_stalemate_is_a_draw() {
    let text = "k7/8/1K6/8/3p4/8/8/7R[] w - - 0 1";
    let end = Outcome::win(Color::White, Termination::Checkmate);
    assert_eq!(outcome::<Sittuyin>(text, "h1h8"), Some(end));
    let text = "k7/8/1K1S4/8/8/8/8/8[] w - - 0 1";
    let end = Outcome::draw(Termination::Stalemate);
    assert_eq!(outcome::<Sittuyin>(text, "d6c7"), Some(end));
}

#[test]
fn a_hundred_quiet_plies_are_a_draw() {
    let text = "4k3/2r5/8/3p4/4P3/3p4/2R5/4K3[] w - - 98 60";
    assert_eq!(outcome::<Sittuyin>(text, "c2d2"), None);
    let end = Outcome::draw(Termination::MoveRule);
    assert_eq!(outcome::<Sittuyin>(text, "c2d2 c7c8"), Some(end));
    // A mate on the last of them wins.
    let text = "k7/8/1K6/8/3p4/8/8/7R[] w - - 99 60";
    let end = Outcome::win(Color::White, Termination::Checkmate);
    assert_eq!(outcome::<Sittuyin>(text, "h1h8"), Some(end));
}

#[test]
fn quiet_plies_are_counted_behind_the_count() {
    let text = "8/8/2k5/8/8/8/8/KN1N4[] w - - 98 70";
    assert_eq!(counting(text, "b1c3"), "128 0");
    let end = Outcome::draw(Termination::MoveRule);
    assert_eq!(outcome::<Sittuyin>(text, "b1c3 c6c7"), Some(end));
}

#[test]
fn captures_pawn_moves_and_promotions_set_the_clock_back() {
    let text = "4k3/8/8/3PP3/3r4/8/8/3RK3[] w - - 50 60";
    assert_eq!(counting(text, "d1d4"), "- 0");
    assert_eq!(counting(text, "e5e6"), "- 0");
    assert_eq!(counting(text, "d5d5f"), "- 0");
    assert_eq!(counting(text, "e1e2"), "- 51");
}

#[test]
fn third_occurrence_is_a_draw() {
    let text = "4k3/2r5/8/3p4/4P3/3p4/2R5/4K3[] w - - 0 1";
    let moves = "c2d2 c7d7 d2c2 d7c7 c2d2 c7d7 d2c2 d7c7";
    let end = Outcome::draw(Termination::Repetition);
    assert_eq!(outcome::<Sittuyin>(text, moves), Some(end));
}

#[test]
fn material_draw_as_in_makruk() {
    let drawn = |text| outcome::<Sittuyin>(text, "") == Some(Outcome::draw(Termination::Material));
    assert!(drawn("8/8/8/3k4/8/8/8/N2K4[] w - - 0 1"));
    assert!(drawn("8/8/8/3k4/8/8/8/F2K4[] w - - 0 1"));
    assert!(drawn("8/8/8/3k2f1/8/8/8/F2K4[] w - - 0 1"));
    assert!(!drawn("8/8/8/3k1f2/8/8/8/F2K4[] w - - 0 1"));
    assert!(!drawn("8/8/8/3k4/8/8/8/S2K4[] w - - 0 1"));
    assert!(!drawn(START));
}

#[test]
fn drawn_if_king_and_pawn_can_only_promote() {
    let text = "1k4PK/3r4/8/8/8/8/8/8[] w - - 0 1";
    let end = Outcome::draw(Termination::PromotionOnly);
    assert_eq!(outcome::<Sittuyin>(text, ""), Some(end));
    // The king can move.
    let text = "6PK/k5r1/8/8/8/8/8/8[] w - - 0 1";
    assert_eq!(outcome::<Sittuyin>(text, ""), None);
    // In check.
    let text = "1k5K/3P4/8/8/8/8/6r1/7r[] w - - 0 1";
    assert_eq!(
        outcome::<Sittuyin>(text, "").map(|end| end.termination),
        Some(Termination::Checkmate)
    );
}

#[test]
fn bare_king_is_protected_by_the_enemys_pieces() {
    for (pieces, expected) in [
        ("R1R1", "32 0"),
        ("R1S1", "32 0"),
        ("S1S1", "88 0"),
        ("SN1F", "88 0"),
        ("N1N1", "128 0"),
        ("N1F1", "128 0"),
    ] {
        let text = format!("8/8/8/3k4/8/8/8/{pieces}K3[] w - - 0 1");
        assert_eq!(counting(&text, "e1f1"), expected, "{text}");
    }
}

#[test]
fn counting_starts_when_the_bare_king_is_to_move() {
    let text = "8/8/8/8/k7/5R2/8/7K[] b - - 20 70";
    assert_eq!(counting(text, "a4a5"), "- 21");
    assert_eq!(counting(text, "a4a5 f3f4"), "32 0");
    let promoting = "8/8/8/3P4/k7/8/3R4/7K[] w - - 20 70";
    assert_eq!(counting(promoting, "d5d5f"), "32 0");
}

#[test]
fn bare_king_that_takes_the_last_pawn_counts_a_ply_later() {
    let text = "8/8/8/8/k7/1P6/3R4/7K[] b - - 20 70";
    assert_eq!(counting(text, "a4b3"), "- 0");
    assert_eq!(counting(text, "a4b3 d2d3"), "32 0");
}

#[test]
fn limit_is_never_changed() {
    let text = "8/8/8/4k3/3R4/8/8/N2K2N1[] b - 32 10 60";
    assert_eq!(counting(text, "e5d4 a1b3"), "32 12");
}

#[test]
fn drawn_when_the_count_passes_the_limit_without_mate() {
    let text = "8/8/8/8/k7/5R2/8/7K[] b - 32 31 70";
    assert_eq!(outcome::<Sittuyin>(text, "a4a5"), None);
    let text = "8/8/8/8/k7/5R2/8/7K[] b - 32 32 70";
    let end = Outcome::draw(Termination::PiecesHonour);
    assert_eq!(outcome::<Sittuyin>(text, "a4a5"), Some(end));
    let text = "k7/8/1K6/8/8/8/8/7R[] w - 32 32 60";
    let end = Outcome::win(Color::White, Termination::Checkmate);
    assert_eq!(outcome::<Sittuyin>(text, "h1h8"), Some(end));
}

#[test]
fn drawn_after_600_plies() {
    let position = Sittuyin::start();
    assert_eq!(position.length_limit(599, 0), None);
    assert_eq!(
        position.length_limit(600, 0),
        Some(Outcome::draw(Termination::LengthLimit))
    );
}

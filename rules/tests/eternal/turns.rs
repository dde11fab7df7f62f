//! The decisions of a turn, and points.

use std::collections::BTreeMap;

use garuda_rules::eternal::{EternalPosition, random_start};
use garuda_rules::{Color, Eternal, Game, MoveList, Occupant, Outcome, Position, Termination};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{START, after, game, legal, outcome_after, position, squares, targets};

#[test]
fn red_moves_first() {
    assert_eq!(EternalPosition::start().turn(), Color::White);
}

#[test]
fn the_start_has_two_of_each_kind_a_side_and_eight_stones_in_row_5() {
    let start = EternalPosition::start();
    let mut pieces = BTreeMap::new();
    for square in EternalPosition::BOARD.all() {
        if let Some(occupant) = start.occupant(square) {
            *pieces.entry(format!("{occupant:?}")).or_insert(0) += 1;
        }
        let stone = start.occupant(square) == Some(Occupant::Stone);
        assert_eq!(stone, EternalPosition::BOARD.rank(square) == 4);
    }
    assert_eq!(pieces.len(), 13);
    assert!(pieces.values().all(|&n| n == 2 || n == 8));
    assert_eq!(start.to_string(), START);
}

#[test]
fn ending_in_the_enemy_zone_scores_and_passes_the_turn() {
    assert_eq!(
        after("8/8/8/8/8/8/8/3R4/8 r - 0 0", &["d2d8"]),
        "8/3R4/8/8/8/8/8/8/8 b D:D8 1 0"
    );
    assert_eq!(
        after("8/4r3/8/8/8/8/8/8/8 b - 2 2", &["e8e1"]),
        "8/8/8/8/8/8/8/8/4r3 r D:E1 2 3"
    );
}

#[test]
fn scoring_can_never_be_a_capture() {
    // The only piece in the enemy zone is its guardian.
    assert_eq!(
        targets("8/3n4/8/8/8/8/8/8/3R4 r - 0 0", "d1"),
        "a1 b1 c1 d2 d3 d4 d5 d6 d7 e1 f1 g1 h1"
    );
}

#[test]
fn the_scorer_is_deported_to_any_empty_square_of_its_half() {
    assert_eq!(
        targets("8/3R4/8/8/8/8/a7/8/7N b D:D8 1 0", "d8@"),
        squares(1..=4, "a3 h1")
    );
    assert_eq!(
        targets("7n/8/A7/8/8/8/8/8/3r4 r D:D1 0 1", "d1@"),
        squares(6..=9, "a7 h9")
    );
}

#[test]
fn the_scorer_is_not_deported_into_its_own_zone_if_a_guardian_is_there() {
    assert_eq!(
        targets("8/3R4/8/8/8/8/8/8/4N3 b D:D8 1 0", "d8@"),
        squares(1..=4, "d1 e1 d2 e2")
    );
}

#[test]
fn the_deporter_then_moves() {
    assert_eq!(
        after("r7/3R4/8/8/8/8/8/8/8 b D:D8 1 0", &["d8@b2"]),
        "r7/8/8/8/8/8/8/1R6/8 b - 1 0"
    );
}

#[test]
fn deporting_is_the_only_decision_while_a_scorer_stands_in_the_zone() {
    let moves = legal(&position("r7/3R4/8/8/8/8/8/8/8 b D:D8 1 0"));
    assert!(moves.iter().all(|mv| mv.starts_with("d8@")));
    assert_eq!(moves.len(), 32);
}

#[test]
fn a_turn_may_be_three_decisions() {
    let text = "r6N/3R4/8/8/8/8/8/8/8 b D:D8 1 0";
    assert_eq!(
        after(text, &["d8@b2", "a9h9"]),
        "7r/8/8/8/8/8/8/1R6/8 b P:N 1 0"
    );
    assert_eq!(
        after(text, &["d8@b2", "a9h9", "N@c4"]),
        "7r/8/8/8/8/2N5/8/1R6/8 r - 1 0"
    );
}

#[test]
fn the_fourth_point_ends_the_game_at_once() {
    let won = outcome_after("r7/8/8/8/8/8/8/3R4/8 r - 3 3", &["d2d8"]);
    assert_eq!(won, Some(Outcome::win(Color::White, Termination::Points)));
    let won = outcome_after("4r3/8/8/8/8/8/8/8/R7 b - 3 3", &["e9e1"]);
    assert_eq!(won, Some(Outcome::win(Color::Black, Termination::Points)));
    // Nothing is left to decide.
    let over = position("r7/3R4/8/8/8/8/8/8/8 b D:D8 4 3");
    assert_eq!(legal(&over).len(), 0);
}

#[test]
fn the_third_point_does_not_end_the_game() {
    assert_eq!(
        outcome_after("r7/8/8/8/8/8/8/3R4/8 r - 2 3", &["d2d8"]),
        None
    );
}

#[test]
fn a_captured_piece_is_placed_by_its_captor_in_its_owners_half() {
    // Red captured a black horse, then Red captured a red one: the rook is on a9.
    assert_eq!(
        targets("R7/8/8/8/8/8/8/8/8 r P:n 0 0", "N@"),
        squares(6..=9, "a9")
    );
    assert_eq!(
        targets("R7/8/8/8/8/8/8/8/8 r P:N 0 0", "N@"),
        squares(1..=4, "")
    );
}

#[test]
fn a_captured_piece_may_be_placed_in_its_owners_empty_zone() {
    assert_eq!(
        after("R7/8/8/8/8/8/8/8/8 r P:n 0 0", &["N@d8"]),
        "R7/3n4/8/8/8/8/8/8/8 b - 0 0"
    );
}

#[test]
fn a_captured_piece_may_not_be_placed_beside_its_owners_guardian() {
    assert_eq!(
        targets("8/3a4/8/8/8/8/8/8/8 r P:n 0 0", "N@"),
        squares(6..=9, "d8 e8 d9 e9")
    );
    // The other side's guardian does not matter.
    assert_eq!(
        targets("8/8/8/8/8/8/8/3A4/8 r P:n 0 0", "N@"),
        squares(6..=9, "")
    );
}

#[test]
fn the_guardian_that_counts_is_the_one_after_the_move() {
    // The guardian leaves to capture its own horse, which may then take its place.
    let text = "8/8/8/8/8/8/3N4/3R4/8 r - 0 0";
    assert_eq!(
        after(text, &["d2d3", "N@d2"]),
        "8/8/8/8/8/8/3R4/3N4/8 b - 0 0"
    );
}

#[test]
fn the_square_just_left_is_available() {
    assert_eq!(
        after("8/8/8/8/8/8/R1N5/8/8 r - 0 0", &["a3c3", "N@a3"]),
        "8/8/8/8/8/8/N1R5/8/8 b - 0 0"
    );
}

#[test]
fn nothing_but_stones_ever_leaves_the_game() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut moves = MoveList::new();
    for _ in 0..30 {
        let mut game = Eternal::start();
        let mut stones_before = 8;
        loop {
            let position = game.position();
            let occupants = EternalPosition::BOARD
                .all()
                .filter_map(|square| position.occupant(square));
            let (stones, pieces): (Vec<_>, Vec<_>) =
                occupants.partition(|&occupant| occupant == Occupant::Stone);
            let pending = usize::from(position.pending().is_some());
            assert_eq!(pieces.len() + pending, 24, "{position}");
            assert!(stones.len() <= stones_before, "{position}");
            stones_before = stones.len();
            game.legal_moves(&mut moves);
            if game.outcome_given(&moves).is_some() {
                break;
            }
            game.play(moves[rng.random_range(0..moves.len())]);
        }
    }
}

#[test]
fn turns_are_counted_whole() {
    let mut game = game("r6N/3R4/8/8/8/8/8/8/8 b D:D8 1 0");
    for (mv, turns) in [("d8@b2", 0), ("a9h9", 0), ("N@c4", 1), ("b2b3", 2)] {
        game.play_uci(mv).unwrap();
        assert_eq!(game.turns(), turns, "{mv}");
    }
}

#[test]
fn random_arrays_are_six_mirrored_pairs_a_side_outside_the_zone() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..200 {
        let start = random_start(&mut rng);
        assert_eq!(position(&start.to_string()), start);
        assert_eq!(start.mirrored(), Some(start));
        assert_eq!(start.key(), start.key_from_scratch());
        assert_eq!(start.turn(), Color::White);
        let mut pieces = BTreeMap::new();
        for square in EternalPosition::BOARD.all() {
            let rank = EternalPosition::BOARD.rank(square);
            match start.occupant(square) {
                Some(Occupant::Stone) => assert_eq!(rank, 4),
                Some(Occupant::Piece(piece)) => {
                    *pieces.entry((piece.color, piece.piece_type)).or_insert(0) += 1;
                    let half = if piece.color == Color::White {
                        0..4
                    } else {
                        5..9
                    };
                    assert!(half.contains(&rank));
                    let name = EternalPosition::BOARD.name(square);
                    assert!(!"d1 e1 d2 e2 d8 e8 d9 e9".contains(&name), "{start}");
                }
                None => assert_ne!(rank, 4),
            }
        }
        assert_eq!(pieces.len(), 12);
        assert!(pieces.values().all(|&n| n == 2));
        seen.insert(start.to_string());
    }
    assert!(seen.len() > 190);
}

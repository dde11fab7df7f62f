//! Repetition and the length limit.

use garuda_rules::{Color, Game, Outcome, Position, Termination};

use crate::{game, outcome_after, position};

#[test]
fn the_third_occurrence_of_a_state_is_a_draw() {
    let there_and_back = ["a1a2", "h9h8", "a2a1", "h8h9"];
    let twice = [there_and_back, there_and_back].concat();
    let text = "7r/8/8/8/8/8/8/8/R7 r - 1 2";
    assert_eq!(outcome_after(text, &there_and_back), None);
    assert_eq!(
        outcome_after(text, &twice),
        Some(Outcome::draw(Termination::Repetition))
    );
}

#[test]
fn a_decision_within_a_turn_repeats_too() {
    // A red rook captures the other, which comes back to where it can be captured again.
    let mut game = game("7r/8/8/8/8/8/8/8/RR6 r - 0 0");
    for occurrence in 1..=2 {
        game.play_uci("a1b1").unwrap();
        assert_eq!(
            game.position().to_string(),
            "7r/8/8/8/8/8/8/8/1R6 r P:R 0 0"
        );
        assert_eq!(game.occurrences(), occurrence);
        for mv in ["R@a2", "h9h8", "a2a1", "h8h9"] {
            game.play_uci(mv).unwrap();
        }
    }
    assert_eq!(game.outcome(), Some(Outcome::draw(Termination::Repetition)));
}

#[test]
fn states_differ_by_board_side_phase_pending_piece_and_points() {
    let different = [
        "7r/8/8/8/8/8/8/8/R7 r - 0 0",
        "7r/8/8/8/8/8/8/8/1R6 r - 0 0",
        "7r/8/8/8/o7/8/8/8/R7 r - 0 0",
        "7n/8/8/8/8/8/8/8/R7 r - 0 0",
        "7R/8/8/8/8/8/8/8/r7 r - 0 0",
        "7r/8/8/8/8/8/8/8/R7 b - 0 0",
        "7r/8/8/8/8/8/8/8/R7 r P:n 0 0",
        "7r/8/8/8/8/8/8/8/R7 r P:N 0 0",
        "7r/8/8/8/8/8/8/8/R7 r P:b 0 0",
        "7r/8/8/8/8/8/8/8/R7 r - 1 0",
        "7r/8/8/8/8/8/8/8/R7 r - 0 1",
        "7r/8/8/8/8/8/8/8/R7 r - 1 1",
    ];
    let keys: std::collections::BTreeSet<u64> =
        different.iter().map(|text| position(text).key()).collect();
    assert_eq!(keys.len(), different.len());
}

/// Two rooks walk in circles of 8 and 15 squares, so that no state comes a third time, for so
/// many turns.
fn walk(text: &str, turns: u32) -> Option<Outcome> {
    let red = "a1 b1 c1 c2 c3 b3 a3 a2".split(' ').cycle();
    let black = "h9 h8 h7 h6 g6 g7 g8 g9 f9 f8 f7 f6 b6 b7 b9"
        .split(' ')
        .cycle();
    let moves = |path: std::iter::Cycle<std::str::Split<'static, char>>| {
        path.clone()
            .zip(path.skip(1))
            .map(|(from, to)| format!("{from}{to}"))
    };
    let (mut red, mut black) = (moves(red), moves(black));
    let mut game = game(text);
    while game.turns() < turns {
        assert_eq!(game.outcome(), None);
        let mv = match game.turn() {
            Color::White => red.next(),
            Color::Black => black.next(),
        };
        game.play_uci(&mv.unwrap()).unwrap();
    }
    game.outcome()
}

#[test]
fn after_400_complete_turns_the_higher_score_wins() {
    let red_leads = "7r/8/8/8/8/8/8/8/R7 r - 2 1";
    assert_eq!(walk(red_leads, 399), None);
    assert_eq!(
        walk(red_leads, 400),
        Some(Outcome::win(Color::White, Termination::LengthLimit))
    );
    let black_leads = "7r/8/8/8/8/8/8/8/R7 r - 0 1";
    assert_eq!(
        walk(black_leads, 400),
        Some(Outcome::win(Color::Black, Termination::LengthLimit))
    );
}

#[test]
fn after_400_complete_turns_equal_scores_draw() {
    let equal = "7r/8/8/8/8/8/8/8/R7 r - 3 3";
    assert_eq!(
        walk(equal, 400),
        Some(Outcome::draw(Termination::LengthLimit))
    );
}

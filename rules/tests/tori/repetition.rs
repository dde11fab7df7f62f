//! The fourth occurrence of a position, and perpetual check.

use garuda_rules::{Color, Game, Outcome, Position, Termination};

use super::{outcome_after, play, position};

/// White's eagle is on c4; it can check the phoenix on a7 for ever.
const EAGLE: &str = "k6/7/7/2+F4/7/7/6K[] w - - 0 1";
/// Four plies back to the same position, White checking with every move; Black closes.
const CHECKS: [&str; 4] = ["c4c5", "a7a6", "c5c4", "a6a7"];
/// The same without a check.
const QUIET: [&str; 4] = ["c4b4", "a7b7", "b4c4", "b7a7"];
/// As `CHECKS`, but White closes.
const CHECKED: &str = "k6/7/2+F4/7/7/7/6K[] b - - 0 1";
const CHECKER_CLOSES: [&str; 4] = ["a7a6", "c5c4", "a6a7", "c4c5"];

fn repeated(winner: Color) -> Option<Outcome> {
    Some(Outcome::win(winner, Termination::Repetition))
}

fn perpetual(winner: Color) -> Option<Outcome> {
    Some(Outcome::win(winner, Termination::PerpetualCheck))
}

#[test]
fn who_produces_a_position_for_the_fourth_time_loses() {
    let start = "3k3/7/7/7/7/7/3K3[] w - - 0 1";
    let cycle = ["d1d2", "d7d6", "d2d1", "d6d7"];
    assert_eq!(outcome_after(start, &cycle.repeat(2)), None);
    // Black comes back to the first position.
    assert_eq!(
        outcome_after(start, &cycle.repeat(3)),
        repeated(Color::White)
    );
    // White does, if Black began.
    let start = "3k3/7/7/7/7/7/3K3[] b - - 0 1";
    let cycle = ["d7d6", "d1d2", "d6d7", "d2d1"];
    assert_eq!(
        outcome_after(start, &cycle.repeat(3)),
        repeated(Color::Black)
    );
}

#[test]
fn the_third_occurrence_does_not_end_the_game() {
    let game = play(EAGLE, &QUIET.repeat(2));
    assert_eq!(game.occurrences(), 3);
    assert_eq!(game.outcome(), None);
}

#[test]
fn hands_are_part_of_the_position() {
    let text = "k6/7/7/7/7/2C4/6K[ss] b - - 0 1";
    let moves = [
        "S@c3", "c2c3", "a7a6", "c3c2", "a6a7", "g1f1", "a7a6", "f1f2", "a6a7", "f2g1",
    ];
    let game = play(text, &moves);
    let board_is_back = "k6/7/7/7/7/2C4/6K[Ss] b - - 8 6";
    assert_eq!(game.position().to_string(), board_is_back);
    assert_eq!(game.occurrences(), 1);
}

#[test]
fn the_side_to_move_is_part_of_the_position() {
    let text = "3k3/7/7/7/7/7/3K3[] w - - 0 1";
    // White loses a move by going round a triangle.
    let moves = ["d1d2", "d7d6", "d2e1", "d6d7", "e1d1"];
    let game = play(text, &moves);
    assert_eq!(game.position().to_string(), "3k3/7/7/7/7/7/3K3[] b - - 5 3");
    assert_eq!(game.occurrences(), 1);
}

#[test]
fn captures_and_drops_do_not_cut_the_look_back() {
    let text = "k6/7/2c4/3s3/3S3/7/6K[] w - - 0 1";
    let cycle = [
        "d3d4", "c5d4", "S@d3", "d4c5", "g1f1", "S@d4", "f1f2", "a7a6", "f2g1", "a6a7",
    ];
    assert_eq!(play(text, &cycle).occurrences(), 2);
    assert_eq!(
        outcome_after(text, &cycle.repeat(3)),
        repeated(Color::White)
    );
}

#[test]
fn who_gave_check_with_every_move_loses_whoever_closes() {
    assert_eq!(
        outcome_after(EAGLE, &CHECKS.repeat(3)),
        perpetual(Color::Black)
    );
    let closing = CHECKER_CLOSES.repeat(3);
    assert_eq!(outcome_after(CHECKED, &closing), perpetual(Color::Black));
}

#[test]
fn black_loses_by_perpetual_check_too() {
    let turned = position(EAGLE).rotated().to_string();
    let moves = ["e4e3", "g1g2", "e3e4", "g2g1"].repeat(3);
    assert_eq!(outcome_after(&turned, &moves), perpetual(Color::White));
}

#[test]
fn the_cycle_goes_back_to_the_first_of_the_four() {
    // One quiet round of the three, whichever, makes it an ordinary repetition.
    for quiet in 0..3 {
        let mut rounds = [CHECKS; 3];
        rounds[quiet] = QUIET;
        let moves = rounds.concat();
        assert_eq!(
            outcome_after(EAGLE, &moves),
            repeated(Color::White),
            "{quiet}"
        );
    }
}

#[test]
fn what_came_before_the_cycle_does_not_matter() {
    let text = "1k5/7/7/2+F4/7/7/5K1[] w - - 0 1";
    let moves = [&["f1g1", "b7a7"][..], &CHECKS.repeat(3)].concat();
    assert_eq!(outcome_after(text, &moves), perpetual(Color::Black));
}

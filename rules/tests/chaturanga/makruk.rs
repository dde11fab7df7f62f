//! Makruk's page of rules, sentence by sentence.

use garuda_rules::makruk::MakrukPosition;
use garuda_rules::{Color, Game, GameState, Outcome, Position, Termination};

use crate::{after, legal_from, outcome, text_after};

/// The counting limit and count (or `-` and the half-move clock) after some moves.
fn counting(text: &str, moves: &str) -> String {
    let text = text_after::<MakrukPosition>(text, moves);
    let fields: Vec<_> = text.split(' ').collect();
    format!("{} {}", fields[3], fields[4])
}

fn is_drawn_by_material(text: &str) -> bool {
    let end = outcome::<MakrukPosition>(text, "");
    end == Some(Outcome::draw(Termination::Material))
}

#[test]
fn kings_stand_left_of_centre() {
    let start = MakrukPosition::start();
    let text = "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1";
    assert_eq!(start.to_string(), text);
}

#[test]
fn pieces_move_as_the_table_says() {
    let around = |piece: &str| {
        let text = format!("7k/8/8/8/3{piece}4/8/8/K7 w - - 0 1");
        legal_from::<MakrukPosition>(&text, "d4")
    };
    assert_eq!(around("M"), "c3 c5 e3 e5");
    assert_eq!(around("S"), "c3 c5 d5 e3 e5");
    assert_eq!(around("N"), "b3 b5 c2 c6 e2 e6 f3 f5");
    let rook = "a4 b4 c4 d1 d2 d3 d5 d6 d7 d8 e4 f4 g4 h4";
    assert_eq!(around("R"), rook);
    assert_eq!(around("P"), "d5");
    let king = "7k/8/8/8/3K4/8/8/8 w - - 0 1";
    let to = "c3 c4 c5 d3 d5 e3 e4 e5";
    assert_eq!(legal_from::<MakrukPosition>(king, "d4"), to);
    let khon = "7k/8/8/8/3s4/8/8/K7 b - - 0 1";
    let to = "c3 c5 d3 e3 e5";
    assert_eq!(legal_from::<MakrukPosition>(khon, "d4"), to);
    let pawn = "7k/8/8/2rnr3/3P4/8/8/K7 w - - 0 1";
    assert_eq!(legal_from::<MakrukPosition>(pawn, "d4"), "c5 e5");
}

#[test]
fn promotion_is_forced_on_the_sixth_rank() {
    let white = "8/8/3p4/4P3/8/8/1k4K1/8 w - - 0 1";
    assert_eq!(legal_from::<MakrukPosition>(white, "e5"), "d6m e6m");
    let black = "8/8/1k4K1/8/4p3/3P4/8/8 b - - 0 1";
    assert_eq!(legal_from::<MakrukPosition>(black, "e4"), "d3m e3m");
}

#[test]
fn any_number_of_mets() {
    let text = "7k/8/8/P7/8/8/MMMMMMMM/K7 w - - 0 1";
    let text = text_after::<MakrukPosition>(text, "a5a6m");
    assert_eq!(text, "7k/8/M7/8/8/8/MMMMMMMM/K7 b - 128 22 1");
}

#[test]
fn checkmate_wins() {
    let text = "k7/8/1K6/8/3p4/8/8/7R w - - 0 1";
    let end = Outcome::win(Color::White, Termination::Checkmate);
    assert_eq!(outcome::<MakrukPosition>(text, "h1h8"), Some(end));
}

#[test]
fn stalemate_is_a_draw() {
    let text = "k7/8/1K1S4/8/8/8/8/8 w - - 0 1";
    let end = Outcome::draw(Termination::Stalemate);
    assert_eq!(outcome::<MakrukPosition>(text, "d6c7"), Some(end));
}

#[test]
fn third_occurrence_is_a_draw() {
    let text = "4k3/2r5/8/3p4/4P3/8/2R5/4K3 w - - 0 1";
    let twice = "c2d2 c7d7 d2c2 d7c7 c2d2 c7d7 d2c2";
    assert_eq!(outcome::<MakrukPosition>(text, twice), None);
    let end = Outcome::draw(Termination::Repetition);
    let thrice = format!("{twice} d7c7");
    assert_eq!(outcome::<MakrukPosition>(text, &thrice), Some(end));
}

#[test]
fn there_is_no_move_rule() {
    let text = "4k3/2r5/8/3p4/4P3/8/2R5/4K3 w - - 500 1";
    assert_eq!(outcome::<MakrukPosition>(text, ""), None);
}

#[test]
fn material_that_cannot_win() {
    for pieces in ["N3", "M3", "M1M1", "4"] {
        let text = format!("8/8/8/3k4/8/8/8/{pieces}K3 w - - 0 1");
        assert!(is_drawn_by_material(&text), "{text}");
    }
    // A lone pawn, and a Met each on squares of one colour.
    assert!(is_drawn_by_material("8/8/8/3k4/8/P7/8/3K4 w - - 0 1"));
    assert!(is_drawn_by_material("8/8/8/3k2m1/8/8/8/M2K4 w - - 0 1"));
}

#[test]
fn material_that_can_win() {
    for pieces in ["NN2", "MM2", "S3", "R3", "MN2"] {
        let text = format!("8/8/8/3k4/8/8/8/{pieces}K3 w - - 0 1");
        assert!(!is_drawn_by_material(&text), "{text}");
    }
    assert!(!is_drawn_by_material("8/8/8/3k2n1/8/8/8/N2K4 w - - 0 1"));
    assert!(!is_drawn_by_material("8/8/8/3k1m2/8/8/8/M2K4 w - - 0 1"));
    assert!(!is_drawn_by_material("8/8/8/3k1n2/8/8/8/M2K4 w - - 0 1"));
}

#[test]
fn known_counting_values() {
    let text = text_after::<MakrukPosition>("8/3k4/8/2K1S1P1/8/8/8/8 w - - 0 1", "g5g6m");
    assert_eq!(text, "8/3k4/6M1/2K1S3/8/8/8/8 b - 88 8 1");
    let bared = "8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 97 1";
    assert_eq!(counting(bared, "e5f6"), "44 8");
    let boards = "3k4/2m5/8/4MP2/3KS3/8/8/8 w - - 0 1";
    assert_eq!(counting(boards, "f5f6m"), "128 0");
}

#[test]
fn bare_king_is_protected_by_the_enemys_pieces() {
    for (pieces, expected) in [
        ("R1R1", "16 8"),
        ("R3", "32 6"),
        ("R1S1", "32 8"),
        ("S1S1", "44 8"),
        ("N1N1", "64 8"),
        ("S3", "88 6"),
        ("SN1M", "88 10"),
        ("N1M1", "128 8"),
    ] {
        let text = format!("8/8/8/3k4/8/8/8/{pieces}K3 w - - 0 1");
        assert_eq!(counting(&text, "e1f1"), expected, "{text}");
    }
}

#[test]
fn nobody_counts_while_there_are_pawns() {
    let text = "8/8/8/3k4/8/P7/8/R3K3 w - - 3 1";
    assert_eq!(counting(text, "e1f1"), "- 4");
}

#[test]
fn counting_starts_with_the_weaker_side_to_move() {
    let text = "8/8/2k5/8/8/8/8/KN1N4 b - - 0 70";
    assert_eq!(counting(text, "c6c7"), "- 1");
    assert_eq!(counting(text, "c6c7 b1c3"), "64 8");
}

#[test]
fn every_ply_counts() {
    let text = "8/8/8/3k4/8/8/8/R2K4 w - - 0 1";
    assert_eq!(counting(text, "d1c2 d5e5 a1a7"), "32 8");
}

#[test]
fn bare_king_that_takes_the_last_pawn_counts_at_once() {
    let text = "8/8/8/8/k7/1P6/3R4/7K b - - 20 70";
    assert_eq!(counting(text, "a4b3"), "32 5");
    assert_eq!(counting(text, "a4b3 d2d3"), "32 6");
}

#[test]
fn limit_against_a_bare_king_never_changes() {
    let text = "8/8/8/4k3/3R4/8/8/N2K2M1 b - 32 10 60";
    assert_eq!(counting(text, "e5d4 a1b3"), "32 12");
}

#[test]
fn boards_honour_starts_when_the_last_pawn_goes() {
    let text = "1k6/8/2m5/8/2pR4/8/8/2K5 w - - 5 60";
    assert_eq!(counting(text, "d4c4"), "128 0");
    assert_eq!(counting(text, "d4c4 b8b7"), "128 1");
}

#[test]
fn boards_honour_is_not_reset_by_captures() {
    let text = "1k6/8/2m5/8/3R4/8/2s5/3K4 w - 128 40 60";
    assert_eq!(counting(text, "d1c2 b8b7"), "128 42");
}

#[test]
fn boards_honour_gives_way_when_a_side_is_bared() {
    let text = "8/3k4/2m5/8/2R5/8/8/2K5 w - 128 40 60";
    assert_eq!(counting(text, "c4c6"), "32 6");
}

#[test]
fn drawn_when_the_count_passes_the_limit() {
    let text = "8/8/8/3k4/8/8/8/R2K4 b - 32 31 1";
    assert_eq!(outcome::<MakrukPosition>(text, "d5d6"), None);
    let text = "8/8/8/3k4/8/8/8/R2K4 b - 32 32 1";
    let end = Outcome::draw(Termination::PiecesHonour);
    assert_eq!(outcome::<MakrukPosition>(text, "d5d6"), Some(end));
    let text = "8/3k4/2m5/8/2R5/8/8/2K5 w - 128 128 60";
    let end = Outcome::draw(Termination::BoardHonour);
    assert_eq!(outcome::<MakrukPosition>(text, "c4b4"), Some(end));
}

#[test]
fn mate_on_the_last_counted_ply_wins() {
    let text = "k7/8/1K6/8/8/8/8/7R w - 32 32 60";
    let end = Outcome::win(Color::White, Termination::Checkmate);
    assert_eq!(outcome::<MakrukPosition>(text, "h1h8"), Some(end));
}

#[test]
fn drawn_after_600_plies() {
    let position = MakrukPosition::start();
    assert_eq!(position.length_limit(599, 0), None);
    assert_eq!(
        position.length_limit(600, 0),
        Some(Outcome::draw(Termination::LengthLimit))
    );
}

#[test]
fn count_belongs_to_the_state() {
    let game = |text| after::<MakrukPosition>(text, "");
    let keys = |game: &GameState<MakrukPosition>| (game.position().key(), game.state_key());
    let early = keys(&game("8/8/8/3k4/8/8/8/R2K4 b - 32 6 1"));
    let late = keys(&game("8/8/8/3k4/8/8/8/R2K4 b - 32 30 1"));
    assert_eq!(early.0, late.0);
    assert_ne!(early.1, late.1);
}

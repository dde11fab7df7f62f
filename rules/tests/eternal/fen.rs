//! FEN, move notation, symmetries, and what is refused.

use garuda_rules::eternal::EternalPosition;
use garuda_rules::{FenError, Position};

use crate::{START, legal, position};

#[test]
fn the_text_form_is_printed_as_it_was_read() {
    for text in [
        START,
        "2a2R2/a3p3/r4Bc1/bn1n1C1c/8/2A1b2p/B1CPN2N/1r1P1A2/2R5 r - 1 1",
        "2C1ap2/1b6/1n1c3p/R1r3br/3n1o2/P4B1P/2Aa3A/1Nc2B2/2N4R b P:C 0 2",
        "bc1p2p1/2aN3n/C2a4/1R1rr3/1oBo2Po/3nBc2/8/N4AA1/bRC3P1 b D:D8 1 1",
        "r7/3R4/8/8/8/8/8/8/8 b D:D8 4 3",
    ] {
        assert_eq!(position(text).to_string(), text);
    }
}

#[test]
fn squares_of_the_phase_are_read_in_either_case() {
    let lower = position("r7/3R4/8/8/8/8/8/8/8 b D:d8 1 0");
    assert_eq!(lower.to_string(), "r7/3R4/8/8/8/8/8/8/8 b D:D8 1 0");
}

#[test]
fn moves_are_written_with_lower_case_squares() {
    let moves = legal(&position(START));
    assert!(moves.contains("h1h2"), "{moves:?}");
    assert!(legal(&position("8/3R4/8/8/8/8/8/8/8 b D:D8 1 0")).contains("d8@b2"));
}

#[test]
fn placements_have_an_upper_case_letter_for_both_owners() {
    assert!(legal(&position("8/8/8/8/8/8/8/8/8 r P:N 0 0")).contains("N@c4"));
    assert!(legal(&position("8/8/8/8/8/8/8/8/8 r P:n 0 0")).contains("N@c6"));
}

#[test]
fn moves_that_are_not_legal_are_refused() {
    let start = position(START);
    for text in [
        "", "a1", "a1a9", "A1A3", "N@c4", "a1@a3", "0000", "a1a3q", "é1a3",
    ] {
        let error = start.parse_uci(text).unwrap_err();
        assert!(error.to_string().contains(START), "{error}");
    }
}

fn refused(text: &str) -> (String, usize) {
    let error: FenError = text.parse::<EternalPosition>().unwrap_err();
    (error.to_string(), error.at())
}

#[test]
fn a_bad_text_is_refused_with_what_and_where() {
    for (text, at, what) in [
        ("", 0, "empty field"),
        ("8/8/8/8/8/8/8/8/8 r - 0", 23, "5 fields expected, 4 found"),
        ("8/8/8/8/8/8/8/8 r - 0 0", 15, "the board ends on rank 2"),
        ("8/8/8/8/8/8/8/8/7 r - 0 0", 17, "after 7 files"),
        ("8/8/8/8/8/8/8/8/8/8 r - 0 0", 17, "more than 9 ranks"),
        ("8/8/8/8/8/8/8/8/K7 r - 0 0", 16, "there is no piece \"K\""),
        ("8/8/8/8/8/8/8/8/O7 r - 0 0", 16, "there is no piece \"O\""),
        (
            "8/8/8/8/8/8/8/8/+R7 r - 0 0",
            17,
            "there is no piece \"+R\"",
        ),
        ("8/8/8/8/8/8/8/1o6/8 r - 0 0", 15, "a stone outside row 5"),
        (
            "8/8/8/8/8/8/8/8/RRR5 r - 0 0",
            18,
            "Red has more than two rooks",
        ),
        (
            "2p5/2p5/1p6/8/8/8/8/8/8 r - 0 0",
            1,
            "Black has more than two soldiers",
        ),
        (
            "8/8/8/8/8/8/8/4C3/3R4 r - 0 0",
            15,
            "Red has a second piece in its own zone",
        ),
        (
            "3r4/3p4/8/8/8/8/8/8/8 r - 0 0",
            1,
            "Black has a second piece",
        ),
        (
            "3R4/8/8/8/8/8/8/8/8 b - 1 0",
            1,
            "Black's zone that has not been deported",
        ),
        (
            "3RR3/8/8/8/8/8/8/8/8 b D:D9 1 0",
            2,
            "has not been deported",
        ),
        ("3R4/8/8/8/8/8/8/8/8 b P:n 1 0", 1, "has not been deported"),
        (
            "8/8/8/8/8/8/8/8/8 w - 0 0",
            18,
            "the side must be r or b, not \"w\"",
        ),
        (
            "8/8/8/8/8/8/8/8/8 r X 0 0",
            20,
            "the phase must be -, P:piece or D:square",
        ),
        ("8/8/8/8/8/8/8/8/8 r P:k 0 0", 22, "there is no piece \"k\""),
        ("8/8/8/8/8/8/8/8/8 r P:o 0 0", 22, "there is no piece \"o\""),
        ("8/8/8/8/8/8/8/8/8 r P: 0 0", 22, "there is no piece \"\""),
        (
            "8/8/8/8/8/8/8/8/NN6 r P:N 0 0",
            24,
            "Red has two horses on the board",
        ),
        (
            "8/8/8/8/8/8/8/8/8 r D:i1 0 0",
            22,
            "there is no square \"i1\"",
        ),
        (
            "8/8/8/8/8/8/8/8/8 r D:d1 0 1",
            22,
            "no piece of Black stands on d1",
        ),
        (
            "8/3R4/8/8/8/8/8/8/8 r D:d8 1 0",
            24,
            "no piece of Black stands on d8 in Red's zone",
        ),
        (
            "8/8/8/8/8/8/8/8/8 r - 5 0",
            22,
            "Red's points must be a number from 0 to 4",
        ),
        (
            "8/8/8/8/8/8/8/8/8 r - 0 x",
            24,
            "Black's points must be a number",
        ),
        (
            "8/8/8/8/8/8/8/8/8 r - 0 4",
            24,
            "Black won with its fourth point",
        ),
        ("8/3R4/8/8/8/8/8/8/8 b D:d8 0 0", 27, "Red has just scored"),
        (
            "8/3R4/8/8/8/8/8/8/8 b D:d8 2 4",
            29,
            "Black won with its fourth point",
        ),
    ] {
        let (message, place) = refused(text);
        assert!(message.contains(what), "{text}: {message}");
        assert_eq!(place, at, "{message}");
    }
}

#[test]
fn mirroring_is_an_exact_symmetry_and_so_is_turning_the_board() {
    for text in [
        "2a2R2/a3p3/r4Bc1/bn1n1C1c/8/2A1b2p/B1CPN2N/1r1P1A2/2R5 r - 1 0",
        "2C1ap2/1b6/1n1c3p/R1r3br/3n1o2/P4B1P/2Aa3A/1Nc2B2/2N4R b P:C 0 2",
        "bc1p2p1/2aN3n/C2a4/1R1rr3/1oBo2Po/3nBc2/8/N4AA1/bRC3P1 b D:D8 1 2",
    ] {
        let position = position(text);
        for depth in 1..=2 {
            let count = garuda_rules::perft(&position, depth);
            let mirrored = position.mirrored().unwrap();
            assert_eq!(garuda_rules::perft(&mirrored, depth), count);
            assert_eq!(garuda_rules::perft(&position.rotated(), depth), count);
        }
    }
    // Swapping colours with a top-bottom flip is turning and mirroring.
    let flipped = position("bc1p2p1/2aN3n/C2a4/1R1rr3/1oBo2Po/3nBc2/8/N4AA1/bRC3P1 b D:D8 1 2")
        .rotated()
        .mirrored()
        .unwrap();
    assert_eq!(
        flipped.to_string(),
        "Brc3p1/n4aa1/8/3NbC2/1obo2po/1r1RR3/c2A4/2An3N/BC1P2P1 r D:D2 2 1"
    );
}

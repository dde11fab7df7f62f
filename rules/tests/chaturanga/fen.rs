//! Texts that are refused, and why and where; and some unusual ones that are not.

use garuda_rules::Position;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;

/// Each text is refused with a complaint that has some words in it, about the part of the text
/// that begins with others.
fn refused<P: Position>(cases: &[(&str, &str, &str)]) {
    for (text, words, place) in cases {
        let error = text.parse::<P>().expect_err(text);
        let complaint = error.to_string();
        assert!(complaint.contains(words), "{complaint:?} lacks {words:?}");
        let at: String = text.chars().skip(error.at()).collect();
        assert!(at.starts_with(place), "{complaint} is about {at:?}");
    }
}

fn accepted<P: Position>(cases: &[(&str, &str)]) {
    for (text, written) in cases {
        let position: P = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(&position.to_string(), written);
    }
}

#[test]
fn makruk_refuses() {
    refused::<MakrukPosition>(&[
        ("", "empty field", ""),
        (
            "8/8/8/3k4/8/8/8/3K4 w - - 0",
            "6 fields expected, 5 found",
            "",
        ),
        ("8/8/8/3k4/8/8/8/3K4 w - - 0 1 1", "7 found", ""),
        ("8/8/8/3k4/8/8/8/3K4  w - - 0 1", "single spaces", " w"),
        ("8/8/8/3k4/8/8/3K4 w - - 0 1", "ends on rank 2", " w"),
        (
            "8/8/8/3k5/8/8/8/3K4 w - - 0 1",
            "rank 5 has more than 8",
            "5/8/8/8/3K4",
        ),
        ("8/8/8/3k4/8/8/8/3K4[] w - - 0 1", "more than 8 files", "[]"),
        ("8/8/8/3k4/8/8/8/F2K4 w - - 0 1", "no piece \"F\"", "F2K4"),
        ("8/8/8/3k4/8/8/8/8 w - - 0 1", "white has no king", "8/8"),
        ("8/8/8/3k3k/8/8/8/3K4 w - - 0 1", "black has 2", "8/8"),
        (
            "8/8/8/3k4/8/8/8/RRRK4 w - - 0 1",
            "3 pieces of the piece_type Ruea",
            "8/8",
        ),
        (
            "7k/8/8/PP6/8/8/MMMMMMMM/K7 w - - 0 1",
            "piece_types Bia and Met",
            "7k",
        ),
        ("8/8/3P4/7k/8/8/8/3K4 w - - 0 1", "white pawn on d6", "8/8"),
        ("8/8/7k/8/8/4p3/8/K7 w - - 0 1", "black pawn on e3", "8/8"),
        (
            "8/8/8/3k4/8/8/8/3K4 x - - 0 1",
            "must be 'w' or 'b'",
            "x - -",
        ),
        ("8/8/8/3k4/8/8/8/3K4 w K - 0 1", "no castling", "K - 0"),
        ("8/8/8/3k4/8/8/8/3K4 w - e6 0 1", "counting limit", "e6 0 1"),
        ("8/8/8/3k4/8/8/8/3K4 w - 0 0 1", "counting limit", "0 0 1"),
        ("8/8/8/3k4/8/8/8/R2K4 w - 30 0 1", "cannot be 30", "30 0 1"),
        ("8/8/8/3k2n1/8/8/8/R2K4 w - 32 0 1", "only 128", "32 0 1"),
        ("8/8/8/3k4/P7/8/8/R2K4 w - 128 0 1", "pawns", "128 0 1"),
        ("8/8/8/3k4/8/8/8/3K4 w - - -1 1", "count of plies", "-1 1"),
        (
            "8/8/8/3k4/8/8/8/3K4 w - - 0 99999999999",
            "move number",
            "9999",
        ),
        (
            "8/8/8/3k4/8/8/8/3R2K1 w - - 0 1",
            "black is in check",
            "w - -",
        ),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", "black is in check", "w - -"),
    ]);
}

#[test]
fn makruk_accepts() {
    accepted::<MakrukPosition>(&[
        (
            "8/8/8/3k4/8/8/8/3K4 w - - 0 0",
            "8/8/8/3k4/8/8/8/3K4 w - - 0 1",
        ),
        (
            "8/8/8/3k4/8/8/11111111/3K13 b - - 007 09",
            "8/8/8/3k4/8/8/8/3K4 b - - 7 9",
        ),
        (
            "8/8/8/3k4/8/8/8/R2K4 b - 32 33 1",
            "8/8/8/3k4/8/8/8/R2K4 b - 32 33 1",
        ),
    ]);
}

#[test]
fn sittuyin_refuses() {
    refused::<SittuyinPosition<false>>(&[
        ("8/8/8/3k4/8/8/8/3K4[ w - - 0 1", "must end with ']'", " w"),
        (
            "8/8/8/3k4/8/8/8/3K4[P] w - - 0 1",
            "no piece 'P' to place",
            "P]",
        ),
        (
            "8/8/8/3k4/8/8/8/3K4[?] w - - 0 1",
            "no piece '?' to place",
            "?]",
        ),
        (
            "8/8/8/3k4/8/8/8/3K4[R] w - - 0 1",
            "pawns have moved",
            "8/8",
        ),
        (
            "8/8/8/3k4/8/8/8/FF1K4[] w - - 0 1",
            "2 pieces of the piece_type Sit-ke",
            "8/8",
        ),
        (
            "8/8/8/3k4/8/8/8/R2K4[] w - 64 0 1",
            "one of [32, 88, 128]",
            "64",
        ),
        ("8/8/8/3k4/8/8/8/R2K4[] w - 31 0 1", "not 31", "31"),
        ("8/8/8/3k3s/8/8/8/R2K4[] w - 32 0 1", "bare king", "32"),
        (
            "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[FRRSSNNkfrrssnn] w - - 0 1",
            "white has no king",
            "8/8",
        ),
        (
            "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[KFRRSSNNkfrrss] w - - 0 1",
            "white has 8 left and black 6",
            "w - -",
        ),
        (
            "8/8/4pppp/pppp4/4PPPP/PPPP4/R7/8[KFRSSNNkfrrssnn] b - - 0 1",
            "Yahhta cannot be placed on a2",
            "8/8",
        ),
        (
            "8/8/4pppp/pppp4/F3PPPP/PPPP4/8/8[KRRSSNNkfrrssnn] b - - 0 1",
            "Sit-ke cannot be placed on a4",
            "8/8",
        ),
    ]);
}

#[test]
fn sittuyin_accepts() {
    accepted::<SittuyinPosition<false>>(&[
        (
            "8/8/8/3k4/8/8/8/3K4 w - - 0 1",
            "8/8/8/3k4/8/8/8/3K4[] w - - 0 1",
        ),
        (
            "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[kfrrssnnKFRRSSNN] w - - 0 1",
            "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[KSSFRRNNkssfrrnn] w - - 0 1",
        ),
        (
            "P6k/8/8/8/8/8/P7/K7[] w - - 0 1",
            "P6k/8/8/8/8/8/P7/K7[] w - - 0 1",
        ),
    ]);
}

#[test]
fn booklet_refuses() {
    refused::<SittuyinPosition<true>>(&[
        (
            "8/8/8/3k4/8/8/8/R2K4[] w - 32 0 1",
            "knows no counting",
            "32",
        ),
        (
            "8/8/4pppp/pppp4/4PPPP/PPPP4/8/K7[FRRSSNNkfrrssnn] w - - 0 1",
            "Min-gyi cannot be placed on a1",
            "8/8",
        ),
        (
            "8/k7/4pppp/pppp4/4PPPP/PPPP4/K7/8[FRRSSNNfrrssnn] w - - 0 1",
            "then the other",
            "w - -",
        ),
        (
            "4r3/8/4pppp/pppp4/4PPPP/PPPP1SNS/1N2KF2/R6R[kssfrnn] b - - 0 1",
            "rook on e8 faces the king",
            "4r3",
        ),
    ]);
}

//! Texts that are refused, and with which words.

use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Position};

use super::position;

#[track_caller]
fn refused(text: &str, at: usize, what: &str) {
    let error = text.parse::<ToriPosition>().unwrap_err();
    assert!(error.to_string().starts_with(what), "{error}");
    assert_eq!(error.at(), at, "{error}");
}

#[test]
fn every_start_is_written_as_it_is_read() {
    for &(name, text) in ToriPosition::STARTS {
        assert_eq!(position(text).to_string(), text, "{name}");
    }
}

#[test]
fn hands_are_written_in_the_reference_engines_order() {
    let text = "3k3/7/7/7/7/7/3K3[sSflFCLpcPrRSs] w - - 0 1";
    let written = "3k3/7/7/7/7/7/3K3[PRLCFSSprlcfss] w - - 0 1";
    assert_eq!(position(text).to_string(), written);
}

#[test]
fn texts_of_shogi_sites_are_read() {
    let text = "rpckcpl/3f3/sssssss/2s1S2/SSSSSSS/3F3/LPCKCPR[-] w 0 1";
    assert_eq!(position(text), ToriPosition::start());
    let text = "rpckcpl/3f3/sssssss/2s1S2/SSSSSSS/3F3/LPCKCPR b - - 3 7";
    assert_eq!(position(text).turn(), Color::Black);
}

#[test]
fn counters_stop_at_the_greatest_that_can_be_read() {
    let mut position = position("3k3/7/7/7/7/7/3K3[] b - - 9999 9999");
    let mv = position.parse_uci("d7d6").unwrap();
    position.play(mv);
    let text = "7/3k3/7/7/7/7/3K3[] w - - 9999 9999";
    assert_eq!(position.to_string(), text);
}

#[test]
fn bad_fields_are_refused() {
    refused("", 0, "an empty field");
    refused(
        "3k3/7/7/7/7/7/3K3[] w",
        21,
        "4 to 6 fields expected, 2 found",
    );
    refused(
        "3k3/7/7/7/7/7/3K3[] w - 0 1",
        26,
        "4 or 6 fields expected, 5 found",
    );
    refused(
        "3k3/7/7/7/7/7/3K3[] x - - 0 1",
        20,
        "the turn must be 'w' or 'b', not \"x\"",
    );
    refused(
        "3k3/7/7/7/7/7/3K3[] w KQ - 0 1",
        22,
        "'-' expected, not \"KQ\"",
    );
    refused(
        "3k3/7/7/7/7/7/3K3[] w - e3 0 1",
        24,
        "'-' expected, not \"e3\"",
    );
    refused(
        "3k3/7/7/7/7/7/3K3[] w - - x 1",
        26,
        "the number of quiet plies must be",
    );
    refused(
        "3k3/7/7/7/7/7/3K3[] w - - 0 10000",
        28,
        "the move number must be",
    );
}

#[test]
fn bad_boards_are_refused() {
    refused(
        "3k3/7/7/8/7/7/3K3[] w - - 0 1",
        8,
        "rank 4 has more than 7 files",
    );
    refused(
        "3k3/7/7/7/7/3K3[] w - - 0 1",
        15,
        "the board ends on rank 2",
    );
    refused(
        "3k3/7/7/3Q3/7/7/3K3[] w - - 0 1",
        9,
        "there is no piece \"Q\"",
    );
    refused(
        "3k3/7/7/3+C3/7/7/3K3[] w - - 0 1",
        10,
        "there is no piece \"+C\"",
    );
    refused(
        "3k3/7/7/3+3/7/7/3K3[] w - - 0 1",
        10,
        "a letter must follow '+'",
    );
    refused(
        "3k3/7/7/7/7/7/3K3[S w - - 0 1",
        19,
        "the hand must end with ']'",
    );
    refused(
        "3k3/7/7/7/7/7/3K3[SK] w - - 0 1",
        19,
        "'K' cannot be in hand",
    );
    refused(
        "3k3/7/7/7/7/7/3K3[+S] w - - 0 1",
        18,
        "'+' cannot be in hand",
    );
    refused(
        "3k3/7/7/7/7/7/3K3[é] w - - 0 1",
        18,
        "'é' cannot be in hand",
    );
}

#[test]
fn impossible_pieces_are_refused() {
    refused("7/7/7/7/7/7/3K3[] w - - 0 1", 0, "black has 0 phoenixes");
    refused("3k3/7/7/7/7/7/K2K3[] w - - 0 1", 0, "white has 2 phoenixes");
    refused(
        "3k3/7/7/7/7/7/3K3[LL+Sl] w - - 0 1",
        20,
        "'+' cannot be in hand",
    );
    refused(
        "3k3/7/7/7/7/7/3K3[LLL] w - - 0 1",
        20,
        "too many pieces 'L' in hand",
    );
    refused(
        "3k3/7/7/7/L6/7/3K3[Ll] w - - 0 1",
        0,
        "3 pieces that are or were a left quail",
    );
    refused(
        "3k3/7/7/7/+S6/7/3K3[SSSSSSSSsssssssss] w - - 0 1",
        0,
        "18 pieces",
    );
    refused(
        "3k3/7/7/7/CCCCC2/7/3K3[] w - - 0 1",
        0,
        "5 pieces that are or were a crane",
    );
}

#[test]
fn impossible_swallows_are_refused() {
    let what = "white has a swallow on a7, its last rank";
    refused("S2k3/7/7/7/7/7/3K3[] w - - 0 1", 0, what);
    let what = "black has a swallow on g1, its last rank";
    refused("3k3/7/7/7/7/7/3K2s[] w - - 0 1", 0, what);
    let what = "black has more than two swallows on file b";
    refused("1s1k3/7/1s5/7/1s5/7/3K3[] w - - 0 1", 0, what);
    position("3k2+S/7/1s5/1s5/1+s5/7/3K2+s[] w - - 0 1");
}

#[test]
fn the_side_that_is_not_to_move_cannot_be_in_check() {
    let text = "3k3/3C3/7/7/7/7/3K3[] w - - 0 1";
    refused(text, 22, "black is in check, but it is white's turn");
    assert!(position(&text.replace('w', "b")).is_check());
}

#[test]
fn moves_that_are_not_legal_are_refused() {
    let start = ToriPosition::start();
    for text in [
        "", "a3", "a3a5", "a3a4+", "S@a4", "e4e5=", "é4e5", "a3a4a5", "s@a4", "A3A4",
    ] {
        let error = start.parse_uci(text).unwrap_err().to_string();
        let wanted = format!("{text:?} is not a legal move in {start}");
        assert_eq!(error, wanted);
    }
}

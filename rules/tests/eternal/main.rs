//! Eternal chess, sentence by sentence, and against a second implementation.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod agreement;
mod draws;
mod fen;
mod pieces;
mod slow;
mod turns;
mod zones;

use std::collections::BTreeSet;

use garuda_rules::eternal::EternalPosition;
use garuda_rules::{Eternal, Game, MoveList, Position};

const START: &str = "rpb2bpr/acn2nca/8/8/oooooooo/8/8/ACN2NCA/RPB2BPR r - 0 0";

fn position(text: &str) -> EternalPosition {
    text.parse().unwrap_or_else(|e| panic!("{e}"))
}

fn game(text: &str) -> Eternal {
    Eternal::from_position(position(text))
}

/// The legal moves as text.
fn legal(position: &EternalPosition) -> BTreeSet<String> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let texts: BTreeSet<String> = moves.iter().map(|&mv| position.uci(mv)).collect();
    assert_eq!(texts.len(), moves.len(), "a move twice in {position}");
    assert_eq!(texts.len(), position.count_legal_moves(), "{position}");
    texts
}

/// Where the moves that begin with `from` end, in order: `targets("…", "e2")`, `"N@"`, `"d8@"`.
fn targets(text: &str, from: &str) -> String {
    let to: Vec<String> = legal(&position(text))
        .iter()
        .filter_map(|mv| mv.strip_prefix(from))
        .map(str::to_owned)
        .collect();
    to.join(" ")
}

/// The position after some moves, as text.
fn after(text: &str, moves: &[&str]) -> String {
    let mut game = game(text);
    for mv in moves {
        game.play_uci(mv).unwrap_or_else(|e| panic!("{e}"));
    }
    game.position().to_string()
}

/// The outcome after some moves.
fn outcome_after(text: &str, moves: &[&str]) -> Option<garuda_rules::Outcome> {
    let mut game = game(text);
    for mv in moves {
        assert_eq!(game.outcome(), None, "before {mv}");
        game.play_uci(mv).unwrap_or_else(|e| panic!("{e}"));
    }
    game.outcome()
}

/// The squares of rows `rows`, without those in `except`, in the order of their names.
fn squares(rows: std::ops::RangeInclusive<u8>, except: &str) -> String {
    let mut names: Vec<String> = rows
        .flat_map(|row| ('a'..='h').map(move |file| format!("{file}{row}")))
        .filter(|name| !except.split(' ').any(|e| e == name))
        .collect();
    names.sort();
    names.join(" ")
}

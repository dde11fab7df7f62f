//! Tori Shogi, sentence by sentence.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod drops;
mod ends;
mod fen;
mod pieces;
mod promotion;
mod repetition;
mod starts;

use std::collections::BTreeSet;

use garuda_rules::tori::ToriPosition;
use garuda_rules::{Game, MoveList, Outcome, Position, ToriShogi};

fn position(text: &str) -> ToriPosition {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The legal moves as text.
fn legal(position: &ToriPosition) -> BTreeSet<String> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.iter().map(|&mv| position.uci(mv)).collect()
}

/// How the moves that begin with `from` end, in order: `targets("…", "e2")`, `"S@"`.
fn targets(text: &str, from: &str) -> String {
    let ends: Vec<String> = legal(&position(text))
        .iter()
        .filter_map(|mv| mv.strip_prefix(from))
        .map(str::to_owned)
        .collect();
    ends.join(" ")
}

/// The game after some moves, none of which but the last may end it.
fn play(text: &str, moves: &[&str]) -> ToriShogi {
    let mut game = ToriShogi::from_position(position(text));
    for mv in moves {
        assert_eq!(game.outcome(), None, "before {mv}");
        game.play_uci(mv).unwrap_or_else(|error| panic!("{error}"));
    }
    game
}

/// The position after some moves, as text.
fn after(text: &str, moves: &[&str]) -> String {
    play(text, moves).position().to_string()
}

fn outcome_after(text: &str, moves: &[&str]) -> Option<Outcome> {
    play(text, moves).outcome()
}

//! Makruk and both rule sets of Sittuyin, sentence by sentence, and against a second, slow and
//! obvious implementation.

#[path = "../walk/mod.rs"]
mod walk;

mod agreement;
mod booklet;
mod makruk;
mod sittuyin;

mod fen;
mod slow;

use garuda_rules::{Game, GameState, MoveList, Outcome, Position};

fn position<P: Position>(text: &str) -> P {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The game after some moves, which must not be over before the last of them.
fn after<P: Position>(text: &str, moves: &str) -> GameState<P> {
    let mut game = GameState::from_position(position(text));
    for mv in moves.split_whitespace() {
        assert_eq!(game.outcome(), None, "before {mv}");
        game.play_uci(mv).unwrap_or_else(|error| panic!("{error}"));
    }
    game
}

/// The text of the position after some moves.
fn text_after<P: Position>(text: &str, moves: &str) -> String {
    after::<P>(text, moves).position().to_string()
}

fn outcome<P: Position>(text: &str, moves: &str) -> Option<Outcome> {
    after::<P>(text, moves).outcome()
}

/// The legal moves, sorted.
fn legal<P: Position>(position: &P) -> Vec<String> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut texts: Vec<_> = moves.iter().map(|&mv| position.uci(mv)).collect();
    texts.sort();
    texts
}

/// The legal moves that begin with `start`, without that beginning.
fn legal_from<P: Position>(text: &str, start: &str) -> String {
    let targets: Vec<_> = legal(&position::<P>(text))
        .iter()
        .filter_map(|mv| mv.strip_prefix(start))
        .map(str::to_owned)
        .collect();
    targets.join(" ")
}

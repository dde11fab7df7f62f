//! What must hold for any input, however broken.

use garuda_rules::{Game, MoveList, Played, Position};

/// How far a position that was accepted is played on.
const PLIES: usize = 30;

/// A text is refused in words, or it is a position that writes itself as a text it reads, and
/// that can be looked at from all sides and played on.
pub fn position<P: Position>(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else {
        return;
    };
    let position = match text.parse::<P>() {
        Ok(position) => position,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let written = position.to_string();
    let again: P = written
        .parse()
        .unwrap_or_else(|error| panic!("own text refused: {error}"));
    assert_eq!(again, position);
    assert_eq!(again.to_string(), written);
    assert_eq!(position.rotated().rotated(), position);
    if let Some(image) = position.mirrored() {
        assert_eq!(image.mirrored(), Some(position));
    }
    play(Played::from_position(position), input);
}

/// Each line is refused in words or played, from one of the start positions.
pub fn moves<P: Position>(start: u8, lines: &str) {
    let (_, text) = P::STARTS[usize::from(start) % P::STARTS.len()];
    let mut game = Played::<P>::from_text(text).expect("a built-in start position is valid");
    for line in lines.lines() {
        let before = *game.position();
        match game.play_uci(line) {
            Ok(mv) => assert_eq!(before.uci(mv), line),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        check(game.position());
    }
}

/// Plays moves that the bytes choose.
fn play<P: Position>(mut game: Played<P>, bytes: &[u8]) {
    let mut legal = MoveList::new();
    for &byte in bytes.iter().rev().cycle().take(PLIES) {
        check(game.position());
        game.legal_moves(&mut legal);
        if game.outcome_given(&legal).is_some() {
            return;
        }
        let mv = legal[usize::from(byte) % legal.len()];
        assert!(!game.position().display_move(mv).is_empty());
        assert_eq!(game.position().parse_uci(&game.position().uci(mv)), Ok(mv));
        game.play(mv);
    }
}

fn check<P: Position>(position: &P) {
    assert_eq!(position.key(), position.key_from_scratch(), "{position}");
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    assert_eq!(position.count_legal_moves(), legal.len(), "{position}");
}

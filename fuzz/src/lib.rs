//! What must hold for any input, however broken.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use garuda_engine::Command;
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

/// Any lines are answered, and the engine ends with them. Every `go` has one `bestmove`, and
/// nobody is told that the engine failed.
pub fn uci(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    // What takes long by its nature, or looks at files, is left out.
    let lines: Vec<_> = text
        .lines()
        .filter(|line| match Command::parse(line) {
            Ok(Some(Command::Perft(depth))) => depth < 3,
            Ok(Some(Command::SetOption { name, .. })) => name.to_lowercase().contains("variant"),
            _ => true,
        })
        .collect();
    let searches = lines
        .iter()
        .take_while(|line| !matches!(Command::parse(line), Ok(Some(Command::Quit))))
        .filter(|line| matches!(Command::parse(line), Ok(Some(Command::Go(_)))))
        .count();
    let sheet = Sheet::default();
    garuda_engine::run(lines.join("\n").as_bytes(), sheet.clone()).expect("memory can be read");
    let written = sheet.0.lock().expect("the engine has ended").clone();
    let written = String::from_utf8(written).expect("engines write text");
    assert!(!written.contains("the engine failed"), "{written}");
    let answers = written
        .lines()
        .filter(|line| line.starts_with("bestmove ") || line.starts_with("checkmate "))
        .count();
    assert_eq!(answers, searches, "{written}");
}

/// What an engine writes.
#[derive(Clone, Default)]
struct Sheet(Arc<Mutex<Vec<u8>>>);

impl Write for Sheet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panics").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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

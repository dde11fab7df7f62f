use std::fmt;

use garuda_rules::{Color, Position};
use garuda_run::one_line;

use super::{GameEnd, MatchGame};

/// Characters per line of moves.
const WIDTH: usize = 80;

/// A game in the format of PGN, except that moves are in UCI notation and have no numbers, because
/// the sides need not alternate.
#[derive(Debug)]
pub struct Pgn<'a, P: Copy> {
    pub game: &'a MatchGame<P>,
    /// The names of the first and second player.
    pub players: &'a [String; 2],
}

impl<P: Position> fmt::Display for Pgn<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let game = self.game;
        let result = match game.winner() {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        };
        let mut tags = vec![
            ("Event", "garuda match".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", "????.??.??".to_owned()),
            ("Round", game.number.to_string()),
            ("White", self.players[game.white].clone()),
            ("Black", self.players[1 - game.white].clone()),
            ("Result", result.to_owned()),
            ("Variant", P::NAME.to_owned()),
        ];
        if *game.line.start() != P::start() {
            tags.push(("SetUp", "1".to_owned()));
            tags.push(("FEN", game.line.start().to_string()));
        }
        tags.push(("PlyCount", game.line.moves().len().to_string()));
        tags.push(("OpeningPlies", game.opening_plies.to_string()));
        tags.push(("Termination", game.end.termination().to_owned()));
        let mut words = game.line.uci_moves();
        if let GameEnd::Forfeit(forfeit) = &game.end {
            let comment = one_line(&forfeit.message).replace(['{', '}'], "|");
            words.push(format!("{{ {comment} }}"));
        }
        words.push(result.to_owned());
        f.write_str(&pgn_text(&tags, words.iter().map(String::as_str)))
    }
}

/// Tags and words (moves, comments and the result) as text, with an empty line behind each part.
pub fn pgn_text<'a>(tags: &[(&str, String)], words: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for (name, value) in tags {
        // A tag is one line; the standard escapes only backslashes and quotes.
        let value = one_line(value).replace('\\', "\\\\").replace('"', "\\\"");
        text += &format!("[{name} \"{value}\"]\n");
    }
    let mut column = 0;
    for word in words {
        let length = word.chars().count();
        let separator = match column {
            0 => '\n',
            _ if column + 1 + length > WIDTH => {
                column = 0;
                '\n'
            }
            _ => ' ',
        };
        column += length + usize::from(separator == ' ');
        text.push(separator);
        text += word;
    }
    text + "\n\n"
}

#[cfg(test)]
mod tests {
    use garuda_rules::makruk::MakrukPosition;

    use super::*;
    use crate::players::{Fault, Forfeit, GameLine};

    #[test]
    fn names_and_messages_cannot_break_a_record() {
        let game = MatchGame {
            number: 1,
            white: 0,
            opening_plies: 0,
            line: GameLine::new(MakrukPosition::start()),
            end: GameEnd::Forfeit(Forfeit::new(Fault::Crash, "} 1-0\n\n[Event \"?\"]\u{1b}")),
        };
        let players = ["a\"]\n[Result \"1-0".to_owned(), "b\\".to_owned()];
        let text = Pgn {
            game: &game,
            players: &players,
        }
        .to_string();
        let (tags, moves) = text.split_once("\n\n").unwrap();
        for line in tags.lines() {
            assert!(line.starts_with('[') && line.ends_with("\"]"), "{line}");
        }
        assert!(tags.contains(r#"[White "a\"]\\n[Result \"1-0"]"#), "{tags}");
        assert!(tags.contains(r#"[Black "b\\"]"#), "{tags}");
        assert_eq!(tags.matches("\n[Result ").count(), 1);
        assert_eq!(moves.trim_end().lines().count(), 1, "{moves:?}");
        assert!(moves.starts_with("{ | 1-0") && moves.ends_with("0-1\n\n"));
    }
}

use std::fmt::{self, Write};

use garuda_rules::{Color, Position};

use super::{GameEnd, MatchGame};

/// Characters in a line of moves.
const WIDTH: usize = 80;

/// A game in the manner of PGN, with its moves in UCI notation and no move numbers, as the sides
/// need not alternate.
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
        let mut tag = |name: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, "[{name} \"{value}\"]")
        };
        tag("Event", "garuda match")?;
        tag("Site", "?")?;
        tag("Date", "????.??.??")?;
        tag("Round", &game.number.to_string())?;
        tag("White", &self.players[game.white])?;
        tag("Black", &self.players[1 - game.white])?;
        tag("Result", result)?;
        tag("Variant", P::NAME)?;
        if *game.line.start() != P::start() {
            tag("SetUp", "1")?;
            tag("FEN", &game.line.start().to_string())?;
        }
        tag("PlyCount", &game.line.moves().len().to_string())?;
        tag("OpeningPlies", &game.opening_plies.to_string())?;
        tag("Termination", game.end.termination())?;
        let mut words = game.line.uci_moves();
        if let GameEnd::Forfeit(forfeit) = &game.end {
            let comment = forfeit.message.replace(['{', '}'], "|");
            words.push(format!("{{ {comment} }}"));
        }
        words.push(result.to_owned());
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
            f.write_char(separator)?;
            f.write_str(&word)?;
        }
        f.write_str("\n\n")
    }
}

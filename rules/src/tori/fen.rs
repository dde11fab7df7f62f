//! The FEN of a position.

use std::fmt;
use std::str::FromStr;

use super::piece_types::{self, PHOENIX, PIECE_TYPES, SUPPLY, SWALLOW, demoted};
use super::position::ToriPosition;
use super::squares::{BOARD, files_with, last_rank};
use crate::fen::{self, Field, fields, read_board, split_hand, write_board};
use crate::{Bits, Color, FenError, Piece, Position};

impl FromStr for ToriPosition {
    type Err = FenError;

    /// `board[hands] turn - - quiet-plies number`. The dashes may be missing and `[-]` may stand
    /// for empty hands: sites that play shogi write so.
    fn from_str(text: &str) -> Result<ToriPosition, FenError> {
        let all = fields(text, 4, 6)?;
        let (board, turn, dashes, quiet_plies, number) = match *all.as_slice() {
            [board, turn, quiet, number] => (board, turn, None, quiet, number),
            [board, turn, a, b, quiet, number] => (board, turn, Some([a, b]), quiet, number),
            _ => return Err(all[4].error("4 or 6 fields expected, 5 found")),
        };
        let mut position = ToriPosition::EMPTY;
        position.read_pieces(board)?;
        position.turn = fen::turn(turn)?;
        for field in dashes.into_iter().flatten() {
            if field.text != "-" {
                let what = format!("'-' expected, not {:?}", field.text);
                return Err(field.error(what));
            }
        }
        let max = u32::from(ToriPosition::MAX_COUNTER);
        position.quiet_plies = quiet_plies.number("the number of quiet plies", max)? as u16;
        position.number = number.number("the move number", max)?.max(1) as u16;
        position.validate(board, turn)?;
        position.key = position.key_from_scratch();
        Ok(position)
    }
}

impl ToriPosition {
    fn read_pieces(&mut self, field: Field<'_>) -> Result<(), FenError> {
        let (board, hands) = split_hand(field)?;
        read_board(board, BOARD, |letter, square| {
            let piece = fen::piece(&PIECE_TYPES, letter);
            if let Some(Piece { color, piece_type }) = piece {
                self.toggle(color, usize::from(piece_type), square);
            }
            piece.is_some()
        })?;
        let Some(hands) = hands.filter(|hands| hands.text != "-") else {
            return Ok(());
        };
        for (i, c) in hands.text.chars().enumerate() {
            let piece = fen::piece(&PIECE_TYPES, c.encode_utf8(&mut [0; 4]))
                .map(|piece| (piece.color, usize::from(piece.piece_type)));
            match piece {
                Some((color, piece_type)) if piece_type < piece_types::IN_HAND => {
                    if self.hands[color].count(piece_type) >= SUPPLY[piece_type] {
                        let what = format!("too many pieces {c:?} in hand");
                        return Err(hands.error_at(i, what));
                    }
                    self.hands[color].add(piece_type);
                }
                _ => return Err(hands.error_at(i, format!("{c:?} cannot be in hand"))),
            }
        }
        Ok(())
    }

    /// Refuses what no game can come to. (It does not refuse all of it.)
    fn validate(&self, board: Field<'_>, turn: Field<'_>) -> Result<(), FenError> {
        for color in Color::ALL {
            let phoenixes = (self.by_piece_type[PHOENIX] & self.by_color[color]).len();
            if phoenixes != 1 {
                return Err(board.error(format!("{color} has {phoenixes} phoenixes")));
            }
        }
        for (piece_type, &backup) in SUPPLY.iter().enumerate() {
            let on_board: usize = (0..piece_types::COUNT)
                .filter(|&other| demoted(other) == piece_type)
                .map(|other| self.by_piece_type[other].len())
                .sum();
            let held = |color: Color| usize::from(self.hands[color].count(piece_type));
            let total = on_board + held(Color::White) + held(Color::Black);
            if total > usize::from(backup) {
                let name = PIECE_TYPES[piece_type].name;
                let what =
                    format!("{total} pieces that are or were a {name}; {backup} is the most");
                return Err(board.error(what));
            }
        }
        for color in Color::ALL {
            let swallows = self.by_piece_type[SWALLOW] & self.by_color[color];
            if let Some(square) = (swallows & last_rank(color)).first() {
                let name = BOARD.name(square);
                let what = format!("{color} has a swallow on {name}, its last rank");
                return Err(board.error(what));
            }
            if let Some(square) = files_with(3, swallows).first() {
                let file = char::from(b'a' + BOARD.file(square));
                let what = format!("{color} has more than two swallows on file {file}");
                return Err(board.error(what));
            }
        }
        if self.in_check(!self.turn) {
            let what = format!("{} is in check, but it is {}'s turn", !self.turn, self.turn);
            return Err(turn.error(what));
        }
        Ok(())
    }
}

impl fmt::Display for ToriPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_board(f, BOARD, |square| {
            self.piece_at(square)
                .map(|piece| fen::letter(&PIECE_TYPES, piece))
        })?;
        f.write_str("[")?;
        for color in Color::ALL {
            for piece_type in (0..piece_types::IN_HAND).rev() {
                let held = Piece {
                    color,
                    piece_type: piece_type as u8,
                };
                let letter = fen::letter(&PIECE_TYPES, held);
                for _ in 0..self.hands[color].count(piece_type) {
                    f.write_str(&letter)?;
                }
            }
        }
        let (turn, quiet_plies, number) = (self.turn.letter(), self.quiet_plies, self.number);
        write!(f, "] {turn} - - {quiet_plies} {number}")
    }
}

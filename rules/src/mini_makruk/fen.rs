//! The FEN: board, side to move, plies since the last capture or pawn move.

use std::fmt;
use std::str::FromStr;

use super::{BOARD, KING, MiniMakrukPosition, PAWN, PIECE_TYPES, PROMOTION_RANK};
use crate::fen::{self, Field};
use crate::{Color, FenError, Position};

impl fmt::Display for MiniMakrukPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fen::write_board(f, BOARD, |square| {
            self.squares[square.index()].map(|piece| fen::letter(&PIECE_TYPES, piece))
        })?;
        write!(f, " {} {}", self.turn.letter(), self.quiet_plies)
    }
}

impl FromStr for MiniMakrukPosition {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        let fields = fen::fields(text, 3, 3)?;
        let mut position = MiniMakrukPosition {
            squares: [None; BOARD.squares()],
            turn: fen::turn(fields[1])?,
            quiet_plies: fields[2].number("the number of quiet plies", 999)? as u16,
        };
        fen::read_board(fields[0], BOARD, |letter, square| {
            let piece = fen::piece(&PIECE_TYPES, letter);
            position.squares[square.index()] = piece;
            piece.is_some()
        })?;
        position.validate(fields[0], fields[1])?;
        Ok(position)
    }
}

impl MiniMakrukPosition {
    fn validate(&self, board: Field<'_>, turn: Field<'_>) -> Result<(), FenError> {
        for color in Color::ALL {
            let kings = (self.pieces())
                .filter(|(_, piece)| piece.color == color && piece.piece_type == KING)
                .count();
            if kings != 1 {
                return Err(board.error(format!("{color} has {kings} kings")));
            }
        }
        for (square, piece) in self.pieces() {
            if piece.piece_type == PAWN && BOARD.advance(piece.color, square) >= PROMOTION_RANK {
                let name = BOARD.name(square);
                return Err(board.error(format!("a pawn on {name} would have been promoted")));
            }
        }
        if self.in_check(!self.turn()) {
            return Err(turn.error(format!("{} is in check but not to move", !self.turn())));
        }
        Ok(())
    }
}

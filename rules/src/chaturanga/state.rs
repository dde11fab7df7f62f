use std::fmt;

use super::{BOARD, Counting, PieceBoard, stream};
use crate::fen::{self, Field};
use crate::{Color, FenError, Piece, PieceType, zobrist};

/// What both games keep of a position, and its text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct State {
    pub(crate) pieces: PieceBoard,
    pub(crate) counting: Counting,
    /// Plies since the last capture, pawn move or placing. The text does not tell it while plies
    /// are being counted.
    pub(crate) clock: u16,
    /// Goes up after each ply of Black.
    pub(crate) number: u16,
    pub(crate) turn: Color,
}

const BLACK_TO_MOVE: u64 = zobrist::number(stream::TURN, 0);

impl State {
    /// The greatest clock, count or move number a text may give: far beyond any game, and far
    /// from overflow.
    const MAX_NUMBER: u32 = 9999;

    #[inline(always)]
    pub(crate) fn key(&self) -> u64 {
        self.pieces.key() ^ turn_key(self.turn)
    }

    pub(crate) fn key_from_scratch(&self) -> u64 {
        self.pieces.key_from_scratch() ^ turn_key(self.turn)
    }

    /// Lets the clocks begin from 0 again.
    pub(crate) fn restart_clocks(&mut self) {
        self.counting.count = 0;
        self.clock = 0;
    }

    /// Ends a ply: the clocks go on (or the half-move clock back), and it is `next`'s turn.
    #[inline(always)]
    pub(crate) fn pass_to(&mut self, next: Color, irreversible: bool) {
        self.counting.tick();
        self.clock = if irreversible {
            0
        } else {
            self.clock.saturating_add(1)
        };
        self.number = self.number.saturating_add(self.turn as u16);
        self.turn = next;
    }

    pub(crate) fn rotated(&self) -> State {
        State {
            pieces: self.pieces.rotated(),
            turn: !self.turn,
            ..*self
        }
    }

    pub(crate) fn mirrored(&self) -> State {
        State {
            pieces: self.pieces.mirrored(),
            ..*self
        }
    }

    /// Reads the board from `board`, which is the first of `fields` or a part of it, and the rest
    /// from the other fields.
    pub(crate) fn read(
        board: Field<'_>,
        fields: &[Field<'_>],
        piece_types: &[PieceType],
    ) -> Result<State, FenError> {
        let &[_, turn, castling, limit, count, number] = fields else {
            unreachable!("the text was split into six fields");
        };
        let mut pieces = PieceBoard::NONE;
        fen::read_board(board, BOARD, |letter, square| {
            let piece = fen::piece(piece_types, letter);
            if let Some(Piece { color, piece_type }) = piece {
                pieces.put(square, color, piece_type);
            }
            piece.is_some()
        })?;
        let turn = fen::turn(turn)?;
        if castling.text != "-" {
            return Err(castling.error("the third field must be -: there is no castling"));
        }
        let limit = match limit.text {
            "-" => 0,
            _ => match limit.number("the counting limit", State::MAX_NUMBER)? {
                0 => return Err(limit.error("the counting limit must be - or more than 0")),
                plies => plies as u16,
            },
        };
        let count = count.number("the count of plies", State::MAX_NUMBER)? as u16;
        let number = number.number("the move number", State::MAX_NUMBER)?.max(1) as u16;
        let (counting, clock) = if limit == 0 {
            (Counting::NONE, count)
        } else {
            (Counting { limit, count }, 0)
        };
        Ok(State {
            pieces,
            counting,
            clock,
            number,
            turn,
        })
    }

    pub(crate) fn write_board(
        &self,
        f: &mut fmt::Formatter<'_>,
        piece_types: &[PieceType],
    ) -> fmt::Result {
        fen::write_board(f, BOARD, |square| {
            let piece = self.pieces.piece(square)?;
            Some(fen::letter(piece_types, piece))
        })
    }

    /// Writes all fields after the first.
    pub(crate) fn write_fields(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (turn, number) = (self.turn.letter(), self.number);
        if self.counting.is_running() {
            let Counting { limit, count } = self.counting;
            write!(f, " {turn} - {limit} {count} {number}")
        } else {
            write!(f, " {turn} - - {} {number}", self.clock)
        }
    }
}

#[inline(always)]
fn turn_key(turn: Color) -> u64 {
    match turn {
        Color::White => 0,
        Color::Black => BLACK_TO_MOVE,
    }
}

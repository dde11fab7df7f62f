//! Moves as text: UCI, and the shogi style that people use.

use super::piece_types::{PIECE_TYPES, promoted};
use super::position::ToriPosition;
use super::squares::{BOARD, promotion_zone};
use crate::{Bits, Move, MoveList, Origin, Position, Square};

impl ToriPosition {
    pub(super) fn write_uci(&self, mv: Move) -> String {
        let to = BOARD.name(mv.to());
        match mv.origin() {
            Origin::Board(from) => {
                format!(
                    "{}{to}{}",
                    BOARD.name(from),
                    self.promotion_mark(from, mv.to())
                )
            }
            Origin::Hand(piece_type) => {
                format!("{}@{to}", PIECE_TYPES[usize::from(piece_type)].letter)
            }
        }
    }

    /// `S-74`, `Sx54`, `S*54`, `S-32+`; `C54-45` where another crane could go there too.
    pub(super) fn write_shogi(&self, mv: Move) -> String {
        let to = shogi_name(mv.to());
        let from = match mv.origin() {
            Origin::Hand(piece_type) => {
                return format!("{}*{to}", PIECE_TYPES[usize::from(piece_type)].letter);
            }
            Origin::Board(from) => from,
        };
        let letter = PIECE_TYPES[self.piece_type_at(from)].letter;
        let origin = if self.is_ambiguous(from, mv.to()) {
            shogi_name(from)
        } else {
            String::new()
        };
        let context = if self.by_color[!self.turn].has(mv.to()) {
            'x'
        } else {
            '-'
        };
        let promotion = self.promotion_mark(from, mv.to());
        format!("{letter}{origin}{context}{to}{promotion}")
    }

    /// Whether another piece of the same kind could legally go to the same square.
    fn is_ambiguous(&self, from: Square, to: Square) -> bool {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.iter().any(|mv| match mv.origin() {
            Origin::Board(other) => {
                mv.to() == to
                    && other != from
                    && self.piece_type_at(other) == self.piece_type_at(from)
            }
            Origin::Hand(_) => false,
        })
    }

    fn promotion_mark(&self, from: Square, to: Square) -> &'static str {
        let piece_type = self.piece_type_at(from);
        let in_zone = (u64::of(from) | u64::of(to)) & promotion_zone(self.turn) != 0;
        if in_zone && promoted(piece_type) != piece_type {
            "+"
        } else {
            ""
        }
    }
}

/// Files from right to left and ranks from the top, both counted from 1.
fn shogi_name(square: Square) -> String {
    let file = BOARD.files - BOARD.file(square);
    let rank = BOARD.ranks - BOARD.rank(square);
    format!("{file}{rank}")
}

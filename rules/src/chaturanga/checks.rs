use super::attacks::rook_attacks;
use super::{GENERAL, PAWN, PIECE_TYPE_COUNT, PieceBoard, ROOK, hiding, leaps};
use crate::{Bits, Color, Move, MoveList, Origin, Square};

/// From where the pieces of one side check the enemy's king.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Checks {
    squares: [u64; PIECE_TYPE_COUNT],
    /// Pieces that each alone hide the king from a rook of their own side.
    hiding: u64,
}

impl Checks {
    /// `king` is where the king of the other side stands.
    pub(crate) fn of(pieces: &PieceBoard, color: Color, king: Square) -> Checks {
        // Black's steps are White's turned round.
        let mut squares: [u64; PIECE_TYPE_COUNT] =
            std::array::from_fn(|piece_type| leaps(king, piece_type as u8, !color));
        squares[ROOK as usize] = rook_attacks(king, pieces.occupied());
        // A pawn may become a general.
        squares[PAWN as usize] |= squares[GENERAL as usize];
        Checks {
            squares,
            hiding: hiding(pieces, color),
        }
    }

    /// Index of the first move on the board that may give check and of which `mates` is true.
    pub(crate) fn find_mate(
        &self,
        pieces: &PieceBoard,
        legal: &MoveList,
        mates: impl Fn(Move) -> bool,
    ) -> Option<usize> {
        legal.iter().position(|&mv| {
            let Origin::Board(from) = mv.origin() else {
                return false;
            };
            let may_check = (pieces.piece_type(from))
                .is_some_and(|piece_type| self.may_check(piece_type, from, mv.to()));
            may_check && mates(mv)
        })
    }

    /// Whether a piece that moves may give check: what is not said to does not.
    #[inline]
    fn may_check(&self, piece_type: u8, from: Square, to: Square) -> bool {
        self.squares[piece_type as usize].has(to) || self.hiding.has(from)
    }
}

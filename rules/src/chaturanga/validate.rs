use super::{BOARD, GENERAL, KING, PAWN, PIECE_TYPE_COUNT, State, is_attacked};
use crate::fen::Field;
use crate::{Bits, Color, FenError, PieceType, Square};

/// How many pieces a side can have, at most.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Census {
    pub(crate) of_piece_type: [usize; PIECE_TYPE_COUNT],
    /// Pawns and generals together: every pawn may become one.
    pub(crate) pawns_and_generals: usize,
}

/// Refuses a position that cannot come up. `off_board` says how many pieces of a type a side has in
/// hand; a king must be somewhere.
pub(crate) fn validate(
    state: &State,
    fields: &[Field<'_>],
    piece_types: &[PieceType],
    census: &Census,
    off_board: impl Fn(Color, u8) -> usize,
) -> Result<(), FenError> {
    let board = fields[0];
    for color in Color::ALL {
        let count =
            |piece_type: u8| state.pieces.count(color, piece_type) + off_board(color, piece_type);
        for (piece_type, &most) in census.of_piece_type.iter().enumerate() {
            let (found, name) = (count(piece_type as u8), piece_types[piece_type].name);
            if found > most {
                return Err(board.error(format!(
                    "{color} has {found} pieces of the piece_type {name}, and can have {most}"
                )));
            }
        }
        if count(KING) == 0 {
            return Err(board.error(format!("{color} has no king")));
        }
        let found = count(PAWN) + count(GENERAL);
        let most = census.pawns_and_generals;
        if found > most {
            let (pawn, general) = (piece_types[0].name, piece_types[1].name);
            return Err(board.error(format!(
                "{color} has {found} pieces of the piece_types {pawn} and {general}, and can have {most}"
            )));
        }
    }
    let waiting = !state.turn;
    let king = state.pieces.king(waiting);
    if king.is_some_and(|king| is_attacked(&state.pieces, king, waiting)) {
        let turn = state.turn;
        return Err(fields[1].error(format!("{turn} is to move, but {waiting} is in check")));
    }
    Ok(())
}

/// The name of the first of some squares, to complain about it.
pub(crate) fn first_name(squares: u64) -> Option<String> {
    squares.first().map(|square: Square| BOARD.name(square))
}

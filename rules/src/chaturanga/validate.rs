use super::{BOARD, GENERAL, KIND_COUNT, KING, PAWN, State, is_attacked};
use crate::text::Field;
use crate::{Bits, Color, Kind, Square, TextError};

/// How many men a side can have, at most.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Census {
    pub(crate) of_kind: [usize; KIND_COUNT],
    /// Pawns and generals together: every pawn may become one.
    pub(crate) pawns_and_generals: usize,
}

/// Refuses a position that cannot come up. `off_board` says how many men of a kind a side has in
/// hand; a king must be somewhere.
pub(crate) fn validate(
    state: &State,
    fields: &[Field<'_>],
    kinds: &[Kind],
    census: &Census,
    off_board: impl Fn(Color, u8) -> usize,
) -> Result<(), TextError> {
    let board = fields[0];
    for color in Color::ALL {
        let count = |kind: u8| state.men.count(color, kind) + off_board(color, kind);
        for (kind, &most) in census.of_kind.iter().enumerate() {
            let (found, name) = (count(kind as u8), kinds[kind].name);
            if found > most {
                return Err(board.error(format!(
                    "{color} has {found} men of the kind {name}, and can have {most}"
                )));
            }
        }
        if count(KING) == 0 {
            return Err(board.error(format!("{color} has no king")));
        }
        let found = count(PAWN) + count(GENERAL);
        let most = census.pawns_and_generals;
        if found > most {
            let (pawn, general) = (kinds[0].name, kinds[1].name);
            return Err(board.error(format!(
                "{color} has {found} men of the kinds {pawn} and {general}, and can have {most}"
            )));
        }
    }
    let waiting = !state.turn;
    let king = state.men.king(waiting);
    if king.is_some_and(|king| is_attacked(&state.men, king, waiting)) {
        let turn = state.turn;
        return Err(fields[1].error(format!("{turn} is to move, but {waiting} is in check")));
    }
    Ok(())
}

/// The name of the first of some squares, to complain about it.
pub(crate) fn first_name(squares: u64) -> Option<String> {
    squares.first().map(|square: Square| BOARD.name(square))
}

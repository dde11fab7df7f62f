use super::PieceBoard;
use crate::{Bits, Color};

const DARK: u64 = 0xaa55_aa55_aa55_aa55;

/// Whether neither side has the pieces to win.
pub(crate) fn neither_can_win(pieces: &PieceBoard) -> bool {
    // With a rook or khon its owner can win; most positions have one.
    pieces.rooks() | pieces.khons() == 0
        && !Color::ALL.into_iter().any(|color| can_win(pieces, color))
}

/// Whether a side could checkmate with the pieces on the board, the enemy's in the way of their own
/// king included.
fn can_win(pieces: &PieceBoard, color: Color) -> bool {
    let own = pieces.of(color);
    let generals = pieces.generals();
    let helpers = pieces.knights() | pieces.pawns();
    let generals_on_both = generals & DARK != 0 && generals & !DARK != 0;
    own & (pieces.rooks() | pieces.khons()) != 0
        || own & generals != 0 && (generals_on_both || helpers != 0)
        || own & helpers != 0 && (pieces.occupied() & !pieces.kings()).len() >= 2
}

use crate::material::pieces;
use crate::{GamePhase, Position};

/// Pieces at the start of a game.
const FULL_BOARD: u32 = 32;

pub(crate) const PHASES: &str =
    "opening while 26 or more pieces are on the board, middle down to 16, then end";

/// Captured pieces stay away, so the number of pieces on the board decides.
pub(crate) fn phase<P: Position>(position: &P) -> GamePhase {
    GamePhase::after(FULL_BOARD - pieces(position).count() as u32, [7, 17])
}

use rand::Rng;
use rand::seq::SliceRandom;

use super::{BOARD, EternalPosition, PIECE_TYPES, RIVER, ZONE};
use crate::{Bits, Color, Piece, Square};

/// A random start array: each side's pieces are six mirrored pairs in its half outside its zone,
/// Black's being Red's turned around, with all stones in the river and Red to move.
pub fn random_start<R: Rng + ?Sized>(rng: &mut R) -> EternalPosition {
    let mut left: Vec<Square> = BOARD
        .all()
        .filter(|&square| BOARD.rank(square) < 4 && BOARD.file(square) < 4)
        .filter(|&square| !ZONE.white.has(square))
        .collect();
    left.shuffle(rng);
    let mut position = EternalPosition::empty();
    for (piece_type, square) in (0..PIECE_TYPES.len() as u8).zip(left) {
        for square in [square, BOARD.mirror(square)] {
            let red = Piece {
                color: Color::White,
                piece_type,
            };
            position.toggle(red, square);
            let black = Piece {
                color: Color::Black,
                piece_type,
            };
            position.toggle(black, BOARD.rotate(square));
        }
    }
    for square in RIVER.squares() {
        position.toggle_stone(square);
    }
    position
}

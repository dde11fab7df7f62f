use rand::Rng;
use rand::seq::SliceRandom;

use super::{BOARD, EternalPosition, KINDS, RIVER, ZONE};
use crate::{Bits, Color, Man, Square};

/// A random start array: each side's men are six mirrored pairs in its half outside its zone,
/// Black's being Red's turned around, with all stones in the river and Red to move.
pub fn random_start<R: Rng + ?Sized>(rng: &mut R) -> EternalPosition {
    let mut left: Vec<Square> = BOARD
        .all()
        .filter(|&square| BOARD.rank(square) < 4 && BOARD.file(square) < 4)
        .filter(|&square| !ZONE.white.has(square))
        .collect();
    left.shuffle(rng);
    let mut position = EternalPosition::empty();
    for (kind, square) in (0..KINDS.len() as u8).zip(left) {
        for square in [square, BOARD.mirror(square)] {
            let red = Man {
                color: Color::White,
                kind,
            };
            position.toggle(red, square);
            let black = Man {
                color: Color::Black,
                kind,
            };
            position.toggle(black, BOARD.rotate(square));
        }
    }
    for square in RIVER.squares() {
        position.toggle_stone(square);
    }
    position
}

//! Where pieces reach, as sets of squares. Whose pieces stand there is not looked at.

use super::{BOARD, HORSE, PIECE_TYPES};
use crate::{Bits, Color, Square, Step};

const SQUARES: usize = BOARD.squares();

/// What is known of a square on the empty board. A line is without the square itself.
struct Geometry {
    file: u128,
    diagonal: u128,
    antidiagonal: u128,
    horse: u128,
    neighbours: u128,
    /// The neighbours that have a square directly behind them.
    hurdles: u128,
}

static GEOMETRY: [Geometry; SQUARES] = {
    let mut all = [const {
        Geometry {
            file: 0,
            diagonal: 0,
            antidiagonal: 0,
            horse: 0,
            neighbours: 0,
            hurdles: 0,
        }
    }; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        let square = Square(i as u8);
        all[i] = Geometry {
            file: ray(square, 0, 1) | ray(square, 0, -1),
            diagonal: ray(square, 1, 1) | ray(square, -1, -1),
            antidiagonal: ray(square, 1, -1) | ray(square, -1, 1),
            horse: leaps(square, PIECE_TYPES[HORSE].steps),
            neighbours: around(square, 1),
            hurdles: around(square, 2),
        };
        i += 1;
    }
    all
};

/// The squares of a row that a rook on file `f` reaches, by the six inner squares of the row.
static ROW: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let occupied = (inner as u8) << 1;
            let mut reach = 0;
            let mut right = file + 1;
            while right < 8 {
                reach |= 1 << right;
                if occupied >> right & 1 != 0 {
                    break;
                }
                right += 1;
            }
            let mut left = file;
            while left > 0 {
                left -= 1;
                reach |= 1 << left;
                if occupied >> left & 1 != 0 {
                    break;
                }
            }
            table[file][inner] = reach;
            inner += 1;
        }
        file += 1;
    }
    table
};

const fn ray(from: Square, files: i8, ranks: i8) -> u128 {
    let mut set = 0;
    let mut at = from;
    while let Some(next) = BOARD.offset(at, files, ranks) {
        set |= 1 << next.0;
        at = next;
    }
    set
}

const fn leaps(from: Square, steps: &[Step]) -> u128 {
    let mut set = 0;
    let mut i = 0;
    while i < steps.len() {
        if let Some(to) = steps[i].target(BOARD, Color::White, from) {
            set |= 1 << to.0;
        }
        i += 1;
    }
    set
}

/// The neighbours of a square in whose direction the board goes on for `distance` squares.
const fn around(square: Square, distance: i8) -> u128 {
    let mut set = 0;
    let mut i = 0;
    while i < 9 {
        let (files, ranks) = (i % 3 - 1, i / 3 - 1);
        if (files != 0 || ranks != 0)
            && BOARD
                .offset(square, files * distance, ranks * distance)
                .is_some()
            && let Some(next) = BOARD.offset(square, files, ranks)
        {
            set |= 1 << next.0;
        }
        i += 1;
    }
    set
}

/// A slider's reach along a line that has at most one square in each row, up to and including
/// the first occupied square each way. Subtracting the slider's bit flips everything up to the
/// next piece above it; turned upside down, the same finds the next piece below.
#[inline]
fn line(square: Square, occupied: u128, line: u128) -> u128 {
    let slider = u128::of(square);
    let up = occupied & line;
    let down = up.swap_bytes();
    let up = up.wrapping_sub(slider);
    let down = down.wrapping_sub(slider.swap_bytes());
    (up ^ down.swap_bytes()) & line
}

#[inline]
fn row(square: Square, occupied: u128) -> u128 {
    let shift = square.0 & !7;
    let inner = (occupied >> (shift + 1)) as usize & 63;
    u128::from(ROW[usize::from(square.0 & 7)][inner]) << shift
}

/// Rook's lines up to and including the first piece each way.
#[inline]
pub(super) fn rook(square: Square, occupied: u128) -> u128 {
    row(square, occupied) | line(square, occupied, GEOMETRY[square.index()].file)
}

/// Bishop's lines up to and including the first piece each way.
#[inline]
pub(super) fn elephant(square: Square, occupied: u128) -> u128 {
    let Geometry {
        diagonal,
        antidiagonal,
        ..
    } = GEOMETRY[square.index()];
    line(square, occupied, diagonal) | line(square, occupied, antidiagonal)
}

#[inline]
pub(super) fn horse(square: Square) -> u128 {
    GEOMETRY[square.index()].horse
}

/// The empty squares on the rook's lines, and the second piece each way.
#[inline]
pub(super) fn cannon(square: Square, occupied: u128) -> u128 {
    let reach = rook(square, occupied);
    let beyond = occupied & !reach;
    (reach & !occupied) | (rook(square, beyond) & beyond)
}

/// The squares behind the first piece each way, up to and including the second.
#[inline]
pub(super) fn cannon_attacks(square: Square, occupied: u128) -> u128 {
    let reach = rook(square, occupied);
    rook(square, occupied & !reach) & !reach
}

/// Where a soldier's chain of jumps over `hurdles` can end; its own square, which counts as
/// empty, is not among them.
#[inline]
pub(super) fn soldier(from: Square, occupied: u128, hurdles: u128) -> u128 {
    let stops = occupied & !u128::of(from);
    let mut reached = u128::of(from);
    let mut ahead = reached;
    while let Some(at) = ahead.first() {
        ahead &= ahead - 1;
        for hurdle in (GEOMETRY[at.index()].hurdles & hurdles).squares() {
            let landing = u128::of(Square(2 * hurdle.0 - at.0));
            ahead |= landing & !reached & !stops;
            reached |= landing;
        }
    }
    reached & !u128::of(from)
}

#[inline]
pub(super) fn neighbours(square: Square) -> u128 {
    GEOMETRY[square.index()].neighbours
}

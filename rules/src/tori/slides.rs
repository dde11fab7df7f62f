//! Moves over any number of empty squares, or up to two.

use super::piece_types::{PIECE_TYPES, SLIDERS};
use super::squares::{BOARD, SQUARES};
use crate::{Color, Square, Step};

/// Where the `slider`-th of [`SLIDERS`] slides on an empty board. It is also from where such a
/// piece of the other side slides to the square.
#[inline(always)]
pub(super) fn open_slide_targets(color: Color, slider: usize, square: Square) -> u64 {
    RAYS[color as usize][slider].all[square.index()]
}

/// Where the `slider`-th of [`SLIDERS`] slides, up to and with the first piece in its way.
#[inline(always)]
pub(super) fn slide_targets(color: Color, slider: usize, square: Square, occupied: u64) -> u64 {
    let rays = &RAYS[color as usize][slider];
    let from = &rays.from[square.index()];
    let mut targets = 0;
    for &ray in &from[..rays.up] {
        let blockers = ray & occupied;
        let up_to_lowest = blockers ^ blockers.wrapping_sub(1);
        targets |= ray & up_to_lowest;
    }
    for &ray in &from[rays.up..rays.up + rays.down] {
        let blockers = ray & occupied;
        let down_to_highest = u64::MAX << (63 - (blockers | 1).leading_zeros());
        targets |= ray & down_to_highest;
    }
    targets
}

/// The rays of a slider of one side.
struct Rays {
    /// How many go to higher squares; these come first.
    up: usize,
    down: usize,
    from: [[u64; MOST_RAYS]; SQUARES],
    /// All rays from a square together.
    all: [u64; SQUARES],
}

/// What the eagle has.
const MOST_RAYS: usize = 5;

/// By color and place in [`SLIDERS`].
static RAYS: [[Rays; SLIDERS.len()]; 2] = [
    [
        rays(Color::White, SLIDERS[0]),
        rays(Color::White, SLIDERS[1]),
        rays(Color::White, SLIDERS[2]),
    ],
    [
        rays(Color::Black, SLIDERS[0]),
        rays(Color::Black, SLIDERS[1]),
        rays(Color::Black, SLIDERS[2]),
    ],
];

const fn rays(color: Color, piece_type: usize) -> Rays {
    let steps = PIECE_TYPES[piece_type].steps;
    let forward_is_up = matches!(color, Color::White);
    let mut rays = Rays {
        up: 0,
        down: 0,
        from: [[0; MOST_RAYS]; SQUARES],
        all: [0; SQUARES],
    };
    let mut i = 0;
    while i < 2 * steps.len() {
        let first_round = i < steps.len();
        let step = steps[i % steps.len()];
        let up = (step.ranks > 0) == forward_is_up;
        if step.reach > 1 && up == first_round {
            let mut square = 0;
            while square < SQUARES {
                let ray = ray(step, color, Square(square as u8));
                rays.from[square][rays.up + rays.down] = ray;
                rays.all[square] |= ray;
                square += 1;
            }
            if up {
                rays.up += 1;
            } else {
                rays.down += 1;
            }
        }
        i += 1;
    }
    rays
}

/// The squares that repeating a step reaches on an empty board.
const fn ray(step: Step, color: Color, from: Square) -> u64 {
    let mut ray = 0;
    let mut square = from;
    let mut reach = step.reach;
    while reach > 0 {
        match step.target(BOARD, color, square) {
            None => break,
            Some(next) => square = next,
        }
        ray |= 1 << square.0;
        reach -= 1;
    }
    ray
}

/// The squares strictly between two that lie on a line; none for others.
#[inline]
pub(super) fn between(a: Square, b: Square) -> u64 {
    BETWEEN[a.index()][b.index()]
}

static BETWEEN: [[u64; SQUARES]; SQUARES] = {
    let mut table = [[0; SQUARES]; SQUARES];
    let mut a = 0;
    while a < SQUARES {
        let mut direction = 0;
        while direction < 9 {
            let step = Step::leap(direction % 3 - 1, direction / 3 - 1);
            let mut squares = 0;
            let mut at = Square(a as u8);
            while let Some(b) = step.target(BOARD, Color::White, at) {
                if b.index() == a {
                    break;
                }
                table[a][b.index()] = squares;
                squares |= 1 << b.0;
                at = b;
            }
            direction += 1;
        }
        a += 1;
    }
    table
};

//! Eternal chess 永恒棋, the rules of 2014: nothing but stones ever leaves the game, and four
//! points win.
//!
//! A turn is up to three decisions of one player: deport the piece that scored last turn, move,
//! place the piece just captured. Each decision is a [`Move`](crate::Move) of its own.

mod attacks;
mod evaluation;
mod fen;
mod generate;
mod position;
mod random;
mod wins;

pub use position::{EternalPosition, Phase};
pub use random::random_start;

use crate::{Board, ByColor, Mark, PieceType, Purpose, Step};

const BOARD: Board = Board { files: 8, ranks: 9 };

const ROOK: usize = 0;
const HORSE: usize = 1;
const CANNON: usize = 2;
const ELEPHANT: usize = 3;
const ADVISOR: usize = 4;
const SOLDIER: usize = 5;

/// Pieces never leave the game, so having one is worth nothing: what counts is where they stand.
const PIECE_TYPES: [PieceType; 6] = [
    PieceType::new("R", "rook", &orthogonals(Step::SLIDE, Purpose::Any)),
    PieceType::new(
        "N",
        "horse",
        &[
            Step::leap(1, 2),
            Step::leap(2, 1),
            Step::leap(2, -1),
            Step::leap(1, -2),
            Step::leap(-1, -2),
            Step::leap(-2, -1),
            Step::leap(-2, 1),
            Step::leap(-1, 2),
        ],
    ),
    PieceType::new("C", "cannon", &CANNON_STEPS),
    PieceType::new("B", "elephant", &diagonals(Step::SLIDE, Purpose::Any)),
    PieceType::new("A", "advisor", &around(1, Purpose::Copy)),
    PieceType::new("P", "soldier", &around(2, Purpose::Hop)),
];

const CANNON_STEPS: [Step; 8] = {
    let [a, b, c, d] = orthogonals(Step::SLIDE, Purpose::MoveOnly);
    let [e, f, g, h] = orthogonals(Step::SLIDE, Purpose::OverScreen);
    [a, b, c, d, e, f, g, h]
};

const fn orthogonals(reach: u8, purpose: Purpose) -> [Step; 4] {
    [
        Step::ranged(0, 1, reach).only(purpose),
        Step::ranged(1, 0, reach).only(purpose),
        Step::ranged(0, -1, reach).only(purpose),
        Step::ranged(-1, 0, reach).only(purpose),
    ]
}

const fn diagonals(reach: u8, purpose: Purpose) -> [Step; 4] {
    [
        Step::ranged(1, 1, reach).only(purpose),
        Step::ranged(1, -1, reach).only(purpose),
        Step::ranged(-1, -1, reach).only(purpose),
        Step::ranged(-1, 1, reach).only(purpose),
    ]
}

/// One leap of `distance` in each of the eight directions.
const fn around(distance: i8, purpose: Purpose) -> [Step; 8] {
    let d = distance;
    [
        Step::leap(0, d).only(purpose),
        Step::leap(d, d).only(purpose),
        Step::leap(d, 0).only(purpose),
        Step::leap(d, -d).only(purpose),
        Step::leap(0, -d).only(purpose),
        Step::leap(-d, -d).only(purpose),
        Step::leap(-d, 0).only(purpose),
        Step::leap(-d, d).only(purpose),
    ]
}

/// What a side has of each kind.
const OF_A_KIND: usize = 2;
/// The points that win.
pub const WINNING_POINTS: u8 = 4;
/// Turns of both players together. A turn is all decisions of one player.
const LENGTH_LIMIT: u32 = 400;

/// The fifth row, where stones are. They never move.
const RIVER: u128 = 0xff << 32;
/// The halves: rows 1 to 4 and 6 to 9.
const HALF: ByColor<u128> = ByColor::new(0xffff_ffff, 0xffff_ffff << 40);
/// d1 e1 d2 e2 and d8 e8 d9 e9.
const ZONE: ByColor<u128> = ByColor::new(0x1818, 0x1818 << 56);

const MARKS: [Mark; 3] = [
    Mark::River {
        from: (0, 4),
        to: (8, 5),
    },
    Mark::Zone {
        from: (3, 0),
        to: (5, 2),
    },
    Mark::Zone {
        from: (3, 7),
        to: (5, 9),
    },
];

//! Where pieces attack, derived from their steps: for whole sets of pieces by shifting, for one piece by
//! tables made at compile time, for rooks by arithmetic.

use super::piece_types::{FORWARD, PIECE_TYPE_COUNT, STEPS};
use super::{BOARD, ROOK};
use crate::{Bits, Color, Purpose, Square, Step};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_1: u64 = 0xff;

/// The file through a square.
pub(crate) const fn file_of(square: Square) -> u64 {
    FILE_A << (square.0 & 7)
}

/// The rank through a square.
pub(crate) const fn rank_of(square: Square) -> u64 {
    RANK_1 << (square.0 & 56)
}

/// What a step of `color` adds to the number of a square.
#[inline(always)]
pub(super) const fn delta(step: Step, color: Color) -> i8 {
    let delta = step.ranks * 8 + step.files;
    match color {
        Color::White => delta,
        Color::Black => -delta,
    }
}

/// Where one step takes the pieces of a set. Those that would leave the board vanish.
#[inline(always)]
pub(super) const fn shift(set: u64, step: Step, color: Color) -> u64 {
    let files = match color {
        Color::White => step.files,
        Color::Black => -step.files,
    };
    let stay = if files >= 0 {
        RANK_1 >> files
    } else {
        (RANK_1 << -files) & RANK_1
    };
    let set = set & (FILE_A * stay);
    let delta = delta(step, color);
    if delta >= 0 {
        set << delta
    } else {
        set >> -delta
    }
}

/// All squares that the pieces of a set, of one kind, attack by one step.
#[inline(always)]
pub(crate) const fn spread(set: u64, piece_type: u8, color: Color) -> u64 {
    let steps = STEPS[piece_type as usize];
    let mut attacked = 0;
    let mut i = 0;
    while i < steps.len() {
        if !matches!(steps[i].purpose, Purpose::MoveOnly) {
            attacked |= shift(set, steps[i], color);
        }
        i += 1;
    }
    attacked
}

/// Where the pieces of a set come by a step forward.
#[inline(always)]
pub(crate) const fn forward(set: u64, color: Color) -> u64 {
    shift(set, FORWARD, color)
}

const fn leap_table(color: Color) -> [[u64; 64]; PIECE_TYPE_COUNT] {
    let mut table = [[0; 64]; PIECE_TYPE_COUNT];
    let mut piece_type = 0;
    while piece_type < PIECE_TYPE_COUNT {
        let mut square = 0;
        while square < 64 {
            table[piece_type][square] = spread(1 << square, piece_type as u8, color);
            square += 1;
        }
        piece_type += 1;
    }
    table
}

static LEAPS: [[[u64; 64]; PIECE_TYPE_COUNT]; 2] =
    [leap_table(Color::White), leap_table(Color::Black)];

/// The squares that a piece attacks by one step.
///
/// Black's steps are White's turned round, so these are also the squares from which such a piece
/// of the other side attacks `square`.
#[inline(always)]
pub(crate) fn leaps(square: Square, piece_type: u8, color: Color) -> u64 {
    LEAPS[color as usize][piece_type as usize][square.index() & 63]
}

/// Attacks of a rook along a rank, by the inner six squares of the rank and the rook's file.
static RANK_ATTACKS: [[u8; 8]; 64] = {
    let mut table = [[0; 8]; 64];
    let mut inner = 0;
    while inner < 64 {
        let occupied = (inner as u64) << 1;
        let mut file = 0;
        while file < 8 {
            table[inner][file] = slide(Square(file as u8), occupied) as u8;
            file += 1;
        }
        inner += 1;
    }
    table
};

/// A rook's attacks found by walking its steps.
const fn slide(from: Square, occupied: u64) -> u64 {
    let steps = STEPS[ROOK as usize];
    let mut attacked = 0;
    let mut i = 0;
    while i < steps.len() {
        let mut square = from;
        while let Some(next) = BOARD.offset(square, steps[i].files, steps[i].ranks) {
            attacked |= 1 << next.0;
            if occupied >> next.0 & 1 != 0 {
                break;
            }
            square = next;
        }
        i += 1;
    }
    attacked
}

/// The squares a rook attacks. Along the file by subtraction: taking a piece's bit from the blockers
/// on its line flips all bits up to the first one, and turned upside down the same goes
/// downwards.
#[inline(always)]
pub(super) fn rook_attacks(square: Square, occupied: u64) -> u64 {
    let bit = u64::of(square);
    let file = file_of(square) & !bit;
    let blockers = occupied & file;
    let up = blockers.wrapping_sub(bit);
    let down = blockers
        .swap_bytes()
        .wrapping_sub(bit.swap_bytes())
        .swap_bytes();
    let rank = square.0 & 56;
    let inner = (occupied >> (rank + 1)) as usize & 63;
    let along = u64::from(RANK_ATTACKS[inner][square.index() & 7]) << rank;
    (up ^ down) & file | along
}

/// The squares strictly between two squares of one file or rank.
#[inline(always)]
pub(crate) fn between(a: Square, b: Square) -> u64 {
    let line = if (a.0 ^ b.0) & 7 == 0 {
        file_of(a)
    } else {
        rank_of(a)
    };
    let (low, high) = (u64::of(a).min(u64::of(b)), u64::of(a).max(u64::of(b)));
    line & (high - 1) & !(low | (low - 1))
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn rook_arithmetic_equals_walking() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..2000 {
            let occupied = rng.next_u64() & rng.next_u64();
            for square in BOARD.all() {
                assert_eq!(rook_attacks(square, occupied), slide(square, occupied));
            }
        }
    }

    #[test]
    fn shifting_equals_stepping() {
        for color in Color::ALL {
            for steps in STEPS {
                for step in steps {
                    for square in BOARD.all() {
                        let target = step.target(BOARD, color, square);
                        let expected = target.map_or(0, u64::of);
                        assert_eq!(shift(u64::of(square), *step, color), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn between_is_what_two_rooks_see_of_each_other() {
        for a in BOARD.all() {
            for b in (file_of(a) | rank_of(a)).squares().filter(|&b| b != a) {
                let seen = slide(a, u64::of(b)) & slide(b, u64::of(a));
                assert_eq!(between(a, b), seen, "{a:?} {b:?}");
            }
        }
    }
}

//! Moves to one square at a fixed distance, by one piece or by all that have it at once.

use super::piece_types::{self, PIECE_TYPES};
use super::squares::{BOARD, SQUARES};
use crate::{Color, Square, Step};

/// A side as a type, so that its shifts and tables are chosen at compile time.
pub(super) trait Side {
    type Other: Side;
    const COLOR: Color;
    const LEAPS: [Leap; LEAPS] = leaps(Self::COLOR);
}

pub(super) struct White;
pub(super) struct Black;

impl Side for White {
    type Other = Black;
    const COLOR: Color = Color::White;
}

impl Side for Black {
    type Other = White;
    const COLOR: Color = Color::Black;
}

/// The number of different leaps.
pub(super) const LEAPS: usize = 12;

/// A leap of one side, done by all pieces that have it at once.
#[derive(Copy, Clone)]
pub(super) struct Leap {
    /// What it adds to the number of a square.
    pub(super) delta: i8,
    /// The squares from which it stays on the board.
    sources: u64,
    /// The kinds, as bits, that have it.
    piece_types: u16,
}

impl Leap {
    const NONE: Leap = Leap {
        delta: 0,
        sources: 0,
        piece_types: 0,
    };

    /// Where this leap takes the pieces on `squares`.
    #[inline(always)]
    pub(super) const fn shift(self, squares: u64) -> u64 {
        let squares = squares & self.sources;
        if self.delta >= 0 {
            squares << self.delta
        } else {
            squares >> -self.delta
        }
    }

    /// The pieces that have this leap.
    #[inline(always)]
    pub(super) fn pieces(self, by_piece_type: &[u64; piece_types::COUNT]) -> u64 {
        let mut pieces = 0;
        for (piece_type, &of_piece_type) in by_piece_type.iter().enumerate() {
            if self.piece_types >> piece_type & 1 != 0 {
                pieces |= of_piece_type;
            }
        }
        pieces
    }
}

/// Does something with each leap of a side. Written out rather than looped over, so that the
/// shift, the mask and the kinds are constants: counting moves is twice as fast.
macro_rules! for_each_leap {
    ($side:ty, |$leap:ident| $body:block) => {
        for_each_leap!($side, |$leap| $body, 0 1 2 3 4 5 6 7 8 9 10 11)
    };
    ($side:ty, |$leap:ident| $body:block, $($i:literal)*) => {
        $({
            let $leap = const { <$side>::LEAPS[$i] };
            $body
        })*
    };
}
pub(super) use for_each_leap;

const fn leaps(color: Color) -> [Leap; LEAPS] {
    let mut leaps = [Leap::NONE; LEAPS];
    let mut count = 0;
    let mut way = 0;
    // No leap goes further than two squares along files or ranks.
    while way < 5 * 5 {
        let leap = leap(Step::leap(way % 5 - 2, way / 5 - 2), color);
        if leap.piece_types != 0 {
            leaps[count] = leap;
            count += 1;
        }
        way += 1;
    }
    assert!(count == LEAPS);
    leaps
}

const fn leap(step: Step, color: Color) -> Leap {
    let mut leap = Leap::NONE;
    let mut square = 0;
    while square < SQUARES as u8 {
        if let Some(target) = step.target(BOARD, color, Square(square)) {
            leap.sources |= 1 << square;
            leap.delta = target.0 as i8 - square as i8;
        }
        square += 1;
    }
    let mut piece_type = 0;
    while piece_type < piece_types::COUNT {
        let mut i = 0;
        while i < PIECE_TYPES[piece_type].steps.len() {
            let other = PIECE_TYPES[piece_type].steps[i];
            if other.reach == 1 && other.files == step.files && other.ranks == step.ranks {
                leap.piece_types |= 1 << piece_type;
            }
            i += 1;
        }
        piece_type += 1;
    }
    leap
}

/// Where a piece leaps. It is also from where such a piece of the other side leaps to the square.
#[inline(always)]
pub(super) fn leap_targets(color: Color, piece_type: usize, square: Square) -> u64 {
    TARGETS[color as usize][piece_type][square.index()]
}

/// By color, kind and square.
static TARGETS: [[[u64; SQUARES]; piece_types::COUNT]; 2] =
    [targets(&White::LEAPS), targets(&Black::LEAPS)];

const fn targets(leaps: &[Leap; LEAPS]) -> [[u64; SQUARES]; piece_types::COUNT] {
    let mut table = [[0; SQUARES]; piece_types::COUNT];
    let mut i = 0;
    while i < LEAPS {
        let mut piece_type = 0;
        while piece_type < piece_types::COUNT {
            let mut square = 0;
            while square < SQUARES && leaps[i].piece_types >> piece_type & 1 != 0 {
                table[piece_type][square] |= leaps[i].shift(1 << square);
                square += 1;
            }
            piece_type += 1;
        }
        i += 1;
    }
    table
}

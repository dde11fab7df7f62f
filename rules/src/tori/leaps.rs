//! Moves to one square at a fixed distance, by one man or by all that have it at once.

use super::kinds::{self, KINDS};
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

/// A leap of one side, done by all men that have it at once.
#[derive(Copy, Clone)]
pub(super) struct Leap {
    /// What it adds to the number of a square.
    pub(super) delta: i8,
    /// The squares from which it stays on the board.
    sources: u64,
    /// The kinds, as bits, that have it.
    kinds: u16,
}

impl Leap {
    const NONE: Leap = Leap {
        delta: 0,
        sources: 0,
        kinds: 0,
    };

    /// Where this leap takes the men on `squares`.
    #[inline(always)]
    pub(super) const fn shift(self, squares: u64) -> u64 {
        let squares = squares & self.sources;
        if self.delta >= 0 {
            squares << self.delta
        } else {
            squares >> -self.delta
        }
    }

    /// The men that have this leap.
    #[inline(always)]
    pub(super) fn men(self, by_kind: &[u64; kinds::COUNT]) -> u64 {
        let mut men = 0;
        for (kind, &of_kind) in by_kind.iter().enumerate() {
            if self.kinds >> kind & 1 != 0 {
                men |= of_kind;
            }
        }
        men
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
        if leap.kinds != 0 {
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
    let mut kind = 0;
    while kind < kinds::COUNT {
        let mut i = 0;
        while i < KINDS[kind].steps.len() {
            let other = KINDS[kind].steps[i];
            if other.reach == 1 && other.files == step.files && other.ranks == step.ranks {
                leap.kinds |= 1 << kind;
            }
            i += 1;
        }
        kind += 1;
    }
    leap
}

/// Where a man leaps. It is also from where such a man of the other side leaps to the square.
#[inline(always)]
pub(super) fn leap_targets(color: Color, kind: usize, square: Square) -> u64 {
    TARGETS[color as usize][kind][square.index()]
}

/// By color, kind and square.
static TARGETS: [[[u64; SQUARES]; kinds::COUNT]; 2] =
    [targets(&White::LEAPS), targets(&Black::LEAPS)];

const fn targets(leaps: &[Leap; LEAPS]) -> [[u64; SQUARES]; kinds::COUNT] {
    let mut table = [[0; SQUARES]; kinds::COUNT];
    let mut i = 0;
    while i < LEAPS {
        let mut kind = 0;
        while kind < kinds::COUNT {
            let mut square = 0;
            while square < SQUARES && leaps[i].kinds >> kind & 1 != 0 {
                table[kind][square] |= leaps[i].shift(1 << square);
                square += 1;
            }
            kind += 1;
        }
        i += 1;
    }
    table
}

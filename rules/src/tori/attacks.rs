//! Where men can go, as tables made at compile time from the kinds' steps.

use super::kinds::{self, KINDS, SLIDERS};
use crate::{Board, Color, Square, Step};

pub(super) const BOARD: Board = Board { files: 7, ranks: 7 };
const SQUARES: usize = BOARD.squares();

pub(super) const ALL: u64 = (1 << SQUARES) - 1;
pub(super) const RANK_1: u64 = (1 << BOARD.files) - 1;
pub(super) const FILE_A: u64 = {
    let mut file = 0;
    let mut rank = 0;
    while rank < BOARD.ranks {
        file |= 1 << BOARD.square(0, rank).0;
        rank += 1;
    }
    file
};

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

/// The rank beyond which a side's swallow would have no move.
pub(super) const fn last_rank(color: Color) -> u64 {
    match color {
        Color::White => RANK_1 << (SQUARES - BOARD.files as usize),
        Color::Black => RANK_1,
    }
}

/// The last two ranks of a side, where swallows and falcons promote.
pub(super) const fn promotion_zone(color: Color) -> u64 {
    let ranks = RANK_1 | RANK_1 << BOARD.files;
    match color {
        Color::White => ranks << (SQUARES - 2 * BOARD.files as usize),
        Color::Black => ranks,
    }
}

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

/// The number of different leaps.
const LEAPS: usize = distinct_leaps().1;
const _: () = assert!(LEAPS == 12, "`for_each_leap` writes out twelve");
const MANY: usize = 32;

/// The different leaps of all kinds, and how many there are.
const fn distinct_leaps() -> ([Step; MANY], usize) {
    let mut found = [Step::leap(0, 0); MANY];
    let mut count = 0;
    let mut kind = 0;
    while kind < kinds::COUNT {
        let mut i = 0;
        while i < KINDS[kind].steps.len() {
            let step = KINDS[kind].steps[i];
            if step.reach == 1 {
                let mut known = 0;
                while known < count && !same_direction(found[known], step) {
                    known += 1;
                }
                found[known] = step;
                if known == count {
                    count += 1;
                }
            }
            i += 1;
        }
        kind += 1;
    }
    (found, count)
}

const fn same_direction(a: Step, b: Step) -> bool {
    a.files == b.files && a.ranks == b.ranks
}

const fn leaps(color: Color) -> [Leap; LEAPS] {
    let steps = distinct_leaps().0;
    let mut leaps = [Leap {
        delta: 0,
        sources: 0,
        kinds: 0,
    }; LEAPS];
    let mut i = 0;
    while i < LEAPS {
        let step = steps[i];
        let mut square = 0;
        while square < SQUARES as u8 {
            if let Some(target) = step.target(BOARD, color, Square(square)) {
                leaps[i].sources |= 1 << square;
                leaps[i].delta = target.0 as i8 - square as i8;
            }
            square += 1;
        }
        let mut kind = 0;
        while kind < kinds::COUNT {
            let mut k = 0;
            while k < KINDS[kind].steps.len() {
                let own = KINDS[kind].steps[k];
                if own.reach == 1 && same_direction(own, step) {
                    leaps[i].kinds |= 1 << kind;
                }
                k += 1;
            }
            kind += 1;
        }
        i += 1;
    }
    leaps
}

/// Squares by color, kind and square.
type Table = [[[u64; SQUARES]; kinds::COUNT]; 2];

static LEAP_TARGETS: Table = targets(1, 1);
static SLIDE_TARGETS: Table = targets(2, Step::SLIDE);

/// Where steps of a reach from `least` to `most` take men on an empty board.
const fn targets(least: u8, most: u8) -> Table {
    let mut table = [[[0; SQUARES]; kinds::COUNT]; 2];
    let mut kind = 0;
    while kind < kinds::COUNT {
        let mut i = 0;
        while i < KINDS[kind].steps.len() {
            let step = KINDS[kind].steps[i];
            let mut square = 0;
            while square < SQUARES && least <= step.reach && step.reach <= most {
                let from = Square(square as u8);
                table[Color::White as usize][kind][square] |= ray(step, Color::White, from);
                table[Color::Black as usize][kind][square] |= ray(step, Color::Black, from);
                square += 1;
            }
            i += 1;
        }
        kind += 1;
    }
    table
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

/// The rays of a slider of one side, those to higher squares first.
struct Rays {
    up: usize,
    down: usize,
    from: [[u64; MOST_RAYS]; SQUARES],
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

const fn rays(color: Color, kind: usize) -> Rays {
    let steps = KINDS[kind].steps;
    let forward_is_up = matches!(color, Color::White);
    let mut rays = Rays {
        up: 0,
        down: 0,
        from: [[0; MOST_RAYS]; SQUARES],
    };
    let mut i = 0;
    while i < 2 * steps.len() {
        let first_round = i < steps.len();
        let step = steps[i % steps.len()];
        let up = (step.ranks > 0) == forward_is_up;
        if step.reach > 1 && up == first_round {
            let mut square = 0;
            while square < SQUARES {
                rays.from[square][rays.up + rays.down] = ray(step, color, Square(square as u8));
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

/// Where a man leaps. It is also from where such a man of the other side leaps to the square.
#[inline(always)]
pub(super) fn leap_targets(color: Color, kind: usize, square: Square) -> u64 {
    LEAP_TARGETS[color as usize][kind][square.index()]
}

/// Where a man slides on an empty board. It is also from where such a man of the other side
/// slides to the square.
#[inline(always)]
pub(super) fn open_slide_targets(color: Color, kind: usize, square: Square) -> u64 {
    SLIDE_TARGETS[color as usize][kind][square.index()]
}

/// Where the `slider`-th of [`SLIDERS`] slides, up to and with the first man in its way.
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

/// The whole files on which `count` or more of the squares are.
#[inline(always)]
pub(super) fn files_with(count: usize, squares: u64) -> u64 {
    // Files as bits of the lowest rank, by how many squares were found on them so far.
    let mut found = [0; 3];
    for rank in 0..BOARD.ranks {
        let here = squares >> (rank * BOARD.files) & RANK_1;
        found[2] |= found[1] & here;
        found[1] |= found[0] & here;
        found[0] |= here;
    }
    found[count - 1] * FILE_A
}

use super::attacks::{delta, file_of, rank_of, rook_attacks, shift};
use super::piece_types::{FORWARD, STEPS};
use super::safety::danger;
use super::{GENERAL, KING, KNIGHT, PAWN, PieceBoard, Safety, forward, leaps};
use crate::{Bits, Color, Move, MoveList, Purpose, Square};

/// What is done with moves as they are found, in groups: listed, or only counted.
pub(crate) trait Sink {
    /// One piece goes to each of the squares `to`.
    fn from(&mut self, from: Square, to: u64);
    /// To each of the squares `to` goes a piece from `delta` squares before it.
    fn shifted(&mut self, to: u64, delta: i8);
    /// A piece from hand, an index into the placeable kinds, goes to each of the squares `to`.
    fn place(&mut self, piece_type: u8, to: u64);
}

impl Sink for MoveList {
    #[inline(always)]
    fn from(&mut self, from: Square, to: u64) {
        self.extend(to.squares().map(|to| Move::new(from, to)));
    }

    #[inline(always)]
    fn shifted(&mut self, to: u64, delta: i8) {
        let from = |to: Square| Square(to.0.wrapping_sub_signed(delta));
        self.extend(to.squares().map(|to| Move::new(from(to), to)));
    }

    #[inline(always)]
    fn place(&mut self, piece_type: u8, to: u64) {
        self.extend(to.squares().map(|to| Move::place(piece_type, to)));
    }
}

/// Counts moves.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Count(pub(crate) usize);

impl Sink for Count {
    #[inline(always)]
    fn from(&mut self, _: Square, to: u64) {
        self.0 += to.len();
    }

    #[inline(always)]
    fn shifted(&mut self, to: u64, _: i8) {
        self.0 += to.len();
    }

    #[inline(always)]
    fn place(&mut self, _: u8, to: u64) {
        self.0 += to.len();
    }
}

/// Finds the legal moves of the pieces on the board, special promotions apart.
///
/// All pins are by rooks, along a file or a rank. So a pinned piece that steps diagonally or jumps
/// cannot move at all, and one that steps forward can if its file is the line.
#[inline(always)]
pub(crate) fn generate(pieces: &PieceBoard, color: Color, safety: &Safety, sink: &mut impl Sink) {
    let own = pieces.of(color);
    let enemy = pieces.of(!color);
    let occupied = own | enemy;

    let around = leaps(safety.king, KING, color) & !own;
    sink.from(safety.king, around & !danger(pieces, color, safety.king));
    if safety.answers == 0 {
        return;
    }

    let free = own & !safety.pinned();
    let on_file = free | safety.pinned_on_file;
    let targets = safety.answers & !own;

    let ahead = delta(FORWARD, color);
    let pawns = pieces.pawns() & own;
    sink.shifted(forward(pawns & on_file, color) & targets & !enemy, ahead);
    for step in STEPS[PAWN as usize] {
        if step.purpose == Purpose::CaptureOnly {
            let to = shift(pawns & free, *step, color) & targets & enemy;
            sink.shifted(to, delta(*step, color));
        }
    }

    let khons = pieces.khons() & own;
    sink.shifted(forward(khons & on_file, color) & targets, ahead);
    let diagonal = (pieces.generals() | khons) & free;
    for step in STEPS[GENERAL as usize] {
        let to = shift(diagonal, *step, color) & targets;
        sink.shifted(to, delta(*step, color));
    }

    for knight in (pieces.knights() & free).squares() {
        sink.from(knight, leaps(knight, KNIGHT, color) & targets);
    }

    for rook in (pieces.rooks() & own).squares() {
        let mut to = rook_attacks(rook, occupied) & targets;
        if safety.pinned_on_file.has(rook) {
            to &= file_of(rook);
        } else if safety.pinned_on_rank.has(rook) {
            to &= rank_of(rook);
        }
        sink.from(rook, to);
    }
}

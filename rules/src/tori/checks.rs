//! Which moves can end a game by a win: those that give check, and all where stalemate is near.

use super::leaps::{Black, Leap, Side, White, for_each_leap, leap_targets};
use super::piece_types::{self, PHOENIX, SLIDERS, SWALLOW, promoted};
use super::position::ToriPosition;
use super::slides::{between, open_slide_targets};
use super::squares::promotion_zone;
use crate::{Bits, Color, Move, MoveList, Origin, Position, Square};

/// One move captures at most one piece and pins at most two.
const MOBILE_PIECES: usize = 4;

impl ToriPosition {
    pub(super) fn find_winning_move(&self, legal: &MoveList) -> Option<usize> {
        let may_stalemate = match self.turn {
            Color::White => self.may_be_stalemated::<Black>(),
            Color::Black => self.may_be_stalemated::<White>(),
        };
        let checks = Checks::of(self);
        legal
            .iter()
            .position(|&mv| (may_stalemate || checks.may_check(self, mv)) && self.mates(mv))
    }

    fn mates(&self, mv: Move) -> bool {
        let mut next = *self;
        next.play(mv);
        next.count_moves() == 0
            && next
                .terminal_outcome(&MoveList::new())
                .is_some_and(|outcome| outcome.winner == Some(self.turn))
    }

    /// Whether `S` may be without a move after a move of the other side that gives no check.
    fn may_be_stalemated<S: Side>(&self) -> bool {
        // There is always an empty square, and all pieces but swallows may be dropped anywhere.
        if self.hands[S::COLOR].piece_types() & !(1 << SWALLOW) != 0 {
            return false;
        }
        // A piece that can leap to a square still can when the other side has gone to that square
        // or left it.
        let own = self.by_color[S::COLOR];
        let free = own & !self.by_piece_type[PHOENIX] & !self.pinned::<S>();
        let mut mobile = 0;
        for_each_leap!(S, |leap| {
            let pieces = leap.pieces(&self.by_piece_type) & free;
            mobile |= back(leap, leap.shift(pieces) & !own);
        });
        mobile.len() < MOBILE_PIECES
    }
}

/// From where a leap reached `targets`.
#[inline(always)]
const fn back(leap: Leap, targets: u64) -> u64 {
    if leap.delta >= 0 {
        targets >> leap.delta
    } else {
        targets << -leap.delta
    }
}

/// From where the side to move checks the other's phoenix.
struct Checks {
    /// By piece type, whatever stands between.
    squares: [u64; piece_types::COUNT],
    /// Pieces that each alone stand between the phoenix and a piece that slides.
    hiding: u64,
}

impl Checks {
    fn of(position: &ToriPosition) -> Checks {
        let turn = position.turn;
        let own = position.by_color[turn];
        let phoenix = (position.by_piece_type[PHOENIX] & position.by_color[!turn])
            .first()
            .expect("each side has its phoenix");
        // Where a piece goes is also from where such a piece of the other side comes.
        let mut squares: [u64; piece_types::COUNT] =
            std::array::from_fn(|piece_type| leap_targets(!turn, piece_type, phoenix));
        let occupied = own | position.by_color[!turn];
        let mut hiding = 0;
        for (slider, piece_type) in SLIDERS.into_iter().enumerate() {
            let slides = open_slide_targets(!turn, slider, phoenix);
            squares[piece_type] |= slides;
            for sniper in (slides & position.by_piece_type[piece_type] & own).squares() {
                let blockers = between(phoenix, sniper) & occupied;
                if blockers.len() == 1 {
                    hiding |= blockers & own;
                }
            }
        }
        Checks { squares, hiding }
    }

    /// Whether a move may give check: what is not said to does not.
    #[inline]
    fn may_check(&self, position: &ToriPosition, mv: Move) -> bool {
        let to: Square = mv.to();
        match mv.origin() {
            Origin::Hand(piece_type) => self.squares[usize::from(piece_type)].has(to),
            Origin::Board(from) => {
                let piece_type = position.piece_type_at(from);
                let zone = promotion_zone(position.turn);
                let in_zone = (u64::of(from) | u64::of(to)) & zone != 0;
                let becomes = if in_zone {
                    promoted(piece_type)
                } else {
                    piece_type
                };
                self.squares[becomes].has(to) || self.hiding.has(from)
            }
        }
    }
}

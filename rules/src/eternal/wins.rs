//! Which moves can end a game by a win: those that score the last point, and all where stalemate
//! is near.

use super::position::{EternalPosition, Phase};
use super::{HORSE, ROOK, WINNING_POINTS, ZONE, attacks};
use crate::{Bits, MoveList, Position};

/// Targets that a piece needs so that one is left when another guardian appears.
const TARGETS: usize = 2;
/// Pieces that need them, so that one is left when another is captured.
const MOBILE_PIECES: usize = 2;

impl EternalPosition {
    pub(super) fn find_winning_move(&self, legal: &MoveList) -> Option<usize> {
        let may_score = self.phase == Phase::Move && self.points[self.turn] + 1 >= WINNING_POINTS;
        let may_stalemate = self.may_be_stalemated();
        if !may_score && !may_stalemate {
            return None;
        }
        legal.iter().position(|&mv| {
            let scores = may_score && ZONE[!self.turn].has(mv.to());
            (scores || may_stalemate) && self.wins_at_once(mv)
        })
    }

    /// Whether the other side may be without a move after one of the side to move.
    fn may_be_stalemated(&self) -> bool {
        let enemy = !self.turn;
        let zones = ZONE[enemy] | ZONE[self.turn];
        // What stands on the neighbouring square of a rook, or where a horse jumps, does not
        // matter: all but guardians can be captured.
        let all = u128::MAX;
        let is_mobile = |targets: u128| (targets & !zones).len() >= TARGETS;
        let of_type =
            |piece_type: usize| (self.piece_types[piece_type] & self.sides[enemy]).squares();
        let rooks = of_type(ROOK).filter(|&from| is_mobile(attacks::rook(from, all)));
        let horses = of_type(HORSE).filter(|&from| is_mobile(attacks::horse(from)));
        rooks.chain(horses).take(MOBILE_PIECES).count() < MOBILE_PIECES
    }
}

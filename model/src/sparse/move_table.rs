//! Which entry of the move table a move takes.

use garuda_rules::{AttackMap, Position, Purpose, Square};

use super::FeatureLayout;

impl FeatureLayout {
    /// The entry of the move table that a legal move takes.
    #[inline]
    pub(super) fn move_entry(
        &self,
        moving: MovingPiece,
        to: Square,
        board: &SeenBoard,
        maps: &[AttackMap; 2],
    ) -> usize {
        let [own, enemy] = maps;
        let captured = match board.0[to.index()] {
            SeenBoard::EMPTY => 0,
            _ if moving.is_in_place => 0,
            SeenBoard::STONE => self.types + 1,
            piece if usize::from(piece) < self.types => self.types + 2,
            piece => 1 + usize::from(piece) - self.types,
        };
        // A piece that captures the way it moves attacks its target itself.
        let is_defended = if moving.attacks_target && own.has(to) {
            own.has_two(to)
        } else {
            own.has(to)
        };
        let mut entry = moving.index * 2 + usize::from(moving.is_attacked);
        entry = entry * self.captures() + captured;
        entry = entry * 2 + usize::from(enemy.has(to));
        entry * 2 + usize::from(is_defended)
    }
}

/// What stands on each square: the type of an own piece as it is seen, that of an enemy's after all
/// own ones, a stone, or nothing.
pub(super) struct SeenBoard(pub(super) [u8; 128]);

impl SeenBoard {
    pub(super) const STONE: u8 = 254;
    pub(super) const EMPTY: u8 = 255;
}

/// What the move table asks of the piece that moves.
#[derive(Copy, Clone)]
pub(super) struct MovingPiece {
    /// Its type as it is seen, after all types if it is placed.
    pub(super) index: usize,
    pub(super) is_attacked: bool,
    /// Whether it is one of the pieces that attack its target.
    pub(super) attacks_target: bool,
    /// Whether it stays where it is.
    pub(super) is_in_place: bool,
}

/// The types of pieces, as bits, that capture otherwise than they move.
pub(super) fn captures_otherwise<P: Position>() -> u64 {
    const {
        let mut types = 0;
        let mut i = 0;
        while i < P::PIECE_TYPES.len() {
            let steps = P::PIECE_TYPES[i].steps;
            let mut j = 0;
            while j < steps.len() {
                if matches!(steps[j].purpose, Purpose::MoveOnly) {
                    types |= 1 << i;
                }
                j += 1;
            }
            i += 1;
        }
        types
    }
}

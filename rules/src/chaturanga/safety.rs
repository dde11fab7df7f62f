use super::attacks::{between, file_of, rook_attacks, shift};
use super::piece_types::STEPS;
use super::{GENERAL, KHON, KING, KNIGHT, PAWN, PieceBoard, forward, leaps, spread};
use crate::attack_map::NarrowAttackMap;
use crate::{AttackMap, Bits, Color, Purpose, Square};

/// What the safety of its king forbids the pieces of one side.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Safety {
    pub(crate) king: Square,
    pub(crate) checkers: u64,
    /// Squares where a piece other than the king may go as far as check is concerned: all, or
    /// those that end the check; none if there are two checkers.
    pub(crate) answers: u64,
    /// PieceBoard that must stay on the file of their king.
    pub(crate) pinned_on_file: u64,
    /// PieceBoard that must stay on the rank of their king.
    pub(crate) pinned_on_rank: u64,
}

impl Safety {
    /// `king` is where the king of `color` stands.
    #[inline(always)]
    pub(crate) fn of(pieces: &PieceBoard, color: Color, king: Square) -> Safety {
        let own = pieces.of(color);
        let enemy = pieces.of(!color);
        let occupied = own | enemy;
        let mut safety = Safety {
            king,
            checkers: leapers_to(pieces, king, enemy, color),
            answers: !0,
            pinned_on_file: 0,
            pinned_on_rank: 0,
        };
        let mut blocking = 0;
        let file = file_of(king);
        for rook in (pieces.rooks() & enemy & rook_attacks(king, enemy)).squares() {
            let line = between(king, rook);
            let blockers = line & occupied;
            if blockers == 0 {
                safety.checkers |= u64::of(rook);
                blocking |= line;
            } else if blockers & (blockers - 1) == 0 {
                if file.has(rook) {
                    safety.pinned_on_file |= blockers;
                } else {
                    safety.pinned_on_rank |= blockers;
                }
            }
        }
        if safety.checkers != 0 {
            safety.answers = if safety.checkers & (safety.checkers - 1) == 0 {
                safety.checkers | blocking
            } else {
                0
            };
        }
        safety
    }

    #[inline(always)]
    pub(crate) fn pinned(&self) -> u64 {
        self.pinned_on_file | self.pinned_on_rank
    }
}

/// The pieces of `enemy`, other than rooks, that attack a square which concerns `color`.
#[inline(always)]
fn leapers_to(pieces: &PieceBoard, square: Square, enemy: u64, color: Color) -> u64 {
    enemy
        & (pieces.pawns() & leaps(square, PAWN, color)
            | pieces.generals() & leaps(square, GENERAL, color)
            | pieces.khons() & leaps(square, KHON, color)
            | pieces.knights() & leaps(square, KNIGHT, color)
            | pieces.kings() & leaps(square, KING, color))
}

/// Whether the enemy of `color` attacks a square.
#[inline(always)]
pub(crate) fn is_attacked(pieces: &PieceBoard, square: Square, color: Color) -> bool {
    let enemy = pieces.of(!color);
    leapers_to(pieces, square, enemy, color) != 0
        || pieces.rooks() & enemy & rook_attacks(square, pieces.occupied()) != 0
}

/// The pieces of `color` that each alone hide the enemy's king from a rook of their own side.
pub(crate) fn hiding(pieces: &PieceBoard, color: Color) -> u64 {
    let Some(king) = pieces.king(!color) else {
        return 0;
    };
    let own = pieces.of(color);
    (pieces.rooks() & own & rook_attacks(king, pieces.of(!color)))
        .squares()
        .map(|rook| between(king, rook) & own)
        .filter(|blockers| blockers.len() == 1)
        .fold(0, |set, blocker| set | blocker)
}

/// The squares that the pieces of `color` attack.
pub(crate) fn attack_map(pieces: &PieceBoard, color: Color) -> AttackMap {
    let own = pieces.of(color);
    let occupied = pieces.occupied();
    let mut map = NarrowAttackMap::default();
    // No two pieces of one type reach the same square by the same step.
    let diagonal = (pieces.generals() | pieces.khons()) & own;
    for (set, piece_type) in [(pieces.pawns() & own, PAWN), (diagonal, GENERAL)] {
        for step in STEPS[piece_type as usize] {
            if step.purpose != Purpose::MoveOnly {
                map.add(shift(set, *step, color));
            }
        }
    }
    map.add(forward(pieces.khons() & own, color));
    for knight in (pieces.knights() & own).squares() {
        map.add(leaps(knight, KNIGHT, color));
    }
    for king in (pieces.kings() & own).squares() {
        map.add(leaps(king, KING, color));
    }
    for rook in (pieces.rooks() & own).squares() {
        map.add(rook_attacks(rook, occupied));
    }
    map.into()
}

/// All squares that the enemy of `color` attacks, its king, on `king`, being transparent: it
/// cannot step back along the line of a check.
#[inline(always)]
pub(super) fn danger(pieces: &PieceBoard, color: Color, king: Square) -> u64 {
    let enemy = pieces.of(!color);
    let occupied = pieces.occupied() & !u64::of(king);
    let mut danger = spread(pieces.pawns() & enemy, PAWN, !color)
        | spread(
            (pieces.generals() | pieces.khons()) & enemy,
            GENERAL,
            !color,
        )
        | forward(pieces.khons() & enemy, !color)
        | spread(pieces.knights() & enemy, KNIGHT, !color);
    if let Some(king) = (pieces.kings() & enemy).first() {
        danger |= leaps(king, KING, !color);
    }
    for rook in (pieces.rooks() & enemy).squares() {
        danger |= rook_attacks(rook, occupied);
    }
    danger
}

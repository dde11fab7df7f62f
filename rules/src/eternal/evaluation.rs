//! What is good in Eternal chess. Pieces never leave the game, so what counts is points and where
//! pieces stand.

use super::{
    ADVISOR, BOARD, CANNON, ELEPHANT, EternalPosition, HORSE, PIECE_TYPES, Phase, ROOK, SOLDIER,
    ZONE,
};
use crate::material::{pieces, sign};
use crate::{Bits, Color, FeaturePlace, MaterialFeature, Move, Origin, Piece, Position, Square};

/// The value of a guardian: it blocks the way into its zone and cannot be captured.
const GUARDIAN_VALUE: f32 = 0.5;
/// How much a move's gain in reach counts.
const REACH_GAIN: f32 = 4.0;

const FILES_OF_ZONES: [f32; 2] = [3.0, 4.0];

/// How well a piece stands to score: it has come far, and is near the middle files.
fn reach(piece: Piece, square: Square) -> f32 {
    let weight = match usize::from(piece.piece_type) {
        ROOK => 0.06,
        HORSE => 0.10,
        CANNON | ELEPHANT => 0.05,
        ADVISOR => 0.06,
        SOLDIER => 0.07,
        _ => 0.0,
    };
    let file = f32::from(BOARD.file(square));
    let aside = FILES_OF_ZONES.map(|zone| (file - zone).abs());
    let forward = f32::from(BOARD.advance(piece.color, square)).min(7.0);
    weight * (forward - 0.5 * aside[0].min(aside[1]))
}

pub(super) fn placement(piece: Piece, square: Square) -> f32 {
    let guards = ZONE[piece.color].has(square);
    reach(piece, square) + if guards { GUARDIAN_VALUE } else { 0.0 }
}

impl EternalPosition {
    /// What a move gains in points and reach.
    pub(super) fn gain(&self, mv: Move, next: &Self) -> f32 {
        let to = mv.to();
        let good = |piece: Piece, square| {
            let good = reach(piece, square);
            if piece.color == self.turn {
                good
            } else {
                -good
            }
        };
        match (self.phase, mv.origin()) {
            (Phase::Move, Origin::Board(from)) => {
                let Some(piece) = self.piece_at(from) else {
                    return 0.0;
                };
                let captured = self.piece_at(to).map_or(0.0, |victim| -good(victim, to));
                let point = if next.points == self.points {
                    0.0
                } else {
                    Self::POINT_VALUE
                };
                point + REACH_GAIN * (good(piece, to) - good(piece, from) + captured)
            }
            (Phase::Place(piece), _) => REACH_GAIN * good(piece, to),
            (Phase::Deport(from), _) => {
                let piece = self.piece_at(from);
                piece.map_or(0.0, |piece| REACH_GAIN * good(piece, to))
            }
            (Phase::Move, Origin::Hand(_)) => 0.0,
        }
    }

    /// How many more of each of the [`features`] `color` has.
    pub(super) fn count_features(&self, color: Color, out: &mut [i8]) {
        out.fill(0);
        out[POINT] = self.points[color] as i8 - self.points[!color] as i8;
        for (piece, square) in pieces(self) {
            if BOARD.advance(piece.color, square) > BOARD.ranks / 2 {
                out[FIRST_ACROSS + usize::from(piece.piece_type)] += sign(color, piece.color);
            } else if ZONE[piece.color].has(square) {
                out[GUARDIAN] += sign(color, piece.color);
            }
        }
    }
}

// Places among the features.
const POINT: usize = 0;
const GUARDIAN: usize = 1;
const FIRST_ACROSS: usize = 2;

/// Points, whether a guardian stands in the zone, and which pieces have come across the river.
pub(super) fn features() -> Vec<MaterialFeature> {
    let across = (PIECE_TYPES.iter()).map(|piece_type| {
        MaterialFeature::new(piece_type.name, piece_type.letter, FeaturePlace::Across)
    });
    [
        MaterialFeature::new("point", "", FeaturePlace::Score),
        MaterialFeature::new("guardian", "", FeaturePlace::Zone),
    ]
    .into_iter()
    .chain(across)
    .collect()
}

//! What can be counted of a position, so that values can be fitted to games.

use serde::{Deserialize, Serialize};

use crate::{Color, Occupant, Piece, PieceType, Position, Square};

/// Something of which a side can have more than the other.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MaterialFeature {
    /// Its name in reports.
    pub name: &'static str,
    /// The letter of its type; empty for what is not a piece.
    pub letter: &'static str,
    /// Where the pieces are that it counts.
    pub place: FeaturePlace,
}

/// Where something that counts as material is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeaturePlace {
    /// On the board.
    Board,
    /// In hand.
    Hand,
    /// Beyond the river, in the enemy's half (Eternal chess).
    Across,
    /// In the own zone, where it cannot be captured (Eternal chess).
    Zone,
    /// Not a piece but a point (Eternal chess).
    Score,
}

/// Part of a game, by what has happened in it so far, never by what is still to come.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GamePhase {
    /// The first part of a game.
    Opening,
    /// The middle game.
    Middle,
    /// The endgame.
    End,
}

impl MaterialFeature {
    /// A feature that counts pieces of a type in a place.
    pub const fn new(
        name: &'static str,
        letter: &'static str,
        place: FeaturePlace,
    ) -> MaterialFeature {
        MaterialFeature {
            name,
            letter,
            place,
        }
    }
}

impl GamePhase {
    /// All phases, in the order of a game.
    pub const ALL: [GamePhase; 3] = [GamePhase::Opening, GamePhase::Middle, GamePhase::End];

    /// The name of the phase in reports.
    pub const fn name(self) -> &'static str {
        match self {
            GamePhase::Opening => "opening",
            GamePhase::Middle => "middle",
            GamePhase::End => "end",
        }
    }

    /// The phase when something that grows has passed none, one or both of two bounds.
    pub const fn after(grown: u32, bounds: [u32; 2]) -> GamePhase {
        match grown {
            n if n < bounds[0] => GamePhase::Opening,
            n if n < bounds[1] => GamePhase::Middle,
            _ => GamePhase::End,
        }
    }
}

/// All pieces of a position on the board.
pub(crate) fn pieces<P: Position>(position: &P) -> impl Iterator<Item = (Piece, Square)> + '_ {
    P::BOARD
        .all()
        .filter_map(|square| match position.occupant(square) {
            Some(Occupant::Piece(piece)) => Some((piece, square)),
            Some(Occupant::Stone) | None => None,
        })
}

/// Whether a side has pieces off the board.
pub(crate) fn has_hand<P: Position>(position: &P) -> bool {
    Color::ALL.into_iter().any(|color| {
        P::PLACEABLE
            .iter()
            .any(|&piece_type| position.hand(color, piece_type) > 0)
    })
}

/// 1 for a side's own, −1 for the other side's.
pub(crate) fn sign(color: Color, owner: Color) -> i8 {
    if color == owner { 1 } else { -1 }
}

/// The types of pieces on the board, but for royal ones, and in hand, unless hands are for the
/// set-up only, when both sides have the same.
pub(crate) fn features_of_pieces<P: Position>() -> Vec<MaterialFeature> {
    let feature = |piece_type: &PieceType, place| {
        MaterialFeature::new(piece_type.name, piece_type.letter, place)
    };
    let on_board = (P::PIECE_TYPES.iter())
        .filter(|piece_type| !piece_type.royal)
        .map(|piece_type| feature(piece_type, FeaturePlace::Board));
    let in_hand = (P::PLACEABLE.iter())
        .filter(|_| !P::HAS_SETUP)
        .map(|&piece_type| feature(&P::PIECE_TYPES[usize::from(piece_type)], FeaturePlace::Hand));
    on_board.chain(in_hand).collect()
}

/// How many more pieces of each of `features`, which name them by letter and place, `color` has.
pub(crate) fn count_pieces<P: Position>(
    position: &P,
    color: Color,
    features: &[MaterialFeature],
    out: &mut [i8],
) {
    let find = |piece_type: u8, place: FeaturePlace| {
        let letter = P::PIECE_TYPES[usize::from(piece_type)].counts_as();
        (features.iter()).position(|feature| feature.letter == letter && feature.place == place)
    };
    out.fill(0);
    for (piece, _) in pieces(position) {
        if let Some(feature) = find(piece.piece_type, FeaturePlace::Board) {
            out[feature] += sign(color, piece.color);
        }
    }
    for side in Color::ALL {
        for &piece_type in P::PLACEABLE {
            let held = position.hand(side, piece_type) as i8;
            if let Some(feature) = find(piece_type, FeaturePlace::Hand) {
                out[feature] += sign(color, side) * held;
            }
        }
    }
}

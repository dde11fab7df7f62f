//! The worth of pieces, game by game.

use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Piece, Position, Square};

use super::{PieceValues, advance};

/// PieceBoard as they move in Makruk and Sittuyin.
fn chaturanga_value(letter: &str) -> f32 {
    match letter {
        "P" => 1.0,
        "M" | "F" => 1.7,
        "S" => 2.6,
        "N" => 3.0,
        "R" => 5.0,
        _ => 0.0,
    }
}

impl PieceValues for MakrukPosition {
    const SCALE: f32 = 2.0;

    /// Nothing: that is when few moves are left to mate in.
    const BARE: f32 = 0.0;

    fn piece_value(letter: &str) -> f32 {
        chaturanga_value(letter)
    }

    /// A pawn is worth more the nearer it is to its promotion.
    fn placement(piece: Piece, square: Square) -> f32 {
        match Self::PIECE_TYPES[usize::from(piece.piece_type)].letter {
            "P" => 0.1 * advance(Self::BOARD, piece.color, square),
            _ => 0.0,
        }
    }
}

impl<const BOOKLET: bool> PieceValues for SittuyinPosition<BOOKLET>
where
    SittuyinPosition<BOOKLET>: Position,
{
    const SCALE: f32 = 2.0;

    fn piece_value(letter: &str) -> f32 {
        chaturanga_value(letter)
    }
}

impl PieceValues for ToriPosition {
    const SCALE: f32 = 4.0;

    /// As the guide of pychess.org has it.
    fn piece_value(letter: &str) -> f32 {
        match letter {
            "S" => 1.0,
            "+S" => 2.0,
            "P" => 3.0,
            "C" => 6.0,
            "L" | "R" | "F" => 7.0,
            "+F" => 16.0,
            _ => 0.0,
        }
    }

    fn piece_value_in_hand(letter: &str) -> f32 {
        match letter {
            "S" => 1.0,
            _ => 0.9 * Self::piece_value(letter),
        }
    }
}

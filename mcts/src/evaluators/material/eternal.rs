use garuda_rules::eternal::{EternalPosition, Phase};
use garuda_rules::{Color, Move, Occupant, Origin, Piece, Position, Square};

use super::{POINT, PieceValues, advance};

/// What a guardian is worth: it blocks the way into its zone and cannot be taken.
const GUARDIAN: f32 = 0.5;

const FILES_OF_ZONES: [f32; 2] = [3.0, 4.0];

/// How well a piece stands to score: it has come far, and is near the middle files.
fn reach(piece: Piece, square: Square) -> f32 {
    let board = EternalPosition::BOARD;
    let weight = match EternalPosition::PIECE_TYPES[usize::from(piece.piece_type)].letter {
        "R" => 0.06,
        "N" => 0.10,
        "C" | "B" => 0.05,
        "A" => 0.06,
        "P" => 0.07,
        _ => 0.0,
    };
    let file = f32::from(board.file(square));
    let aside = FILES_OF_ZONES.map(|zone| (file - zone).abs());
    let forward = advance(board, piece.color, square).min(7.0);
    weight * (forward - 0.5 * aside[0].min(aside[1]))
}

fn in_zone(color: Color, square: Square) -> bool {
    let board = EternalPosition::BOARD;
    let middle = FILES_OF_ZONES.contains(&f32::from(board.file(square)));
    middle && advance(board, color, square) < 2.0
}

fn piece_at(position: &EternalPosition, square: Square) -> Option<Piece> {
    match position.occupant(square) {
        Some(Occupant::Piece(piece)) => Some(piece),
        Some(Occupant::Stone) | None => None,
    }
}

/// PieceBoard never leave the game, so what counts is where they stand.
impl PieceValues for EternalPosition {
    const SCALE: f32 = 3.0;

    fn piece_value(_letter: &str) -> f32 {
        0.0
    }

    fn placement(piece: Piece, square: Square) -> f32 {
        let guards = in_zone(piece.color, square);
        reach(piece, square) + if guards { GUARDIAN } else { 0.0 }
    }

    fn move_bonus(&self, mv: Move, next: &Self) -> f32 {
        let turn = self.turn();
        let to = mv.to();
        let good = |piece: Piece, square| {
            let good = reach(piece, square);
            if piece.color == turn { good } else { -good }
        };
        let scale = 4.0;
        match (self.phase(), mv.origin()) {
            (Phase::Move, Origin::Board(from)) => {
                let Some(piece) = piece_at(self, from) else {
                    return 0.0;
                };
                let scores = next.points() != self.points();
                let captured = piece_at(self, to).map_or(0.0, |victim| -good(victim, to));
                let point = if scores { POINT } else { 0.0 };
                point + scale * (good(piece, to) - good(piece, from) + captured)
            }
            (Phase::Place(piece), _) => scale * good(piece, to),
            (Phase::Deport(from), _) => {
                piece_at(self, from).map_or(0.0, |piece| scale * good(piece, to))
            }
            (Phase::Move, Origin::Hand(_)) => 0.0,
        }
    }
}

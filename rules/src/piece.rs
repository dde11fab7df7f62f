//! What a type of piece is called and how it moves: the one definition from which attack tables
//! and the marks on drawn tiles are made.

use crate::{Board, Color, Square};

/// A type of piece: what it is called, how it moves and what it is worth.
#[derive(Copy, Clone, Debug)]
pub struct PieceType {
    /// Its FEN letter, upper case; `+S` for a promoted piece.
    pub letter: &'static str,
    /// Its name in English.
    pub name: &'static str,
    /// From White's point of view.
    pub steps: &'static [Step],
    /// Whether losing it loses the game: a king.
    pub royal: bool,
    /// Value on the board, in the game's smallest piece (a pawn, a swallow).
    pub value: f32,
    /// Value in hand.
    pub hand_value: f32,
    /// The range that the game's guide gives for the value on the board
    /// ([`Position::GUIDE`](crate::Position::GUIDE)).
    pub guide: Option<[f32; 2]>,
    /// The letter of the type whose mirror image this type is, and which is worth the same.
    pub mirror_image_of: Option<&'static str>,
}

impl PieceType {
    /// A type that is worth nothing.
    pub const fn new(
        letter: &'static str,
        name: &'static str,
        steps: &'static [Step],
    ) -> PieceType {
        PieceType {
            letter,
            name,
            steps,
            royal: false,
            value: 0.0,
            hand_value: 0.0,
            guide: None,
            mirror_image_of: None,
        }
    }

    /// A king.
    pub const fn royal(self) -> PieceType {
        PieceType {
            royal: true,
            ..self
        }
    }

    /// Sets what it is worth, on the board as in hand.
    pub const fn valued(self, value: f32) -> PieceType {
        PieceType {
            value,
            hand_value: value,
            ..self
        }
    }

    /// Sets what it is worth in hand.
    pub const fn worth_in_hand(self, hand_value: f32) -> PieceType {
        PieceType { hand_value, ..self }
    }

    /// Sets the range that the game's guide gives.
    pub const fn guide(self, low: f32, high: f32) -> PieceType {
        PieceType {
            guide: Some([low, high]),
            ..self
        }
    }

    /// Makes it count as the type whose mirror image it is.
    pub const fn mirror_image_of(self, letter: &'static str) -> PieceType {
        PieceType {
            mirror_image_of: Some(letter),
            ..self
        }
    }

    /// The letter under which pieces of this type are counted.
    pub fn counts_as(&self) -> &'static str {
        self.mirror_image_of.unwrap_or(self.letter)
    }
}

/// Steps in one direction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// To the right.
    pub files: i8,
    /// Forward.
    pub ranks: i8,
    /// How often it may be repeated over empty squares; [`Step::SLIDE`] for as far as it goes.
    pub reach: u8,
    /// What the step may be used for.
    pub purpose: Purpose,
}

/// What a step may be used for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Moving and capturing.
    Any,
    /// Moving to an empty square only.
    MoveOnly,
    /// Capturing only.
    CaptureOnly,
    /// Capturing the first piece beyond exactly one other: a cannon's line of fire.
    OverScreen,
    /// Jumping over the piece halfway, and on from there: Eternal chess's soldier.
    Hop,
    /// Not a step: the neighbour there may lend its way of moving (Eternal chess's advisor).
    Copy,
}

impl Step {
    /// The reach of a piece that slides as far as it can.
    pub const SLIDE: u8 = u8::MAX;

    /// One step, or a jump where the target is further away than a neighbour.
    pub const fn leap(files: i8, ranks: i8) -> Step {
        Step::ranged(files, ranks, 1)
    }

    /// Any number of steps, each over an empty square.
    pub const fn slide(files: i8, ranks: i8) -> Step {
        Step::ranged(files, ranks, Step::SLIDE)
    }

    /// Up to `reach` steps, each over an empty square.
    pub const fn ranged(files: i8, ranks: i8, reach: u8) -> Step {
        Step {
            files,
            ranks,
            reach,
            purpose: Purpose::Any,
        }
    }

    /// The same step for one purpose.
    pub const fn only(self, purpose: Purpose) -> Step {
        Step { purpose, ..self }
    }

    /// Where one such step takes a piece of `color`, if on the board. Black's forward is down and
    /// its right is left.
    pub const fn target(self, board: Board, color: Color, from: Square) -> Option<Square> {
        match color {
            Color::White => board.offset(from, self.files, self.ranks),
            Color::Black => board.offset(from, -self.files, -self.ranks),
        }
    }
}

/// A piece: whose and of what kind.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    /// The side it belongs to.
    pub color: Color,
    /// Index into [`Position::PIECE_TYPES`](crate::Position::PIECE_TYPES).
    pub piece_type: u8,
}

/// What stands on a square.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Occupant {
    /// A piece of either side.
    Piece(Piece),
    /// A river stone of Eternal chess, which belongs to nobody.
    Stone,
}

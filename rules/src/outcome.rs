use std::fmt;

use crate::Color;

/// How a game ended.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// `None` for a draw.
    pub winner: Option<Color>,
    /// Why the game ended.
    pub termination: Termination,
}

impl Outcome {
    /// A win.
    pub const fn win(winner: Color, termination: Termination) -> Outcome {
        Outcome {
            winner: Some(winner),
            termination,
        }
    }

    /// A draw.
    pub const fn draw(termination: Termination) -> Outcome {
        Outcome {
            winner: None,
            termination,
        }
    }
}

/// Why a game ended.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Termination {
    /// The side to move is in check and has no legal move.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// The position occurred too often.
    Repetition,
    /// Check was given with every move of a repetition.
    PerpetualCheck,
    /// Tori Shogi: a dropped swallow gave mate, which loses.
    SwallowDropMate,
    /// Counting with pieces left to the weaker side (Makruk).
    BoardHonour,
    /// Counting against a bare king (Makruk, Sittuyin).
    PiecesHonour,
    /// Too many plies without capture, pawn move, promotion or drop.
    MoveRule,
    /// Sittuyin: king and pawn that can do nothing but promote.
    PromotionOnly,
    /// Neither side has the pieces to win.
    Material,
    /// Eternal chess: four points.
    Points,
    /// The game's length limit.
    LengthLimit,
}

impl Termination {
    /// All terminations.
    pub const ALL: [Termination; 12] = [
        Termination::Checkmate,
        Termination::Stalemate,
        Termination::Repetition,
        Termination::PerpetualCheck,
        Termination::SwallowDropMate,
        Termination::BoardHonour,
        Termination::PiecesHonour,
        Termination::MoveRule,
        Termination::PromotionOnly,
        Termination::Material,
        Termination::Points,
        Termination::LengthLimit,
    ];

    /// The word for it in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Termination::Checkmate => "checkmate",
            Termination::Stalemate => "stalemate",
            Termination::Repetition => "repetition",
            Termination::PerpetualCheck => "perpetual-check",
            Termination::SwallowDropMate => "swallow-drop-mate",
            Termination::BoardHonour => "board-honour",
            Termination::PiecesHonour => "pieces-honour",
            Termination::MoveRule => "move-rule",
            Termination::PromotionOnly => "promotion-only",
            Termination::Material => "material",
            Termination::Points => "points",
            Termination::LengthLimit => "length-limit",
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

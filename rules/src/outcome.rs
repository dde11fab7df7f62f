use std::fmt;

use crate::Color;

/// How a game ended.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// `None` for a draw.
    pub winner: Option<Color>,
    pub reason: Reason,
}

impl Outcome {
    pub const fn win(winner: Color, reason: Reason) -> Outcome {
        Outcome {
            winner: Some(winner),
            reason,
        }
    }

    pub const fn draw(reason: Reason) -> Outcome {
        Outcome {
            winner: None,
            reason,
        }
    }
}

/// Why a game ended.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    Repetition,
    PerpetualCheck,
    /// Tori Shogi: a dropped swallow gave mate, which loses.
    SwallowDropMate,
    /// Counting with men left to the weaker side (Makruk).
    BoardHonour,
    /// Counting against a bare king (Makruk, Sittuyin).
    PiecesHonour,
    /// Too many plies without capture, pawn move, promotion or drop.
    MoveRule,
    /// Sittuyin: king and pawn that can do nothing but promote.
    PromotionOnly,
    /// Neither side has the men to win.
    Material,
    /// Eternal chess: four points.
    Points,
    /// The game's length cap.
    Cap,
}

impl Reason {
    pub const ALL: [Reason; 12] = [
        Reason::Checkmate,
        Reason::Stalemate,
        Reason::Repetition,
        Reason::PerpetualCheck,
        Reason::SwallowDropMate,
        Reason::BoardHonour,
        Reason::PiecesHonour,
        Reason::MoveRule,
        Reason::PromotionOnly,
        Reason::Material,
        Reason::Points,
        Reason::Cap,
    ];

    /// The word for it in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Checkmate => "checkmate",
            Reason::Stalemate => "stalemate",
            Reason::Repetition => "repetition",
            Reason::PerpetualCheck => "perpetual-check",
            Reason::SwallowDropMate => "swallow-drop-mate",
            Reason::BoardHonour => "board-honour",
            Reason::PiecesHonour => "pieces-honour",
            Reason::MoveRule => "move-rule",
            Reason::PromotionOnly => "promotion-only",
            Reason::Material => "material",
            Reason::Points => "points",
            Reason::Cap => "cap",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

use std::fmt::{Debug, Display};
use std::str::FromStr;

use crate::{
    Board, ByColor, Color, FenError, Mark, Move, MoveError, MoveList, Occupant, Outcome, Piece,
    PieceType, Square,
};

/// The state of a game without its past: all that decides which moves are legal.
///
/// Small and `Copy`: searching means copying a position and playing on the copy. Its text form
/// ([`Display`], [`FromStr`]) is the game's FEN. A parsed position is validated, so every method
/// may rely on kings being there and on counts being possible.
pub trait Position:
    Copy + Eq + Debug + Display + FromStr<Err = FenError> + Send + Sync + 'static
{
    const BOARD: Board;
    /// All types of pieces; [`Piece::kind`](crate::Piece::kind) is an index into this.
    const PIECE_TYPES: &'static [PieceType];
    /// The kinds (as indices into `PIECE_TYPES`) that can be put on the board from off it, in the
    /// order of [`Origin::Hand`](crate::Origin::Hand).
    const PLACEABLE: &'static [u8];
    /// Named start positions; the first is the game's own.
    const STARTS: &'static [(&'static str, &'static str)];
    const REPETITION: Repetition;
    /// The points that win; 0 where there are no points.
    const WINNING_POINTS: u8 = 0;
    /// What a drawing of the board shows besides the squares.
    const MARKS: &'static [Mark] = &[];

    /// The ordinary start position.
    fn start() -> Self {
        Self::STARTS[0]
            .1
            .parse()
            .expect("a built-in start position is valid")
    }

    fn turn(&self) -> Color;

    /// Replaces the contents of `moves` by the legal moves, in an order that depends on the
    /// position alone. Does not look at draws: a drawn position has moves.
    fn legal_moves(&self, moves: &mut MoveList);

    /// The number of legal moves, which is often found faster than the moves.
    fn count_legal_moves(&self) -> usize {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.len()
    }

    /// Plays a legal move. Anything may happen, short of undefined behaviour, if it is not.
    fn play(&mut self, mv: Move);

    /// Whether the side to move is in check. Always false where there is no king.
    fn is_check(&self) -> bool;

    /// How the position alone ends the game: all but repetition and length caps. `legal` are its
    /// legal moves.
    fn terminal_outcome(&self, legal: &MoveList) -> Option<Outcome>;

    /// The game's last resort, after so many plies (decisions) and complete turns since the
    /// start.
    fn length_limit(&self, plies: u32, turns: u32) -> Option<Outcome>;

    /// Zobrist key of all that makes a position the same for repetition, kept up to date by
    /// [`play`](Position::play).
    fn key(&self) -> u64;

    /// The same key computed from nothing.
    fn key_from_scratch(&self) -> u64;

    /// A hash of what the key leaves out and the rules still look at: counting, move rule.
    /// Zero when there is no such thing.
    fn clock_key(&self) -> u64;

    /// The plies that protect a weaker side, while they are being counted (Makruk, Sittuyin).
    fn counting(&self) -> Option<Clock> {
        None
    }

    /// The plies without capture, pawn move, promotion or placing, where too many of them are a
    /// draw (Sittuyin).
    fn move_rule(&self) -> Option<Clock> {
        None
    }

    /// How many plies back an equal position can be at most.
    fn repetition_horizon(&self) -> usize;

    fn occupant(&self, square: Square) -> Option<Occupant>;

    /// How many pieces of a type a side has off the board, to be placed by it. They are its own,
    /// except for the [`pending`](Position::pending) piece.
    fn hand(&self, color: Color, piece_type: u8) -> u8;

    /// The piece that the side to move has captured and must place now, and whose it is, where
    /// captured pieces come back (Eternal chess).
    fn pending(&self) -> Option<Piece> {
        None
    }

    /// The points scored so far, where points win (Eternal chess).
    fn points(&self) -> Option<ByColor<u8>> {
        None
    }

    /// The left-right mirror image, where the rules do not tell it from the original.
    fn mirrored(&self) -> Option<Self>;

    /// The image of a move of this position in the [`mirrored`](Position::mirrored) one.
    /// Games with left and right pieces override this.
    fn mirror_move(&self, mv: Move) -> Move {
        mv.map(|square| Self::BOARD.mirror(square))
    }

    /// The position with the sides exchanged and the board turned by half a turn: a symmetry of
    /// all our games.
    fn rotated(&self) -> Self;

    /// The image of a move in the [`rotated`](Position::rotated) position.
    fn rotate_move(mv: Move) -> Move {
        mv.map(|square| Self::BOARD.rotate(square))
    }

    /// The move in UCI notation. It must be legal here.
    fn uci(&self, mv: Move) -> String;

    /// Reads a move in UCI notation; it must be legal here.
    fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves
            .into_iter()
            .find(|&mv| self.uci(mv) == text)
            .ok_or_else(|| MoveError::new(text, self))
    }

    /// The move as people of this game write it; UCI where there is no other custom.
    fn display_move(&self, mv: Move) -> String {
        self.uci(mv)
    }
}

/// Plies that are counted, and how many of them bring a draw.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    pub plies: u16,
    pub limit: u16,
}

/// What happens when a position comes back.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Repetition {
    /// The given occurrence is a draw.
    Draw(u8),
    /// At the given occurrence the player whose move produced it loses; but a side that gave
    /// check with every move of the cycle loses first, and if both did it is a draw.
    Loses(u8),
}

impl Repetition {
    pub const fn occurrences(self) -> u8 {
        match self {
            Repetition::Draw(n) | Repetition::Loses(n) => n,
        }
    }
}

use std::fmt;

use arrayvec::ArrayVec;

use crate::{Board, Square};

/// A move: a piece on the board goes to a square (its own square for a promotion in place), or a
/// piece off the board (in hand, or captured and to be placed) is put on one.
///
/// In all our games this pair names a move uniquely within its position: promotion is forced or
/// told by the squares. What else happens follows from the position.
///
/// ```
/// use garuda_rules::tori::ToriPosition;
/// use garuda_rules::{Origin, Position};
///
/// let board = ToriPosition::BOARD;
/// let mv = ToriPosition::start().parse_uci("e4e5")?;
/// assert_eq!(mv.origin(), Origin::Board(board.parse("e4").unwrap()));
/// assert_eq!(mv.to(), board.parse("e5").unwrap());
/// # Ok::<(), garuda_rules::MoveError>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    from: u8,
    to: u8,
}

/// Where the piece of a move comes from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// From a square of the board.
    Board(Square),
    /// Off the board: an index into [`Position::PLACEABLE`](crate::Position::PLACEABLE).
    Hand(u8),
}

impl Move {
    const HAND: u8 = 0x80;

    /// A move from square to square.
    pub const fn new(from: Square, to: Square) -> Move {
        debug_assert!(from.0 < Move::HAND);
        Move {
            from: from.0,
            to: to.0,
        }
    }

    /// Puts a piece from off the board on `to`; `kind` is an index into
    /// [`Position::PLACEABLE`](crate::Position::PLACEABLE).
    pub const fn place(piece_type: u8, to: Square) -> Move {
        Move {
            from: Move::HAND | piece_type,
            to: to.0,
        }
    }

    /// Where the piece comes from.
    pub const fn origin(self) -> Origin {
        if self.from & Move::HAND != 0 {
            Origin::Hand(self.from & !Move::HAND)
        } else {
            Origin::Board(Square(self.from))
        }
    }

    /// The square that the piece goes to.
    pub const fn to(self) -> Square {
        Square(self.to)
    }

    /// A number that stands for this move in files.
    pub const fn code(self) -> u16 {
        u16::from_be_bytes([self.from, self.to])
    }

    /// The move a number stands for. It need not be legal anywhere.
    pub const fn from_code(code: u16) -> Move {
        let [from, to] = code.to_be_bytes();
        Move { from, to }
    }

    /// The move with its squares mapped by `f`, such as [`Board::rotate`].
    pub fn map(self, f: impl Fn(Square) -> Square) -> Move {
        match self.origin() {
            Origin::Board(from) => Move::new(f(from), f(self.to())),
            Origin::Hand(piece_type) => Move::place(piece_type, f(self.to())),
        }
    }

    /// The number of this move among all `(S + placeable) · S` moves of a board with S squares.
    pub const fn action(self, board: Board) -> usize {
        let squares = board.squares();
        let row = match self.origin() {
            Origin::Board(from) => from.index(),
            Origin::Hand(piece_type) => squares + piece_type as usize,
        };
        row * squares + self.to as usize
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.origin() {
            Origin::Board(from) => write!(f, "{from:?}-{:?}", self.to()),
            Origin::Hand(piece_type) => write!(f, "hand{piece_type}@{:?}", self.to()),
        }
    }
}

/// Room for the moves of any validated position; lives on the stack.
pub type MoveList = ArrayVec<Move, 512>;

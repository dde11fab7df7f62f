use std::fmt;

use crate::Color;

/// A square of some board, numbered rank by rank from White's left corner: a1, b1, … a2, b2 ….
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(pub u8);

impl Square {
    /// The number of the square.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// What is drawn on a board besides its squares. Corners are counted in files and ranks from the
/// board's lower left corner.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Mark {
    /// A line between two corners.
    Line {
        /// One corner.
        from: (u8, u8),
        /// The other corner.
        to: (u8, u8),
    },
    /// A special region: all squares between two corners.
    Zone {
        /// One corner.
        from: (u8, u8),
        /// The other corner.
        to: (u8, u8),
    },
    /// Neutral ground between the sides: all squares between two corners.
    River {
        /// One corner.
        from: (u8, u8),
        /// The other corner.
        to: (u8, u8),
    },
}

/// The size of a board, and with it what a square is called.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// Number of files.
    pub files: u8,
    /// Number of ranks.
    pub ranks: u8,
}

impl Board {
    /// Number of squares.
    pub const fn squares(self) -> usize {
        self.files as usize * self.ranks as usize
    }

    /// The square on `file` and `rank`, both counted from 0.
    pub const fn square(self, file: u8, rank: u8) -> Square {
        debug_assert!(file < self.files && rank < self.ranks);
        Square(rank * self.files + file)
    }

    /// The file of a square, counted from 0.
    pub const fn file(self, square: Square) -> u8 {
        square.0 % self.files
    }

    /// The rank of a square, counted from 0.
    pub const fn rank(self, square: Square) -> u8 {
        square.0 / self.files
    }

    /// How many ranks a square is from the first rank of `color`.
    pub const fn advance(self, color: Color, square: Square) -> u8 {
        match color {
            Color::White => self.rank(square),
            Color::Black => self.ranks - 1 - self.rank(square),
        }
    }

    /// The square `(files, ranks)` away from `square`, unless that is off the board.
    pub const fn offset(self, square: Square, files: i8, ranks: i8) -> Option<Square> {
        let file = self.file(square) as i8 + files;
        let rank = self.rank(square) as i8 + ranks;
        if file < 0 || file >= self.files as i8 || rank < 0 || rank >= self.ranks as i8 {
            return None;
        }
        Some(self.square(file as u8, rank as u8))
    }

    /// Left-right mirror image of a square.
    pub const fn mirror(self, square: Square) -> Square {
        self.square(self.files - 1 - self.file(square), self.rank(square))
    }

    /// The square as the other side sees it: the board turned by half a turn.
    pub const fn rotate(self, square: Square) -> Square {
        Square(self.squares() as u8 - 1 - square.0)
    }

    /// The square's name, such as `e4`.
    pub fn name(self, square: Square) -> String {
        let (file, rank) = (self.file(square), self.rank(square));
        [b'a' + file, b'1' + rank].map(char::from).iter().collect()
    }

    /// Reads a name such as `e4` (upper case too). `None` for anything else.
    pub fn parse(self, name: &str) -> Option<Square> {
        let &[file, rank] = name.as_bytes() else {
            return None;
        };
        let file = file.to_ascii_lowercase().checked_sub(b'a')?;
        let rank = rank.checked_sub(b'1')?;
        (file < self.files && rank < self.ranks).then(|| self.square(file, rank))
    }

    /// All squares, in the order of their numbers.
    pub fn all(self) -> impl DoubleEndedIterator<Item = Square> {
        (0..self.squares() as u8).map(Square)
    }
}

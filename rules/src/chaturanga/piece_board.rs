use super::{BOARD, GENERAL, KHON, KING, KNIGHT, PAWN, PIECE_TYPE_COUNT, ROOK, stream};
use crate::{Bits, Color, Piece, Square, zobrist};

/// The pieces on the board and the Zobrist key of their placement.
///
/// Three bits for each square, spread over three sets, say what stands there: 0 for nothing, else
/// the kind plus 1. So the kind on a square, or all pieces of a type, cost a few operations, and
/// the whole board is 40 bytes to copy.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct PieceBoard {
    codes: [u64; 3],
    black: u64,
    key: u64,
}

/// By side, code and square; code 0, nothing, is worth nothing.
static KEYS: [[[u64; 64]; 8]; 2] = {
    let mut keys = [[[0; 64]; 8]; 2];
    let mut color = 0;
    while color < 2 {
        let mut code = 1;
        while code <= PIECE_TYPE_COUNT {
            keys[color][code] = zobrist::numbers(stream::pieces(color, code));
            code += 1;
        }
        color += 1;
    }
    keys
};

impl PieceBoard {
    pub(crate) const NONE: PieceBoard = PieceBoard {
        codes: [0; 3],
        black: 0,
        key: 0,
    };

    #[inline(always)]
    fn code(&self, square: Square) -> u8 {
        let bit = |n: usize| (self.codes[n] >> (square.0 & 63)) as u8 & 1;
        bit(0) | bit(1) << 1 | bit(2) << 2
    }

    #[inline(always)]
    pub(crate) fn piece_type(&self, square: Square) -> Option<u8> {
        self.code(square).checked_sub(1)
    }

    pub(crate) fn piece(&self, square: Square) -> Option<Piece> {
        let piece_type = self.piece_type(square)?;
        let color = if self.black.has(square) {
            Color::Black
        } else {
            Color::White
        };
        Some(Piece { color, piece_type })
    }

    /// Puts a piece on an empty square.
    #[inline(always)]
    pub(crate) fn put(&mut self, square: Square, color: Color, piece_type: u8) {
        let code = piece_type + 1;
        for (n, set) in self.codes.iter_mut().enumerate() {
            *set |= u64::from(code >> n & 1) << (square.0 & 63);
        }
        self.black |= (color as u64) << (square.0 & 63);
        self.key ^= KEYS[color as usize][usize::from(code & 7)][square.index() & 63];
    }

    /// Clears a square and returns what type of piece stood there.
    #[inline(always)]
    pub(crate) fn take(&mut self, square: Square) -> Option<u8> {
        let code = self.code(square);
        let color = (self.black >> (square.0 & 63)) as usize & 1;
        let rest = !(1 << (square.0 & 63));
        for set in &mut self.codes {
            *set &= rest;
        }
        self.black &= rest;
        self.key ^= KEYS[color][usize::from(code)][square.index() & 63];
        code.checked_sub(1)
    }

    #[inline(always)]
    pub(crate) fn key(&self) -> u64 {
        self.key
    }

    pub(crate) fn key_from_scratch(&self) -> u64 {
        BOARD
            .all()
            .filter_map(|square| Some((square, self.piece(square)?)))
            .map(|(square, piece)| {
                KEYS[piece.color as usize][usize::from(piece.piece_type + 1)][square.index()]
            })
            .fold(0, |key, number| key ^ number)
    }

    #[inline(always)]
    pub(crate) fn occupied(&self) -> u64 {
        self.codes[0] | self.codes[1] | self.codes[2]
    }

    #[inline(always)]
    pub(crate) fn of(&self, color: Color) -> u64 {
        match color {
            Color::White => self.occupied() & !self.black,
            Color::Black => self.black,
        }
    }

    #[inline(always)]
    pub(crate) fn pawns(&self) -> u64 {
        self.codes[0] & !self.codes[1] & !self.codes[2]
    }

    #[inline(always)]
    pub(crate) fn generals(&self) -> u64 {
        self.codes[1] & !self.codes[0] & !self.codes[2]
    }

    #[inline(always)]
    pub(crate) fn khons(&self) -> u64 {
        self.codes[0] & self.codes[1]
    }

    #[inline(always)]
    pub(crate) fn knights(&self) -> u64 {
        self.codes[2] & !self.codes[0] & !self.codes[1]
    }

    #[inline(always)]
    pub(crate) fn rooks(&self) -> u64 {
        self.codes[2] & self.codes[0]
    }

    #[inline(always)]
    pub(crate) fn kings(&self) -> u64 {
        self.codes[2] & self.codes[1]
    }

    pub(crate) fn of_piece_type(&self, piece_type: u8) -> u64 {
        match piece_type {
            PAWN => self.pawns(),
            GENERAL => self.generals(),
            KHON => self.khons(),
            KNIGHT => self.knights(),
            ROOK => self.rooks(),
            KING => self.kings(),
            _ => 0,
        }
    }

    /// How many pieces of a type a side has.
    pub(crate) fn count(&self, color: Color, piece_type: u8) -> usize {
        (self.of(color) & self.of_piece_type(piece_type)).len()
    }

    /// Where a side's king stands; there is none while it is still to be placed.
    #[inline(always)]
    pub(crate) fn king(&self, color: Color) -> Option<Square> {
        (self.kings() & self.of(color)).first()
    }

    /// Whether a side has one piece, its king, and no more.
    #[inline(always)]
    pub(crate) fn is_bare(&self, color: Color) -> bool {
        self.of(color) & !self.kings() == 0
    }

    /// The pieces with the board turned by half a turn and the sides exchanged.
    pub(crate) fn rotated(&self) -> PieceBoard {
        self.mapped(self.of(Color::White), u64::reverse_bits)
    }

    /// The left-right mirror image.
    pub(crate) fn mirrored(&self) -> PieceBoard {
        self.mapped(self.black, |set| set.reverse_bits().swap_bytes())
    }

    fn mapped(&self, black: u64, f: impl Fn(u64) -> u64) -> PieceBoard {
        let mut pieces = PieceBoard {
            codes: self.codes.map(&f),
            black: f(black),
            key: 0,
        };
        pieces.key = pieces.key_from_scratch();
        pieces
    }
}

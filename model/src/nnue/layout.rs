use garuda_rules::{Board, Color, Position};

use super::error::NnueLayoutError;
use super::position::NnuePosition;

/// Hand slots per type and side where captured pieces go to the hand.
const HAND_SLOTS: usize = 14;

/// How Fairy-Stockfish numbers the features of a game.
///
/// A feature is a piece on a square or in a hand, seen by one side: the board is turned upside down
/// for Black (ranks only; files stay), and each square of the side's own king has its own numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NnueLayout {
    game: &'static str,
    board: Board,
    /// The letters of the types in the engine's order, the king's last.
    letters: &'static [&'static str],
    hand_slots: usize,
    /// For each type, the place of its mirror image.
    mirror: Vec<u8>,
    /// For each of the game's own types, its place in the engine's order.
    places: Vec<u8>,
    piece_values: &'static [i32],
}

impl NnueLayout {
    /// The layout of a game, if Fairy-Stockfish plays it.
    pub fn of<P: Position>() -> Result<NnueLayout, NnueLayoutError> {
        let (letters, hand_slots, piece_values): (&'static [&'static str], _, &'static [i32]) =
            match P::NAME {
                "makruk" => (
                    &["P", "N", "R", "M", "S", "K"],
                    0,
                    &[126, 781, 1276, 420, 660],
                ),
                "sittuyin" => (
                    &["P", "N", "R", "F", "S", "K"],
                    0,
                    &[126, 781, 1276, 420, 660],
                ),
                "torishogi" => (
                    &["S", "F", "C", "L", "R", "P", "+S", "+F", "K"],
                    HAND_SLOTS,
                    &[90, 670, 569, 654, 654, 277, 277, 2391],
                ),
                "eternal" => return Err(NnueLayoutError::Eternal),
                "sittuyin-booklet" => return Err(NnueLayoutError::Booklet),
                other => return Err(NnueLayoutError::Unknown(other.to_owned())),
            };
        let place = |letter: &str| {
            let place = letters.iter().position(|&other| other == letter);
            place.expect("the engine has all types of the game") as u8
        };
        let mut mirror: Vec<u8> = (0..letters.len() as u8).collect();
        for piece_type in P::PIECE_TYPES {
            if let Some(image) = piece_type.mirror_image_of {
                let (a, b) = (place(piece_type.letter), place(image));
                mirror[usize::from(a)] = b;
                mirror[usize::from(b)] = a;
            }
        }
        let places = P::PIECE_TYPES.iter().map(|t| place(t.letter)).collect();
        Ok(NnueLayout {
            game: P::NAME,
            board: P::BOARD,
            letters,
            hand_slots,
            mirror,
            places,
            piece_values,
        })
    }

    /// The engine's name of the variant, with which a file's name must begin.
    pub fn game(&self) -> &'static str {
        self.game
    }

    pub fn board(&self) -> Board {
        self.board
    }

    /// Number of squares, and of king squares.
    pub fn squares(&self) -> usize {
        self.board.squares()
    }

    /// Number of types of pieces.
    pub fn types(&self) -> usize {
        self.letters.len()
    }

    /// Hand slots per type and side.
    pub fn hand_slots(&self) -> usize {
        self.hand_slots
    }

    /// The place of a type's mirror image.
    pub fn mirror_type(&self, place: usize) -> usize {
        usize::from(self.mirror[place])
    }

    /// The engine's place of one of the game's own types.
    pub fn place(&self, piece_type: u8) -> u8 {
        self.places[usize::from(piece_type)]
    }

    /// The place of the king's type.
    pub fn king(&self) -> u8 {
        self.letters.len() as u8 - 1
    }

    /// Values of the types but the king's to start training from, in the engine's units.
    pub fn piece_values(&self) -> &'static [i32] {
        self.piece_values
    }

    /// Features per square of the own king.
    pub fn features_per_king(&self) -> usize {
        let types = self.types();
        (2 * types - 1) * self.squares() + 2 * (types - 1) * self.hand_slots
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.squares() * self.features_per_king()
    }

    /// A square's number as `perspective` sees the board.
    pub fn oriented(&self, perspective: Color, square: u8) -> usize {
        let files = self.board.files;
        let (file, rank) = (square % files, square / files);
        let rank = match perspective {
            Color::White => rank,
            Color::Black => self.board.ranks - 1 - rank,
        };
        usize::from(rank) * usize::from(files) + usize::from(file)
    }

    /// Replaces `out` by the features that a side sees.
    pub fn fill(&self, position: &NnuePosition, perspective: Color, out: &mut Vec<u32>) {
        out.clear();
        let (squares, types) = (self.squares(), self.types());
        let king = self.oriented(perspective, position.king(perspective));
        let first = king * self.features_per_king();
        for (square, place, color) in position.pieces() {
            let is_enemy = color != perspective && place != self.king();
            let plane = 2 * usize::from(place) + usize::from(is_enemy);
            let feature = self.oriented(perspective, square) + plane * squares + first;
            out.push(feature as u32);
        }
        if self.hand_slots == 0 {
            return;
        }
        for color in Color::ALL {
            for place in 0..types - 1 {
                let plane = 2 * place + usize::from(color != perspective);
                let slots = plane * self.hand_slots + (2 * types - 1) * squares + first;
                for slot in 0..position.hand(color, place) {
                    out.push((usize::from(slot) + slots) as u32);
                }
            }
        }
    }
}

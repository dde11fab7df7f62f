use garuda_rules::{Color, Occupant, Piece, Position};

use super::layout::NnueLayout;

const MAX_SQUARES: usize = 64;
const MAX_HELD_TYPES: usize = 8;

/// All that the engine's network sees of a position: pieces, hands and who is to move.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct NnuePosition {
    /// 0 for an empty square, else 1 + 2 · place of the type + 1 if Black's. Squares that the board
    /// does not have are empty.
    squares: [u8; MAX_SQUARES],
    /// By side (White first) and place of the type.
    hands: [[u8; MAX_HELD_TYPES]; 2],
    kings: [u8; 2],
    turn: Color,
}

impl NnuePosition {
    /// What is seen of a position. `None` where the engine has no network's evaluation: a king is not
    /// on the board, pieces are still to be set up, or a hand has more pieces of a type than there
    /// are features for.
    pub fn of<P: Position>(layout: &NnueLayout, position: &P) -> Option<NnuePosition> {
        let mut squares = [0; MAX_SQUARES];
        for square in P::BOARD.all() {
            if let Some(Occupant::Piece(Piece { color, piece_type })) = position.occupant(square) {
                squares[square.index()] =
                    1 + 2 * layout.place(piece_type) + u8::from(color == Color::Black);
            }
        }
        let mut hands = [[0; MAX_HELD_TYPES]; 2];
        for color in Color::ALL {
            for &piece_type in P::PLACEABLE {
                let held = position.hand(color, piece_type);
                if held > 0 {
                    let place = usize::from(layout.place(piece_type));
                    *hands[side(color)].get_mut(place)? = held;
                }
            }
        }
        NnuePosition::checked(layout, squares, hands, position.turn())
    }

    fn checked(
        layout: &NnueLayout,
        squares: [u8; MAX_SQUARES],
        hands: [[u8; MAX_HELD_TYPES]; 2],
        turn: Color,
    ) -> Option<NnuePosition> {
        let overfull = |&held: &u8| usize::from(held) > layout.hand_slots();
        if hands.iter().flatten().any(overfull) {
            return None;
        }
        let king = |color: Color| {
            let code = 1 + 2 * layout.king() + u8::from(color == Color::Black);
            let mut found = (0..).zip(&squares).filter(|&(_, &c)| c == code);
            match (found.next(), found.next()) {
                (Some((square, _)), None) => Some(square),
                _ => None,
            }
        };
        Some(NnuePosition {
            kings: [king(Color::White)?, king(Color::Black)?],
            squares,
            hands,
            turn,
        })
    }

    /// Number of bytes of [`write`](Self::write).
    pub fn encoded_len(layout: &NnueLayout) -> usize {
        layout.squares() + held_types(layout) * 2 + 1
    }

    /// Appends the position: a byte per square, a byte per side and type that can be in hand, and
    /// one for the side to move.
    pub fn write(&self, layout: &NnueLayout, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.squares[..layout.squares()]);
        for hand in &self.hands {
            out.extend_from_slice(&hand[..held_types(layout)]);
        }
        out.push(side(self.turn) as u8);
    }

    /// Reads what [`write`](Self::write) wrote, of exactly [`encoded_len`](Self::encoded_len) bytes.
    /// `None` for what no position is.
    pub fn read(layout: &NnueLayout, bytes: &[u8]) -> Option<NnuePosition> {
        if bytes.len() != NnuePosition::encoded_len(layout) {
            return None;
        }
        let (board, rest) = bytes.split_at(layout.squares());
        let (held, turn) = rest.split_at(2 * held_types(layout));
        let codes = 2 * layout.types() as u8;
        if board.iter().any(|&code| code > codes) {
            return None;
        }
        let mut squares = [0; MAX_SQUARES];
        squares[..board.len()].copy_from_slice(board);
        let mut hands = [[0; MAX_HELD_TYPES]; 2];
        for (hand, held) in hands.iter_mut().zip(held.chunks(held_types(layout).max(1))) {
            hand[..held.len()].copy_from_slice(held);
        }
        let turn = match turn {
            [0] => Color::White,
            [1] => Color::Black,
            _ => return None,
        };
        NnuePosition::checked(layout, squares, hands, turn)
    }

    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The square of a side's king.
    pub fn king(&self, color: Color) -> u8 {
        self.kings[side(color)]
    }

    /// Number of pieces of a type in a hand.
    pub fn hand(&self, color: Color, place: usize) -> u8 {
        self.hands[side(color)][place]
    }

    /// Square, place of the type and side of every piece on the board.
    pub fn pieces(&self) -> impl Iterator<Item = (u8, u8, Color)> {
        (0..).zip(&self.squares).filter_map(|(square, &code)| {
            let code = code.checked_sub(1)?;
            let color = Color::ALL[usize::from(code % 2)];
            Some((square, code / 2, color))
        })
    }

    /// Which of the engine's stacks and PSQT columns evaluates the position.
    pub fn bucket(&self) -> usize {
        let pieces = self.squares.iter().filter(|&&code| code != 0).count();
        (pieces.saturating_sub(1) * 8 / 32).min(7)
    }
}

/// Types that have room for a hand in the written form: all but the king's, where there are hands.
fn held_types(layout: &NnueLayout) -> usize {
    match layout.hand_slots() {
        0 => 0,
        _ => layout.types() - 1,
    }
}

fn side(color: Color) -> usize {
    usize::from(color == Color::Black)
}

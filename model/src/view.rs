use garuda_rules::{Board, Color, Move, Origin, Position, Square};

/// How a position is looked at: from whose side, and whether in a mirror.
///
/// A network always sees the mover's side at the bottom, moving up; Black sees the board turned
/// by half a turn. The mirror exchanges left and right, for positions whose rules allow that
/// ([`Position::mirrored`]).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct View {
    pub color: Color,
    pub mirror: bool,
}

impl View {
    /// As the side to move sees it.
    pub fn of<P: Position>(position: &P) -> View {
        View {
            color: position.turn(),
            mirror: false,
        }
    }

    pub fn mirrored(self, mirror: bool) -> View {
        View { mirror, ..self }
    }

    /// Where a square of the board is seen. Its own inverse.
    pub fn square(self, board: Board, square: Square) -> Square {
        let square = match self.color {
            Color::White => square,
            Color::Black => board.rotate(square),
        };
        if self.mirror {
            board.mirror(square)
        } else {
            square
        }
    }

    /// The number of a move among a network's `(S + placeable) · S` actions.
    pub fn action<P: Position>(self, position: &P, mv: Move) -> usize {
        self.image(position, mv).action(P::BOARD)
    }

    /// The move an action stands for, legal or not. `None` for a number that is not an action.
    pub fn move_of<P: Position>(self, position: &P, action: usize) -> Option<Move> {
        let squares = P::BOARD.squares();
        let (row, to) = (action / squares, Square((action % squares) as u8));
        let image = if row < squares {
            Move::new(Square(row as u8), to)
        } else if row - squares < P::PLACEABLE.len() {
            Move::place((row - squares) as u8, to)
        } else {
            return None;
        };
        Some(self.image(position, image))
    }

    /// The type of piece that a type looks like: left and right pieces change places in the mirror.
    pub(crate) fn piece_type<P: Position>(self, position: &P, piece_type: u8) -> u8 {
        if !self.mirror {
            return piece_type;
        }
        let index = (P::PLACEABLE.iter()).position(|&placeable| placeable == piece_type);
        let Some(index) = index else {
            return piece_type;
        };
        let placed = Move::place(index as u8, Square(0));
        match position.mirror_move(placed).origin() {
            Origin::Hand(image) => P::PLACEABLE[usize::from(image)],
            Origin::Board(_) => unreachable!("a placed piece stays a placed piece"),
        }
    }

    /// A move as it is seen. Its own inverse, as turning and mirroring are.
    fn image<P: Position>(self, position: &P, mv: Move) -> Move {
        let mv = match self.color {
            Color::White => mv,
            Color::Black => P::rotate_move(mv),
        };
        if self.mirror {
            position.mirror_move(mv)
        } else {
            mv
        }
    }
}

use crate::{Bits, Color, Occupant, Position, Purpose, Square};

/// The squares that one side attacks as the board stands: where a piece of it could capture, or
/// recapture if a piece of its own were taken there. Pins and checks are not looked at.
///
/// Squares are bits of a `u128` whatever the size of the board.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct AttackMap {
    /// Attacked by at least one piece.
    pub once: u128,
    /// Attacked by at least two pieces.
    pub twice: u128,
}

impl AttackMap {
    /// Adds the squares that one more piece attacks, or several pieces of which no two attack the
    /// same square.
    #[inline(always)]
    pub fn add(&mut self, squares: u128) {
        self.twice |= self.once & squares;
        self.once |= squares;
    }

    /// The attacks that follow from the steps of the piece types, each walked square by square.
    /// Steps that copy other pieces or hop along chains of them are not among them.
    pub fn by_steps<P: Position>(position: &P, color: Color) -> AttackMap {
        let mut map = AttackMap::default();
        for from in P::BOARD.all() {
            let Some(Occupant::Piece(piece)) = position.occupant(from) else {
                continue;
            };
            if piece.color != color {
                continue;
            }
            let mut attacked = 0;
            for step in P::PIECE_TYPES[usize::from(piece.piece_type)].steps {
                let (from_screen, to_screen) = match step.purpose {
                    Purpose::Any | Purpose::CaptureOnly => (0, 0),
                    Purpose::OverScreen => (1, 1),
                    Purpose::MoveOnly | Purpose::Hop | Purpose::Copy => continue,
                };
                let mut square = from;
                let mut screens = 0;
                for _ in 0..step.reach {
                    let Some(next) = step.target(P::BOARD, color, square) else {
                        break;
                    };
                    square = next;
                    if screens >= from_screen {
                        attacked |= u128::of(square);
                    }
                    if position.occupant(square).is_some() {
                        screens += 1;
                        if screens > to_screen {
                            break;
                        }
                    }
                }
            }
            map.add(attacked);
        }
        map
    }

    /// Whether a square is attacked.
    #[inline(always)]
    pub fn has(&self, square: Square) -> bool {
        self.once.has(square)
    }

    /// Whether a square is attacked by two pieces or more.
    #[inline(always)]
    pub fn has_two(&self, square: Square) -> bool {
        self.twice.has(square)
    }
}

/// The same for boards of up to 64 squares, where half the bits are half the work.
#[derive(Copy, Clone, Default)]
pub(crate) struct NarrowAttackMap {
    once: u64,
    twice: u64,
}

impl NarrowAttackMap {
    #[inline(always)]
    pub(crate) fn add(&mut self, squares: u64) {
        self.twice |= self.once & squares;
        self.once |= squares;
    }
}

impl From<NarrowAttackMap> for AttackMap {
    #[inline(always)]
    fn from(map: NarrowAttackMap) -> AttackMap {
        AttackMap {
            once: map.once.into(),
            twice: map.twice.into(),
        }
    }
}

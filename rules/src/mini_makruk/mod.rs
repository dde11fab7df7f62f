//! Mini-Makruk: Makruk on 5×5 squares, without counting. The example of `docs/adding-a-game.md`,
//! written to be read rather than to be fast.

mod fen;

use crate::{
    Board, Color, Move, MoveList, Occupant, Origin, Outcome, Piece, PieceType, Planes, Position,
    Purpose, Repetition, Square, Step, Termination, zobrist,
};

/// A position of Mini-Makruk.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MiniMakrukPosition {
    squares: [Option<Piece>; BOARD.squares()],
    turn: Color,
    /// Plies since the last capture or pawn move.
    quiet_plies: u16,
}

const BOARD: Board = Board { files: 5, ranks: 5 };

// Places in [`PIECE_TYPES`].
const PAWN: u8 = 0;
const MET: u8 = 1;
const KING: u8 = 4;

const PIECE_TYPES: [PieceType; 5] = [
    PieceType::new(
        "P",
        "Bia",
        &[
            Step::leap(0, 1).only(Purpose::MoveOnly),
            Step::leap(-1, 1).only(Purpose::CaptureOnly),
            Step::leap(1, 1).only(Purpose::CaptureOnly),
        ],
    )
    .valued(1.0),
    PieceType::new(
        "M",
        "Met",
        &[
            Step::leap(-1, -1),
            Step::leap(1, -1),
            Step::leap(-1, 1),
            Step::leap(1, 1),
        ],
    )
    .valued(1.7),
    PieceType::new(
        "N",
        "Ma",
        &[
            Step::leap(-1, -2),
            Step::leap(1, -2),
            Step::leap(-2, -1),
            Step::leap(2, -1),
            Step::leap(-2, 1),
            Step::leap(2, 1),
            Step::leap(-1, 2),
            Step::leap(1, 2),
        ],
    )
    .valued(2.5),
    PieceType::new(
        "R",
        "Ruea",
        &[
            Step::slide(0, -1),
            Step::slide(-1, 0),
            Step::slide(1, 0),
            Step::slide(0, 1),
        ],
    )
    .valued(5.0),
    PieceType::new(
        "K",
        "Khun",
        &[
            Step::leap(-1, -1),
            Step::leap(0, -1),
            Step::leap(1, -1),
            Step::leap(-1, 0),
            Step::leap(1, 0),
            Step::leap(-1, 1),
            Step::leap(0, 1),
            Step::leap(1, 1),
        ],
    )
    .royal(),
];

/// A pawn that comes to the fourth rank, where the enemy's pawns start, becomes a Met.
const PROMOTION_RANK: u8 = 3;
/// Longer games are drawn.
const LENGTH_LIMIT: u32 = 200;

impl MiniMakrukPosition {
    fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        BOARD
            .all()
            .filter_map(|square| Some((square, self.squares[square.index()]?)))
    }

    /// Where a piece could go if its king were in no danger.
    fn targets(&self, from: Square, piece: Piece) -> Vec<Square> {
        let mut targets = Vec::new();
        for step in PIECE_TYPES[usize::from(piece.piece_type)].steps {
            let mut to = from;
            for _ in 0..step.reach {
                let Some(next) = step.target(BOARD, piece.color, to) else {
                    break;
                };
                to = next;
                let target = self.squares[to.index()];
                let may_go = match target {
                    None => step.purpose != Purpose::CaptureOnly,
                    Some(other) => step.purpose != Purpose::MoveOnly && other.color != piece.color,
                };
                if may_go {
                    targets.push(to);
                }
                if target.is_some() {
                    break;
                }
            }
        }
        targets
    }

    /// Whether the king of a side is attacked.
    fn in_check(&self, side: Color) -> bool {
        let king = Piece {
            color: side,
            piece_type: KING,
        };
        let attacked = self.attack_map(!side);
        self.pieces()
            .any(|(square, piece)| piece == king && attacked.has(square))
    }

    fn promotes(&self, from: Square, to: Square) -> bool {
        self.squares[from.index()].is_some_and(|piece| {
            piece.piece_type == PAWN && BOARD.advance(piece.color, to) == PROMOTION_RANK
        })
    }

    /// The position with its squares and sides mapped.
    fn map(&self, square_of: fn(Board, Square) -> Square, color_of: fn(Color) -> Color) -> Self {
        let mut image = MiniMakrukPosition {
            squares: [None; BOARD.squares()],
            turn: color_of(self.turn),
            ..*self
        };
        for (square, piece) in self.pieces() {
            image.squares[square_of(BOARD, square).index()] = Some(Piece {
                color: color_of(piece.color),
                ..piece
            });
        }
        image
    }
}

impl Position for MiniMakrukPosition {
    const NAME: &'static str = "mini-makruk";
    const TITLE: &'static str = "Mini-Makruk";
    const IS_EXAMPLE: bool = true;
    const BOARD: Board = BOARD;
    const PIECE_TYPES: &'static [PieceType] = &PIECE_TYPES;
    const STARTS: &'static [(&'static str, &'static str)] =
        &[("standard", "nmknr/ppppp/5/PPPPP/RNKMN w 0")];
    const REPETITION: Repetition = Repetition::Draw(3);
    const PLANES: &'static [Planes] = &[Planes::Pieces, Planes::Occurrences];

    fn turn(&self) -> Color {
        self.turn
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        for (from, piece) in self.pieces().filter(|(_, piece)| piece.color == self.turn) {
            for to in self.targets(from, piece) {
                let mv = Move::new(from, to);
                let mut next = *self;
                next.play(mv);
                if !next.in_check(self.turn) {
                    moves.push(mv);
                }
            }
        }
    }

    fn play(&mut self, mv: Move) {
        let Origin::Board(from) = mv.origin() else {
            return;
        };
        let to = mv.to();
        let promotes = self.promotes(from, to);
        let Some(mut piece) = self.squares[from.index()].take() else {
            return;
        };
        let captures = self.squares[to.index()].is_some();
        self.quiet_plies = match captures || piece.piece_type == PAWN {
            true => 0,
            false => self.quiet_plies.saturating_add(1),
        };
        if promotes {
            piece.piece_type = MET;
        }
        self.squares[to.index()] = Some(piece);
        self.turn = !self.turn;
    }

    fn is_check(&self) -> bool {
        self.in_check(self.turn)
    }

    fn terminal_outcome(&self, legal: &MoveList) -> Option<Outcome> {
        if legal.is_empty() && self.is_check() {
            Some(Outcome::win(!self.turn, Termination::Checkmate))
        } else if legal.is_empty() {
            Some(Outcome::draw(Termination::Stalemate))
        } else if self.pieces().all(|(_, piece)| piece.piece_type == KING) {
            Some(Outcome::draw(Termination::Material))
        } else {
            None
        }
    }

    fn length_limit(&self, plies: u32, _turns: u32) -> Option<Outcome> {
        (plies >= LENGTH_LIMIT).then(|| Outcome::draw(Termination::LengthLimit))
    }

    fn key(&self) -> u64 {
        self.key_from_scratch()
    }

    fn key_from_scratch(&self) -> u64 {
        self.pieces()
            .map(|(square, piece)| {
                let stream = 2 * u64::from(piece.piece_type) + piece.color as u64;
                zobrist::number(1 + stream, square.index() as u64)
            })
            .fold(zobrist::number(0, self.turn as u64), |key, number| {
                key ^ number
            })
    }

    fn clock_key(&self) -> u64 {
        0
    }

    fn repetition_horizon(&self) -> usize {
        self.quiet_plies.into()
    }

    fn occupant(&self, square: Square) -> Option<Occupant> {
        self.squares[square.index()].map(Occupant::Piece)
    }

    fn hand(&self, _color: Color, _piece_type: u8) -> u8 {
        0
    }

    fn mirrored(&self) -> Option<Self> {
        Some(self.map(Board::mirror, |color| color))
    }

    fn rotated(&self) -> Self {
        self.map(Board::rotate, |color| !color)
    }

    fn uci(&self, mv: Move) -> String {
        let Origin::Board(from) = mv.origin() else {
            return String::new();
        };
        let promotion = if self.promotes(from, mv.to()) {
            "m"
        } else {
            ""
        };
        format!("{}{}{promotion}", BOARD.name(from), BOARD.name(mv.to()))
    }
}

use rand::Rng;

use super::{
    BOARD, LENGTH_LIMIT, MARKS, PIECE_TYPES, WINNING_POINTS, ZONE, evaluation, random_start,
};
use crate::zobrist::{number, numbers};
use crate::{
    AttackMap, Bits, Board, ByColor, Color, GamePhase, Mark, MaterialFeature, Move, MoveList,
    Occupant, Origin, Outcome, Piece, PieceType, Planes, Position, Repetition, Square, Termination,
};

/// A position of Eternal chess.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct EternalPosition {
    /// The pieces of each type, of both sides.
    pub(super) piece_types: [u128; PIECE_TYPES.len()],
    pub(super) sides: ByColor<u128>,
    pub(super) stones: u128,
    pub(super) turn: Color,
    pub(super) phase: Phase,
    pub(super) points: ByColor<u8>,
    pub(super) key: u64,
}

/// Which decision of its turn the side to move has to take.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Put the piece that has scored, and stands on this square, back into its owner's half.
    Deport(Square),
    /// Move a piece.
    Move,
    /// Put this piece, just captured, back into its owner's half.
    Place(Piece),
}

static PIECE_KEYS: [[u64; BOARD.squares()]; 2 * PIECE_TYPES.len()] = {
    let mut keys = [[0; BOARD.squares()]; 2 * PIECE_TYPES.len()];
    let mut piece = 0;
    while piece < keys.len() {
        keys[piece] = numbers(piece as u64);
        piece += 1;
    }
    keys
};
static STONE_KEYS: [u64; BOARD.squares()] = numbers(16);
static PENDING_KEYS: [u64; 2 * PIECE_TYPES.len()] = numbers(17);
static POINT_KEYS: [[u64; WINNING_POINTS as usize + 1]; 2] = [numbers(18), numbers(19)];
const BLACK_KEY: u64 = number(20, 0);

/// A piece's place in the key tables.
const fn key_index(piece: Piece) -> usize {
    piece.piece_type as usize + PIECE_TYPES.len() * piece.color as usize
}

impl EternalPosition {
    /// No piece, no stone, no point; Red to move.
    pub(super) fn empty() -> EternalPosition {
        let mut position = EternalPosition {
            piece_types: [0; PIECE_TYPES.len()],
            sides: ByColor::default(),
            stones: 0,
            turn: Color::White,
            phase: Phase::Move,
            points: ByColor::default(),
            key: 0,
        };
        position.key = position.key_from_scratch();
        position
    }

    /// Which decision the side to move has to take.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn occupied(&self) -> u128 {
        self.sides.white | self.sides.black | self.stones
    }

    fn piece_type_at(&self, square: u128) -> u8 {
        self.piece_types
            .iter()
            .position(|pieces| pieces & square != 0)
            .expect("a piece stands on the square") as u8
    }

    /// Puts a piece on an empty square, or takes it off again.
    pub(super) fn toggle(&mut self, piece: Piece, square: Square) {
        let bit = u128::of(square);
        self.piece_types[usize::from(piece.piece_type)] ^= bit;
        self.sides[piece.color] ^= bit;
        self.key ^= PIECE_KEYS[key_index(piece)][square.index()];
    }

    /// Puts a stone on an empty square, or takes it off again.
    pub(super) fn toggle_stone(&mut self, square: Square) {
        self.stones ^= u128::of(square);
        self.key ^= STONE_KEYS[square.index()];
    }

    fn move_piece(&mut self, from: Square, to: Square) {
        let color = self.turn;
        let piece_type = self.piece_type_at(u128::of(from));
        let target = u128::of(to);
        let victim = if self.stones & target != 0 {
            self.toggle_stone(to);
            None
        } else {
            self.piece_at(to)
        };
        if let Some(victim) = victim {
            self.toggle(victim, to);
        }
        let piece = Piece { color, piece_type };
        self.toggle(piece, from);
        self.toggle(piece, to);
        if let Some(victim) = victim {
            self.phase = Phase::Place(victim);
            self.key ^= PENDING_KEYS[key_index(victim)];
            return;
        }
        if ZONE[!color] & target != 0 {
            self.score(color);
            self.phase = Phase::Deport(to);
        }
        self.pass_turn();
    }

    fn score(&mut self, color: Color) {
        let keys = &POINT_KEYS[color as usize];
        let points = usize::from(self.points[color]);
        self.key ^= keys[points] ^ keys[points + 1];
        self.points[color] += 1;
    }

    fn pass_turn(&mut self) {
        self.turn = !self.turn;
        self.key ^= BLACK_KEY;
    }

    pub(super) fn piece_at(&self, square: Square) -> Option<Piece> {
        let bit = u128::of(square);
        let color = if self.sides.white & bit != 0 {
            Color::White
        } else if self.sides.black & bit != 0 {
            Color::Black
        } else {
            return None;
        };
        let piece_type = self.piece_type_at(bit);
        Some(Piece { color, piece_type })
    }

    /// The same with every set of squares and every square mapped.
    fn mapped(self, set: impl Fn(u128) -> u128, square: impl Fn(Square) -> Square) -> Self {
        let mut image = EternalPosition {
            piece_types: self.piece_types.map(&set),
            sides: ByColor::new(set(self.sides.white), set(self.sides.black)),
            stones: set(self.stones),
            phase: match self.phase {
                Phase::Deport(scorer) => Phase::Deport(square(scorer)),
                phase => phase,
            },
            ..self
        };
        image.key = image.key_from_scratch();
        image
    }
}

impl Position for EternalPosition {
    const NAME: &'static str = "eternal";
    const TITLE: &'static str = "Eternal chess";
    const BOARD: Board = BOARD;
    const PIECE_TYPES: &'static [PieceType] = &PIECE_TYPES;
    const PLACEABLE: &'static [u8] = &[0, 1, 2, 3, 4, 5];
    const STARTS: &'static [(&'static str, &'static str)] = &[(
        "standard",
        "rpb2bpr/acn2nca/8/8/oooooooo/8/8/ACN2NCA/RPB2BPR r - 0 0",
    )];
    const REPETITION: Repetition = Repetition::Draw(3);
    const WINNING_POINTS: u8 = WINNING_POINTS;
    const HAS_PROMOTION: bool = false;
    const DECISIONS_PER_TURN: usize = 3;
    const DROP_WORD: Option<&'static str> = Some("pieces put back");
    const PLANES: &'static [Planes] = &[
        Planes::Pieces,
        Planes::Stones,
        Planes::Points,
        Planes::Deported,
        Planes::Pending,
        Planes::Occurrences,
    ];
    const LEAD_SCALE: f32 = 3.0;
    const PHASES: &'static str =
        "opening until a point is scored, end once a side is one point short of winning";
    const MARKS: &'static [Mark] = &MARKS;

    fn turn(&self) -> Color {
        self.turn
    }

    /// There are none once the fourth point has been scored.
    fn legal_moves(&self, moves: &mut MoveList) {
        self.generate(moves);
    }

    fn count_legal_moves(&self) -> usize {
        self.count()
    }

    fn play(&mut self, mv: Move) {
        let to = mv.to();
        match (self.phase, mv.origin()) {
            (Phase::Move, Origin::Board(from)) => self.move_piece(from, to),
            (Phase::Deport(scorer), _) => {
                let piece = Piece {
                    color: !self.turn,
                    piece_type: self.piece_type_at(u128::of(scorer)),
                };
                self.toggle(piece, scorer);
                self.toggle(piece, to);
                self.phase = Phase::Move;
            }
            (Phase::Place(piece), _) => {
                self.toggle(piece, to);
                self.key ^= PENDING_KEYS[key_index(piece)];
                self.phase = Phase::Move;
                self.pass_turn();
            }
            (Phase::Move, Origin::Hand(_)) => debug_assert!(false, "nothing to place"),
        }
    }

    fn is_check(&self) -> bool {
        false
    }

    fn attack_map(&self, color: Color) -> AttackMap {
        self.attacks_of(color)
    }

    fn terminal_outcome(&self, legal: &MoveList) -> Option<Outcome> {
        let winner = |side: &Color| self.points[*side] >= WINNING_POINTS;
        if let Some(side) = Color::ALL.into_iter().find(winner) {
            Some(Outcome::win(side, Termination::Points))
        } else if legal.is_empty() {
            Some(Outcome::win(!self.turn, Termination::Stalemate))
        } else {
            None
        }
    }

    fn winning_move(&self, legal: &MoveList) -> Option<usize> {
        self.find_winning_move(legal)
    }

    fn length_limit(&self, _plies: u32, turns: u32) -> Option<Outcome> {
        let ByColor { white, black } = self.points;
        (turns >= LENGTH_LIMIT).then(|| match white.cmp(&black) {
            std::cmp::Ordering::Greater => Outcome::win(Color::White, Termination::LengthLimit),
            std::cmp::Ordering::Less => Outcome::win(Color::Black, Termination::LengthLimit),
            std::cmp::Ordering::Equal => Outcome::draw(Termination::LengthLimit),
        })
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn key_from_scratch(&self) -> u64 {
        let mut key = 0;
        for square in BOARD.all() {
            match self.occupant(square) {
                Some(Occupant::Piece(piece)) => key ^= PIECE_KEYS[key_index(piece)][square.index()],
                Some(Occupant::Stone) => key ^= STONE_KEYS[square.index()],
                None => {}
            }
        }
        // A piece to be deported is seen on the board: only a scorer stands in the enemy's zone.
        if let Phase::Place(piece) = self.phase {
            key ^= PENDING_KEYS[key_index(piece)];
        }
        for side in Color::ALL {
            key ^= POINT_KEYS[side as usize][usize::from(self.points[side])];
        }
        if self.turn == Color::Black {
            key ^= BLACK_KEY;
        }
        key
    }

    fn clock_key(&self) -> u64 {
        0
    }

    fn repetition_horizon(&self) -> usize {
        usize::MAX
    }

    fn occupant(&self, square: Square) -> Option<Occupant> {
        if self.stones.has(square) {
            Some(Occupant::Stone)
        } else {
            self.piece_at(square).map(Occupant::Piece)
        }
    }

    fn pieces(&self, color: Color, piece_type: u8) -> u128 {
        self.piece_types[usize::from(piece_type)] & self.sides[color]
    }

    fn stones(&self) -> u128 {
        self.stones
    }

    fn hand(&self, color: Color, piece_type: u8) -> u8 {
        let pending = self
            .pending()
            .is_some_and(|piece| piece.piece_type == piece_type);
        u8::from(pending && color == self.turn)
    }

    fn pending(&self) -> Option<Piece> {
        match self.phase {
            Phase::Place(piece) => Some(piece),
            Phase::Deport(_) | Phase::Move => None,
        }
    }

    fn piece_to_deport(&self) -> Option<Square> {
        match self.phase {
            Phase::Deport(square) => Some(square),
            Phase::Move | Phase::Place(_) => None,
        }
    }

    fn points(&self) -> Option<ByColor<u8>> {
        Some(self.points)
    }

    fn mirrored(&self) -> Option<Self> {
        // Rows are bytes.
        let set = |set: u128| set.reverse_bits().swap_bytes();
        Some(self.mapped(set, |square| BOARD.mirror(square)))
    }

    fn rotated(&self) -> Self {
        let swapped = EternalPosition {
            sides: self.sides.swapped(),
            points: self.points.swapped(),
            turn: !self.turn,
            phase: match self.phase {
                Phase::Place(piece) => Phase::Place(Piece {
                    color: !piece.color,
                    ..piece
                }),
                phase => phase,
            },
            ..*self
        };
        let set = |set: u128| set.reverse_bits() >> (128 - BOARD.squares());
        swapped.mapped(set, |square| BOARD.rotate(square))
    }

    fn uci(&self, mv: Move) -> String {
        let to = BOARD.name(mv.to());
        match (mv.origin(), self.phase) {
            (Origin::Hand(piece_type), _) => {
                format!("{}@{to}", PIECE_TYPES[usize::from(piece_type)].letter)
            }
            (Origin::Board(from), Phase::Deport(_)) => format!("{}@{to}", BOARD.name(from)),
            (Origin::Board(from), _) => format!("{}{to}", BOARD.name(from)),
        }
    }
    /// Pieces never leave the game, so only their places vary.
    fn varied_start<R: Rng>(&self, rng: &mut R) -> Self {
        random_start(rng)
    }

    fn placement_value(piece: Piece, square: Square) -> f32 {
        evaluation::placement(piece, square)
    }

    fn move_bonus(&self, mv: Move, next: &Self) -> f32 {
        self.gain(mv, next)
    }

    fn material_features() -> Vec<MaterialFeature> {
        evaluation::features()
    }

    fn count_material(&self, color: Color, out: &mut [i8]) {
        self.count_features(color, out);
    }

    fn phase(&self, _captures: u32) -> GamePhase {
        let most = u32::from(self.points.white.max(self.points.black));
        GamePhase::after(most, [1, u32::from(WINNING_POINTS) - 1])
    }
}

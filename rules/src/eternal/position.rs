use super::{BOARD, CAP, KINDS, MARKS, WINNING_POINTS, ZONE};
use crate::zobrist::{number, numbers};
use crate::{
    Bits, Board, ByColor, Color, Kind, Man, Mark, Move, MoveList, Occupant, Origin, Outcome,
    Position, Reason, Repetition, Square,
};

/// A position of Eternal chess.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct EternalPosition {
    /// The men of each kind, of both sides.
    pub(super) kinds: [u128; KINDS.len()],
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
    /// Put the man that has scored, and stands on this square, back into its owner's half.
    Deport(Square),
    Move,
    /// Put this man, just captured, back into its owner's half.
    Place(Man),
}

static MAN_KEYS: [[u64; BOARD.squares()]; 2 * KINDS.len()] = {
    let mut keys = [[0; BOARD.squares()]; 2 * KINDS.len()];
    let mut man = 0;
    while man < keys.len() {
        keys[man] = numbers(man as u64);
        man += 1;
    }
    keys
};
static STONE_KEYS: [u64; BOARD.squares()] = numbers(16);
static PENDING_KEYS: [u64; 2 * KINDS.len()] = numbers(17);
static POINT_KEYS: [[u64; WINNING_POINTS as usize + 1]; 2] = [numbers(18), numbers(19)];
const BLACK_KEY: u64 = number(20, 0);

/// A man's place in the key tables.
const fn key_index(man: Man) -> usize {
    man.kind as usize + KINDS.len() * man.color as usize
}

impl EternalPosition {
    /// No man, no stone, no point; Red to move.
    pub(super) fn empty() -> EternalPosition {
        let mut position = EternalPosition {
            kinds: [0; KINDS.len()],
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

    pub fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn occupied(&self) -> u128 {
        self.sides.white | self.sides.black | self.stones
    }

    fn kind_at(&self, square: u128) -> u8 {
        self.kinds
            .iter()
            .position(|men| men & square != 0)
            .expect("a man stands on the square") as u8
    }

    /// Puts a man on an empty square, or takes it off again.
    pub(super) fn toggle(&mut self, man: Man, square: Square) {
        let bit = u128::of(square);
        self.kinds[usize::from(man.kind)] ^= bit;
        self.sides[man.color] ^= bit;
        self.key ^= MAN_KEYS[key_index(man)][square.index()];
    }

    /// Puts a stone on an empty square, or takes it off again.
    pub(super) fn toggle_stone(&mut self, square: Square) {
        self.stones ^= u128::of(square);
        self.key ^= STONE_KEYS[square.index()];
    }

    fn move_man(&mut self, from: Square, to: Square) {
        let color = self.turn;
        let kind = self.kind_at(u128::of(from));
        let target = u128::of(to);
        let victim = if self.stones & target != 0 {
            self.toggle_stone(to);
            None
        } else {
            self.man_at(to)
        };
        if let Some(victim) = victim {
            self.toggle(victim, to);
        }
        let man = Man { color, kind };
        self.toggle(man, from);
        self.toggle(man, to);
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

    fn man_at(&self, square: Square) -> Option<Man> {
        let bit = u128::of(square);
        let color = if self.sides.white & bit != 0 {
            Color::White
        } else if self.sides.black & bit != 0 {
            Color::Black
        } else {
            return None;
        };
        let kind = self.kind_at(bit);
        Some(Man { color, kind })
    }

    /// The same with every set of squares and every square mapped.
    fn mapped(self, set: impl Fn(u128) -> u128, square: impl Fn(Square) -> Square) -> Self {
        let mut image = EternalPosition {
            kinds: self.kinds.map(&set),
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
    const BOARD: Board = BOARD;
    const KINDS: &'static [Kind] = &KINDS;
    const PLACEABLE: &'static [u8] = &[0, 1, 2, 3, 4, 5];
    const STARTS: &'static [(&'static str, &'static str)] = &[(
        "standard",
        "rpb2bpr/acn2nca/8/8/oooooooo/8/8/ACN2NCA/RPB2BPR r - 0 0",
    )];
    const REPETITION: Repetition = Repetition::Draw(3);
    const WINNING_POINTS: u8 = WINNING_POINTS;
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
            (Phase::Move, Origin::Board(from)) => self.move_man(from, to),
            (Phase::Deport(scorer), _) => {
                let man = Man {
                    color: !self.turn,
                    kind: self.kind_at(u128::of(scorer)),
                };
                self.toggle(man, scorer);
                self.toggle(man, to);
                self.phase = Phase::Move;
            }
            (Phase::Place(man), _) => {
                self.toggle(man, to);
                self.key ^= PENDING_KEYS[key_index(man)];
                self.phase = Phase::Move;
                self.pass_turn();
            }
            (Phase::Move, Origin::Hand(_)) => debug_assert!(false, "nothing to place"),
        }
    }

    fn is_check(&self) -> bool {
        false
    }

    fn verdict(&self, legal: &MoveList) -> Option<Outcome> {
        let winner = |side: &Color| self.points[*side] >= WINNING_POINTS;
        if let Some(side) = Color::ALL.into_iter().find(winner) {
            Some(Outcome::win(side, Reason::Points))
        } else if legal.is_empty() {
            Some(Outcome::win(!self.turn, Reason::Stalemate))
        } else {
            None
        }
    }

    fn cap(&self, _plies: u32, turns: u32) -> Option<Outcome> {
        let ByColor { white, black } = self.points;
        (turns >= CAP).then(|| match white.cmp(&black) {
            std::cmp::Ordering::Greater => Outcome::win(Color::White, Reason::Cap),
            std::cmp::Ordering::Less => Outcome::win(Color::Black, Reason::Cap),
            std::cmp::Ordering::Equal => Outcome::draw(Reason::Cap),
        })
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn key_from_scratch(&self) -> u64 {
        let mut key = 0;
        for square in BOARD.all() {
            match self.occupant(square) {
                Some(Occupant::Man(man)) => key ^= MAN_KEYS[key_index(man)][square.index()],
                Some(Occupant::Stone) => key ^= STONE_KEYS[square.index()],
                None => {}
            }
        }
        // A man to be deported is seen on the board: only a scorer stands in the enemy's zone.
        if let Phase::Place(man) = self.phase {
            key ^= PENDING_KEYS[key_index(man)];
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

    fn lookback(&self) -> usize {
        usize::MAX
    }

    fn occupant(&self, square: Square) -> Option<Occupant> {
        if self.stones.has(square) {
            Some(Occupant::Stone)
        } else {
            self.man_at(square).map(Occupant::Man)
        }
    }

    fn hand(&self, color: Color, kind: u8) -> u8 {
        let pending = self.pending().is_some_and(|man| man.kind == kind);
        u8::from(pending && color == self.turn)
    }

    fn pending(&self) -> Option<Man> {
        match self.phase {
            Phase::Place(man) => Some(man),
            Phase::Deport(_) | Phase::Move => None,
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
                Phase::Place(man) => Phase::Place(Man {
                    color: !man.color,
                    ..man
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
            (Origin::Hand(kind), _) => format!("{}@{to}", KINDS[usize::from(kind)].letter),
            (Origin::Board(from), Phase::Deport(_)) => format!("{}@{to}", BOARD.name(from)),
            (Origin::Board(from), _) => format!("{}{to}", BOARD.name(from)),
        }
    }
}

//! Small games that can be solved completely, and simple evaluators.

use garuda_mcts::{EvalError, Evaluations, Evaluator, Wdl};
use garuda_rules::{Color, Game, Move, MoveList, Outcome, Square, Termination, first_winning_move};

/// The move that encodes a number.
pub(crate) fn numbered(n: usize) -> Move {
    Move::new(Square(0), Square(n as u8))
}

pub(crate) fn number(mv: Move) -> usize {
    mv.to().index()
}

#[derive(Clone, Debug)]
pub(crate) struct TicTacToe {
    /// A bit for each cell, by side.
    cells: [u16; 2],
    turn: Color,
}

impl TicTacToe {
    pub(crate) const START: TicTacToe = TicTacToe {
        cells: [0, 0],
        turn: Color::White,
    };

    pub(crate) fn after(cells: &[usize]) -> TicTacToe {
        let mut game = TicTacToe::START;
        cells.iter().for_each(|&cell| game.play(numbered(cell)));
        game
    }
}

impl Game for TicTacToe {
    fn turn(&self) -> Color {
        self.turn
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        let taken = self.cells[0] | self.cells[1];
        moves.extend((0..9).filter(|cell| taken >> cell & 1 == 0).map(numbered));
    }

    fn play(&mut self, mv: Move) {
        self.cells[self.turn as usize] |= 1 << number(mv);
        self.turn = !self.turn;
    }

    fn outcome_given(&self, legal: &MoveList) -> Option<Outcome> {
        const ROWS: [u16; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
        let last = self.cells[!self.turn as usize];
        if ROWS.iter().any(|row| last & row == *row) {
            return Some(Outcome::win(!self.turn, Termination::Checkmate));
        }
        legal
            .is_empty()
            .then_some(Outcome::draw(Termination::Stalemate))
    }

    fn winning_move(&self, legal: &MoveList) -> Option<usize> {
        first_winning_move(self, legal)
    }

    fn state_key(&self) -> u64 {
        u64::from(self.cells[0]) << 32 | u64::from(self.cells[1]) << 1 | self.turn as u64
    }
}

/// A heap from which each player takes three times in a row, one to three objects each time. The
/// player who took more wins.
#[derive(Clone, Debug)]
pub(crate) struct Heap {
    pub(crate) left: u8,
    pub(crate) taken: [u8; 2],
    pub(crate) turn: Color,
    /// Number of decisions made in the current turn.
    pub(crate) decisions: u8,
}

impl Heap {
    pub(crate) fn new(left: u8) -> Heap {
        Heap {
            left,
            taken: [0, 0],
            turn: Color::White,
            decisions: 0,
        }
    }
}

impl Game for Heap {
    fn turn(&self) -> Color {
        self.turn
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        moves.extend((1..=3.min(self.left)).map(|n| numbered(n.into())));
    }

    fn play(&mut self, mv: Move) {
        let taken = number(mv) as u8;
        self.left -= taken;
        self.taken[self.turn as usize] += taken;
        self.decisions += 1;
        if self.decisions == 3 {
            self.decisions = 0;
            self.turn = !self.turn;
        }
    }

    fn outcome_given(&self, _legal: &MoveList) -> Option<Outcome> {
        if self.left > 0 {
            return None;
        }
        let [white, black] = self.taken;
        Some(match white.cmp(&black) {
            std::cmp::Ordering::Greater => Outcome::win(Color::White, Termination::Points),
            std::cmp::Ordering::Less => Outcome::win(Color::Black, Termination::Points),
            std::cmp::Ordering::Equal => Outcome::draw(Termination::Points),
        })
    }

    fn winning_move(&self, legal: &MoveList) -> Option<usize> {
        first_winning_move(self, legal)
    }

    fn state_key(&self) -> u64 {
        let state = [
            self.left,
            self.taken[0],
            self.taken[1],
            self.turn as u8,
            self.decisions,
        ];
        state
            .into_iter()
            .fold(0, |key, part| key << 8 | u64::from(part))
    }
}

/// One choice among arms, followed by forced moves without end.
#[derive(Clone, Debug)]
pub(crate) struct Bandit {
    pub(crate) arms: usize,
    pub(crate) arm: Option<usize>,
    depth: u32,
}

impl Bandit {
    pub(crate) fn new(arms: usize) -> Bandit {
        Bandit {
            arms,
            arm: None,
            depth: 0,
        }
    }
}

impl Game for Bandit {
    fn turn(&self) -> Color {
        Color::White
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        let count = if self.arm.is_none() { self.arms } else { 1 };
        moves.extend((0..count).map(numbered));
    }

    fn play(&mut self, mv: Move) {
        self.arm.get_or_insert(number(mv));
        self.depth += 1;
    }

    fn outcome_given(&self, _legal: &MoveList) -> Option<Outcome> {
        None
    }

    fn winning_move(&self, legal: &MoveList) -> Option<usize> {
        first_winning_move(self, legal)
    }

    fn state_key(&self) -> u64 {
        let arm = self.arm.map_or(0, |arm| arm as u64 + 1);
        arm << 32 | u64::from(self.depth)
    }
}

/// White can draw at once by move 0, or play on without end.
#[derive(Clone, Debug)]
pub(crate) struct DrawOffer {
    taken: bool,
    depth: u32,
}

impl DrawOffer {
    pub(crate) const START: DrawOffer = DrawOffer {
        taken: false,
        depth: 0,
    };
}

impl Game for DrawOffer {
    fn turn(&self) -> Color {
        Color::White
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        let first = usize::from(self.depth > 0);
        moves.extend((first..2).map(numbered));
    }

    fn play(&mut self, mv: Move) {
        self.taken = number(mv) == 0;
        self.depth += 1;
    }

    fn outcome_given(&self, _legal: &MoveList) -> Option<Outcome> {
        self.taken.then_some(Outcome::draw(Termination::Repetition))
    }

    fn winning_move(&self, legal: &MoveList) -> Option<usize> {
        first_winning_move(self, legal)
    }

    fn state_key(&self) -> u64 {
        u64::from(self.depth) << 1 | u64::from(self.taken)
    }
}

/// Returns the same evaluation for every position.
pub(crate) struct ConstantEvaluator {
    wdl: Wdl,
    moves: Vec<usize>,
}

impl ConstantEvaluator {
    /// With a draw probability of one half.
    pub(crate) fn of_value(value: f32) -> ConstantEvaluator {
        let wdl = Wdl {
            win: 0.25 + value / 2.0,
            draw: 0.5,
            loss: 0.25 - value / 2.0,
        };
        ConstantEvaluator {
            wdl,
            moves: Vec::new(),
        }
    }
}

impl<G: Game> Evaluator<G> for ConstantEvaluator {
    fn capacity(&self) -> usize {
        8
    }

    fn push(&mut self, _game: &G, legal: &[Move]) {
        self.moves.push(legal.len());
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        evaluations.clear();
        for moves in self.moves.drain(..) {
            evaluations.push(self.wdl, std::iter::repeat_n(0.0, moves))?;
        }
        Ok(())
    }
}

/// Predicts a win for White, whichever side is to move.
#[derive(Default)]
pub(crate) struct WhiteWins {
    moves: Vec<(Color, usize)>,
}

impl WhiteWins {
    pub(crate) const VALUE: f32 = 0.8;
}

impl<G: Game> Evaluator<G> for WhiteWins {
    fn capacity(&self) -> usize {
        8
    }

    fn push(&mut self, game: &G, legal: &[Move]) {
        self.moves.push((game.turn(), legal.len()));
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        let white = Wdl {
            win: 0.9,
            draw: 0.0,
            loss: 0.1,
        };
        evaluations.clear();
        for (turn, moves) in self.moves.drain(..) {
            let wdl = match turn {
                Color::White => white,
                Color::Black => white.reversed(),
            };
            evaluations.push(wdl, std::iter::repeat_n(0.0, moves))?;
        }
        Ok(())
    }
}

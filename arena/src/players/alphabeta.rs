use anyhow::Context;
use garuda_rules::{
    Color, Game, GameState, Move, MoveList, Occupant, PieceType, Position, Purpose, Step,
};
use garuda_run::seeds;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{Clock, Line, NoMove, Player};

/// Counts pieces, looks one move ahead or as far as a number of nodes allows, and takes any of the
/// moves that win most.
#[derive(Clone, Debug)]
pub struct AlphaBeta {
    /// Positions looked at for a move; one move ahead if there is no limit.
    nodes: Option<u64>,
    values: Vec<i32>,
    rng: ChaCha8Rng,
}

/// More than all pieces together.
const WON: i32 = 1_000_000;
/// A point of Eternal chess, of which four win.
const POINT: i32 = 10_000;
const MAX_DEPTH: u32 = 64;

impl AlphaBeta {
    pub fn new<P: Position>(nodes: Option<u64>) -> AlphaBeta {
        AlphaBeta {
            nodes,
            values: P::PIECE_TYPES.iter().map(value::<P>).collect(),
            rng: seeds::rng(0),
        }
    }
}

/// What a piece is worth: a hundred times the squares it reaches on an empty board, on average.
fn value<P: Position>(kind: &PieceType) -> i32 {
    let reached = |step: &Step, from| {
        let next = |square: &_| step.target(P::BOARD, Color::White, *square);
        let line = std::iter::successors(next(&from), |square| next(square));
        line.take(usize::from(step.reach)).count()
    };
    let steps = || {
        let usable = |step: &&Step| step.purpose != Purpose::CaptureOnly;
        kind.steps.iter().filter(usable)
    };
    let total: usize = (P::BOARD.all())
        .map(|from| steps().map(|step| reached(step, from)).sum::<usize>())
        .sum();
    (100 * total / P::BOARD.squares()) as i32
}

/// One look at a position: the budget and what it was spent on.
struct Look<'a> {
    values: &'a [i32],
    nodes: u64,
    limit: u64,
}

impl Look<'_> {
    /// PieceBoard and points of the side to move less those of the other.
    fn balance<P: Position>(&self, position: &P) -> i32 {
        let turn = position.turn();
        let sign = |color| if color == turn { 1 } else { -1 };
        let pieces: i32 = (P::BOARD.all())
            .filter_map(|square| position.occupant(square))
            .map(|occupant| match occupant {
                Occupant::Piece(piece) => {
                    sign(piece.color) * self.values[usize::from(piece.piece_type)]
                }
                Occupant::Stone => 0,
            })
            .sum();
        let hands: i32 = (Color::ALL.into_iter())
            .flat_map(|color| P::PLACEABLE.iter().map(move |&kind| (color, kind)))
            .map(|(color, kind)| {
                let count = i32::from(position.hand(color, kind));
                sign(color) * count * self.values[usize::from(kind)]
            })
            .sum();
        let points = position
            .points()
            .map_or(0, |p| POINT * (i32::from(p[turn]) - i32::from(p[!turn])));
        pieces + hands + points
    }

    /// The best that the side to move can reach, between `alpha` and `beta`. `None` when the
    /// budget is spent.
    fn search<P: Position>(
        &mut self,
        game: &GameState<P>,
        depth: u32,
        mut alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        self.nodes += 1;
        if self.nodes > self.limit {
            return None;
        }
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome_given(&legal) {
            // A quicker win is a better one.
            let won = WON + depth as i32;
            return Some(match outcome.winner {
                None => 0,
                Some(winner) if winner == game.turn() => won,
                Some(_) => -won,
            });
        }
        if depth == 0 {
            return Some(self.balance(game.position()));
        }
        self.order(game.position(), &mut legal);
        let mut best = -i32::MAX;
        for mv in legal {
            let value = self.value_of(game, mv, depth, alpha, beta)?;
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }

    /// The value of a move for the side that makes it.
    fn value_of<P: Position>(
        &mut self,
        game: &GameState<P>,
        mv: Move,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        let mut next = game.clone();
        next.play(mv);
        if next.turn() == game.turn() {
            self.search(&next, depth - 1, alpha, beta)
        } else {
            Some(-self.search(&next, depth - 1, -beta, -alpha)?)
        }
    }

    /// Puts moves onto valuable pieces first.
    fn order<P: Position>(&self, position: &P, moves: &mut MoveList) {
        moves.sort_by_key(|mv| match position.occupant(mv.to()) {
            Some(Occupant::Piece(piece)) if piece.color != position.turn() => {
                -self.values[usize::from(piece.piece_type)]
            }
            _ => 0,
        });
    }

    /// The best move at a depth, the first of equals. `None` when the budget is spent.
    fn best<P: Position>(
        &mut self,
        game: &GameState<P>,
        moves: &[Move],
        depth: u32,
    ) -> Option<Move> {
        let mut best: Option<(i32, Move)> = None;
        for &mv in moves {
            let alpha = best.map_or(-i32::MAX, |(value, _)| value);
            let value = self.value_of(game, mv, depth, alpha, i32::MAX)?;
            if best.is_none() || value > alpha {
                best = Some((value, mv));
            }
        }
        best.map(|(_, mv)| mv)
    }
}

impl<P: Position> Player<P> for AlphaBeta {
    fn begin(&mut self, seed: u64) {
        self.rng = seeds::rng(seed);
    }

    fn choose(&mut self, line: &Line<P>, _opponent: Option<Clock>) -> Result<Move, NoMove> {
        let game = line.game();
        let mut moves = MoveList::new();
        game.legal_moves(&mut moves);
        moves.shuffle(&mut self.rng);
        let mut look = Look {
            values: &self.values,
            nodes: 0,
            limit: self.nodes.unwrap_or(u64::MAX),
        };
        let deepest = if self.nodes.is_some() { MAX_DEPTH } else { 1 };
        let mut best = moves.first().copied();
        for depth in 1..=deepest {
            match look.best(game, &moves, depth) {
                Some(mv) => best = Some(mv),
                None => break,
            }
            // The best so far is looked at first, which makes the next depth cheaper.
            if let Some(place) = moves.iter().position(|mv| Some(*mv) == best) {
                moves[..=place].rotate_right(1);
            }
        }
        Ok(best.context("the game is over")?)
    }
}

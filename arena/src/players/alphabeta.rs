use std::time::{Duration, Instant};

use anyhow::Context;
use garuda_rules::{Color, Game, GameState, Move, MoveList, Occupant, Position};
use garuda_run::seeds;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{GameClock, GameLine, NoMove, Player};

/// Alpha-beta search on a count of material, one ply deep or by iterative deepening up to a number
/// of nodes. Equal moves are drawn at random.
#[derive(Clone, Debug)]
pub struct AlphaBetaPlayer {
    /// Nodes per move; `None` for a search of one ply.
    nodes: Option<u64>,
    /// Time per move of a search that is deeper than one ply, instead of nodes.
    movetime: Option<Duration>,
    /// By type of piece, on the board and in hand.
    values: Vec<[i32; 2]>,
    rng: ChaCha8Rng,
}

/// More than the value of all pieces together.
const WON: i32 = 1_000_000;
/// Value of a point of Eternal chess, where four win.
const POINT: i32 = 10_000;
const MAX_DEPTH: u32 = 64;

impl AlphaBetaPlayer {
    pub fn new<P: Position>(nodes: Option<u64>, movetime: Option<Duration>) -> AlphaBetaPlayer {
        AlphaBetaPlayer {
            nodes,
            movetime,
            values: (P::PIECE_TYPES.iter())
                .map(|piece_type| [piece_type.value, piece_type.hand_value].map(centipawns))
                .collect(),
            rng: seeds::rng(0),
        }
    }
}

/// A value in hundredths of a pawn.
fn centipawns(value: f32) -> i32 {
    (100.0 * value).round() as i32
}

/// The search of one move, with its node budget.
struct AlphaBetaSearch<'a> {
    values: &'a [[i32; 2]],
    nodes: u64,
    limit: u64,
    deadline: Option<Instant>,
}

/// Nodes between two looks at the clock.
const NODES_PER_CHECK: u64 = 256;

impl AlphaBetaSearch<'_> {
    /// Material and points of the side to move minus those of the other.
    fn evaluate<P: Position>(&self, position: &P) -> i32 {
        let turn = position.turn();
        let sign = |color| if color == turn { 1 } else { -1 };
        let pieces: i32 = (P::BOARD.all())
            .filter_map(|square| position.occupant(square))
            .map(|occupant| match occupant {
                Occupant::Piece(piece) => {
                    sign(piece.color) * self.values[usize::from(piece.piece_type)][0]
                }
                Occupant::Stone => 0,
            })
            .sum();
        let hands: i32 = (Color::ALL.into_iter())
            .flat_map(|color| {
                P::PLACEABLE
                    .iter()
                    .map(move |&piece_type| (color, piece_type))
            })
            .map(|(color, piece_type)| {
                let count = i32::from(position.hand(color, piece_type));
                sign(color) * count * self.values[usize::from(piece_type)][1]
            })
            .sum();
        let points = position
            .points()
            .map_or(0, |p| POINT * (i32::from(p[turn]) - i32::from(p[!turn])));
        pieces + hands + points
    }

    /// The value for the side to move, between `alpha` and `beta`. `None` when the budget is
    /// spent.
    fn search<P: Position>(
        &mut self,
        game: &GameState<P>,
        depth: u32,
        mut alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        self.nodes += 1;
        let is_late = || {
            self.deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
        };
        if self.nodes > self.limit || self.nodes.is_multiple_of(NODES_PER_CHECK) && is_late() {
            return None;
        }
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome_given(&legal) {
            // A shorter win is better.
            let won = WON + depth as i32;
            return Some(match outcome.winner {
                None => 0,
                Some(winner) if winner == game.turn() => won,
                Some(_) => -won,
            });
        }
        if depth == 0 {
            return Some(self.evaluate(game.position()));
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

    /// Orders captures of valuable pieces first.
    fn order<P: Position>(&self, position: &P, moves: &mut MoveList) {
        moves.sort_by_key(|mv| match position.occupant(mv.to()) {
            Some(Occupant::Piece(piece)) if piece.color != position.turn() => {
                -self.values[usize::from(piece.piece_type)][0]
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

impl<P: Position> Player<P> for AlphaBetaPlayer {
    fn new_game(&mut self, seed: u64) {
        self.rng = seeds::rng(seed);
    }

    fn choose(&mut self, line: &GameLine<P>, _opponent: Option<GameClock>) -> Result<Move, NoMove> {
        let game = line.game();
        let mut moves = MoveList::new();
        game.legal_moves(&mut moves);
        moves.shuffle(&mut self.rng);
        let mut search = AlphaBetaSearch {
            values: &self.values,
            nodes: 0,
            limit: (self.nodes)
                .filter(|_| self.movetime.is_none())
                .unwrap_or(u64::MAX),
            deadline: (self.movetime)
                .filter(|_| self.nodes.is_some())
                .map(|time| Instant::now() + time),
        };
        let deepest = if self.nodes.is_some() { MAX_DEPTH } else { 1 };
        let mut best = moves.first().copied();
        for depth in 1..=deepest {
            match search.best(game, &moves, depth) {
                Some(mv) => best = Some(mv),
                None => break,
            }
            // The best move so far is searched first, which makes the next depth cheaper.
            if let Some(place) = moves.iter().position(|mv| Some(*mv) == best) {
                moves[..=place].rotate_right(1);
            }
        }
        Ok(best.context("the game is over")?)
    }
}

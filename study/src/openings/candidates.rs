//! The moves of a position with their priors.

use std::collections::{BinaryHeap, HashMap, HashSet};

use garuda_mcts::{EvalError, Evaluations, Evaluator, softmax};
use garuda_rules::{Game, GameState, Move, MoveList, Position};

use super::opening_move::OpeningMove;

/// A move and the position after it.
#[derive(Debug)]
pub struct MoveCandidate<P> {
    pub mv: OpeningMove,
    pub after: GameState<P>,
    /// The product of the network's probabilities of its decisions.
    pub prior: f64,
}

/// All moves of a position; where a turn has several decisions and there are hundreds of turns, the
/// `max_turns` with the highest priors. Moves that lead to the same position are merged.
pub fn candidates<P: Position, E: Evaluator<GameState<P>>>(
    game: &GameState<P>,
    max_turns: usize,
    evaluator: &mut E,
) -> Result<Vec<MoveCandidate<P>>, EvalError> {
    let whole_turns = P::DECISIONS_PER_TURN > 1;
    let most = if whole_turns { max_turns } else { usize::MAX };
    let mut open = BinaryHeap::from([PartialMove::new(game.clone())]);
    let mut found: HashMap<u64, usize> = HashMap::new();
    let mut moves: Vec<MoveCandidate<P>> = Vec::new();
    // A move never has a higher prior than a part of it, so complete moves come out in order.
    while let Some(partial) = open.pop() {
        if partial.complete {
            let key = partial.game.position().key();
            match found.get(&key) {
                Some(&place) => moves[place].prior += partial.prior,
                None if moves.len() < most => {
                    found.insert(key, moves.len());
                    moves.push(MoveCandidate {
                        mv: partial.mv,
                        after: partial.game,
                        prior: partial.prior,
                    });
                }
                None => break,
            }
            continue;
        }
        for (decision, prior) in priors(&partial.game, evaluator)? {
            let mut next = partial.game.clone();
            next.play(decision);
            let mut mv = partial.mv;
            mv.push(decision);
            let prior = partial.prior * prior;
            open.push(PartialMove {
                complete: mv.is_complete(game.position(), &next),
                game: next,
                mv,
                prior,
            });
        }
    }
    Ok(moves)
}

/// The number of different positions that the moves of a position lead to.
pub(super) fn count_moves<P: Position>(game: &GameState<P>) -> usize {
    let mut found = HashSet::new();
    let mut open = vec![(OpeningMove::default(), game.clone())];
    let mut legal = MoveList::new();
    while let Some((partial, before)) = open.pop() {
        before.legal_moves(&mut legal);
        for &decision in &legal {
            let mut mv = partial;
            mv.push(decision);
            let mut next = before.clone();
            next.play(decision);
            if mv.is_complete(game.position(), &next) {
                found.insert(next.position().key());
            } else {
                open.push((mv, next));
            }
        }
    }
    found.len()
}

/// The legal moves with the evaluator's probabilities.
pub fn priors<P: Position, E: Evaluator<GameState<P>>>(
    game: &GameState<P>,
    evaluator: &mut E,
) -> Result<Vec<(Move, f64)>, EvalError> {
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    evaluator.push(game, &legal);
    let mut evaluations = Evaluations::default();
    evaluator.run(&mut evaluations)?;
    let (_, logits) = evaluations.get(0);
    let mut policy = vec![0.0; logits.len()];
    softmax(logits, &mut policy);
    Ok(legal
        .into_iter()
        .zip(policy.into_iter().map(f64::from))
        .collect())
}

/// Some decisions of a move, ordered by prior.
struct PartialMove<P> {
    mv: OpeningMove,
    game: GameState<P>,
    prior: f64,
    complete: bool,
}

impl<P: Position> PartialMove<P> {
    fn new(game: GameState<P>) -> PartialMove<P> {
        PartialMove {
            mv: OpeningMove::default(),
            game,
            prior: 1.0,
            complete: false,
        }
    }
}

impl<P> PartialEq for PartialMove<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<P> Eq for PartialMove<P> {}

impl<P> PartialOrd for PartialMove<P> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> Ord for PartialMove<P> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_prior = self.prior.total_cmp(&other.prior);
        by_prior.then_with(|| other.mv.cmp(&self.mv))
    }
}

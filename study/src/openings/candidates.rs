//! The plays of a position, and how likely a network thinks each.

use std::collections::{BinaryHeap, HashMap, HashSet};

use garuda_mcts::{EvalError, Evaluations, Evaluator, softmax};
use garuda_rules::{Game, GameState, Move, MoveList, Position};

use super::opening_move::OpeningMove;

/// A play and the position after it.
#[derive(Debug)]
pub(super) struct MoveCandidate<P> {
    pub(super) play: OpeningMove,
    pub(super) after: GameState<P>,
    /// The network's chance of it: of all of its decisions.
    pub(super) prior: f64,
}

/// All plays of a position; in Eternal chess the `most` likeliest, for there are hundreds. Plays
/// that lead to the same position are one.
pub(super) fn candidates<P: Position, E: Evaluator<GameState<P>>>(
    game: &GameState<P>,
    most: usize,
    evaluator: &mut E,
) -> Result<Vec<MoveCandidate<P>>, EvalError> {
    let whole_turns = P::DECISIONS_PER_TURN > 1;
    let most = if whole_turns { most } else { usize::MAX };
    let mut open = BinaryHeap::from([PartialMove::new(game.clone())]);
    let mut found: HashMap<u64, usize> = HashMap::new();
    let mut plays: Vec<MoveCandidate<P>> = Vec::new();
    // A play is never likelier than a part of it, so the likeliest come out first.
    while let Some(prefix) = open.pop() {
        if prefix.complete {
            let key = prefix.game.position().key();
            match found.get(&key) {
                Some(&place) => plays[place].prior += prefix.prior,
                None if plays.len() < most => {
                    found.insert(key, plays.len());
                    plays.push(MoveCandidate {
                        play: prefix.play,
                        after: prefix.game,
                        prior: prefix.prior,
                    });
                }
                None => break,
            }
            continue;
        }
        for (mv, prior) in priors(&prefix.game, evaluator)? {
            let mut next = prefix.game.clone();
            next.play(mv);
            let mut play = prefix.play;
            play.push(mv);
            let prior = prefix.prior * prior;
            open.push(PartialMove {
                complete: play.is_complete(game.position(), &next),
                game: next,
                play,
                prior,
            });
        }
    }
    Ok(plays)
}

/// How many different positions the plays lead to.
pub(super) fn count<P: Position>(game: &GameState<P>) -> usize {
    let mut found = HashSet::new();
    let mut open = vec![(OpeningMove::default(), game.clone())];
    let mut legal = MoveList::new();
    while let Some((play, before)) = open.pop() {
        before.legal_moves(&mut legal);
        for &mv in &legal {
            let mut play = play;
            play.push(mv);
            let mut next = before.clone();
            next.play(mv);
            if play.is_complete(game.position(), &next) {
                found.insert(next.position().key());
            } else {
                open.push((play, next));
            }
        }
    }
    found.len()
}

/// The legal moves and the evaluator's chances of them.
fn priors<P: Position, E: Evaluator<GameState<P>>>(
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

/// Some decisions of a play; greater is likelier.
struct PartialMove<P> {
    play: OpeningMove,
    game: GameState<P>,
    prior: f64,
    complete: bool,
}

impl<P: Position> PartialMove<P> {
    fn new(game: GameState<P>) -> PartialMove<P> {
        PartialMove {
            play: OpeningMove::default(),
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
        by_prior.then_with(|| other.play.cmp(&self.play))
    }
}

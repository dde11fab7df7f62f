use std::collections::HashSet;

use garuda_model::nnue::{NnueLayout, NnuePosition};
use garuda_rules::{Game, GameState, Move, MoveList, Position};
use garuda_run::{map_parallel, seeds};
use rand::RngExt;

use super::games::LabelGame;

/// With fewer plies left until counting or the move rule ends the game, a position is labelled as if
/// they began there: a network that does not see the count cannot know when it ends, but is to know
/// how to mate until then.
const MIN_PLIES_LEFT: u16 = 20;

/// A position to label: of a game after some plies, and perhaps another move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    pub(super) game: u32,
    pub(super) ply: u32,
    /// A random move instead of the one that was played.
    pub(super) successor: Option<Move>,
}

/// The positions of games that are worth a search, each once, in the order of the games.
pub(super) fn candidates<P: Position>(
    layout: &NnueLayout,
    games: &[LabelGame<P>],
    successors: u32,
) -> Vec<Candidate> {
    let numbered: Vec<(u32, &LabelGame<P>)> = (0..).zip(games).collect();
    let found = map_parallel(&numbered, |&(number, game)| {
        of_game(layout, number, game, successors)
    });
    let mut seen = HashSet::new();
    (found.into_iter().flatten())
        .filter(|(key, _)| seen.insert(*key))
        .map(|(_, candidate)| candidate)
        .collect()
}

fn of_game<P: Position>(
    layout: &NnueLayout,
    number: u32,
    game: &LabelGame<P>,
    successors: u32,
) -> Vec<(u64, Candidate)> {
    let mut found = Vec::new();
    let mut legal = MoveList::new();
    let mut state = game.replay();
    for (ply, &mv) in (0..).zip(&game.moves) {
        let mut consider = |state: &GameState<P>, successor| {
            if is_quiet(layout, state) {
                let candidate = Candidate {
                    game: number,
                    ply,
                    successor,
                };
                found.push((state.position().key(), candidate));
            }
        };
        consider(&state, None);
        // Not during the set-up: those would be more of the same.
        if successors > 0 && state.position().is_settled() {
            state.legal_moves(&mut legal);
            let seed = seeds::derive(game.seed, "successors", &[u64::from(ply)]);
            let mut rng = seeds::rng(seed);
            for _ in 0..successors {
                let other = legal[rng.random_range(..legal.len())];
                let mut next = state.clone();
                next.play(other);
                if other != mv && next.outcome().is_none() {
                    consider(&next, Some(other));
                }
            }
        }
        state.play(mv);
    }
    found
}

/// Whether a network can be asked for the value: no check, no choice left to the set-up, and more
/// than one move.
pub(super) fn is_quiet<P: Position>(layout: &NnueLayout, state: &GameState<P>) -> bool {
    let position = state.position();
    position.is_settled()
        && !position.is_check()
        && position.count_legal_moves() > 1
        && NnuePosition::of(layout, position).is_some()
}

/// The game of a candidate as it stands there, with time left on its clocks.
pub(super) fn state_of<P: Position>(games: &[LabelGame<P>], candidate: Candidate) -> GameState<P> {
    let game = &games[candidate.game as usize];
    let mut state = game.replay();
    for &mv in &game.moves[..candidate.ply as usize] {
        state.play(mv);
    }
    if let Some(mv) = candidate.successor {
        state.play(mv);
    }
    let is_near_end = [state.position().counting(), state.position().move_rule()]
        .into_iter()
        .flatten()
        .any(|clock| clock.limit.saturating_sub(clock.plies) < MIN_PLIES_LEFT);
    if is_near_end {
        let mut position = *state.position();
        position.restart_clocks();
        state = GameState::from_position(position);
    }
    state
}

/// Whether a move captures or promotes: the value after it is not that of the pieces on the board.
pub(super) fn is_noisy<P: Position>(position: &P, mv: Move) -> bool {
    use garuda_rules::{Occupant, Origin};
    let Origin::Board(from) = mv.origin() else {
        return false;
    };
    if mv.to() != from && position.occupant(mv.to()).is_some() {
        return true;
    }
    let mut next = *position;
    next.play(mv);
    let piece_type = |position: &P, square| match position.occupant(square) {
        Some(Occupant::Piece(piece)) => Some(piece.piece_type),
        _ => None,
    };
    piece_type(position, from) != piece_type(&next, mv.to())
}

#[cfg(test)]
mod tests {
    use garuda_rules::Square;
    use garuda_rules::makruk::MakrukPosition;

    use super::*;

    #[test]
    fn a_count_that_is_about_to_end_begins_again() {
        let layout = NnueLayout::of::<MakrukPosition>().unwrap();
        // A rook has 32 plies to mate; 2, then 20 are left.
        for (count, expected) in [(30, 0), (12, 12)] {
            let game = LabelGame::<MakrukPosition> {
                start: format!("8/8/3k4/8/8/3K4/8/R7 w - 32 {count} 100")
                    .parse()
                    .unwrap(),
                moves: vec![Move::new(Square(0), Square(8))],
                winner: None,
                seed: 1,
            };
            let games = [game];
            let found = candidates(&layout, &games, 0);
            let state = state_of(&games, found[0]);
            assert_eq!(state.position().counting().unwrap().plies, expected);
        }
    }
}

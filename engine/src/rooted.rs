use std::sync::Arc;

use garuda_mcts::{EvalError, Evaluations, Evaluator};
use garuda_rules::{Color, Game, GameState, Move, MoveList, Outcome, Position};

/// A game in which, for the next move only, some of the legal moves may be all that count: what
/// `searchmoves` asks for. Whatever is proven about such a position is true of those moves.
#[derive(Debug)]
pub(crate) struct Rooted<P> {
    game: GameState<P>,
    only: Option<Arc<[Move]>>,
}

impl<P: Position> Rooted<P> {
    pub(crate) fn new(game: GameState<P>) -> Rooted<P> {
        Rooted { game, only: None }
    }

    /// `moves` must be legal, and there must be one.
    pub(crate) fn only(game: GameState<P>, moves: &[Move]) -> Rooted<P> {
        Rooted {
            game,
            only: Some(moves.into()),
        }
    }
}

impl<P: Position> Clone for Rooted<P> {
    fn clone(&self) -> Self {
        Rooted {
            game: self.game.clone(),
            only: self.only.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.game.clone_from(&source.game);
        self.only.clone_from(&source.only);
    }
}

impl<P: Position> Game for Rooted<P> {
    fn turn(&self) -> Color {
        self.game.turn()
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        self.game.legal_moves(moves);
        if let Some(only) = &self.only {
            moves.retain(|mv| only.contains(mv));
        }
    }

    fn play(&mut self, mv: Move) {
        self.only = None;
        self.game.play(mv);
    }

    fn outcome_given(&self, legal: &MoveList) -> Option<Outcome> {
        match self.only {
            // The rules want to see all the moves.
            Some(_) => self.game.outcome(),
            None => self.game.outcome_given(legal),
        }
    }

    fn return_to(&mut self, earlier: &Self) {
        self.game.return_to(&earlier.game);
        self.only.clone_from(&earlier.only);
    }

    fn state_key(&self) -> u64 {
        let key = self.game.state_key();
        self.only
            .iter()
            .flat_map(|only| only.iter())
            .fold(key, |key, mv| {
                (key ^ u64::from(mv.code()) ^ 0x5eed).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            })
    }
}

/// Any evaluator of a game, for the search of its [`Rooted`] form.
pub(crate) struct Judge<P>(Box<dyn Evaluator<GameState<P>> + Send>);

impl<P: Position> Judge<P> {
    pub(crate) fn new(evaluator: impl Evaluator<GameState<P>> + Send + 'static) -> Judge<P> {
        Judge(Box::new(evaluator))
    }
}

impl<P: Position> Evaluator<Rooted<P>> for Judge<P> {
    fn capacity(&self) -> usize {
        self.0.capacity()
    }

    fn push(&mut self, game: &Rooted<P>, legal: &[Move]) {
        self.0.push(&game.game, legal);
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        self.0.run(evaluations)
    }
}

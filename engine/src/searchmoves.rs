use std::sync::Arc;

use garuda_mcts::{EvalError, Evaluations, Evaluator};
use garuda_rules::{Color, Game, GameState, Move, MoveList, Outcome, Position};

/// A game whose legal moves can be restricted in the root position, for `go searchmoves`. A proof
/// of a restricted root holds for the given moves only.
#[derive(Debug)]
pub(crate) struct RestrictedGame<P> {
    game: GameState<P>,
    searchmoves: Option<Arc<[Move]>>,
}

impl<P: Position> RestrictedGame<P> {
    /// All legal moves.
    pub(crate) fn unrestricted(game: GameState<P>) -> RestrictedGame<P> {
        RestrictedGame {
            game,
            searchmoves: None,
        }
    }

    /// `searchmoves` must be legal and not empty.
    pub(crate) fn restricted(game: GameState<P>, searchmoves: &[Move]) -> RestrictedGame<P> {
        RestrictedGame {
            game,
            searchmoves: Some(searchmoves.into()),
        }
    }
}

impl<P: Position> Clone for RestrictedGame<P> {
    fn clone(&self) -> Self {
        RestrictedGame {
            game: self.game.clone(),
            searchmoves: self.searchmoves.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.game.clone_from(&source.game);
        self.searchmoves.clone_from(&source.searchmoves);
    }
}

impl<P: Position> Game for RestrictedGame<P> {
    fn turn(&self) -> Color {
        self.game.turn()
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        self.game.legal_moves(moves);
        if let Some(searchmoves) = &self.searchmoves {
            moves.retain(|mv| searchmoves.contains(mv));
        }
    }

    fn play(&mut self, mv: Move) {
        self.searchmoves = None;
        self.game.play(mv);
    }

    fn outcome_given(&self, legal: &MoveList) -> Option<Outcome> {
        match self.searchmoves {
            // The rules need the complete list of legal moves.
            Some(_) => self.game.outcome(),
            None => self.game.outcome_given(legal),
        }
    }

    fn winning_move(&self, legal: &MoveList) -> Option<usize> {
        self.game.winning_move(legal)
    }

    fn return_to(&mut self, earlier: &Self) {
        self.game.return_to(&earlier.game);
        self.searchmoves.clone_from(&earlier.searchmoves);
    }

    fn state_key(&self) -> u64 {
        let key = self.game.state_key();
        self.searchmoves
            .iter()
            .flat_map(|searchmoves| searchmoves.iter())
            .fold(key, |key, mv| {
                (key ^ u64::from(mv.code()) ^ 0x5eed).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            })
    }
}

/// Any evaluator of a game, for searches of its [`RestrictedGame`].
pub(crate) struct BoxedEvaluator<P>(Box<dyn Evaluator<GameState<P>> + Send>);

impl<P: Position> BoxedEvaluator<P> {
    pub(crate) fn new(
        evaluator: impl Evaluator<GameState<P>> + Send + 'static,
    ) -> BoxedEvaluator<P> {
        BoxedEvaluator(Box::new(evaluator))
    }
}

impl<P: Position> Evaluator<RestrictedGame<P>> for BoxedEvaluator<P> {
    fn capacity(&self) -> usize {
        self.0.capacity()
    }

    fn push(&mut self, game: &RestrictedGame<P>, legal: &[Move]) {
        self.0.push(&game.game, legal);
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        self.0.run(evaluations)
    }
}

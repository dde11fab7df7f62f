use garuda_rules::{Game, Move, MoveList};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::random::random_of;
use crate::{EvalError, Evaluations, Evaluator, Wdl};

/// Plays random games from the position and counts how they end.
///
/// The random numbers come from the seed and the position, so the answer does not depend on
/// what else is in the batch or was asked before.
#[derive(Clone, Debug)]
pub struct Rollout {
    seed: u64,
    games: u32,
    max_plies: u32,
    results: Vec<(Wdl, usize)>,
}

impl Rollout {
    /// Plays `games` games for each position; one that lasts more than `max_plies` is taken for
    /// a draw.
    pub fn new(seed: u64, games: u32, max_plies: u32) -> Rollout {
        assert!(games > 0, "a rollout plays a game at least");
        Rollout {
            seed,
            games,
            max_plies,
            results: Vec::new(),
        }
    }

    fn evaluate(&self, game: &impl Game) -> Wdl {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ game.state_key());
        let mut moves = MoveList::new();
        let mut run = game.clone();
        let (mut wins, mut losses) = (0, 0);
        for _ in 0..self.games {
            run.return_to(game);
            for _ in 0..self.max_plies {
                run.legal_moves(&mut moves);
                if let Some(outcome) = run.outcome_given(&moves) {
                    match outcome.winner {
                        Some(winner) if winner == game.turn() => wins += 1,
                        Some(_) => losses += 1,
                        None => {}
                    }
                    break;
                }
                run.play(random_of(&moves, &mut rng));
            }
        }
        let share = |count: u32| count as f32 / self.games as f32;
        Wdl {
            win: share(wins),
            draw: share(self.games - wins - losses),
            loss: share(losses),
        }
    }
}

impl<G: Game> Evaluator<G> for Rollout {
    fn capacity(&self) -> usize {
        usize::MAX
    }

    fn push(&mut self, game: &G, legal: &[Move]) {
        let wdl = self.evaluate(game);
        self.results.push((wdl, legal.len()));
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        evaluations.clear();
        for (wdl, moves) in self.results.drain(..) {
            evaluations.push(wdl, std::iter::repeat_n(0.0, moves))?;
        }
        Ok(())
    }
}

use anyhow::Context;
use garuda_mcts::random_move;
use garuda_rules::{Move, Position};
use garuda_run::seeds;
use rand_chacha::ChaCha8Rng;

use super::{GameClock, GameLine, NoMove, Player};

/// Plays uniformly random legal moves.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    rng: ChaCha8Rng,
}

impl RandomPlayer {
    pub fn new() -> RandomPlayer {
        RandomPlayer { rng: seeds::rng(0) }
    }
}

impl Default for RandomPlayer {
    fn default() -> Self {
        RandomPlayer::new()
    }
}

impl<P: Position> Player<P> for RandomPlayer {
    fn new_game(&mut self, seed: u64) {
        self.rng = seeds::rng(seed);
    }

    fn choose(&mut self, line: &GameLine<P>, _opponent: Option<GameClock>) -> Result<Move, NoMove> {
        Ok(random_move(line.game(), &mut self.rng).context("the game is over")?)
    }
}

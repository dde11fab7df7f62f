use anyhow::Context;
use garuda_mcts::random_move;
use garuda_rules::{Move, Played, Position};
use rand_chacha::ChaCha8Rng;

use super::Player;
use crate::seeds;

/// Plays any legal move.
#[derive(Clone, Debug)]
pub struct Random {
    rng: ChaCha8Rng,
}

impl Random {
    pub fn new() -> Random {
        Random { rng: seeds::rng(0) }
    }
}

impl Default for Random {
    fn default() -> Self {
        Random::new()
    }
}

impl<P: Position> Player<P> for Random {
    fn begin(&mut self, seed: u64) {
        self.rng = seeds::rng(seed);
    }

    fn choose(&mut self, game: &Played<P>) -> anyhow::Result<Move> {
        random_move(game, &mut self.rng).context("the game is over")
    }
}

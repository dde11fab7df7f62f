use anyhow::Context;
use garuda_mcts::random_move;
use garuda_rules::{Move, Position};
use garuda_run::seeds;
use rand_chacha::ChaCha8Rng;

use super::{Clock, Line, NoMove, Player};

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

    fn choose(&mut self, line: &Line<P>, _opponent: Option<Clock>) -> Result<Move, NoMove> {
        Ok(random_move(line.game(), &mut self.rng).context("the game is over")?)
    }
}

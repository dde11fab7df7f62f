//! Who can play: anything that chooses moves.

mod alphabeta;
mod fault;
mod line;
mod loaded;
mod network;
mod random;
mod uci;

use garuda_rules::{Move, Position};
use garuda_run::Clock;

pub use alphabeta::AlphaBeta;
pub use fault::{Fault, Forfeit, NoMove};
pub use line::Line;
pub use loaded::{LoadedPlayer, SearchBudget};
pub use network::NetworkPlayer;
pub use random::Random;
pub use uci::Uci;

/// Someone who plays games.
pub trait Player<P: Position> {
    /// A game begins: whatever was known of the last one is forgotten. All randomness of the
    /// game comes from the seed.
    fn begin(&mut self, seed: u64);

    /// The time it has for the rest of the game, if it plays by a clock.
    fn clock(&self) -> Option<Clock> {
        None
    }

    /// The move for a game that goes on. `opponent` is the other player's clock.
    fn choose(&mut self, line: &Line<P>, opponent: Option<Clock>) -> Result<Move, NoMove>;
}

//! Everything that can choose moves.

mod alphabeta;
mod fault;
mod game_line;
mod loaded;
mod network;
mod random;
mod source;
mod uci;

use garuda_rules::{Move, Position};
use garuda_run::GameClock;

pub use alphabeta::AlphaBetaPlayer;
pub use fault::{Fault, Forfeit, NoMove};
pub use game_line::GameLine;
pub use loaded::{LoadedPlayer, SearchBudget};
pub use network::NetworkPlayer;
pub use random::RandomPlayer;
pub use source::PlayerSource;
pub use uci::UciPlayer;

/// One side of a game.
pub trait Player<P: Position>: Send {
    /// Starts a game: nothing is kept from the last one. All randomness of the game follows from
    /// the seed.
    fn new_game(&mut self, seed: u64);

    /// The time it has for the rest of the game, if it plays by a clock.
    fn clock(&self) -> Option<GameClock> {
        None
    }

    /// The move in a game that is not over. `opponent` is the other player's clock.
    fn choose(&mut self, line: &GameLine<P>, opponent: Option<GameClock>) -> Result<Move, NoMove>;
}

//! Who can play: anything that chooses moves.

mod fault;
mod limit;
mod line;
mod material;
mod net;
mod random;
mod spec;
mod uci;

use garuda_rules::{Move, Position};

pub use fault::{Fault, Forfeit, NoMove};
pub use limit::{Clock, Limit};
pub use line::Line;
pub use material::Material;
pub use net::Net;
pub use random::Random;
pub use spec::{PlayerSpec, Seat, Terms, find_model};
pub use uci::{Uci, UciSpec};

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

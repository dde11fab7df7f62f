//! Who can play: anything that chooses moves.

mod material;
mod net;
mod random;
mod spec;

use garuda_rules::{Move, Played, Position};

pub use material::Material;
pub use net::Net;
pub use random::Random;
pub use spec::{PlayerSpec, Seat, find_model};

/// Someone who plays games.
pub trait Player<P: Position> {
    /// A game begins: whatever was known of the last one is forgotten. All randomness of the
    /// game comes from the seed.
    fn begin(&mut self, seed: u64);

    /// The move for a game that goes on.
    fn choose(&mut self, game: &Played<P>) -> anyhow::Result<Move>;
}

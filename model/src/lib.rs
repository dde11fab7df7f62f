//! What a position looks like to a network, the network itself, and the files it is kept in.

mod encoding;
#[cfg(test)]
mod random_games;
mod view;

pub use encoding::{Encode, Encoding, Painter, encode};
pub use view::View;

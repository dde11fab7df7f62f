//! Makruk, the chess of Thailand.

mod counting;
mod position;

pub use position::MakrukPosition;

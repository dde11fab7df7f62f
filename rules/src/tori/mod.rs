//! Tori Shogi, the game of birds on 7×7 squares.

mod attacks;
mod hand;
mod keys;
mod kinds;
mod movegen;
mod notation;
mod position;
mod text;

pub use position::ToriPosition;

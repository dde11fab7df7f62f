//! Tori Shogi, the game of birds on 7×7 squares.

mod hand;
mod keys;
mod kinds;
mod leaps;
mod movegen;
mod notation;
mod position;
mod slides;
mod squares;
mod text;

pub use position::ToriPosition;

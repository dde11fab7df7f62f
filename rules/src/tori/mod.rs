//! Tori Shogi, the game of birds on 7×7 squares.

mod checks;
mod fen;
mod hand;
mod keys;
mod leaps;
mod movegen;
mod notation;
mod piece_types;
mod position;
mod slides;
mod squares;

pub use position::ToriPosition;

//! What results of games say about strength.

mod bradley_terry;
mod elo;
pub mod linear;
mod sprt;

pub use bradley_terry::{Pairing, ladder_ratings, ratings};
pub use elo::{EloEstimate, elo_of_score, score_of_elo};
pub use sprt::{Sprt, SprtDecision};

//! What results of games say about strength.

mod bradley_terry;
mod elo;
mod sprt;

pub use bradley_terry::{Meeting, ladder_ratings, ratings};
pub use elo::{Estimate, elo_of_score, score_of_elo};
pub use sprt::{Sprt, Verdict};

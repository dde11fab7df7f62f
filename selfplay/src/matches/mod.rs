//! Matches: pairs of games from one opening with sides exchanged.

mod openings;
mod play;

pub use openings::openings;
pub use play::{MatchOutcome, MatchSettings, play_match};

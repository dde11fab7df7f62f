//! Matches: pairs of games from one opening with sides exchanged.

mod game;
mod openings;
mod pgn;
mod pgn_file;
mod play;

pub use game::{GameEnd, MatchGame};
pub use openings::openings;
pub use pgn::{Pgn, pgn_text};
pub use pgn_file::PgnFile;
pub use play::{ForfeitedGame, MatchOutcome, MatchSettings, play_match};

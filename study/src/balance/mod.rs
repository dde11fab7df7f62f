//! How balanced a game is, by the games of a run: who wins, how long games take, how they end.

mod game;
mod html;
mod report;
mod text;

pub use game::{GameFacts, game_facts};
pub use html::html;
pub(crate) use html::section;
pub use report::{
    BalanceReport, BalanceStats, CheckpointBand, LengthHistogram, LengthStats, TerminationCount,
};
pub use text::text;

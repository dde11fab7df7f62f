//! How balanced a game is, as its games turn out: who wins, how long it takes, how it ends.

mod game;
mod html;
mod report;
mod text;

pub use game::{GameFacts, game_facts};
pub use html::balance_html;
pub use report::{
    BalanceReport, BalanceStats, CheckpointBand, LengthHistogram, LengthStats, TerminationCount,
    balance,
};
pub use text::write_balance;

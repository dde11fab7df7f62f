//! How balanced a game is, as its games turn out: who wins, how long it takes, how it ends.

mod facts;
mod game;
mod html;
mod text;

pub use facts::{Balance, Band, End, Facts, Histogram, Lengths, balance};
pub use game::{GameFacts, game_facts};
pub use html::balance_html;
pub use text::write_balance;

//! A run: self-play, records, training, matches and ratings.

pub mod balance;
pub mod config;
pub mod generate;
pub mod matches;
pub mod openings;
pub mod players;
pub mod ratings;
pub mod records;
pub mod replay;
pub mod run;
pub mod seeds;
pub mod train;
pub mod values;

mod files;

pub use files::write_atomically;

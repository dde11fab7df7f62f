//! Players, matches between them, and what the results say about their strength.

pub mod matches;
pub mod players;
pub mod ratings;

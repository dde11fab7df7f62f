//! Players, matches between them, and the ratings that follow from the results.

pub mod matches;
pub mod players;
pub mod ratings;
pub mod uci;

//! What pieces are worth, told by the results of games.
//!
//! The score of a game (1, ½, 0) is fitted by logistic regression to how many more pieces of each
//! kind a side has in quiet positions of it, in hand and on the board apart, beside the advantages
//! of having moved first and of being to move. A coefficient is the log-odds that one more piece
//! adds; divided by the swallow's or pawn's it is the piece's value.
//!
//! Intervals come from resampling whole games, as the positions of a game share its result. For
//! the same reason every game has the same weight. Draws at the length cap tell of the cap and
//! not of the pieces, so whoever calls this leaves them out.

mod bootstrap;
mod guide;
mod logistic;
mod positions;
mod report;
mod run;
mod sample;
mod svg;

pub use bootstrap::{BootstrapFit, resample};
pub use guide::GuideValue;
pub use logistic::{Coefficients, fit};
pub use positions::{CountedGame, POSITIONS_OF_A_PHASE, count_game};
pub use report::{FeatureValue, FittedValues, PhaseValues, RESAMPLES, ValuesError, piece_values};
pub use run::{ValuesReport, run_values};
pub use sample::GameSample;
pub use svg::values_svg;

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
mod material;
mod plot;
mod positions;
mod report;
mod run;
mod sample;

pub use bootstrap::{Resampled, resample};
pub use guide::GuideValue;
pub use logistic::{Coefficients, fit};
pub use material::{Feature, MaterialFeatures, Phase, Place};
pub use plot::values_svg;
pub use positions::{CountedGame, POSITIONS_OF_A_PHASE, count_game};
pub(crate) use positions::{captures_piece, promotes};
pub use report::{
    FeatureValue, Interval, PhaseValues, RESAMPLES, ValuesError, ValuesReport, piece_values,
};
pub use run::{RunValues, run_values};
pub use sample::Sample;

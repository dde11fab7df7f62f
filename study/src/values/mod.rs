//! Piece values fitted to the results of games.
//!
//! The score of a game (1, ½, 0) is fitted by logistic regression to the differences in material
//! between the sides in quiet positions of it, pieces in hand and on the board separately, together
//! with the advantages of having moved first and of being to move. A coefficient is the log-odds
//! that one more piece adds; divided by that of the unit (swallow, pawn or point) it is the piece's
//! value.
//!
//! Intervals come from resampling whole games, as the positions of a game share its result. For
//! the same reason every game has the same weight. Draws by the length limit depend on the limit
//! rather than on material, so [`study_values`] leaves them out.

mod bootstrap;
mod fit;
mod guide;
mod logistic;
mod positions;
mod report;
mod sample;
mod study;
mod svg;
mod text;

pub use bootstrap::{BootstrapFit, resample};
pub use fit::{MIN_RESAMPLES, RESAMPLES, ValuesError, fit_values};
pub use guide::GuideValue;
pub use logistic::{Coefficients, fit};
pub use positions::{CountedGame, POSITIONS_PER_PHASE, count_game};
pub use report::{FeatureValue, FittedValues, PhaseValues, ValuesReport};
pub use sample::GameSample;
pub use study::{ValuesSource, study_values};
pub use svg::svg;
pub use text::text;

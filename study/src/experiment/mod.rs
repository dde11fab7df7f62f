//! Openings by experiment: games from start positions, first moves or set-ups, the *arms*, and what
//! their results show.
//!
//! [`Elimination`] decides which arms are played further and says what is good; the games themselves
//! are played elsewhere. The result is an [`ExperimentReport`], which the renderers of
//! [`openings`](crate::openings) show.

mod bounds;
mod calibration;
mod elimination;
mod report;
mod summary;

pub use calibration::Calibration;
pub use elimination::{Elimination, EliminationSettings, Verdict};
pub use report::{
    ArmKind, ArmReport, ExperimentGames, ExperimentNode, ExperimentReport, NetworkStrength,
    OpponentScore,
};
pub use summary::summary;

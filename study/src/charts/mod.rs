//! Charts as SVG.

mod chart;
pub(crate) mod parts;
mod plots;

pub use plots::write_plots;

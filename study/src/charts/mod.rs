//! Charts as SVG.

pub(crate) mod chart;
mod plots;

pub use plots::write_plots;

//! What `garuda bench` measures. Machines are noisy: only figures of one run can be compared.

pub(crate) mod network;
mod report;
pub(crate) mod rules;
pub(crate) mod selfplay;

pub use network::rate as evaluation_rate;
pub use report::BenchReport;

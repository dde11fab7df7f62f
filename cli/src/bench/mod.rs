//! What `garuda bench` measures. Machines are noisy: only figures of one run can be compared.

#[cfg(feature = "torch")]
pub(crate) mod kinds;
pub(crate) mod network;
mod report;
pub(crate) mod rules;
pub(crate) mod selfplay;

pub(crate) use report::BenchReport;

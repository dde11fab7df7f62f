//! What `garuda bench` measures. A figure means something only beside others of the same run.

pub(crate) mod rules;
#[cfg(feature = "torch")]
pub(crate) mod selfplay;

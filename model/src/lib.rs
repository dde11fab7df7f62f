//! What a position looks like to a network, the network itself, and the files it is kept in.

mod architecture;
#[cfg(feature = "torch")]
mod batch;
#[cfg(feature = "torch")]
mod checkpoint;
mod encoding;
mod evaluator;
mod hash;
mod onnx;
#[cfg(test)]
mod random_games;
#[cfg(feature = "torch")]
mod recipe;
mod runtime;
#[cfg(feature = "torch")]
mod torch;
mod view;

pub use architecture::{Architecture, ArchitectureError};
#[cfg(feature = "torch")]
pub use batch::{Batch, SHORT_HORIZONS, Targets};
#[cfg(feature = "torch")]
pub use checkpoint::CheckpointError;
pub use encoding::{Encode, Encoding, Painter, encode};
pub use evaluator::OnnxEvaluator;
pub use onnx::{Model, ModelError, ModelInfo};
#[cfg(feature = "torch")]
pub use recipe::{Drop, LossWeights, Recipe, Schedule};
pub use runtime::RuntimeError;
#[cfg(feature = "torch")]
pub use torch::{Judgement, Losses, StepReport, Trainer, set_threads};
pub use view::View;

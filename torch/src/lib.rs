//! The networks in libtorch: training steps, checkpoints that training resumes from, and the export
//! of what was trained. Only this crate names tch.
//!
//! Fill a [`Batch`] with positions and [`Targets`], and make steps of a [`Trainer`] at the learning
//! rate of a [`Schedule`]. [`Trainer::save`] writes a checkpoint that includes the exported network,
//! [`Trainer::load`] resumes from it.
//!
//! ```no_run
//! use garuda_mcts::{Evaluations, Evaluator, Wdl};
//! use garuda_model::{ConvShape, NetworkKind};
//! use garuda_rules::{Game, MoveList, ToriShogi};
//! use garuda_torch::{Batch, Schedule, Targets, TrainParams, Trainer};
//!
//! let game = ToriShogi::start();
//! let mut legal = MoveList::new();
//! game.legal_moves(&mut legal);
//!
//! // A position, and its targets from a search and from the rest of its game.
//! let mut batch = Batch::new(NetworkKind::Conv);
//! let targets = Targets {
//!     policy: &vec![1.0 / legal.len() as f32; legal.len()],
//!     opponent_policy: None,
//!     wdl: Wdl { win: 0.5, draw: 0.0, loss: 0.5 },
//!     short_term_value: [0.0, 0.0],
//!     moves_left: Some(80.0),
//!     policy_weight: 1.0,
//!     value_weight: 1.0,
//! };
//! let mirror = false;
//! batch.push(&game, &legal, &targets, mirror);
//!
//! let mut trainer = Trainer::new(ConvShape::new(4, 64)?, TrainParams::default(), 1);
//! let schedule = Schedule::default();
//! let report = trainer.step(&batch, schedule.at(trainer.steps()));
//! println!("step applied: {}, losses: {:?}", report.applied, report.losses);
//!
//! let network = trainer.save("runs/tori/checkpoints/000001".as_ref(), "tori", &())?;
//! let mut evaluator = network.evaluator(64)?;
//! let mut evaluations = Evaluations::default();
//! evaluator.push(&game, &legal);
//! evaluator.run(&mut evaluations)?;
//! let (wdl, logits) = evaluations.get(0);
//! println!("{wdl:?}, and {} logits", logits.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adamw;
mod averaged;
mod batch;
pub mod bench;
mod checkpoint;
mod conv_net;
mod folded;
mod game_samples;
mod loss;
mod nnue;
mod onnx_graph;
#[cfg(test)]
mod onnx_tests;
mod sparse;
#[cfg(test)]
mod sparse_tests;
#[cfg(test)]
mod tests;
mod train_params;
mod trainer;
mod weights;
mod widen;

pub use averaged::{AveragedNetwork, Prediction};
pub use batch::{Batch, SHORT_TERM_HORIZONS, Targets};
pub use checkpoint::CheckpointError;
pub use game_samples::GameSamples;
pub use loss::Losses;
pub use nnue::{NnueEpoch, NnueSet, NnueSettings, NnueTrained, train_nnue};
pub(crate) use onnx_graph::product_file;
pub use train_params::{LossWeights, LrDrop, Schedule, TrainParams};
pub use trainer::{StepReport, Trainer};
pub(crate) use weights::{Weights, numbers};

/// Sets the number of threads that libtorch uses for the calling thread: all cores in training, one
/// elsewhere. Each thread has its own setting.
pub fn set_threads(threads: usize) {
    tch::set_num_threads(threads as i32);
}

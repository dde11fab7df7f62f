//! What a position looks like to a network, the network itself, and the files it is kept in.
//!
//! - To **show** a position: [`encode`] writes planes, [`View`] numbers moves as actions. Both see
//!   the board from the mover's side. [`Encoding`] describes it in words, which are stored in every
//!   exported file.
//! - To **play**: read a [`Model`] and give each shard an [`OnnxEvaluator`] of it. Needs ONNX
//!   Runtime's library at run time, and nothing else.
//! - To **train** (feature `torch`, which links libtorch): fill a [`Batch`] with positions and
//!   [`Targets`], and let a [`Trainer`] learn from it at the rate a [`Schedule`] gives.
//!   [`Trainer::save`] makes a checkpoint with an exported model in it, [`Trainer::load`] goes on
//!   from it.
//!
#![cfg_attr(feature = "torch", doc = "```no_run")]
#![cfg_attr(not(feature = "torch"), doc = "```ignore")]
//! use garuda_mcts::{Evaluations, Evaluator, Wdl};
//! use garuda_model::{Architecture, Batch, OnnxEvaluator, TrainParams, Schedule, Targets, Trainer};
//! use garuda_rules::{Game, MoveList, ToriShogi};
//!
//! let game = ToriShogi::start();
//! let mut legal = MoveList::new();
//! game.legal_moves(&mut legal);
//!
//! // A position, and what a search and the rest of its game taught about it.
//! let mut batch = Batch::new();
//! let targets = Targets {
//!     policy: &vec![1.0 / legal.len() as f32; legal.len()],
//!     reply: None,
//!     wdl: Wdl { win: 0.5, draw: 0.0, loss: 0.5 },
//!     short: [0.0, 0.0],
//!     moves_left: Some(80.0),
//!     policy_weight: 1.0,
//!     value_weight: 1.0,
//! };
//! let mirror = false;
//! batch.push(&game, &legal, &targets, mirror);
//!
//! let mut trainer = Trainer::new(Architecture::new(4, 64)?, TrainParams::default(), 1);
//! let schedule = Schedule::default();
//! let report = trainer.step(&batch, schedule.at(trainer.steps()));
//! println!("{} from {:?}", report.applied, report.losses);
//!
//! let model = trainer.save("runs/tori/checkpoints/000001".as_ref(), "tori", &())?;
//! let mut evaluator = OnnxEvaluator::new(&model, 64)?;
//! let mut answers = Evaluations::default();
//! evaluator.push(&game, &legal);
//! evaluator.run(&mut answers)?;
//! let (wdl, logits) = answers.get(0);
//! println!("{wdl:?}, and {} logits", logits.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod architecture;
#[cfg(feature = "torch")]
mod batch;
#[cfg(feature = "torch")]
pub mod bench;
#[cfg(feature = "torch")]
mod checkpoint;
mod encoding;
mod evaluator;
mod hash;
mod onnx;
#[cfg(test)]
mod random_games;
mod runtime;
#[cfg(feature = "torch")]
mod torch;
#[cfg(feature = "torch")]
mod train_params;
mod view;

pub use architecture::{Architecture, ArchitectureError};
#[cfg(feature = "torch")]
pub use batch::{Batch, SHORT_TERM_HORIZONS, Targets};
#[cfg(feature = "torch")]
pub use checkpoint::CheckpointError;
pub use encoding::{Encode, Encoding, PlaneWriter, encode};
pub use evaluator::OnnxEvaluator;
pub use onnx::{Model, ModelError, ModelInfo};
pub use runtime::RuntimeError;
#[cfg(feature = "torch")]
pub use torch::{Losses, Prediction, StepReport, Trainer, set_threads};
#[cfg(feature = "torch")]
pub use train_params::{LossWeights, LrDrop, Schedule, TrainParams};
pub use view::View;

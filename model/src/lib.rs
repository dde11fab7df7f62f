//! What a position looks like to a network, the network itself, and the files it is kept in.
//!
//! - To **encode** a position: [`encode`] writes planes, [`View`] numbers moves as actions, both
//!   from the side of the player to move. [`Encoding`] describes the planes and actions in a text
//!   that is stored in every exported file.
//! - To **play**: read a [`Network`] and open a [`NetworkEvaluator`] for each shard. Needs ONNX
//!   Runtime's library at run time.
//! - To **train** (feature `torch`, which links libtorch): fill a [`Batch`] with positions and
//!   [`Targets`], and make steps of a [`Trainer`] at the learning rate of a [`Schedule`].
//!   [`Trainer::save`] writes a checkpoint that includes the exported network, [`Trainer::load`]
//!   resumes from it.
//!
#![cfg_attr(feature = "torch", doc = "```no_run")]
#![cfg_attr(not(feature = "torch"), doc = "```ignore")]
//! use garuda_mcts::{Evaluations, Evaluator, Wdl};
//! use garuda_model::{
//!     Batch, ConvShape, NetworkKind, Schedule, Targets, TrainParams, Trainer,
//! };
//! use garuda_rules::{Game, MoveList, ToriShogi};
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

mod architecture;
#[cfg(feature = "torch")]
mod batch;
#[cfg(feature = "torch")]
pub mod bench;
#[cfg(feature = "torch")]
mod checkpoint;
pub mod checkpoint_files;
mod checkpoint_state;
mod encoding;
pub mod files;
#[cfg(feature = "torch")]
mod game_samples;
mod hash;
mod network;
mod network_error;
mod network_info;
pub mod nnue;
mod onnx;
#[cfg(test)]
mod random_games;
mod runtime;
mod shipped;
pub mod sparse;
#[cfg(feature = "torch")]
mod torch;
#[cfg(feature = "torch")]
mod train_params;
mod view;

pub use architecture::{Architecture, ArchitectureError, ConvShape, NetworkKind};
#[cfg(feature = "torch")]
pub use batch::{Batch, SHORT_TERM_HORIZONS, Targets};
#[cfg(feature = "torch")]
pub use checkpoint::CheckpointError;
pub use checkpoint_state::CheckpointState;
pub use encoding::{Encoding, encode};
#[cfg(feature = "torch")]
pub use game_samples::GameSamples;
pub use network::{Network, NetworkEvaluator};
pub use network_error::NetworkError;
pub use network_info::NetworkInfo;
pub use onnx::GraphError;
pub use runtime::RuntimeError;
pub use shipped::SHIPPED;
#[cfg(feature = "torch")]
pub use torch::{
    AveragedNetwork, Losses, NnueEpoch, NnueSet, NnueSettings, NnueTrained, Prediction, StepReport,
    Trainer, set_threads, train_nnue,
};
#[cfg(feature = "torch")]
pub use train_params::{LossWeights, LrDrop, Schedule, TrainParams};
pub use view::View;

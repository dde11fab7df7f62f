//! What a position looks like to a network, the network itself, and the files it is kept in.
//!
//! - To **encode** a position: [`encode`] writes planes, [`View`] numbers moves as actions, both
//!   from the side of the player to move. [`Encoding`] describes the planes and actions in a text
//!   that is stored in every exported file.
//! - To **play**: read a [`Network`] and open a [`NetworkEvaluator`] for each shard. Needs ONNX
//!   Runtime's library at run time.
//!
//! The crate `garuda-torch` trains networks.
//!
//! ```no_run
//! use garuda_mcts::{Evaluations, Evaluator};
//! use garuda_model::Network;
//! use garuda_rules::{Game, MoveList, ToriShogi};
//!
//! let game = ToriShogi::start();
//! let mut legal = MoveList::new();
//! game.legal_moves(&mut legal);
//!
//! let network = Network::read("nets/torishogi.safetensors".as_ref())?;
//! let mut evaluator = network.evaluator(64)?;
//! let mut evaluations = Evaluations::default();
//! evaluator.push(&game, &legal);
//! evaluator.run(&mut evaluations)?;
//! let (wdl, logits) = evaluations.get(0);
//! println!("{wdl:?}, and {} logits", logits.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod architecture;
pub mod checkpoint_files;
mod checkpoint_state;
mod encoding;
pub mod files;
pub mod hash;
mod network;
mod network_error;
mod network_info;
pub mod nnue;
pub mod onnx;
pub mod random_games;
mod runtime;
mod shipped;
pub mod sparse;
mod view;

pub use architecture::{Architecture, ArchitectureError, ConvShape, NetworkKind};
pub use checkpoint_state::CheckpointState;
pub use encoding::{Encoding, encode};
pub use network::{Network, NetworkEvaluator};
pub use network_error::NetworkError;
pub use network_info::NetworkInfo;
pub use onnx::GraphError;
pub use runtime::RuntimeError;
pub use shipped::SHIPPED;
pub use view::View;

//! A UCI and USI engine for all our games, which plays with an exported network or, without one,
//! with the material evaluator. It needs ONNX Runtime's library for networks and never libtorch.
//!
//! There are two threads. The one that calls [`run`] reads lines and queues the commands for the
//! search thread, which owns the options, the position and the search. Commands that must work
//! during a search (`stop`, `ponderhit`, `isready`, `quit`, end of input) are handled by the
//! reader itself.

mod arguments;
mod bench;
mod book_file;
mod display;
mod evaluators;
mod info;
mod memory;
mod options;
mod output;
mod parallel_evaluator;
mod protocol;
mod search_thread;
mod searcher;
mod searchmoves;
mod session;
mod time_management;

pub use arguments::{Arguments, EngineCommand};
pub use bench::bench;
pub use protocol::{Clocks, Command, Go, ParseError, StartPosition};
pub use session::run;

//! A UCI and USI engine for all our games, which plays with an exported network or, without one,
//! by counting pieces. It needs ONNX Runtime's library for networks and never libtorch.
//!
//! Two threads: the one that calls [`run`] reads lines and passes what they ask for to a worker,
//! which owns the search. What must be heard in the middle of a search (`stop`, `ponderhit`,
//! `isready`, `quit`, the end of the input) is answered by the reader itself.

mod bench;
mod clock;
mod display;
mod options;
mod output;
mod parallel_evaluator;
mod protocol;
mod report;
mod rooted;
mod session;
mod thinker;
mod watch;
mod worker;

pub use bench::bench;
pub use clock::{Budget, Clock};
pub use protocol::{Clocks, Command, Go, ParseError, Start};
pub use session::run;

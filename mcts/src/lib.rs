//! Tree search over any [`Game`](garuda_rules::Game) with any [`Evaluator`].

mod evaluator;

pub use evaluator::{Answers, EvalError, Evaluator, Wdl};

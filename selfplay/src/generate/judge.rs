use garuda_mcts::evaluators::Uniform;
use garuda_mcts::{Answers, EvalError, Evaluator};
use garuda_model::{Encode, OnnxEvaluator};
use garuda_rules::{Move, Played};

/// What positions of self-play are judged by.
#[derive(Debug)]
pub enum Judge<P> {
    Network(OnnxEvaluator<P>),
    /// Before there is a network worth asking.
    Nothing(Uniform),
}

impl<P: Encode> Evaluator<Played<P>> for Judge<P> {
    fn capacity(&self) -> usize {
        match self {
            Judge::Network(network) => network.capacity(),
            Judge::Nothing(uniform) => Evaluator::<Played<P>>::capacity(uniform),
        }
    }

    fn push(&mut self, game: &Played<P>, legal: &[Move]) {
        match self {
            Judge::Network(network) => network.push(game, legal),
            Judge::Nothing(uniform) => uniform.push(game, legal),
        }
    }

    fn run(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        match self {
            Judge::Network(network) => network.run(answers),
            Judge::Nothing(uniform) => Evaluator::<Played<P>>::run(uniform, answers),
        }
    }
}

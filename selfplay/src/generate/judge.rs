use garuda_mcts::evaluators::{Material, Uniform, Valued};
use garuda_mcts::{Answers, EvalError, Evaluator};
use garuda_model::{Encode, OnnxEvaluator};
use garuda_rules::{Move, Played};

use crate::config::BootstrapSettings;

/// What positions of self-play are judged by.
#[derive(Debug)]
pub enum Judge<P> {
    Network(OnnxEvaluator<P>),
    /// Before there is a network worth asking: search alone …
    Nothing(Uniform),
    /// … or a count of men.
    Material(Material<P>),
}

impl<P: Valued> Judge<P> {
    /// Who judges the first games, and what to call it.
    pub fn of_bootstrap(settings: &BootstrapSettings) -> (Judge<P>, &'static str) {
        match settings.judge.as_str() {
            "material" => (
                Judge::Material(Material::default()),
                "search that counts men",
            ),
            _ => (Judge::Nothing(Uniform::default()), "search alone"),
        }
    }
}

impl<P: Encode + Valued> Evaluator<Played<P>> for Judge<P> {
    fn capacity(&self) -> usize {
        match self {
            Judge::Network(network) => network.capacity(),
            Judge::Nothing(uniform) => Evaluator::<Played<P>>::capacity(uniform),
            Judge::Material(material) => material.capacity(),
        }
    }

    fn push(&mut self, game: &Played<P>, legal: &[Move]) {
        match self {
            Judge::Network(network) => network.push(game, legal),
            Judge::Nothing(uniform) => uniform.push(game, legal),
            Judge::Material(material) => material.push(game, legal),
        }
    }

    fn run(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        match self {
            Judge::Network(network) => network.run(answers),
            Judge::Nothing(uniform) => Evaluator::<Played<P>>::run(uniform, answers),
            Judge::Material(material) => material.run(answers),
        }
    }
}

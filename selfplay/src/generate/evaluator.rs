use anyhow::Context;
use garuda_mcts::evaluators::{Material, Uniform};
use garuda_mcts::{EvalError, Evaluations, Evaluator};
use garuda_model::{Network, NetworkEvaluator};
use garuda_rules::{GameState, Move, Position};
use garuda_run::config::BootstrapEvaluator;

use super::Plan;

/// What positions of self-play are evaluated by.
#[derive(Debug)]
pub enum SelfplayEvaluator<P> {
    Network(Box<NetworkEvaluator<P>>),
    /// Before there is a network: search alone …
    Uniform(Uniform),
    /// … or a count of pieces.
    Material(Material<P>),
}

impl<P: Position> SelfplayEvaluator<P> {
    /// The evaluator of a checkpoint that plays in a plan, given the networks of
    /// [`Plan::checkpoints`] in that order.
    pub fn open(
        plan: &Plan<P>,
        networks: &[Network],
        checkpoint: u32,
    ) -> anyhow::Result<SelfplayEvaluator<P>> {
        if let Some(evaluator) = plan.bootstrap() {
            return Ok(SelfplayEvaluator::of_bootstrap(evaluator));
        }
        let (_, network) = (plan.checkpoints().into_iter().zip(networks))
            .find(|(number, _)| *number == checkpoint)
            .context("the order lacks its network")?;
        let evaluator = network.evaluator(plan.parallel_games())?;
        Ok(SelfplayEvaluator::Network(Box::new(evaluator)))
    }

    /// The evaluator of the first games.
    pub fn of_bootstrap(evaluator: BootstrapEvaluator) -> SelfplayEvaluator<P> {
        match evaluator {
            BootstrapEvaluator::Material => SelfplayEvaluator::Material(Material::default()),
            BootstrapEvaluator::Uniform => SelfplayEvaluator::Uniform(Uniform::default()),
        }
    }
}

impl<P: Position> Evaluator<GameState<P>> for SelfplayEvaluator<P> {
    fn capacity(&self) -> usize {
        match self {
            SelfplayEvaluator::Network(network) => network.capacity(),
            SelfplayEvaluator::Uniform(uniform) => Evaluator::<GameState<P>>::capacity(uniform),
            SelfplayEvaluator::Material(material) => material.capacity(),
        }
    }

    fn push(&mut self, game: &GameState<P>, legal: &[Move]) {
        match self {
            SelfplayEvaluator::Network(network) => network.push(game, legal),
            SelfplayEvaluator::Uniform(uniform) => uniform.push(game, legal),
            SelfplayEvaluator::Material(material) => material.push(game, legal),
        }
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        match self {
            SelfplayEvaluator::Network(network) => network.run(evaluations),
            SelfplayEvaluator::Uniform(uniform) => {
                Evaluator::<GameState<P>>::run(uniform, evaluations)
            }
            SelfplayEvaluator::Material(material) => material.run(evaluations),
        }
    }
}

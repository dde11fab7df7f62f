use anyhow::Context;
use garuda_mcts::{Analysis, AnalysisSettings, Limits, PuctSettings, Signal};
use garuda_model::{Encode, Network, NetworkEvaluator};
use garuda_rules::{GameState, Move};

use super::{Clock, GameLine, NoMove, Player};

/// Leaves per batch: faster than single positions, for little loss of strength.
const LEAVES: u32 = 4;
const TREE_BYTES: usize = 256 << 20;

/// A network with a fixed number of simulations per move.
#[derive(Debug)]
pub struct NetworkPlayer<P: Encode> {
    evaluator: NetworkEvaluator<P>,
    analysis: Analysis<GameState<P>>,
    simulations: u32,
}

impl<P: Encode> NetworkPlayer<P> {
    /// `draw_value` is the value of a draw to either side, from −1 to 1.
    pub fn new(
        network: &Network,
        simulations: u32,
        draw_value: f32,
    ) -> anyhow::Result<NetworkPlayer<P>> {
        // Few simulations must not all go into the first batches, before any evaluation is known.
        let leaves = LEAVES.min(simulations / 16).max(1) as usize;
        let settings = AnalysisSettings {
            puct: PuctSettings {
                draw_value,
                ..PuctSettings::default()
            },
            leaves,
            memory: TREE_BYTES,
            ..AnalysisSettings::default()
        };
        Ok(NetworkPlayer {
            evaluator: network.evaluator(leaves)?,
            analysis: Analysis::new(GameState::start(), settings),
            simulations,
        })
    }
}

impl<P: Encode> Player<P> for NetworkPlayer<P> {
    fn new_game(&mut self, _seed: u64) {}

    fn choose(&mut self, line: &GameLine<P>, _opponent: Option<Clock>) -> Result<Move, NoMove> {
        self.analysis.reset(line.game());
        let limits = Limits::nodes(self.simulations);
        let report = (self.analysis)
            .think(&mut self.evaluator, limits, &Signal::new(), |_| ())
            .map_err(anyhow::Error::from)?;
        Ok(report.best.context("the game is over")?)
    }
}

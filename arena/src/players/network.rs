use anyhow::Context;
use garuda_mcts::{Analysis, AnalysisSettings, Limits, PuctSettings, Signal};
use garuda_model::{Encode, Network, NetworkEvaluator};
use garuda_rules::{GameState, Move};

use super::{Clock, Line, NoMove, Player};

/// Leaves in a batch: little is lost in strength, and batches are faster than single positions.
const LEAVES: u32 = 4;
const TREE_BYTES: usize = 256 << 20;

/// Plays by a network, with so many simulations a move.
#[derive(Debug)]
pub struct NetworkPlayer<P: Encode> {
    evaluator: NetworkEvaluator<P>,
    analysis: Analysis<GameState<P>>,
    simulations: u32,
}

impl<P: Encode> NetworkPlayer<P> {
    /// `draw_value` is what a draw is worth to either side, from −1 to 1.
    pub fn new(
        network: &Network,
        simulations: u32,
        draw_value: f32,
    ) -> anyhow::Result<NetworkPlayer<P>> {
        // A few simulations must not all go into the first batches, before anything is known.
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
    fn begin(&mut self, _seed: u64) {}

    fn choose(&mut self, line: &Line<P>, _opponent: Option<Clock>) -> Result<Move, NoMove> {
        self.analysis.reset(line.game());
        let limits = Limits::nodes(self.simulations);
        let report = (self.analysis)
            .think(&mut self.evaluator, limits, &Signal::new(), |_| ())
            .map_err(anyhow::Error::from)?;
        Ok(report.best.context("the game is over")?)
    }
}

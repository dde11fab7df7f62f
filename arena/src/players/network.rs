use anyhow::Context;
use garuda_mcts::{Analysis, AnalysisSettings, PuctSettings, SearchControl, SearchLimits};
use garuda_model::{Architecture, Network, NetworkEvaluator};
use garuda_rules::{GameState, Move, Position};

use super::{GameClock, GameLine, NoMove, Player};

/// Leaves per batch: faster than single positions, for little loss of strength.
const BATCH_SIZE: u32 = 4;
const TREE_BYTES: usize = 256 << 20;

/// A network with a fixed number of simulations per move.
#[derive(Debug)]
pub struct NetworkPlayer<P: Position> {
    evaluator: NetworkEvaluator<P>,
    analysis: Analysis<GameState<P>>,
    simulations: u32,
}

impl<P: Position> NetworkPlayer<P> {
    /// `draw_value` is the value of a draw to either side, from −1 to 1.
    pub fn new(
        network: &Network,
        simulations: u32,
        draw_value: f32,
    ) -> anyhow::Result<NetworkPlayer<P>> {
        // Few simulations must not all go into the first batches, before any evaluation is known.
        let most = match network.info().architecture {
            Architecture::Conv(_) => BATCH_SIZE,
            Architecture::Sparse(_) => 1,
        };
        let batch_size = most.min(simulations / 16).max(1) as usize;
        let settings = AnalysisSettings {
            puct: PuctSettings {
                draw_value,
                ..PuctSettings::default()
            },
            batch_size,
            tree_bytes: TREE_BYTES,
            ..AnalysisSettings::default()
        };
        Ok(NetworkPlayer {
            evaluator: network.evaluator(batch_size)?,
            analysis: Analysis::new(GameState::start(), settings),
            simulations,
        })
    }
}

impl<P: Position> Player<P> for NetworkPlayer<P> {
    fn new_game(&mut self, _seed: u64) {}

    fn choose(&mut self, line: &GameLine<P>, _opponent: Option<GameClock>) -> Result<Move, NoMove> {
        self.analysis.reset(line.game());
        let limits = SearchLimits::nodes(self.simulations);
        let info = (self.analysis)
            .search(&mut self.evaluator, limits, &SearchControl::new(), |_| ())
            .map_err(anyhow::Error::from)?;
        Ok(info.best.context("the game is over")?)
    }
}

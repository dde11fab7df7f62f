use anyhow::Context;
use garuda_mcts::{Analysis, AnalysisSettings, PuctSettings, SearchControl, SearchLimits};
use garuda_model::{Architecture, Network, NetworkEvaluator};
use garuda_rules::{GameState, Move, Position};

use super::{GameClock, GameLine, NoMove, Player};

/// Leaves per batch: faster than single positions, for little loss of strength.
const BATCH_SIZE: u32 = 4;
const TREE_BYTES: usize = 256 << 20;

/// A network with a number of simulations or a time per move.
#[derive(Debug)]
pub struct NetworkPlayer<P: Position> {
    evaluator: NetworkEvaluator<P>,
    analysis: Analysis<GameState<P>>,
    limits: SearchLimits,
}

impl<P: Position> NetworkPlayer<P> {
    /// `draw_value` is the value of a draw to either side, from −1 to 1.
    pub fn new(
        network: &Network,
        limits: SearchLimits,
        draw_value: f32,
    ) -> anyhow::Result<NetworkPlayer<P>> {
        // Few simulations must not all go into the first batches, before any evaluation is known.
        let most = match network.info().architecture {
            Architecture::Conv(_) => BATCH_SIZE,
            Architecture::Sparse(_) => 1,
        };
        let simulations = limits.nodes.unwrap_or(u32::MAX);
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
            limits,
        })
    }
}

impl<P: Position> Player<P> for NetworkPlayer<P> {
    fn new_game(&mut self, _seed: u64) {}

    fn choose(&mut self, line: &GameLine<P>, _opponent: Option<GameClock>) -> Result<Move, NoMove> {
        if self.limits.time.is_some() {
            // What the last search found out costs no time: it is kept, as an engine would.
            let start = GameState::from_position(*line.start());
            self.analysis.set_position(&start, line.moves());
        } else {
            self.analysis.reset(line.game());
        }
        let info = (self.analysis)
            .search(
                &mut self.evaluator,
                self.limits,
                &SearchControl::new(),
                |_| (),
            )
            .map_err(anyhow::Error::from)?;
        Ok(info.best.context("the game is over")?)
    }
}

use anyhow::Context;
use garuda_mcts::{Analysis, AnalysisSettings, Limits, PuctSettings, Signal};
use garuda_model::{Encode, Model, OnnxEvaluator};
use garuda_rules::{Move, Played};

use super::{Clock, Line, NoMove, Player};

/// Leaves in a batch: little is lost in strength, and batches are faster than single positions.
const LEAVES: u32 = 4;
const TREE_BYTES: usize = 256 << 20;

/// Plays by a network, with so many simulations a move.
#[derive(Debug)]
pub struct Net<P: Encode> {
    evaluator: OnnxEvaluator<P>,
    analysis: Analysis<Played<P>>,
    simulations: u32,
}

impl<P: Encode> Net<P> {
    /// `draw_value` is what a draw is worth to either side, from −1 to 1.
    pub fn new(model: &Model, simulations: u32, draw_value: f32) -> anyhow::Result<Net<P>> {
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
        Ok(Net {
            evaluator: OnnxEvaluator::new(model, leaves)?,
            analysis: Analysis::new(Played::start(), settings),
            simulations,
        })
    }
}

impl<P: Encode> Player<P> for Net<P> {
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

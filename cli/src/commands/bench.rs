use std::io::{Write, stdout};
use std::time::Duration;

use clap::Args;
#[cfg(feature = "torch")]
use garuda_model::bench as networks;
use garuda_rules::RuleSet;
use garuda_rules::tori::ToriPosition;
use garuda_run::EngineCommand;
use serde_json::{Map, Value, json};

use crate::bench::rules;
#[cfg(feature = "torch")]
use crate::bench::selfplay;

/// Measure the speed of the parts.
///
/// Machines are noisy: compare figures of one run, not of two.
#[derive(Args, Debug)]
pub(crate) struct Bench {
    /// A tenth of the time, for a first impression
    #[arg(long)]
    quick: bool,
    /// Only how busy self-play keeps the evaluator
    #[arg(long)]
    selfplay: bool,
    /// A UCI engine to compare our perft with, such as fairy-stockfish
    #[arg(long, value_name = "COMMAND")]
    reference: Option<EngineCommand>,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

impl Bench {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut report = Report::new(self.json);
        if !self.selfplay {
            self.rules(&mut report)?;
            self.search(&mut report)?;
            #[cfg(feature = "torch")]
            self.networks(&mut report)?;
        }
        #[cfg(feature = "torch")]
        self.selfplay(&mut report)?;
        report.finish()
    }

    #[cfg(feature = "torch")]
    fn selfplay(&self, report: &mut Report) -> anyhow::Result<()> {
        let speed = selfplay::measure(self.quick)?;
        let share = speed.selfplay / speed.bare;
        report.line(&format!(
            "self-play, all cores: {:.0} evaluations/s, {:.0} % of the evaluator's {:.0} alone",
            speed.selfplay,
            share * 100.0,
            speed.bare,
        ))?;
        report.set("selfplay_evals_per_s", json!(speed.selfplay));
        report.set("selfplay_share", json!(share));
        Ok(())
    }

    /// The design's case: 64 games of Tori Shogi at once, 64 simulations a move, and an evaluator
    /// that costs nothing.
    fn search(&self, report: &mut Report) -> anyhow::Result<()> {
        const GAMES: usize = 64;
        const SIMULATIONS: u32 = 64;
        let time = Duration::from_secs_f64(if self.quick { 0.3 } else { 3.0 });
        let speed = garuda_mcts::bench::speed::<ToriPosition>(GAMES, SIMULATIONS, time)?;
        let signature = garuda_mcts::bench::signature()?;
        report.line("search, one thread, evaluator for nothing")?;
        report.line(&format!(
            "  torishogi         {:.0} simulations/s, {GAMES} games, {SIMULATIONS} a move",
            speed.simulations_per_second,
        ))?;
        report.line(&format!(
            "  memory            {} KiB a tree, {} KiB a game",
            speed.bytes_per_tree.div_ceil(1024),
            speed.bytes_per_game.div_ceil(1024),
        ))?;
        report.line(&format!("  signature         {signature:016x}"))?;
        report.set("sims_per_s_per_core", json!(speed.simulations_per_second));
        report.set("bytes_per_tree", json!(speed.bytes_per_tree));
        report.set("bytes_per_game", json!(speed.bytes_per_game));
        report.set("signature", json!(format!("{signature:016x}")));
        Ok(())
    }

    #[cfg(feature = "torch")]
    /// The default network, on Tori Shogi's board.
    fn networks(&self, report: &mut Report) -> anyhow::Result<()> {
        let time = Duration::from_secs_f64(if self.quick { 0.2 } else { 2.0 });
        let stats = networks::measure(time)?;
        let cores = stats.cores;
        report.line(&format!(
            "networks, 4 blocks of 64 channels, {cores} cores of {:.0} GFLOP/s in matrix products",
            stats.matmul_gflops_per_core,
        ))?;
        report.set(
            "matmul_gflops_per_core",
            json!(stats.matmul_gflops_per_core),
        );
        for (name, rates) in [("onnx", &stats.onnx), ("torch", &stats.torch)] {
            let mut evals = Map::new();
            for (i, batch) in networks::BATCHES.into_iter().enumerate() {
                report.line(&format!(
                    "  {name:5} batch {batch:3}   {:6.0} evaluations/s on one core, {:6.0} on all",
                    rates.one_core[i], rates.all_cores[i],
                ))?;
                evals.insert(batch.to_string(), json!(rates.all_cores[i]));
            }
            let gflops = stats.gflops_per_core(rates);
            report.line(&format!(
                "  {name:5} in the largest batch {gflops:.0} GFLOP/s a core, {:.0} % of the product's",
                100.0 * gflops / stats.matmul_gflops_per_core,
            ))?;
            report.set(&format!("{name}_evals_per_s"), evals.into());
            report.set(&format!("{name}_gflops_per_core"), json!(gflops));
        }
        report.line(&format!(
            "  training batch {}: {:.0} samples/s on all cores, {:.0} % of a third of the forward rate",
            networks::TRAINING_BATCH,
            stats.train_samples_per_s,
            100.0 * stats.training_share(),
        ))?;
        report.set("train_samples_per_s", json!(stats.train_samples_per_s));
        Ok(())
    }

    fn rules(&self, report: &mut Report) -> anyhow::Result<()> {
        report.line("rules, one thread")?;
        let mut perft = Map::new();
        let mut playouts = Map::new();
        for rule_set in RuleSet::ALL {
            let speed = rules::measure(rule_set, self.quick);
            report.line(&format!(
                "  {:17} perft {:6.1} M leaves/s   {:8.0} random games/s, {:5.2} M moves/s",
                rule_set.name(),
                speed.perft_nps / 1e6,
                speed.playouts_per_s,
                speed.playout_moves_per_s / 1e6,
            ))?;
            perft.insert(rule_set.name().into(), json!(speed.perft_nps));
            playouts.insert(rule_set.name().into(), json!(speed.playouts_per_s));
        }
        report.set("perft_nps", perft.into());
        report.set("playouts_per_s", playouts.into());

        let Some(command) = &self.reference else {
            return Ok(());
        };
        report.line(&format!("perft beside {command}, in turns"))?;
        let mut ratios = Map::new();
        for comparison in rules::compare(command, self.quick)? {
            report.line(&format!(
                "  {:17} depth {}: {:6.1} M/s against {:5.1} M/s, {:.1} times as fast",
                comparison.rule_set.name(),
                comparison.depth,
                comparison.ours_nps / 1e6,
                comparison.theirs_nps / 1e6,
                comparison.ratio(),
            ))?;
            ratios.insert(comparison.rule_set.name().into(), json!(comparison.ratio()));
        }
        report.set("perft_ratio", ratios.into());
        Ok(())
    }
}

/// Lines as they are measured, or one JSON object at the end.
struct Report {
    json: bool,
    values: Map<String, Value>,
}

impl Report {
    fn new(json: bool) -> Report {
        Report {
            json,
            values: Map::new(),
        }
    }

    fn line(&self, line: &str) -> anyhow::Result<()> {
        if !self.json {
            writeln!(stdout(), "{line}")?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.into(), value);
    }

    fn finish(self) -> anyhow::Result<()> {
        if self.json {
            writeln!(stdout(), "{}", Value::Object(self.values))?;
        }
        Ok(())
    }
}

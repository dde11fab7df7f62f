use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;
use garuda_model::Network;
use garuda_rules::RuleSet;
use garuda_rules::tori::ToriPosition;
use garuda_run::{EngineCommand, read_network};
use serde_json::{Map, json};

use crate::bench::{BenchReport, network, rules, selfplay};
use crate::torch::{Torch, linked};

const EXAMPLES: &str = "\
Examples:
  garuda bench --quick
  garuda bench --network runs/tori
  garuda bench --reference fairy-stockfish";

/// Measure the speed of rules, search, networks and self-play.
///
/// Machines are noisy: compare figures of one run, not of two. The signature of the search is a
/// number that changes if and only if the search or the rules behave differently.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct BenchArgs {
    /// A tenth of the time, for a first impression
    #[arg(long)]
    quick: bool,
    /// Only how busy self-play keeps the evaluator
    #[arg(long)]
    selfplay: bool,
    /// Measure this network (a run, a checkpoint or a network file), not an untrained one of the
    /// default size for Tori Shogi
    #[arg(long, value_name = "NETWORK")]
    network: Option<PathBuf>,
    /// A UCI engine whose perft is compared with ours, such as fairy-stockfish
    #[arg(long, value_name = "COMMAND")]
    reference: Option<EngineCommand>,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

impl BenchArgs {
    pub(crate) fn run(self, torch: Option<&dyn Torch>) -> anyhow::Result<()> {
        let network = self.network()?;
        let torch = match network.is_none() && cfg!(feature = "torch") {
            true => Some(linked(torch, "measuring networks")?),
            false => torch,
        };
        let mut report = BenchReport::new(self.json);
        if !self.selfplay {
            self.rules(&mut report)?;
            self.search(&mut report)?;
            let time = Duration::from_secs_f64(if self.quick { 0.2 } else { 2.0 });
            match (&network, torch) {
                (Some(network), _) => network::measure(&mut report, network, time)?,
                (None, Some(torch)) => {
                    torch.bench_networks(&mut report, time)?;
                    torch.bench_kinds(&mut report, self.quick)?;
                }
                (None, None) => report.line("networks and self-play: not measured; give a network with --network (training and libtorch need the build with libtorch)")?,
            }
        }
        let network = match (network, torch) {
            (None, Some(torch)) => Some(torch.untrained_network()?),
            (network, _) => network,
        };
        match network {
            Some(network) => self.selfplay(&mut report, &network)?,
            None => ensure!(
                !self.selfplay,
                "give a network with --network: only libtorch can make an untrained one, and this build does not have it"
            ),
        }
        report.finish()
    }

    fn network(&self) -> anyhow::Result<Option<Network>> {
        let Some(path) = &self.network else {
            return Ok(None);
        };
        read_network(path).map(Some)
    }

    fn selfplay(&self, report: &mut BenchReport, network: &Network) -> anyhow::Result<()> {
        let speed = selfplay::measure(network, self.quick)?;
        let share = speed.selfplay / speed.evaluator;
        report.line(&format!(
            "self-play, all cores: {:.0} evaluations/s, {:.0} % of the {:.0} of the evaluator alone",
            speed.selfplay,
            share * 100.0,
            speed.evaluator,
        ))?;
        report.set("selfplay_evals_per_s", json!(speed.selfplay));
        report.set("selfplay_share", json!(share));
        Ok(())
    }

    /// The typical case: 64 concurrent games of Tori Shogi, 64 simulations per move, and an evaluator
    /// that costs nothing.
    fn search(&self, report: &mut BenchReport) -> anyhow::Result<()> {
        const GAMES: usize = 64;
        const SIMULATIONS: u32 = 64;
        let time = Duration::from_secs_f64(if self.quick { 0.3 } else { 3.0 });
        let speed = garuda_mcts::bench::speed::<ToriPosition>(GAMES, SIMULATIONS, time)?;
        let signature = garuda_mcts::bench::signature()?;
        report.line("search, one thread, with an evaluator that costs nothing")?;
        report.line(&format!(
            "  torishogi         {:.0} simulations/s, {GAMES} games, {SIMULATIONS} simulations per move",
            speed.simulations_per_second,
        ))?;
        report.line(&format!(
            "  memory            {} KiB per tree, {} KiB per game",
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

    fn rules(&self, report: &mut BenchReport) -> anyhow::Result<()> {
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
        report.line(&format!("perft compared with {command}, alternately"))?;
        let mut ratios = Map::new();
        for comparison in rules::compare(command, self.quick)? {
            report.line(&format!(
                "  {:17} depth {}: {:6.1} M leaves/s against {:5.1}, {:.1} times as fast",
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

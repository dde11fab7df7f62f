//! What stands in for `torch.rs` in the build without libtorch.

use std::path::{Path, PathBuf};
use std::time::Duration;

use garuda_model::Network;
use garuda_rules::RuleSet;
use garuda_run::config::Config;

use crate::bench::BenchReport;
use crate::commands::{NnueArgs, TrainArgs};
use crate::features::lacks;

pub(crate) fn train(_: &TrainArgs, _: PathBuf, _: Config) -> anyhow::Result<()> {
    Err(lacks("training", "torch"))
}

pub(crate) fn export_torchscript(_: RuleSet, _: &Path, _: &Path) -> anyhow::Result<()> {
    Err(lacks("exporting TorchScript", "torch"))
}

pub(crate) fn export_nnue(
    _: RuleSet,
    _: &Path,
    _: Network,
    _: Option<PathBuf>,
    _: &NnueArgs,
) -> anyhow::Result<()> {
    Err(lacks("training a network for Fairy-Stockfish", "torch"))
}

pub(crate) fn untrained_network() -> anyhow::Result<Option<Network>> {
    Ok(None)
}

pub(crate) fn bench_networks(report: &mut BenchReport, _: Duration) -> anyhow::Result<()> {
    report.line("networks and self-play: not measured; give a network with --network (training and libtorch need the build with libtorch)")
}

pub(crate) fn bench_kinds(_: &mut BenchReport, _: bool) -> anyhow::Result<()> {
    Ok(())
}

//! What stands in for `torch.rs` in the build without libtorch.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use garuda_model::Network;
use garuda_rules::RuleSet;
use garuda_run::config::Config;

use crate::bench::BenchReport;
use crate::commands::{NnueArgs, TrainArgs};

/// What this build cannot do, below the program's help.
pub(crate) const BUILD_NOTE: &str = "\
This is the light build, without libtorch. It cannot train, export TorchScript or networks for
Fairy-Stockfish, or measure networks in libtorch. scripts/garuda fetches libtorch (550 MB) when a command needs it; or build with it:
  cargo build --release --package garuda      with LIBTORCH set to a folder with include/ and lib/";

pub(crate) fn train(_: &TrainArgs, _: PathBuf, _: Config) -> anyhow::Result<()> {
    Err(needs_libtorch("training"))
}

pub(crate) fn export_torchscript(_: RuleSet, _: &Path, _: &Path) -> anyhow::Result<()> {
    Err(needs_libtorch("exporting TorchScript"))
}

pub(crate) fn export_nnue(
    _: RuleSet,
    _: &Path,
    _: Network,
    _: Option<PathBuf>,
    _: &NnueArgs,
) -> anyhow::Result<()> {
    Err(needs_libtorch("training a network for Fairy-Stockfish"))
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

fn needs_libtorch(what: &str) -> anyhow::Error {
    anyhow!(
        "{what} needs libtorch, which this build does not have. Use scripts/garuda, which fetches it, or build with it: cargo build --release --package garuda"
    )
}

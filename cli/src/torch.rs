//! What needs libtorch, and the program that has it.
//!
//! `garuda` does not link libtorch, whose loading alone takes a third of a second. A command that needs it
//! continues in `garuda-train`, which a build with the feature `torch` puts beside it.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use garuda_model::Network;
use garuda_rules::RuleSet;
use garuda_run::config::Config;
use garuda_run::shown_path;

use crate::bench::BenchReport;
use crate::commands::{NnueArgs, TrainArgs};
use crate::features::lacks;

/// The program that links libtorch.
const PROGRAM: &str = "garuda-train";

/// What only a program with libtorch can do.
pub trait Torch {
    /// Trains a run.
    fn train(&self, args: &TrainArgs, run: PathBuf, config: Config) -> anyhow::Result<()>;

    /// Writes a checkpoint as TorchScript.
    fn export_torchscript(
        &self,
        rules: RuleSet,
        checkpoint: &Path,
        output: &Path,
    ) -> anyhow::Result<()>;

    /// Trains a network for Fairy-Stockfish on labels; without any, labels the positions of the run
    /// first.
    fn export_nnue(
        &self,
        rules: RuleSet,
        run: &Path,
        network: Network,
        output: Option<PathBuf>,
        args: &NnueArgs,
    ) -> anyhow::Result<()>;

    /// The default network for Tori Shogi before any training.
    fn untrained_network(&self) -> anyhow::Result<Network>;

    /// Measures the default network on Tori Shogi's board, in both libraries, and its training.
    fn bench_networks(&self, report: &mut BenchReport, time: Duration) -> anyhow::Result<()>;

    /// Measures both kinds of network, of the sizes that the configurations have, in two games.
    fn bench_kinds(&self, report: &mut BenchReport, quick: bool) -> anyhow::Result<()>;
}

/// libtorch, if this program links it. If not, the program that does takes its place, with the same
/// arguments: the caller must not have printed or changed anything yet.
pub(crate) fn linked<'a>(
    torch: Option<&'a dyn Torch>,
    what: &str,
) -> anyhow::Result<&'a dyn Torch> {
    match torch {
        Some(torch) => Ok(torch),
        None if cfg!(feature = "torch") => Err(hand_over(what)),
        None => Err(lacks(what, "torch")),
    }
}

/// Returns only if the other program cannot be started.
fn hand_over(what: &str) -> anyhow::Error {
    let program = match env::current_exe() {
        Ok(program) => program.with_file_name(PROGRAM),
        Err(error) => {
            return anyhow::Error::new(error).context("cannot find the program's own folder");
        }
    };
    let mut arguments = env::args_os();
    let mut command = Command::new(&program);
    // It prints hints that start with the program's name.
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    let error = command.args(arguments).exec();
    anyhow::Error::new(error).context(format!(
        "{what} needs {PROGRAM}, and {} cannot be started",
        shown_path(&program)
    ))
}

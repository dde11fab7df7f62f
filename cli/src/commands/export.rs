use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use garuda_model::Network;
use garuda_run::{find_model, shown_path};

use crate::{print_note, torch};

const EXAMPLES: &str = "\
Examples:
  garuda export runs/tori                                          torishogi.onnx
  garuda export runs/tori/checkpoints/000012 --output best.onnx
  garuda export runs/tori --format torchscript                     torishogi.pt";

/// Write a checkpoint's network as one file that other programs can load.
///
/// ONNX files are what garuda and garuda-engine play with. TorchScript is for programs that use
/// libtorch.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ExportArgs {
    /// A checkpoint, or a run, whose newest checkpoint is exported
    #[arg(value_name = "CHECKPOINT|RUN")]
    checkpoint: PathBuf,
    #[arg(long, value_enum, default_value_t = ExportFormat::Onnx)]
    format: ExportFormat,
    /// The file to write [default: the game's name with .onnx or .pt]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum ExportFormat {
    /// For ONNX Runtime
    Onnx,
    /// For libtorch
    Torchscript,
}

impl ExportArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let path = find_model(&self.checkpoint)?;
        let network =
            Network::read(&path).with_context(|| format!("cannot use {}", path.display()))?;
        let rules = network.info().rule_set()?;
        let extension = match self.format {
            ExportFormat::Onnx => "onnx",
            ExportFormat::Torchscript => "pt",
        };
        let output = self
            .output
            .unwrap_or_else(|| format!("{rules}.{extension}").into());
        match self.format {
            ExportFormat::Onnx => fs::write(&output, network.bytes())
                .with_context(|| format!("cannot write {}", output.display()))?,
            ExportFormat::Torchscript => {
                let checkpoint = path.parent().unwrap_or(Path::new("."));
                torch::export_torchscript(rules, checkpoint, &output)?;
            }
        }
        print_note(format_args!(
            "{}: network for {rules} after {} training steps",
            shown_path(&output),
            network.info().step
        ));
        Ok(())
    }
}

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use garuda_model::{Network, NetworkKind};
use garuda_run::{find_model, shown_path};

use crate::{print_note, torch};

const EXAMPLES: &str = "\
Examples:
  garuda export runs/tori                                          torishogi.onnx
  garuda export runs/tori/checkpoints/000012 --output best.onnx
  garuda export runs/tori --format torchscript                     torishogi.pt";

/// Write a checkpoint's network as one file that other programs can load.
///
/// Without --format the file is what garuda and garuda-engine play with: ONNX for a convolutional
/// network, safetensors for a sparse one. TorchScript is for programs that use libtorch.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ExportArgs {
    /// A checkpoint, or a run, whose newest checkpoint is exported
    #[arg(value_name = "CHECKPOINT|RUN")]
    checkpoint: PathBuf,
    /// [default: the format that the network plays in]
    #[arg(long, value_enum)]
    format: Option<ExportFormat>,
    /// The file to write [default: the game's name with .onnx, .safetensors or .pt]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum ExportFormat {
    /// For ONNX Runtime; convolutional networks
    Onnx,
    /// Integer tensors; sparse networks
    Safetensors,
    /// For libtorch; convolutional networks
    Torchscript,
}

impl ExportArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let path = find_model(&self.checkpoint)?;
        let network =
            Network::read(&path).with_context(|| format!("cannot use {}", path.display()))?;
        let rules = network.info().rule_set()?;
        let kind = network.info().architecture.kind();
        let native = match kind {
            NetworkKind::Conv => ExportFormat::Onnx,
            NetworkKind::Sparse => ExportFormat::Safetensors,
        };
        let format = self.format.unwrap_or(native);
        let extension = match format {
            ExportFormat::Onnx => "onnx",
            ExportFormat::Safetensors => "safetensors",
            ExportFormat::Torchscript => "pt",
        };
        ensure!(
            format == native || (kind, format) == (NetworkKind::Conv, ExportFormat::Torchscript),
            "a {kind} network cannot be written as {extension}; leave --format out"
        );
        let output = self
            .output
            .unwrap_or_else(|| format!("{rules}.{extension}").into());
        match format {
            ExportFormat::Onnx | ExportFormat::Safetensors => {
                fs::write(&output, network.bytes())
                    .with_context(|| format!("cannot write {}", output.display()))?;
            }
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

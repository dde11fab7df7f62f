use std::fs;
#[cfg(feature = "torch")]
use std::path::Path;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
#[cfg(feature = "torch")]
use garuda_model::AveragedNetwork;
use garuda_model::Network;
#[cfg(feature = "torch")]
use garuda_rules::{Position, with_rule_set};
use garuda_run::find_model;

/// Write a checkpoint's network as one file that other programs can load.
#[derive(Args, Debug)]
pub(crate) struct Export {
    /// A checkpoint, or a run, whose newest checkpoint is taken
    checkpoint: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Onnx)]
    format: Format,
    /// The file to write [default: the game's name with .onnx or .pt]
    #[arg(long)]
    output: Option<PathBuf>,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum Format {
    Onnx,
    Torchscript,
}

impl Export {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let path = find_model(&self.checkpoint)?;
        let network =
            Network::read(&path).with_context(|| format!("cannot use {}", path.display()))?;
        let rules = &network.info().rules;
        let extension = match self.format {
            Format::Onnx => "onnx",
            Format::Torchscript => "pt",
        };
        let output = self
            .output
            .unwrap_or_else(|| format!("{rules}.{extension}").into());
        match self.format {
            Format::Onnx => fs::write(&output, network.bytes())
                .with_context(|| format!("cannot write {}", output.display()))?,
            #[cfg(not(feature = "torch"))]
            Format::Torchscript => return Err(super::needs_torch("a TorchScript export")),
            #[cfg(feature = "torch")]
            Format::Torchscript => {
                let checkpoint = path.parent().unwrap_or(Path::new("."));
                with_rule_set!(network.info().rule_set()?, P => torchscript::<P>(checkpoint, &output))?;
            }
        }
        eprintln!(
            "{} holds {rules} after {} steps",
            output.display(),
            network.info().step
        );
        Ok(())
    }
}

#[cfg(feature = "torch")]
fn torchscript<P: Position>(checkpoint: &Path, output: &Path) -> anyhow::Result<()> {
    AveragedNetwork::<P>::load(checkpoint)?.export_torchscript(output)?;
    Ok(())
}

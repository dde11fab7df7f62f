use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use garuda_model::NetworkKind;
use garuda_rules::RuleSet;
use garuda_run::{find_model, read_network, shipped_nnue, shown_path, write_nnue};

use crate::print_note;
use crate::torch::{Torch, linked};

const EXAMPLES: &str = "\
Examples:
  garuda export runs/tori                                          torishogi.safetensors, or .onnx
  garuda export runs/tori --format onnx                            torishogi.onnx, of either kind
  garuda export runs/tori/checkpoints/000012 --output best.onnx
  garuda export torishogi --format onnx                            the shipped network
  garuda export runs/tori --format torchscript                     torishogi.pt
  garuda export runs/tori --format nnue                            torishogi-….nnue
  garuda export runs/tori --format nnue --labels labels/tori --output nets/
  garuda export torishogi --format nnue                            the shipped network for Fairy-Stockfish";

/// Write a checkpoint's network as one file that other programs can load.
///
/// Without --format the file is what garuda and garuda-engine play with: ONNX for a convolutional
/// network, safetensors for a sparse one. TorchScript is for programs that use libtorch.
///
/// --format nnue trains a network for Fairy-Stockfish on positions that `garuda label` has labelled,
/// or labels those of the run first, into its folder `labels`. With the name of a game alone it writes
/// the one that is shipped. docs/nnue.md says more.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ExportArgs {
    /// A checkpoint, a run, whose newest checkpoint is exported, or a game with a shipped network
    #[arg(value_name = "CHECKPOINT|RUN|GAME")]
    checkpoint: PathBuf,
    /// [default: the format that the network plays in]
    #[arg(long, value_enum)]
    format: Option<ExportFormat>,
    /// The file to write [default: the game's name with .onnx, .safetensors or .pt; for nnue with 12
    /// digits of its hash, also in a directory that is named here]
    #[arg(long, visible_alias = "out", value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    nnue: NnueArgs,
}

/// What only --format nnue takes.
#[derive(Args, Debug)]
#[command(next_help_heading = "With --format nnue")]
pub struct NnueArgs {
    /// Directory that garuda label has made; may be given several times
    #[arg(long, value_name = "DIR")]
    pub labels: Vec<PathBuf>,
    /// Columns of the network, up to 512 [default: by the number of labels]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(8..=512))]
    pub width: Option<u16>,
    /// How finely the own king's square is told apart [default: by the number of labels]
    #[arg(long, value_enum)]
    pub king_buckets: Option<KingBucketsArg>,
    /// Share of the game's result in the target, from 0 to 1 [default: by the number of labels]
    #[arg(long, value_name = "SHARE")]
    pub wdl_weight: Option<f32>,
    /// Weight decay [default: by the number of labels]
    #[arg(long, value_name = "DECAY")]
    pub weight_decay: Option<f64>,
    /// Train on this many labels at most, to see what more of them give [default: all]
    #[arg(long, value_name = "N")]
    pub max_labels: Option<usize>,
    /// Epochs of training [default: by the number of labels]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub epochs: Option<u32>,
    /// What evaluations are multiplied by: the engine's margins expect its own scale
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub scale: f64,
    /// Seed of the training
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl NnueArgs {
    fn is_used(&self) -> bool {
        !self.labels.is_empty()
            || self.width.is_some()
            || self.king_buckets.is_some()
            || self.wdl_weight.is_some()
            || self.weight_decay.is_some()
            || self.max_labels.is_some()
            || self.epochs.is_some()
            || self.scale != 1.0
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum KingBucketsArg {
    #[value(name = "1")]
    One,
    #[value(name = "4")]
    Four,
    #[value(name = "8")]
    Eight,
    Every,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum ExportFormat {
    /// For ONNX Runtime and others; model/ENCODING.md describes inputs and outputs
    Onnx,
    /// Integer tensors; sparse networks
    Safetensors,
    /// For libtorch; convolutional networks
    Torchscript,
    /// For Fairy-Stockfish; trained on labels
    Nnue,
}

impl ExportArgs {
    pub(crate) fn run(self, torch: Option<&dyn Torch>) -> anyhow::Result<()> {
        let network = read_network(&self.checkpoint)?;
        let rules = network.info().rule_set()?;
        if self.format == Some(ExportFormat::Nnue) {
            if self.is_shipped_nnue(rules) {
                return self.write_shipped_nnue(rules);
            }
            let torch = linked(torch, "training a network for Fairy-Stockfish")?;
            return torch.export_nnue(rules, &self.checkpoint, network, self.output, &self.nnue);
        }
        ensure!(
            !self.nnue.is_used(),
            "--labels, --width, --king-buckets, --wdl-weight, --weight-decay, --max-labels, --epochs \
             and --scale are for --format nnue"
        );
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
            ExportFormat::Nnue => "nnue",
        };
        ensure!(
            format == native
                || format == ExportFormat::Onnx
                || (kind, format) == (NetworkKind::Conv, ExportFormat::Torchscript),
            "a {kind} network cannot be written as {extension}; leave --format out"
        );
        let output = self
            .output
            .unwrap_or_else(|| format!("{rules}.{extension}").into());
        if format == ExportFormat::Torchscript {
            let path = find_model(&self.checkpoint)?;
            let checkpoint = path.parent().unwrap_or(Path::new("."));
            let torch = linked(torch, "exporting TorchScript")?;
            torch.export_torchscript(rules, checkpoint, &output)?;
        } else {
            let bytes = match format {
                ExportFormat::Onnx => network.to_onnx(),
                _ => network.bytes().into(),
            };
            fs::write(&output, bytes)
                .with_context(|| format!("cannot write {}", output.display()))?;
        }
        print_note(format_args!(
            "{}: network for {rules} after {} training steps",
            shown_path(&output),
            network.info().step
        ));
        Ok(())
    }

    /// Whether the network for Fairy-Stockfish that is shipped for a game is asked for: the name of the
    /// game, and nothing to train one on.
    fn is_shipped_nnue(&self, rules: RuleSet) -> bool {
        let name = self.checkpoint.to_str();
        name == Some(rules.name()) && !self.checkpoint.exists() && !self.nnue.is_used()
    }

    fn write_shipped_nnue(&self, rules: RuleSet) -> anyhow::Result<()> {
        let bytes = shipped_nnue(rules).with_context(|| {
            format!(
                "no network for Fairy-Stockfish is shipped for {rules}; name positions to train one on with --labels"
            )
        })??;
        let out = self.output.as_deref().unwrap_or(Path::new("."));
        let file = write_nnue(rules.name(), &bytes, out)?;
        print_note(format_args!(
            "{}: the shipped network for Fairy-Stockfish",
            shown_path(&file)
        ));
        Ok(())
    }
}

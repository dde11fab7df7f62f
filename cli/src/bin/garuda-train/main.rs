//! The part of `garuda` that links libtorch: training, TorchScript, and the speed of networks in
//! libtorch. `garuda` starts it with its own arguments when a command needs it.

#[cfg(feature = "fleet")]
mod fleet;
#[cfg(not(feature = "fleet"))]
#[path = "without_fleet.rs"]
mod fleet;
mod kinds;

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, ensure};
use garuda_cli::{BenchReport, KingBucketsArg, NnueArgs, Torch, TrainArgs};
use garuda_model::nnue::{KingBuckets, NnueLayout};
use garuda_model::sparse::SparseShape;
use garuda_model::{Architecture, ConvShape, Network, NetworkKind};
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Position, RuleSet, with_rule_set};
use garuda_run::config::{Config, ConfigChange};
use garuda_run::{Stop, init_logging, shown_path};
use garuda_selfplay::label::{LabelOptions, Labeller, label};
use garuda_torch::bench as networks;
use garuda_torch::{AveragedNetwork, TrainParams, Trainer};
use garuda_training::nnue::{NnueOptions, export_nnue as train_nnue};
use garuda_training::{TrainOptions, train as train_run};
use serde_json::{Map, json};

use crate::fleet::train_with_workers;

fn main() -> ExitCode {
    garuda_cli::run(Some(&Libtorch))
}

struct Libtorch;

impl Torch for Libtorch {
    fn train(&self, args: &TrainArgs, run: PathBuf, config: Config) -> anyhow::Result<()> {
        train(args, run, config)
    }

    fn export_torchscript(
        &self,
        rules: RuleSet,
        checkpoint: &Path,
        output: &Path,
    ) -> anyhow::Result<()> {
        with_rule_set!(rules, P => torchscript::<P>(checkpoint, output))
    }

    fn export_nnue(
        &self,
        rules: RuleSet,
        run: &Path,
        network: Network,
        output: Option<PathBuf>,
        args: &NnueArgs,
    ) -> anyhow::Result<()> {
        with_rule_set!(rules, P => nnue::<P>(run, network, output, args))
    }

    fn untrained_network(&self) -> anyhow::Result<Network> {
        let architecture = Config::default().network.architecture()?;
        let trainer = Trainer::<ToriPosition>::new(architecture, TrainParams::default(), 1);
        Ok(trainer.averaged().export("bench"))
    }

    fn bench_networks(&self, report: &mut BenchReport, time: Duration) -> anyhow::Result<()> {
        bench_networks(report, time)
    }

    fn bench_kinds(&self, report: &mut BenchReport, quick: bool) -> anyhow::Result<()> {
        kinds::measure::<ToriPosition>(report, &untrained_kinds::<ToriPosition>()?, quick)?;
        kinds::measure::<MakrukPosition>(report, &untrained_kinds::<MakrukPosition>()?, quick)
    }
}

fn train(args: &TrainArgs, run: PathBuf, config: Config) -> anyhow::Result<()> {
    let minutes = args
        .minutes
        .map(|minutes| Duration::try_from_secs_f64(minutes * 60.0))
        .transpose()
        .context("--minutes must be a number of minutes")?;
    let log = init_logging(!args.json);
    let options = TrainOptions {
        run,
        config,
        config_change: match args.accept_config_change {
            true => ConfigChange::Accepted,
            false => ConfigChange::Refused,
        },
        stop: Stop::on_signals(minutes)?,
        games: args.games,
        checkpoints: args.checkpoints,
        log,
    };
    let summary = match args.listen.is_some() || args.nats.is_some() {
        true => train_with_workers(options, args)?,
        false => train_run(options)?,
    };
    if args.json {
        writeln!(stdout(), "{}", serde_json::to_string(&summary)?)?;
    }
    Ok(())
}

fn torchscript<P: Position>(checkpoint: &Path, output: &Path) -> anyhow::Result<()> {
    AveragedNetwork::<P>::load(checkpoint)?.export_torchscript(output)?;
    Ok(())
}

/// Simulations of a search that labels a position, where nobody says.
const LABEL_SIMULATIONS: u32 = 128;

fn nnue<P: Position>(
    run: &Path,
    network: Network,
    output: Option<PathBuf>,
    args: &NnueArgs,
) -> anyhow::Result<()> {
    // Before any work: some games have no such network.
    NnueLayout::of::<P>()?;
    ensure!(
        args.scale > 0.1 && args.scale < 10.0,
        "--scale {} must be between 0.1 and 10",
        args.scale
    );
    ensure!(
        args.wdl_weight
            .is_none_or(|share| (0.0..=1.0).contains(&share)),
        "--wdl-weight must be from 0 to 1"
    );
    ensure!(
        args.weight_decay
            .is_none_or(|decay| (0.0..=100.0).contains(&decay)),
        "--weight-decay must be from 0 to 100"
    );
    let threads = available_parallelism().map_or(1, usize::from);
    let log = init_logging(true);
    let stop = Stop::on_signals(None)?;
    let info = network.info();
    let origin = format!(
        "{} by {}, {} steps, network {}",
        P::NAME,
        info.run,
        info.step,
        &info.hash[..12.min(info.hash.len())]
    );
    let mut labels = args.labels.clone();
    if labels.is_empty() {
        ensure!(
            run.join("config.toml").is_file(),
            "{} is not a run whose games could be labelled; name labelled positions with --labels",
            shown_path(run)
        );
        let out = run.join("labels");
        let options = LabelOptions {
            games: vec![run.to_owned()],
            labeller: Labeller::Network {
                network,
                simulations: LABEL_SIMULATIONS,
            },
            successors: 0,
            out: out.clone(),
            positions_per_file: LabelOptions::POSITIONS_PER_FILE,
            threads,
            stop: stop.clone(),
            log: log.clone(),
        };
        let labelled = label::<P>(&options)?;
        ensure!(
            labelled.complete,
            "interrupted while labelling; the same command continues"
        );
        labels.push(out);
    }
    let options = NnueOptions {
        labels,
        width: args.width.map(usize::from),
        king_buckets: args.king_buckets.map(|buckets| match buckets {
            KingBucketsArg::One => KingBuckets::One,
            KingBucketsArg::Four => KingBuckets::Four,
            KingBucketsArg::Eight => KingBuckets::Eight,
            KingBucketsArg::Every => KingBuckets::Every,
        }),
        wdl_weight: args.wdl_weight,
        weight_decay: args.weight_decay,
        max_labels: args.max_labels,
        epochs: args.epochs,
        scale: args.scale,
        seed: args.seed,
        threads,
        origin,
        out: output.unwrap_or_else(|| ".".into()),
        stop,
        log: log.clone(),
    };
    let written = train_nnue::<P>(&options)?;
    log.line(&format!(
        "{}: epoch {}, held-out loss {:.5} (counting material: {:.5}), evaluations of {:.2} pawns \
         (root mean square), {} saturated sums",
        shown_path(&written.file),
        written.epoch,
        written.validation_loss,
        written.material_loss,
        written.spread,
        written.saturations
    ));
    Ok(())
}

fn untrained_kinds<P: Position>() -> anyhow::Result<Vec<(NetworkKind, Network)>> {
    let architectures = [
        Architecture::from(ConvShape::new(3, 48)?),
        SparseShape::new(256, 32)?.into(),
    ];
    let networks = architectures.map(|architecture| {
        let trainer = Trainer::<P>::new(architecture, TrainParams::default(), 1);
        (architecture.kind(), trainer.averaged().export("bench"))
    });
    Ok(networks.into())
}

fn bench_networks(report: &mut BenchReport, time: Duration) -> anyhow::Result<()> {
    let stats = networks::measure(time)?;
    let cores = stats.cores;
    report.line(&format!(
        "networks, 4 blocks of 64 channels, {cores} cores with {:.0} GFLOP/s each in matrix products",
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
            "  {name:5} largest batch: {gflops:.0} GFLOP/s per core, {:.0} % of matrix products",
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
    let sparse = stats.sparse_training;
    report.line(&format!(
        "  training a sparse network, batch {}: {:.0} samples/s on all cores, {:.0} % of the time for making samples, {:.0} bytes a position",
        networks::SPARSE_TRAINING_BATCH,
        sparse.samples_per_s,
        100.0 * sparse.sample_share,
        sparse.bytes_per_position,
    ))?;
    report.set(
        "train_samples_per_s",
        json!({"conv": stats.train_samples_per_s, "sparse": sparse.samples_per_s}),
    );
    report.set("train_sample_share", json!(sparse.sample_share));
    Ok(())
}

//! Labels to a network for Fairy-Stockfish: loading, holding out games, training, and the file.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use garuda_model::nnue::{
    CompactLayout, INTERNAL_PER_PAWN, KingBuckets, NnueLayout, NnueNetwork, NnuePosition,
};
use garuda_rules::Position;
use garuda_run::labels::{Label, LabelDir};
use garuda_run::{HumanCount, Log, Stop, check_nnue_name, counted, seeds, write_nnue};
use garuda_torch::{NnueEpoch, NnueSet, NnueSettings, NnueTrained, set_threads, train_nnue};
use serde::Serialize;

/// Fewer labels make no network worth having.
pub const MIN_LABELS: usize = 10_000;
/// One game in this many is held out.
const HELD_OUT: u64 = 20;
/// Positions that are as good as decided say little: from this expected score on they weigh less.
const DECIDED: f32 = 0.995;
const DECIDED_WEIGHT: f32 = 0.3;
/// Active features whose sum must fit into an accumulator.
const MAX_ACTIVE: usize = 40;
/// Held-out positions on which the integers are checked.
const CHECKED: usize = 10_000;

/// What is asked for; `None` leaves it to the number of positions.
#[derive(Clone, Debug)]
pub struct NnueOptions {
    /// Directories of labels, of one game.
    pub labels: Vec<PathBuf>,
    pub width: Option<usize>,
    pub king_buckets: Option<KingBuckets>,
    /// Share of the game's result in the target.
    pub wdl_weight: Option<f32>,
    pub weight_decay: Option<f64>,
    /// Labels to train on, the first ones; `None` for all. As many are held out either way.
    pub max_labels: Option<usize>,
    pub epochs: Option<u32>,
    /// What evaluations are multiplied by in the file.
    pub scale: f64,
    pub seed: u64,
    pub threads: usize,
    /// What the description says of the network's origin.
    pub origin: String,
    /// The file to write, or the directory to write `<variant>-<12 hex>.nnue` into.
    pub out: PathBuf,
    pub stop: Stop,
    pub log: Log,
}

/// A written network.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NnueExport {
    pub file: PathBuf,
    /// Positions trained on and held out.
    pub positions: u64,
    pub validation: u64,
    pub width: usize,
    pub epoch: u32,
    /// Mean squared error of the expected score on the positions held out: of the network, and of
    /// counting material, from which it started.
    pub validation_loss: f64,
    pub material_loss: f64,
    /// Root mean square of the evaluation of positions held out, in pawns of the engine's `eval`.
    pub spread: f64,
    /// 16-bit sums of the engine's vector code that overflow on positions held out.
    pub saturations: u64,
}

/// Sizes by the number of positions.
struct Sizes {
    width: usize,
    king_buckets: KingBuckets,
    stacks: usize,
    wdl_weight: f32,
    weight_decay: f64,
    batch: usize,
}

impl Sizes {
    fn of(positions: usize) -> Sizes {
        let (width, king_buckets, stacks, wdl_weight, weight_decay) = match positions {
            0..500_000 => (64, KingBuckets::One, 1, 0.0, 3.0),
            500_000..1_500_000 => (128, KingBuckets::One, 8, 0.05, 2.0),
            // As good on held-out games as one bucket with half the width, and 111 Elo stronger.
            1_500_000..10_000_000 => (256, KingBuckets::Eight, 8, 0.05, 2.0),
            10_000_000..50_000_000 => (256, KingBuckets::Eight, 8, 0.15, 0.1),
            _ => (512, KingBuckets::Every, 8, 0.25, 0.0),
        };
        Sizes {
            width,
            king_buckets,
            stacks,
            wdl_weight,
            weight_decay,
            batch: if positions < 10_000_000 {
                2_048
            } else {
                16_384
            },
        }
    }
}

/// Trains a network on labels and writes it as the engine reads it.
pub fn export_nnue<P: Position>(options: &NnueOptions) -> anyhow::Result<NnueExport> {
    let layout = NnueLayout::of::<P>()?;
    check_nnue_name(layout.game(), &options.out)?;
    let labels = read_labels(&layout, options)?;
    ensure!(
        labels.len() >= MIN_LABELS,
        "{} labels are too few to train a network on; at least {MIN_LABELS} are needed: label more \
         games, or the same with --successors",
        labels.len()
    );
    let most = options.max_labels.unwrap_or(usize::MAX);
    let positions = labels.len().min(most);
    ensure!(
        positions >= MIN_LABELS,
        "{most} labels are too few to train on; at least {MIN_LABELS} are needed"
    );
    let sizes = Sizes::of(positions);
    let width = options.width.unwrap_or(sizes.width);
    let compact = CompactLayout::new(
        layout.clone(),
        options.king_buckets.unwrap_or(sizes.king_buckets),
    );
    let wdl_weight = options.wdl_weight.unwrap_or(sizes.wdl_weight);
    let mut train = NnueSet::new(&compact);
    let mut validation = NnueSet::new(&compact);
    let mut checked = Vec::new();
    for (game, label) in labels {
        let (target, weight) = target(&label, wdl_weight);
        if game.is_multiple_of(HELD_OUT) {
            validation.push(&label.position, target, weight);
            if checked.len() < CHECKED {
                checked.push(label.position);
            }
        } else if train.len() < most {
            train.push(&label.position, target, weight);
        }
    }
    ensure!(
        !train.is_empty() && !validation.is_empty(),
        "the labels come from too few games to hold some out: label more games"
    );
    let settings = NnueSettings {
        width,
        stacks: sizes.stacks,
        epochs: (options.epochs).unwrap_or((30_000_000 / positions).clamp(8, 40) as u32),
        batch: sizes.batch,
        learning_rate: 2e-3,
        weight_decay: options.weight_decay.unwrap_or(sizes.weight_decay),
        scale: options.scale,
        seed: options.seed,
    };
    options.log.line(&format!(
        "{} to train on, {} held out; width {width}, king buckets {}, {}, {}",
        counted(train.len() as u64, "position"),
        HumanCount(validation.len() as u64),
        compact.king_buckets(),
        counted(settings.stacks as u64, "stack"),
        counted(settings.epochs, "epoch")
    ));
    let trained = run_training(&train, &validation, &settings, options)?;
    let network = trained
        .network
        .expand(description(options, &trained, positions, &settings));
    let largest = network.largest_accumulator(MAX_ACTIVE);
    ensure!(
        largest <= i64::from(i16::MAX),
        "an accumulator could reach {largest}, more than 16 bits hold: train with a smaller --width \
         or more labels"
    );
    let (spread, saturations) = check_integers(&layout, &network, &checked);
    let bytes = network.to_bytes();
    let again = NnueNetwork::from_bytes(&layout, &bytes).context("the file does not read back")?;
    ensure!(
        again == network,
        "the file does not read back as it was written"
    );
    let file = write_nnue(layout.game(), &bytes, &options.out)?;
    Ok(NnueExport {
        file,
        positions: train.len() as u64,
        validation: validation.len() as u64,
        width,
        epoch: trained.best.number,
        validation_loss: trained.best.validation_loss,
        material_loss: trained.first_loss,
        spread,
        saturations,
    })
}

/// All labels, each position once, with a number that its game has among those of all directories.
fn read_labels(layout: &NnueLayout, options: &NnueOptions) -> anyhow::Result<Vec<(u64, Label)>> {
    let mut labels = Vec::new();
    let mut seen = HashSet::new();
    for path in &options.labels {
        let dir = LabelDir::open(path)?;
        let source = dir.source();
        ensure!(
            source.rules == layout.game(),
            "{} has labels of {}, not {}",
            path.display(),
            source.rules,
            layout.game()
        );
        let numbers = dir.numbers()?;
        if (numbers.len() as u64) < source.files {
            options.log.line(&format!(
                "{}: {} of {} files are labelled; training on these",
                path.display(),
                numbers.len(),
                source.files
            ));
        }
        let mut phase = options.log.phase("labels", numbers.len() as u64);
        // The same games under another teacher must be held out together.
        let games = source.games.first().map_or("", |(_, hash)| hash);
        for (done, &number) in (1..).zip(&numbers) {
            for label in dir.read(layout, number)? {
                if seen.insert(hash_of(&label.position)) {
                    let game = seeds::derive(0, games, &[u64::from(label.game)]);
                    labels.push((game, label));
                }
            }
            phase.set(done, || format!("files, {} labels", labels.len()));
        }
    }
    Ok(labels)
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What a position is trained towards, and its weight.
fn target(label: &Label, wdl_weight: f32) -> (f32, f32) {
    let value = label.value();
    let weight = match (1.0 - DECIDED..=DECIDED).contains(&value) {
        true => 1.0,
        false => DECIDED_WEIGHT,
    };
    let target = match label.result {
        Some(result) => value + wdl_weight * (f32::from(result) / 2.0 + 0.5 - value),
        None => value,
    };
    (target, weight)
}

fn run_training(
    train: &NnueSet,
    validation: &NnueSet,
    settings: &NnueSettings,
    options: &NnueOptions,
) -> anyhow::Result<NnueTrained> {
    set_threads(options.threads);
    let mut phase = options.log.phase("train", 1000);
    let mut last: Option<NnueEpoch> = None;
    let trained = train_nnue(train, validation, settings, |share, epoch| {
        last = epoch.or(last);
        phase.set((share * 1000.0) as u64, || match last {
            Some(epoch) => format!(
                "epoch {}, loss {:.5}, held out {:.5}",
                epoch.number, epoch.loss, epoch.validation_loss
            ),
            None => "epoch 1".to_owned(),
        });
        match options.stop.is_due() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    drop(phase);
    if options.stop.is_due() {
        bail!("interrupted; nothing was written, and the labels are kept");
    }
    ensure!(
        trained.best.validation_loss.is_finite(),
        "training failed: the loss is {}",
        trained.best.validation_loss
    );
    Ok(trained)
}

/// The spread of evaluations in pawns, and the overflows of the engine's vector code.
fn check_integers(
    layout: &NnueLayout,
    network: &NnueNetwork,
    positions: &[NnuePosition],
) -> (f64, u64) {
    let mut squares = 0.0;
    let mut saturations = 0;
    for position in positions {
        let internal = f64::from(network.evaluate(layout, position).internal());
        squares += (internal / INTERNAL_PER_PAWN).powi(2);
        saturations += network.saturations(layout, position) as u64;
    }
    (
        (squares / positions.len().max(1) as f64).sqrt(),
        saturations,
    )
}

fn description(
    options: &NnueOptions,
    trained: &NnueTrained,
    positions: usize,
    settings: &NnueSettings,
) -> String {
    let best = &trained.best;
    format!(
        "Garuda: {}; {} labelled positions; width {}, epoch {} of {}, held-out loss {:.6} (material \
         {:.6}), scale {}",
        options.origin,
        HumanCount(positions as u64),
        settings.width,
        best.number,
        settings.epochs,
        best.validation_loss,
        trained.first_loss,
        settings.scale
    )
}

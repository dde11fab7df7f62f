//! The checkpoints of a run: which of them can be used, and which are kept whole.

use std::path::Path;
use std::{fs, io};

use anyhow::{Context, bail};
use garuda_model::checkpoint_files::{OPTIMIZER, WEIGHTS};
use garuda_rules::Position;
use garuda_run::config::Config;
use garuda_run::{RunDir, checkpoint_name, find_model, read_network, seeds};
use garuda_torch::{AveragedNetwork, TrainParams, Trainer};
use tracing::error;

use super::Progress;

/// Writes the checkpoint of this progress.
pub(super) fn save<P: Position>(
    run: &RunDir,
    trainer: &Trainer<P>,
    progress: &Progress,
) -> anyhow::Result<()> {
    let name = run.path().file_name().unwrap_or(run.path().as_os_str());
    trainer.save(
        &run.checkpoint(progress.checkpoint),
        &name.to_string_lossy(),
        progress,
    )?;
    Ok(())
}

pub(super) fn load<P: Position>(
    run: &RunDir,
    number: u32,
    train_params: TrainParams,
) -> anyhow::Result<(Trainer<P>, Progress)> {
    let (trainer, progress): (_, Progress) = Trainer::load(&run.checkpoint(number), train_params)?;
    if progress.checkpoint != number {
        bail!(
            "checkpoint {} says that it is {}",
            checkpoint_name(number),
            checkpoint_name(progress.checkpoint)
        );
    }
    Ok((trainer, progress))
}

/// The network of a run's first checkpoint: an untrained one, or the one that the configuration
/// names.
pub(super) fn initial_network<P: Position>(config: &Config) -> anyhow::Result<AveragedNetwork<P>> {
    let architecture = config.network.architecture()?;
    let seed = seeds::derive(config.run.seed, "network", &[]);
    if config.network.init.is_empty() {
        return Ok(AveragedNetwork::new(architecture, seed));
    }
    let path = Path::new(&config.network.init);
    // Beside the network of a checkpoint are the weights that it was made from.
    let checkpoint = find_model(path)
        .ok()
        .and_then(|file| Some(file.parent()?.to_owned()))
        .filter(|directory| directory.join(WEIGHTS).is_file());
    let network = match checkpoint {
        Some(directory) => AveragedNetwork::load(&directory)?,
        None => {
            let network = read_network(path).context("network.init names no network")?;
            AveragedNetwork::from_network(&network, seed)
                .with_context(|| format!("training cannot start from {}", path.display()))?
        }
    };
    if network.architecture() == architecture {
        return Ok(network);
    }
    network.widened(architecture, seed).with_context(|| {
        format!(
            "training cannot start from {}: it is {}, and the configuration says {architecture}. \
             A sparse network can become wider, nothing else",
            path.display(),
            network.architecture()
        )
    })
}

/// The newest checkpoint that is sound; `None` if the run has none at all. Damaged ones are set
/// aside, loudly, and if there is nothing else this is an error: a run never silently starts
/// over.
pub(super) fn load_newest<P: Position>(
    run: &RunDir,
    train_params: TrainParams,
) -> anyhow::Result<Option<(Trainer<P>, Progress)>> {
    let numbers = run.checkpoint_numbers()?;
    let mut damaged = Vec::new();
    for &number in numbers.iter().rev() {
        match load(run, number, train_params) {
            Ok(found) => {
                for number in damaged {
                    set_aside(run, number)?;
                }
                return Ok(Some(found));
            }
            Err(e) => {
                error!("{e:#}");
                damaged.push(number);
            }
        }
    }
    match numbers.len() {
        0 => Ok(None),
        n => bail!(
            "none of the {n} checkpoints of {} can be trained on; the reasons are above. \
             Put back a copy of one, or begin another run",
            run.path().display()
        ),
    }
}

/// Makes room for the checkpoint that will be made again.
fn set_aside(run: &RunDir, number: u32) -> anyhow::Result<()> {
    let from = run.checkpoint(number);
    let free = (1..)
        .map(|i| from.with_extension(format!("damaged-{i}")))
        .find(|path| !path.exists())
        .expect("there are more numbers than directories");
    error!(
        "checkpoint {} is not used and becomes {}",
        from.display(),
        free.display()
    );
    fs::rename(&from, &free).with_context(|| format!("cannot rename {}", from.display()))
}

/// Takes what only training needs from all but the newest `keep` checkpoints.
pub(super) fn thin(run: &RunDir, keep: u32) -> anyhow::Result<()> {
    for number in run
        .checkpoint_numbers()?
        .into_iter()
        .rev()
        .skip(keep as usize)
    {
        let path = run.checkpoint(number).join(OPTIMIZER);
        match fs::remove_file(&path) {
            Ok(()) => {}
            // The others before it were thinned already.
            Err(e) if e.kind() == io::ErrorKind::NotFound => break,
            Err(e) => {
                return Err(e).with_context(|| format!("cannot remove {}", path.display()));
            }
        }
    }
    Ok(())
}

//! Checkpoints: a training state on disk, as a directory that is complete or absent.
//!
//! | file | holds |
//! |---|---|
//! | `weights.safetensors` | the averaged network, which is exported |
//! | `optimizer.safetensors` | what only training needs: the weights it changes, AdamW's moments |
//! | `model.onnx` or `model.safetensors` | the averaged network, exported |
//! | `state.json` | what the others belong to, and their hashes |

mod error;
mod tensors;
#[cfg(test)]
mod tests;

use std::path::Path;

use garuda_model::CheckpointState as State;
use garuda_model::checkpoint_files::{OPTIMIZER, STATE, WEIGHTS, network_name};
use garuda_model::files::{read_bounded, write_directory};
use garuda_model::hash::sha256;
use garuda_model::sparse::FeatureLayout;
use garuda_model::{Encoding, Network, NetworkKind};
use garuda_rules::Position;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use error::CheckpointError;
use tensors::TensorFile;

use crate::{AveragedNetwork, TrainParams, Trainer};

/// The largest file of a checkpoint that is read: the optimiser's is three times the network's.
const MAX_BYTES: u64 = 4 * Network::MAX_BYTES;

impl<P: Position> Trainer<P> {
    /// Writes a checkpoint and returns the exported network. The directory must not exist. `run` is
    /// the name of the run; `notes` are the caller's own, and are returned by
    /// [`load`](Trainer::load).
    ///
    /// The directory appears when all of it is safely on disk. Until then its name ends in `.tmp`;
    /// what a crash leaves under this name is replaced by the next attempt.
    pub fn save(
        &self,
        directory: &Path,
        run: &str,
        notes: &impl Serialize,
    ) -> Result<Network, CheckpointError> {
        let notes = serde_json::to_value(notes).map_err(CheckpointError::Notes)?;
        let network = self.averaged.export(run);
        let (architecture, step) = (self.averaged.architecture(), self.steps());
        let summary = format!("{} {architecture} step {step}", P::NAME);
        let files = [
            (WEIGHTS, self.averaged.weights_file().encode(&summary)),
            (OPTIMIZER, self.optimizer_file().encode(&summary)),
            (network_name(architecture.kind()), network.bytes().to_vec()),
        ];
        let hashes = files
            .iter()
            .map(|(name, bytes)| ((*name).to_owned(), sha256(bytes)));
        let state = State {
            format: State::FORMAT,
            rules: P::NAME.to_string(),
            encoding: match architecture.kind() {
                NetworkKind::Conv => Encoding::of::<P>().describe(),
                NetworkKind::Sparse => FeatureLayout::of::<P>().describe(),
            },
            architecture,
            step,
            run: run.to_owned(),
            files: hashes.collect(),
            notes,
        };
        let state = (STATE, state.encode());
        let files = files.iter().chain([&state]);
        let files = files.map(|(name, bytes)| (*name, bytes.as_slice()));
        write_directory(directory, files).map_err(|source| CheckpointError::Write {
            path: directory.to_owned(),
            source,
        })?;
        Ok(network)
    }

    /// Reads a checkpoint, to resume training as if it had never stopped. Refuses one that is
    /// damaged or of another game, with all reasons.
    pub fn load<N: DeserializeOwned>(
        directory: &Path,
        train_params: TrainParams,
    ) -> Result<(Self, N), CheckpointError> {
        let checkpoint = Checkpoint::open::<P>(directory)?;
        let notes = N::deserialize(&checkpoint.state.notes).map_err(CheckpointError::Notes)?;
        let architecture = checkpoint.state.architecture;
        let mut trainer = Trainer::new(architecture, train_params, 0);
        trainer.averaged.steps = checkpoint.state.step;
        let mut problems = Vec::new();
        problems.extend(checkpoint.check(WEIGHTS, |bytes| {
            trainer.averaged.weights_file().decode(bytes)
        })?);
        problems
            .extend(checkpoint.check(OPTIMIZER, |bytes| trainer.optimizer_file().decode(bytes))?);
        problems.extend(
            checkpoint.check(network_name(architecture.kind()), |bytes| {
                let error = Network::from_bytes(bytes).err();
                error.iter().map(ToString::to_string).collect()
            })?,
        );
        checkpoint.refuse_if_any(problems)?;
        Ok((trainer, notes))
    }

    fn optimizer_file(&self) -> TensorFile<'_> {
        TensorFile(vec![
            ("live.", &self.params),
            ("live.", &self.stats),
            ("first.", &self.adam.first),
            ("second.", &self.adam.second),
        ])
    }
}

impl<P: Position> AveragedNetwork<P> {
    /// Reads the network of a checkpoint, which may have lost what only training needs.
    pub fn load(directory: &Path) -> Result<Self, CheckpointError> {
        let checkpoint = Checkpoint::open::<P>(directory)?;
        let mut averaged = AveragedNetwork::new(checkpoint.state.architecture, 0);
        averaged.steps = checkpoint.state.step;
        let problems = checkpoint.check(WEIGHTS, |bytes| averaged.weights_file().decode(bytes))?;
        checkpoint.refuse_if_any(problems)?;
        Ok(averaged)
    }

    fn weights_file(&self) -> TensorFile<'_> {
        TensorFile(vec![("", &self.params), ("", &self.stats)])
    }
}

/// A checkpoint of the right game and encoding, whose other files are to be read.
struct Checkpoint<'a> {
    directory: &'a Path,
    state: State,
}

impl Checkpoint<'_> {
    fn open<P: Position>(directory: &Path) -> Result<Checkpoint<'_>, CheckpointError> {
        let refused = |problems| CheckpointError::Refused {
            path: directory.to_owned(),
            problems,
        };
        let state = read(directory, STATE)?;
        let state = State::decode(&state).map_err(|problem| refused(vec![problem]))?;
        match state.differences::<P>() {
            differences if differences.is_empty() => Ok(Checkpoint { directory, state }),
            differences => Err(refused(differences)),
        }
    }

    /// The problems of a file: it is not the one that was saved, or `decode` finds some.
    fn check(
        &self,
        name: &str,
        decode: impl FnOnce(&[u8]) -> Vec<String>,
    ) -> Result<Vec<String>, CheckpointError> {
        let bytes = read(self.directory, name)?;
        let problems = if self.state.files.get(name) == Some(&sha256(&bytes)) {
            decode(&bytes)
        } else {
            vec!["not the file that was saved".to_owned()]
        };
        let problems = problems.iter().map(|problem| format!("{name}: {problem}"));
        Ok(problems.collect())
    }

    fn refuse_if_any(&self, problems: Vec<String>) -> Result<(), CheckpointError> {
        if problems.is_empty() {
            return Ok(());
        }
        Err(CheckpointError::Refused {
            path: self.directory.to_owned(),
            problems,
        })
    }
}

fn read(directory: &Path, name: &str) -> Result<Vec<u8>, CheckpointError> {
    let path = directory.join(name);
    read_bounded(&path, MAX_BYTES).map_err(|source| CheckpointError::Read { path, source })
}

//! A training state on disk: a directory that is whole, or not there.
//!
//! | file | holds |
//! |---|---|
//! | `weights.safetensors` | the averaged network, which is what plays |
//! | `optimizer.safetensors` | what only training needs: the weights it changes, AdamW's moments |
//! | `model.onnx` or `model.safetensors` | the averaged network, exported |
//! | `state.json` | what the others belong to, and their hashes |

mod error;
mod state;
mod tensors;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use garuda_rules::Position;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use error::CheckpointError;
use state::State;
use tensors::TensorFile;

use crate::checkpoint_files::{OPTIMIZER, STATE, WEIGHTS, network_name};
use crate::files::write_directory;
use crate::hash::sha256;
use crate::sparse::FeatureLayout;
use crate::{Encoding, Network, NetworkKind, TrainParams, Trainer};

impl<P: Position> Trainer<P> {
    /// Writes a checkpoint, a directory that must not be there yet, and returns the network as it
    /// was exported. `run` is the name of the run; `notes` are the caller's own, and come back from
    /// [`load`](Trainer::load).
    ///
    /// The directory appears when all of it is safely on disk. Until then its name ends in `.tmp`;
    /// what a crash leaves behind under such a name is replaced by the next attempt.
    pub fn save(
        &self,
        directory: &Path,
        run: &str,
        notes: &impl Serialize,
    ) -> Result<Network, CheckpointError> {
        let notes = serde_json::to_value(notes).map_err(CheckpointError::Notes)?;
        let network = self.export(run);
        let summary = format!("{} {} step {}", P::NAME, self.architecture(), self.steps);
        let files = [
            (WEIGHTS, self.weights_file().encode(&summary)),
            (OPTIMIZER, self.optimizer_file().encode(&summary)),
            (
                network_name(self.architecture().kind()),
                network.bytes().to_vec(),
            ),
        ];
        let hashes = files
            .iter()
            .map(|(name, bytes)| ((*name).to_owned(), sha256(bytes)));
        let state = State {
            format: State::FORMAT,
            rules: P::NAME.to_string(),
            encoding: match self.architecture().kind() {
                NetworkKind::Conv => Encoding::of::<P>().describe(),
                NetworkKind::Sparse => FeatureLayout::of::<P>().describe(),
            },
            architecture: self.architecture(),
            step: self.steps,
            run: run.to_owned(),
            files: hashes.collect(),
            notes,
        };
        let state = (STATE, state.encode());
        let files = files.iter().chain([&state]);
        write_directory(
            directory,
            files.map(|(name, bytes)| (*name, bytes.as_slice())),
        )
        .map_err(|source| CheckpointError::Write {
            path: directory.to_owned(),
            source,
        })?;
        Ok(network)
    }

    /// Reads a checkpoint, to go on training as if it had never stopped. Refuses one that is
    /// damaged or of another game, naming everything that is wrong.
    pub fn load<N: DeserializeOwned>(
        directory: &Path,
        train_params: TrainParams,
    ) -> Result<(Self, N), CheckpointError> {
        let refused = |problems| CheckpointError::Refused {
            path: directory.to_owned(),
            problems,
        };
        let state = read(directory, STATE)?;
        let state = State::decode(&state).map_err(|problem| refused(vec![problem]))?;
        let differences = state.differences::<P>();
        if !differences.is_empty() {
            return Err(refused(differences));
        }
        let notes = N::deserialize(&state.notes).map_err(CheckpointError::Notes)?;

        let mut trainer = Trainer::new(state.architecture, train_params, 0);
        trainer.steps = state.step;
        let mut problems = Vec::new();
        let mut check = |name: &str, file: Option<TensorFile<'_>>| -> Result<(), CheckpointError> {
            let bytes = read(directory, name)?;
            let found = if state.files.get(name) != Some(&sha256(&bytes)) {
                vec!["not the file that was saved".to_owned()]
            } else if let Some(file) = file {
                file.decode(&bytes)
            } else {
                Network::from_bytes(&bytes)
                    .err()
                    .map(|error| error.to_string())
                    .into_iter()
                    .collect()
            };
            problems.extend(found.iter().map(|problem| format!("{name}: {problem}")));
            Ok(())
        };
        check(WEIGHTS, Some(trainer.weights_file()))?;
        check(OPTIMIZER, Some(trainer.optimizer_file()))?;
        check(network_name(state.architecture.kind()), None)?;
        if problems.is_empty() {
            Ok((trainer, notes))
        } else {
            Err(refused(problems))
        }
    }

    fn weights_file(&self) -> TensorFile<'_> {
        TensorFile(vec![("", &self.mean_params), ("", &self.mean_stats)])
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

fn read(directory: &Path, name: &str) -> Result<Vec<u8>, CheckpointError> {
    let path = directory.join(name);
    fs::read(&path).map_err(|source| CheckpointError::Read { path, source })
}

//! Keys of workers and of the trainer.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, ensure};
use nkeys::{KeyPair, KeyPairType};
use serde::{Deserialize, Serialize};

use crate::names::Name;

/// All that a worker needs besides the broker's address: who it is, and the secret that proves it.
#[derive(Debug)]
pub struct WorkerKey {
    pub(crate) run: Name,
    pub(crate) worker: Name,
    pub(crate) key: KeyPair,
    /// The certificate that the broker's is signed with.
    pub(crate) ca: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    run: Name,
    worker: Name,
    seed: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ca: Option<String>,
}

const COMMENT: &str =
    "# The key of a worker for `garuda worker --key`. It is a secret: with it games can be sent.\n";

impl WorkerKey {
    pub fn read(path: &Path) -> anyhow::Result<WorkerKey> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("cannot read the key {}", path.display()))?;
        let file: KeyFile = toml::from_str(&text).map_err(|e| {
            // Without the lines it quotes, which hold the secret.
            anyhow::anyhow!(
                "{} is not the key of a worker: {}",
                path.display(),
                e.message()
            )
        })?;
        let key = user_key(&file.seed)
            .with_context(|| format!("{} holds no valid key", path.display()))?;
        Ok(WorkerKey {
            run: file.run,
            worker: file.worker,
            key,
            ca: file.ca,
        })
    }

    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let file = KeyFile {
            run: self.run.clone(),
            worker: self.worker.clone(),
            seed: self.key.seed()?,
            ca: self.ca.clone(),
        };
        write_secret(path, &format!("{COMMENT}{}", toml::to_string(&file)?))
    }
}

/// The trainer's own key, made when there is none.
pub(crate) fn trainer_key(path: &Path) -> anyhow::Result<KeyPair> {
    if !path.exists() {
        write_secret(path, &KeyPair::new_user().seed()?)?;
    }
    let seed = fs::read_to_string(path)
        .with_context(|| format!("cannot read the key {}", path.display()))?;
    user_key(seed.trim()).with_context(|| format!("{} holds no valid key", path.display()))
}

fn user_key(seed: &str) -> anyhow::Result<KeyPair> {
    let key = KeyPair::from_seed(seed)?;
    ensure!(
        key.key_pair_type() == KeyPairType::User,
        "it is not a user's key"
    );
    Ok(key)
}

/// Writes a file that only its owner can read.
pub(crate) fn write_secret(path: &Path, text: &str) -> anyhow::Result<()> {
    let temporary = path.with_extension("tmp");
    let write = || {
        let _ = fs::remove_file(&temporary);
        let mut file = (OpenOptions::new().write(true).create_new(true))
            .mode(0o600)
            .open(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

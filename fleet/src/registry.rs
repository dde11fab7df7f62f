//! Who may send games to a run: `RUN/broker/workers.json`, and the keys beside it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use garuda_run::{RunDir, create_dir, lock_dir, write_atomically};
use nkeys::KeyPair;
use serde::{Deserialize, Serialize};

use crate::keys::WorkerKey;
use crate::names::Name;

/// A worker that was invited.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RegisteredWorker {
    pub name: Name,
    /// Its public key.
    pub key: String,
    pub revoked: bool,
}

/// The workers of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Registry {
    /// The run's name on the broker.
    pub run: Name,
    pub workers: Vec<RegisteredWorker>,
}

/// The files of a run's broker.
#[derive(Clone, Debug)]
pub(crate) struct BrokerDir(PathBuf);

impl BrokerDir {
    pub(crate) fn of(run: &Path) -> BrokerDir {
        BrokerDir(run.join("broker"))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn registry(&self) -> PathBuf {
        self.file("workers.json")
    }

    pub(crate) fn worker_key(&self, worker: &Name) -> PathBuf {
        self.0.join("keys").join(format!("{worker}.nk"))
    }

    /// The registry, made for a run that has none.
    pub(crate) fn open_registry(&self, run: &Path) -> anyhow::Result<Registry> {
        create_dir(&self.0.join("keys"))?;
        if !self.registry().exists() {
            let name = run.canonicalize().unwrap_or_else(|_| run.to_owned());
            let name = name.file_name().unwrap_or_default().to_string_lossy();
            // Unlike any other run's, also on a broker that several runs share.
            let unique = &KeyPair::new_user().public_key()[1..9];
            let text = format!("{}-{}", Name::like(&name), unique.to_ascii_lowercase());
            let registry = Registry {
                run: text.parse()?,
                workers: Vec::new(),
            };
            self.write(&registry)?;
        }
        self.read()
    }

    pub(crate) fn read(&self) -> anyhow::Result<Registry> {
        let path = self.registry();
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_slice(&text)
            .with_context(|| format!("{} is not a list of workers", path.display()))
    }

    fn write(&self, registry: &Registry) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(registry)? + "\n";
        write_atomically(&self.registry(), text.as_bytes())
    }

    /// Adds a worker and writes its key.
    pub(crate) fn add(&self, registry: &mut Registry, worker: &Name) -> anyhow::Result<PathBuf> {
        ensure!(
            registry.find(worker).is_none(),
            "there is a worker {worker} already; every worker that was ever invited keeps its name"
        );
        let key = WorkerKey {
            run: registry.run.clone(),
            worker: worker.clone(),
            key: KeyPair::new_user(),
            ca: self.read_ca()?,
        };
        let path = self.worker_key(worker);
        key.write(&path)?;
        registry.workers.push(RegisteredWorker {
            name: worker.clone(),
            key: key.key.public_key(),
            revoked: false,
        });
        self.write(registry)?;
        Ok(path)
    }
}

impl BrokerDir {
    pub(crate) fn revoke(&self, worker: &Name) -> anyhow::Result<()> {
        let _lock = lock_dir(self.path())?;
        let mut registry = self.read()?;
        registry.revoke(worker);
        self.write(&registry)
    }
}

impl Registry {
    pub(crate) fn revoke(&mut self, worker: &Name) {
        for found in &mut self.workers {
            found.revoked |= found.name == *worker;
        }
    }

    pub(crate) fn find(&self, name: &Name) -> Option<&RegisteredWorker> {
        self.workers.iter().find(|worker| worker.name == *name)
    }
}

/// The workers of a run, for people.
pub fn list(run: &Path) -> anyhow::Result<Registry> {
    RunDir::open(run)?;
    let broker = BrokerDir::of(run);
    if !broker.registry().exists() {
        bail!(
            "{} has no workers yet: invite one, or train it with --listen",
            run.display()
        );
    }
    broker.read()
}

/// Lets a worker send games, and returns the file with its key. A trainer that is at work takes
/// notice within seconds.
pub fn invite(run: &Path, worker: &Name) -> anyhow::Result<PathBuf> {
    RunDir::open(run)?;
    let broker = BrokerDir::of(run);
    if !broker.registry().exists() {
        create_dir(broker.path())?;
        broker.make_certificate()?;
    }
    let mut registry = broker.open_registry(run)?;
    let _lock = lock_dir(broker.path())?;
    registry.workers = broker.read()?.workers;
    broker.add(&mut registry, worker)
}

/// Lets a worker send nothing any more. Its games that were not learned from are withdrawn by the
/// trainer.
pub fn revoke(run: &Path, worker: &Name) -> anyhow::Result<()> {
    let registry = list(run)?;
    let found = registry.find(worker);
    let found = found.with_context(|| format!("{} has no worker {worker}", run.display()))?;
    ensure!(!found.revoked, "{worker} is revoked already");
    BrokerDir::of(run).revoke(worker)
}

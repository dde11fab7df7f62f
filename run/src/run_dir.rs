use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tracing::info;

use crate::config::{Config, ConfigError};
use crate::files::{create_dir, sweep, write_atomically};

const CONFIG: &str = "config.toml";
const LOCK: &str = "lock";

/// A run's directory. While this value lives no other process can train in it.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    config: Config,
    /// Held, not used: closing the file gives the lock back.
    _lock: Option<File>,
}

/// The directory name of a checkpoint.
pub fn checkpoint_name(number: u32) -> String {
    format!("{number:06}")
}

impl RunDir {
    /// Opens a run to train in it, or begins it. A run goes on with the configuration it was
    /// begun with: another one is an error, but for what describes the machine, the output and the
    /// statistics.
    pub fn open_or_create(path: &Path, config: &Config) -> anyhow::Result<RunDir> {
        let existing = match RunDir::open(path) {
            Ok(run) => Some(run.config),
            Err(_) if !path.join(CONFIG).exists() => None,
            Err(error) => return Err(error),
        };
        if let Some(frozen) = &existing {
            check_same(path, frozen, config)?;
        }
        create_dir(path)?;
        let lock = lock(path)?;
        let run = RunDir {
            path: path.to_owned(),
            config: config.clone(),
            _lock: Some(lock),
        };
        for dir in [run.games(), run.checkpoints(), run.plots()] {
            create_dir(&dir)?;
        }
        for dir in [
            run.path.clone(),
            run.games(),
            run.checkpoints(),
            run.plots(),
        ] {
            let swept = sweep(&dir)?;
            if swept > 0 {
                info!("{}: removed {swept} unfinished files", dir.display());
            }
        }
        if existing.is_none() {
            write_atomically(&path.join(CONFIG), config.to_toml().as_bytes())?;
        }
        Ok(run)
    }

    /// Opens a run to look at it, whoever may be training in it.
    pub fn open(path: &Path) -> anyhow::Result<RunDir> {
        let config = path.join(CONFIG);
        if !config.is_file() {
            bail!("{} is not a run: it has no {CONFIG}", path.display());
        }
        Ok(RunDir {
            path: path.to_owned(),
            config: Config::read(&config, &[])?,
            _lock: None,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn games(&self) -> PathBuf {
        self.path.join("games")
    }

    pub fn checkpoints(&self) -> PathBuf {
        self.path.join("checkpoints")
    }

    pub fn checkpoint(&self, number: u32) -> PathBuf {
        self.checkpoints().join(checkpoint_name(number))
    }

    pub fn metrics(&self) -> PathBuf {
        self.path.join("metrics.jsonl")
    }

    pub fn ladder(&self) -> PathBuf {
        self.path.join("ladder.json")
    }

    pub fn plots(&self) -> PathBuf {
        self.path.join("plots")
    }

    pub fn tensorboard(&self) -> PathBuf {
        self.path.join("tensorboard")
    }

    /// The numbers of all checkpoints, ascending.
    pub fn checkpoint_numbers(&self) -> anyhow::Result<Vec<u32>> {
        let dir = self.checkpoints();
        let entries = match fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(e).with_context(|| format!("cannot list {}", dir.display())),
        };
        let mut numbers = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            let number = name.to_str().and_then(|name| name.parse().ok());
            if let Some(number) = number.filter(|&n| name == *checkpoint_name(n)) {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Whether someone is training in it.
    pub fn is_locked(&self) -> bool {
        File::open(self.path.join(LOCK))
            .is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Bytes of all files of the run.
    pub fn size(&self) -> u64 {
        size(&self.path)
    }
}

/// Files can vanish while a run goes on; those count nothing.
fn size(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => fs::read_dir(path)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| size(&entry.path()))
            .sum(),
        Ok(data) => data.len(),
        Err(_) => 0,
    }
}

fn check_same(path: &Path, frozen: &Config, config: &Config) -> anyhow::Result<()> {
    let mut wanted = config.clone();
    wanted.machine.clone_from(&frozen.machine);
    wanted.output.clone_from(&frozen.output);
    wanted.openings.clone_from(&frozen.openings);
    let differences = frozen.differences(&wanted);
    if differences.is_empty() {
        return Ok(());
    }
    let mut problems = differences;
    problems
        .push("a run goes on as it was started: use another --run for other settings".to_owned());
    Err(ConfigError::new(path.join(CONFIG).display().to_string(), problems).into())
}

fn lock(path: &Path) -> anyhow::Result<File> {
    let lock = path.join(LOCK);
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&lock)
        .with_context(|| format!("cannot write {}", lock.display()))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let holder = fs::read_to_string(&lock).unwrap_or_default();
            let holder = holder.trim();
            bail!("{} is in use by process {holder}", path.display());
        }
        Err(TryLockError::Error(e)) => {
            return Err(e).with_context(|| format!("cannot lock {}", lock.display()));
        }
    }
    file.set_len(0)
        .and_then(|()| writeln!(file, "{}", std::process::id()))
        .with_context(|| format!("cannot write {}", lock.display()))?;
    Ok(file)
}

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tracing::info;

use crate::config::{Config, ConfigChange, FrozenSettings};
use crate::files::{create_dir, sweep, write_atomically};
use crate::{records, run_format};

const CONFIG: &str = "config.toml";
const LADDER: &str = "ladder.json";
const LIVE: &str = "live.json";
const FLEET: &str = "fleet.json";
const LOCK: &str = "lock";

/// A run's directory. While this value lives no other process can train in it.
///
/// ```no_run
/// use garuda_run::RunDir;
///
/// let run = RunDir::open("runs/tori".as_ref())?;
/// let newest = run.checkpoint_numbers()?.into_iter().last();
/// println!("{}, newest checkpoint {newest:?}", run.config().game.rules.title());
/// # Ok::<(), anyhow::Error>(())
/// ```
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

/// The number of the checkpoint with this directory name.
fn checkpoint_number(name: &str) -> Option<u32> {
    let number = name.parse().ok()?;
    (name == checkpoint_name(number)).then_some(number)
}

/// Files that training writes into the run directory itself under a temporary name first.
const FILES: [&str; 5] = [CONFIG, run_format::FILE, LADDER, LIVE, FLEET];
/// The same in `plots/`.
const PLOTS: [&str; 4] = ["length.svg", "loss.svg", "rating.svg", "results.svg"];
/// What a crash can leave of a run that was being created.
const CREATION: [&str; 4] = [LOCK, run_format::FILE, "run.json.tmp", "config.toml.tmp"];

impl RunDir {
    /// Opens a run to train in it, or creates it. A run continues with the configuration it was
    /// started with: another one is an error, except for what describes the machine, the output and
    /// the statistics. A directory that holds anything else is refused and not touched.
    pub fn open_or_create(path: &Path, config: &Config) -> anyhow::Result<RunDir> {
        RunDir::open_or_create_with(path, config, ConfigChange::Refused)
    }

    /// The same, with a choice of what happens if the configuration is another one. If that is
    /// accepted, it replaces the run's.
    pub fn open_or_create_with(
        path: &Path,
        config: &Config,
        change: ConfigChange,
    ) -> anyhow::Result<RunDir> {
        let file = path.join(CONFIG);
        let existing = match file.exists() {
            true => Some(RunDir::open(path)?),
            false => None,
        };
        match &existing {
            Some(run) => FrozenSettings::of(&run.config).check_asked(config, &file, change)?,
            None => check_unused(path)?,
        }
        create_dir(path)?;
        let lock = lock_dir(path)?;
        let is_changed = match &existing {
            Some(run) => FrozenSettings::of(&run.config) != FrozenSettings::of(config),
            None if file.exists() => bail!(
                "{} has just been created by another process",
                path.display()
            ),
            None => {
                run_format::write(path)?;
                true
            }
        };
        if is_changed {
            // Last: a directory with this file is a run.
            write_atomically(&file, config.to_toml().as_bytes())?;
        }
        let run = RunDir {
            path: path.to_owned(),
            config: config.clone(),
            _lock: Some(lock),
        };
        for dir in [run.games(), run.checkpoints(), run.plots()] {
            create_dir(&dir)?;
        }
        run.sweep()?;
        Ok(run)
    }

    /// Removes what a process that was killed in this run left of files it was writing.
    fn sweep(&self) -> anyhow::Result<()> {
        let mut swept = sweep(&self.path, |name| FILES.contains(&name))?;
        swept += sweep(&self.games(), records::is_record_file_name)?;
        swept += sweep(&self.checkpoints(), |name| {
            checkpoint_number(name).is_some()
        })?;
        swept += sweep(&self.plots(), |name| PLOTS.contains(&name))?;
        if swept > 0 {
            info!("{}: removed {swept} unfinished files", self.path.display());
        }
        Ok(())
    }

    /// Opens a run to look at it, also while another process is training in it.
    pub fn open(path: &Path) -> anyhow::Result<RunDir> {
        let config = path.join(CONFIG);
        if !config.is_file() {
            bail!("{} is not a run: it has no {CONFIG}", path.display());
        }
        run_format::check(path)?;
        Ok(RunDir {
            path: path.to_owned(),
            config: Config::read_complete(&config)?,
            _lock: None,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn config_file(&self) -> PathBuf {
        self.path.join(CONFIG)
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
        self.path.join(LADDER)
    }

    /// Games that are being played, for people who watch.
    pub fn live(&self) -> PathBuf {
        self.path.join(LIVE)
    }

    /// How the machines that play for the run are doing, for people who watch.
    pub fn fleet(&self) -> PathBuf {
        self.path.join(FLEET)
    }

    /// Which games came from which machine.
    pub fn intake(&self) -> PathBuf {
        self.path.join("intake.jsonl")
    }

    /// The report that `garuda openings` writes as a page.
    pub fn openings_page(&self) -> PathBuf {
        self.path.join("openings.html")
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
            Err(e) if e.kind() == NotFound => return Ok(Vec::new()),
            Err(e) => return Err(e).with_context(|| format!("cannot list {}", dir.display())),
        };
        let mut numbers = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            numbers.extend(name.to_str().and_then(checkpoint_number));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Whether a process is training in it.
    pub fn is_locked(&self) -> bool {
        File::open(self.path.join(LOCK))
            .is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Bytes of all files of the run.
    pub fn size(&self) -> u64 {
        size(&self.path)
    }
}

/// Files can vanish while a run is being trained; those count nothing.
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

/// Refuses a directory in which there is something that is not of a run's creation.
fn check_unused(path: &Path) -> anyhow::Result<()> {
    let list = || -> io::Result<Vec<OsString>> {
        let names = fs::read_dir(path)?.map(|entry| Ok(entry?.file_name()));
        names.collect()
    };
    let mut foreign = match list() {
        Ok(names) => names,
        // Where there is no directory it is created, or that says why not.
        Err(e) if [NotFound, NotADirectory].contains(&e.kind()) => return Ok(()),
        Err(e) => return Err(e).with_context(|| format!("cannot list {}", path.display())),
    };
    foreign.retain(|name| !CREATION.iter().any(|ours| name == ours));
    foreign.sort();
    if foreign.is_empty() {
        return Ok(());
    }
    let more = if foreign.len() > 3 { " and more" } else { "" };
    let names: Vec<_> = (foreign.iter().take(3))
        .map(|name| format!("{name:?}"))
        .collect();
    bail!(
        "{} is not a run, having no {CONFIG}, and not empty: it holds {}{more}. \
         A new run needs a directory of its own",
        path.display(),
        names.join(", ")
    );
}

/// Locks a directory for this process until the file is closed.
pub fn lock_dir(path: &Path) -> anyhow::Result<File> {
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

//! What the measurements of this folder share.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use garuda_fleet::{BrokerAddress, FleetOptions, FleetSource, invite};
use garuda_run::config::Config;
use garuda_run::records::{GameRecord, encode_record_file};
use garuda_run::{Log, RunDir};
use garuda_selfplay::generate::{GameSink, GameSource};

/// Number of games per record file.
const FILE: usize = 1000;

/// A directory for one measurement, which is removed at its end.
#[derive(Debug)]
pub(crate) struct ScratchDir(PathBuf);

impl ScratchDir {
    pub(crate) fn new(measurement: &str) -> anyhow::Result<ScratchDir> {
        let name = format!("garuda-{measurement}-{}", std::process::id());
        let dir = env::temp_dir().join(name);
        fs::create_dir_all(&dir)?;
        Ok(ScratchDir(dir))
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes games to files, as a run does.
#[derive(Debug)]
pub(crate) struct Files {
    dir: PathBuf,
    records: Vec<GameRecord>,
    pub(crate) count: u64,
    pub(crate) bytes: u64,
}

impl Files {
    pub(crate) fn new(dir: PathBuf) -> anyhow::Result<Files> {
        fs::create_dir_all(&dir)?;
        Ok(Files {
            dir,
            records: Vec::new(),
            count: 0,
            bytes: 0,
        })
    }
}

impl GameSink for Files {
    fn add(&mut self, record: GameRecord) -> anyhow::Result<()> {
        self.records.push(record);
        match self.records.len() {
            FILE => self.flush(),
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let bytes = encode_record_file(&self.records)?;
        let mut file = File::create(self.dir.join(format!("{}.games", self.count)))?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        self.count += self.records.len() as u64;
        self.bytes += bytes.len() as u64;
        self.records.clear();
        Ok(())
    }

    fn withdraw(&mut self, numbers: &BTreeSet<u64>) -> anyhow::Result<Vec<u64>> {
        ensure!(numbers.is_empty(), "games that are right were withdrawn");
        Ok(Vec::new())
    }
}

/// A trainer that plays no games of its own, with a broker and invited workers.
#[derive(Debug)]
pub(crate) struct MeasuredFleet {
    pub(crate) source: FleetSource,
    pub(crate) run: RunDir,
    pub(crate) url: String,
    broker: String,
}

impl MeasuredFleet {
    pub(crate) fn start(
        run: &Path,
        config: &Config,
        workers: u64,
    ) -> anyhow::Result<MeasuredFleet> {
        let opened = RunDir::open_or_create(run, config)?;
        for worker in 1..=workers {
            invite(run, &worker_name(worker).parse()?)?;
        }
        let mut source = FleetSource::new(FleetOptions {
            broker: BrokerAddress::Listen("127.0.0.1:0".parse()?),
            shards: 0,
            log: Log::silent(),
        });
        source.open(&opened)?;
        let address = fs::read_to_string(run.join("broker/address"))?;
        Ok(MeasuredFleet {
            source,
            run: opened,
            url: format!("tls://{address}"),
            broker: fs::read_to_string(run.join("broker/pid"))?
                .trim()
                .to_owned(),
        })
    }

    /// CPU time of the broker until now.
    pub(crate) fn broker_seconds(&self) -> anyhow::Result<f64> {
        cpu_seconds(&self.broker)
    }
}

/// The name of the worker with a number from 1 on.
pub(crate) fn worker_name(worker: u64) -> String {
    format!("worker-{worker}")
}

/// The file with a worker's key, within the run directory.
pub(crate) fn worker_key(worker: u64) -> String {
    format!("broker/keys/{}.nk", worker_name(worker))
}

/// CPU time of a process until now: its number, or `self`.
pub(crate) fn cpu_seconds(process: &str) -> anyhow::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let fields = text.rsplit(')').next().unwrap_or_default();
    let times: Vec<f64> = (fields.split_whitespace().skip(11).take(2))
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    Ok(times.iter().sum::<f64>() / 100.0)
}

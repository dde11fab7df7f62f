use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use garuda_run::{RunDir, shown_path};
use tokio::sync::Semaphore;

use crate::PositionIndex;
use crate::error::ApiError;
use crate::players::{NetworkCache, NetworkFile, ShippedNetwork};

/// Searches at a time: more would only make each slower.
const MAX_SEARCHES: usize = 2;
/// Pages that follow a run at a time.
const MAX_STREAMS: usize = 32;

/// What is served: runs, and networks to play against.
#[derive(Debug)]
pub struct Site {
    pub(crate) runs: Vec<ServedRun>,
    pub(crate) files: Vec<NetworkFile>,
    pub(crate) shipped: Vec<ShippedNetwork>,
    pub(crate) networks: NetworkCache,
    pub(crate) searches: Arc<Semaphore>,
    pub(crate) streams: Arc<Semaphore>,
}

/// A run of the page. It is addressed by its place among them.
#[derive(Debug)]
pub(crate) struct ServedRun {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    pub(crate) index: PositionIndex,
}

impl ServedRun {
    /// Opens the run for a request. It may have been deleted since the page was started.
    pub(crate) fn open(&self) -> anyhow::Result<RunDir> {
        RunDir::open(&self.path)
    }
}

impl Site {
    /// `sources` are runs and network files; `shipped` are networks that come with the program.
    pub fn new(sources: &[PathBuf], shipped: Vec<ShippedNetwork>) -> anyhow::Result<Site> {
        let mut site = Site {
            runs: Vec::new(),
            files: Vec::new(),
            shipped,
            networks: NetworkCache::default(),
            searches: Arc::new(Semaphore::new(MAX_SEARCHES)),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
        };
        for source in sources {
            site.add(source)
                .with_context(|| format!("cannot serve {}", source.display()))?;
        }
        Ok(site)
    }

    fn add(&mut self, source: &Path) -> anyhow::Result<()> {
        if source.is_file() {
            self.files.push(NetworkFile::read(source)?);
            return Ok(());
        }
        RunDir::open(source)?;
        self.runs.push(ServedRun {
            path: source.to_owned(),
            name: shown_path(source),
            index: PositionIndex::new(source),
        });
        Ok(())
    }

    pub(crate) fn run(&self, number: usize) -> Result<&ServedRun, ApiError> {
        let served = self.runs.len();
        (self.runs.get(number))
            .ok_or_else(|| ApiError::not_found(format!("there is no run {number} among {served}")))
    }

    /// Brings the position index of every run up to date, and reports whether all could be.
    pub fn update_indexes(&self) -> bool {
        let mut all = true;
        for run in &self.runs {
            all &= run.index.refresh();
        }
        all
    }
}

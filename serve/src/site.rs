use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use anyhow::Context;
use garuda_arena::ratings::ladder_ratings;
use garuda_run::{Ladder, Rating, RunDir, shown_path};
use tokio::sync::Semaphore;

use crate::PositionIndex;
use crate::error::ApiError;
use crate::metrics_file::MetricsFile;
use crate::players::{NetworkCache, NetworkFile, ShippedNetwork};

/// Searches at a time: more would only make each slower.
const MAX_SEARCHES: usize = 2;
/// Pages that follow a run at a time.
const MAX_STREAMS: usize = 32;
/// How long the size of a run is taken for true: all its files are looked at for it.
const SIZE_SECONDS: u64 = 30;

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
///
/// Pages ask for the same things every few seconds while the run trains on the same machine: what
/// grows with the run is read again only when its file has changed.
#[derive(Debug)]
pub(crate) struct ServedRun {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    pub(crate) index: PositionIndex,
    opened: Instant,
    metrics: Kept<FileState, MetricsFile>,
    ladder: Kept<FileState, RatedLadder>,
    size: Kept<u64, u64>,
}

/// The matches of a run and what follows from them.
#[derive(Debug)]
pub(crate) struct RatedLadder {
    pub(crate) ladder: Ladder,
    pub(crate) ratings: Vec<Rating>,
    /// The reader passes over a damaged file; the page says that it is damaged.
    pub(crate) problem: Option<String>,
}

impl ServedRun {
    fn new(path: &Path) -> ServedRun {
        ServedRun {
            path: path.to_owned(),
            name: shown_path(path),
            index: PositionIndex::new(path),
            opened: Instant::now(),
            metrics: Kept::default(),
            ladder: Kept::default(),
            size: Kept::default(),
        }
    }

    /// Opens the run for a request. It may have been deleted since the page was started.
    pub(crate) fn open(&self) -> anyhow::Result<RunDir> {
        RunDir::open(&self.path)
    }

    pub(crate) fn metrics(&self, run: &RunDir) -> anyhow::Result<Arc<MetricsFile>> {
        let path = run.metrics();
        (self.metrics).get(file_state(&path), || MetricsFile::read(&path))
    }

    pub(crate) fn ladder(&self, run: &RunDir) -> anyhow::Result<Arc<RatedLadder>> {
        let path = run.ladder();
        self.ladder.get(file_state(&path), || {
            let ladder = Ladder::read(&path)?;
            let problem = match fs::read(&path) {
                Ok(bytes) => serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).err(),
                Err(_) => None,
            };
            Ok(RatedLadder {
                ratings: ladder_ratings(&ladder),
                ladder,
                problem: problem.map(|error| format!("ladder.json is damaged: {error}")),
            })
        })
    }

    /// The bytes of all files of the run, a while ago.
    pub(crate) fn size(&self, run: &RunDir) -> anyhow::Result<u64> {
        let time = self.opened.elapsed().as_secs() / SIZE_SECONDS;
        self.size.get(time, || Ok(run.size())).map(|size| *size)
    }
}

/// Changes when the file does; `None` if there is none.
type FileState = Option<(u64, SystemTime)>;

fn file_state(path: &Path) -> FileState {
    let data = fs::metadata(path).ok()?;
    Some((data.len(), data.modified().ok()?))
}

/// Something that is made again when what it was made from has changed.
#[derive(Debug)]
struct Kept<K, T>(Mutex<Option<(K, Arc<T>)>>);

impl<K, T> Default for Kept<K, T> {
    fn default() -> Kept<K, T> {
        Kept(Mutex::new(None))
    }
}

impl<K: PartialEq, T> Kept<K, T> {
    /// Others wait meanwhile: making the same several times at once would take longer.
    fn get(&self, key: K, make: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<Arc<T>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((old, value)) = &*kept
            && *old == key
        {
            return Ok(Arc::clone(value));
        }
        let value = Arc::new(make()?);
        *kept = Some((key, Arc::clone(&value)));
        Ok(value)
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
        self.runs.push(ServedRun::new(source));
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

    /// The same for the indexes that someone looks at.
    pub fn update_indexes_in_use(&self) {
        for run in &self.runs {
            if run.index.is_in_use() {
                run.index.refresh();
            }
        }
    }
}

//! The page and its index of positions.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::{fs, process};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, Uri};
use garuda_rules::tori::ToriPosition;
use garuda_run::RunDir;
use garuda_run::config::Config;
use garuda_run::records::{GameRecord, RecordStore};
use garuda_serve::{Access, PositionIndex, Site, router};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tower::ServiceExt;

/// Each line is the address of a request to a page with a small run. Whatever it asks for, the answer
/// is no failure of the server.
pub fn web(input: &[u8]) {
    static PAGE: OnceLock<(Runtime, Router)> = OnceLock::new();
    let (runtime, page) = PAGE.get_or_init(|| {
        let directory = small_run().keep();
        let site = Site::new(&[directory], Vec::new()).expect("it is a run");
        assert!(site.update_indexes());
        let runtime = Runtime::new().expect("threads can be started");
        (runtime, router(Arc::new(site), Access::local()))
    });
    for line in input.split(|&byte| byte == b'\n').take(4) {
        let Ok(address) = Uri::try_from(line) else {
            continue;
        };
        // Searches take long by their nature: only small ones.
        let query = address.query().unwrap_or_default();
        let is_search = ["move", "analysis"].map(|name| address.path() == format!("/api/{name}"));
        if is_search.contains(&true) && !query.contains("simulations=2&") {
            continue;
        }
        let is_stream = address.path().ends_with("/events");
        let request = Request::get(address).header("host", "localhost");
        let request = request.body(Body::empty()).expect("the address is one");
        let Ok(answer) = runtime.block_on(page.clone().oneshot(request));
        let status = answer.status();
        let is_refused = is_stream && status == StatusCode::SERVICE_UNAVAILABLE;
        assert!(!status.is_server_error() || is_refused, "{status}");
    }
}

/// A sound index with bytes laid over it, at the place that the first bytes say: it is read, or made
/// again, or refused with a reason.
pub fn index(input: &[u8]) {
    static RUN: OnceLock<(TempDir, Vec<u8>)> = OnceLock::new();
    let (run, sound) = RUN.get_or_init(|| {
        let run = small_run();
        assert!(PositionIndex::new(run.path()).refresh());
        let bytes = fs::read(file(run.path())).expect("it was written");
        (run, bytes)
    });
    let Some((place, overlay)) = input.split_first_chunk() else {
        return;
    };
    let mut bytes = sound.clone();
    let place = u32::from_le_bytes(*place) as usize % bytes.len();
    let length = overlay.len().min(bytes.len() - place);
    bytes[place..place + length].copy_from_slice(&overlay[..length]);
    for bytes in [&bytes[..], &bytes[..place]] {
        let path = file(run.path());
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(path.with_extension(format!("sqlite{suffix}")));
        }
        fs::write(&path, bytes).expect("the disk has room");
        let index = PositionIndex::new(run.path());
        let is_current = index.refresh();
        let status = index.status();
        assert_eq!(is_current, status.ready && status.problem.is_none());
        assert!(status.ready || status.problem.is_some());
    }
}

fn file(run: &Path) -> std::path::PathBuf {
    run.join("index.sqlite")
}

/// A run of three short games.
fn small_run() -> TempDir {
    let directory = tempfile::Builder::new()
        .prefix(&format!("garuda-fuzz-{}-", process::id()))
        .tempdir()
        .expect("the disk has room");
    let settings = ["game.rules=torishogi".to_owned()];
    let config = Config::parse("fuzz", "", &settings).expect("it is a setting");
    let run = RunDir::open_or_create(directory.path(), &config).expect("the disk has room");
    let games: Vec<GameRecord> = (0..3).map(crate::random_game::<ToriPosition>).collect();
    RecordStore::open(&run.games())
        .and_then(|mut store| store.write(&games))
        .expect("the disk has room");
    directory
}

//! For the fuzz targets and measurements: messages of others, read as the trainer and a worker read
//! them, and workers that do not play.

use std::collections::BTreeMap;

use garuda_run::Stop;
use garuda_run::records::GameRecord;

use crate::keys::WorkerKey;
use crate::names::Name;
use crate::plan::{FleetPlan, PlanHash};
use crate::protocol::{LeaseAnswer, LeaseRequest, Status, StatusAnswer, read, write};
use crate::registry::Registry;
use crate::trainer::{Hub, Offer};
use crate::worker::send_recorded;

/// Reads bytes as every kind of message that is not signed, and acts on what is accepted as far as
/// no broker is needed.
///
/// # Panics
///
/// If a message does not survive a round trip, or moves the trainer to something it must not do.
pub fn read_messages(bytes: &[u8], worker: &Name, registry: &Registry) {
    if let Ok(plan) = FleetPlan::read(bytes, &registry.run) {
        let _ = plan.spec();
        for network in &plan.networks {
            assert!(network.chunks() > 0);
        }
    }
    let numbers: Vec<_> = (0..8).collect();
    let hash = PlanHash::of(b"plan");
    let hub = Hub::new(registry.clone(), BTreeMap::new());
    let offer = Offer {
        hash,
        checkpoint: 0,
        plan: Vec::new(),
        networks: Vec::new(),
    };
    hub.open(offer, &numbers);
    let want = LeaseRequest {
        plan: hash,
        want: 4,
    };
    hub.lease(worker, &want);
    if let Some(request) = read::<LeaseRequest>(bytes) {
        assert_eq!(read(&write(&request)), Some(request.clone()));
        let answer = hub.lease(worker, &request);
        assert!(answer.numbers.len() <= request.want as usize);
        assert!(answer.numbers.iter().all(|number| numbers.contains(number)));
    }
    if let Some(mut status) = read::<Status>(bytes) {
        assert_eq!(read(&write(&status)).as_ref(), Some(&status));
        hub.status(worker, &status);
        status.plan = Some(hash);
        assert_eq!(hub.status(worker, &status).accepted, 0);
    }
    if let Some(answer) = read::<LeaseAnswer>(bytes) {
        assert_eq!(read(&write(&answer)), Some(answer));
    }
    if let Some(answer) = read::<StatusAnswer>(bytes) {
        assert_eq!(read(&write(&answer)), Some(answer));
    }
}

/// Sends games that were played before, as workers with these keys, until the process ends.
pub fn send_recorded_games(
    url: &str,
    keys: &[WorkerKey],
    games: Vec<GameRecord>,
) -> anyhow::Result<()> {
    let games: BTreeMap<_, _> = (games.into_iter())
        .map(|game| (game.number(), game))
        .collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let stop = Stop::after(None);
    runtime.block_on(async {
        let sending = keys
            .iter()
            .map(|key| send_recorded(url, key, &games, &stop));
        futures_util::future::try_join_all(sending).await
    })?;
    Ok(())
}

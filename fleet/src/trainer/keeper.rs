use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use tracing::{debug, warn};

use super::hub::Hub;
use crate::broker::RunBroker;
use crate::registry::{BrokerDir, Registry};

/// How often the broker, the registry and the leases are looked after.
const KEEPER_INTERVAL: Duration = Duration::from_millis(500);
/// How often `fleet.json` is replaced.
const STATUS_INTERVAL: Duration = Duration::from_secs(2);

/// Looks after the broker, the registry and the leases, on a thread of its own.
#[derive(Debug)]
pub(super) struct Keeper {
    ended: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Keeper {
    /// `known` is the registry that the broker was started with.
    pub(super) fn start(
        dir: BrokerDir,
        mut broker: RunBroker,
        hub: Arc<Hub>,
        mut known: Registry,
        status: PathBuf,
    ) -> anyhow::Result<Keeper> {
        let ended = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ended);
        let show = move |hub: &Hub| {
            if let Err(e) = hub.summary().write(&status) {
                debug!("cannot write {}: {e}", status.display());
            }
        };
        let mut shown = Instant::now();
        let mut is_reloaded = true;
        let work = move || {
            show(&hub);
            while !flag.load(Ordering::Relaxed) {
                thread::park_timeout(KEEPER_INTERVAL);
                if shown.elapsed() >= STATUS_INTERVAL {
                    shown = Instant::now();
                    show(&hub);
                }
                broker.keep_alive();
                hub.expire();
                for worker in hub.convicted() {
                    // Tried again as long as someone else is changing the registry.
                    if let Err(e) = dir.revoke(&worker) {
                        debug!("{e:#}");
                    }
                }
                match dir.read() {
                    // Not what the hub knows: that has the convicted before the registry does.
                    Ok(registry) if registry != known => {
                        hub.set_registry(registry.clone());
                        // Tried until the broker has it; the trainer goes by its own registry.
                        let reloaded = broker.reload(&registry);
                        if is_reloaded && let Err(e) = &reloaded {
                            warn!("{e:#}");
                        }
                        is_reloaded = reloaded.is_ok();
                        if is_reloaded {
                            known = registry;
                        }
                    }
                    Ok(_) => {}
                    Err(e) => warn!("{e:#}"),
                }
            }
            show(&hub);
        };
        let thread = (thread::Builder::new().name("broker".to_owned()))
            .spawn(work)
            .context("cannot start a thread")?;
        Ok(Keeper {
            ended,
            thread: Some(thread),
        })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

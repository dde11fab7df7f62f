//! The worker's side: fetches the plan and its networks, plays, and sends games.

mod hand;
mod link;
mod play;
#[cfg(feature = "testing")]
mod recorded;
mod sending;
mod spool;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
#[cfg(test)]
use garuda_model::Network;
use garuda_rules::{Position, with_rule_set};
use garuda_run::{Log, Stop, checkpoint_name, counted};
use garuda_selfplay::generate::{Plan, PlanSpec};
use serde::Serialize;
use tokio::runtime::Runtime;
use tracing::{debug, info};

use self::hand::Hand;
use self::link::WorkerLink;
use self::play::PlanPlay;
#[cfg(feature = "testing")]
pub(crate) use self::recorded::send_recorded;
use self::sending::{Outbox, send_games};
use self::spool::Spool;
use crate::keys::WorkerKey;
use crate::plan::{FleetPlan, PlanHash};
use crate::protocol::Status;

/// Where a worker plays for.
#[derive(Debug)]
pub struct WorkerOptions {
    /// Of the broker, as in `tls://trainer:4222`.
    pub url: String,
    pub key: WorkerKey,
    pub cores: usize,
    /// Where games lie until they are sent; a place among temporary files if none is given.
    pub spool: Option<PathBuf>,
    pub stop: Stop,
    pub log: Log,
    /// How the worker plays other games than the plan says, which only tests make it do.
    #[cfg(test)]
    pub(crate) cheat: Option<Cheat>,
    /// Bytes of games that wait to be sent at most, for tests that fill the spool.
    #[cfg(test)]
    pub(crate) spool_limit: Option<u64>,
}

/// Changes what games follow from.
#[cfg(test)]
pub(crate) type Cheat = fn(&mut PlanSpec, &mut [Network]);

/// What a worker did.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct WorkerSummary {
    /// Games played, and those that the broker has.
    pub games: u64,
    pub sent: u64,
    /// Games that lie in the spool until the worker is started again.
    pub spooled: u64,
}

/// How often a worker without a plan looks for one, unless it is told of one.
const PLAN_INTERVAL: Duration = Duration::from_secs(1);
/// How long finished games may take to reach the broker at the end.
const FAREWELL: Duration = Duration::from_secs(10);
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// Plays for a run until it is stopped.
pub fn work(options: WorkerOptions) -> anyhow::Result<WorkerSummary> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_io()
        .enable_time()
        .build()
        .context("cannot start the connection to the broker")?;
    let spool = Spool::open(options.spool.as_deref(), &options.key)?;
    #[cfg(test)]
    let spool = spool.limited(options.spool_limit);
    let connecting = WorkerLink::connect(&options.url, &options.key, &options.stop);
    let Some(link) = runtime.block_on(connecting)? else {
        return Ok(WorkerSummary::default());
    };
    (options.log).line(&format!(
        "worker {} of run {} plays on {}",
        options.key.worker,
        options.key.run,
        counted(options.cores as u64, "core")
    ));
    let outbox = Arc::new(Outbox::new(spool, Hand::default()));
    let sending = runtime.spawn(send_games(link.clone(), Arc::clone(&outbox)));
    let mut worker = Worker {
        options,
        link,
        runtime,
        outbox,
        summary: WorkerSummary::default(),
    };
    let result = worker.run();
    worker.leave();
    sending.abort();
    let Worker {
        outbox,
        mut summary,
        ..
    } = worker;
    summary.sent = outbox.sent.load(Ordering::Relaxed);
    summary.spooled = outbox.spool().games();
    result.map(|()| summary)
}

struct Worker {
    options: WorkerOptions,
    link: WorkerLink,
    runtime: Runtime,
    outbox: Arc<Outbox>,
    summary: WorkerSummary,
}

impl Worker {
    fn run(&mut self) -> anyhow::Result<()> {
        let mut played: Option<PlanHash> = None;
        let mut waiting = false;
        while !self.options.stop.is_due() {
            self.check_refused()?;
            let found = match self.runtime.block_on(self.link.plan()) {
                Ok(Some(bytes)) => Some((PlanHash::of(&bytes), bytes)),
                Ok(None) => None,
                Err(e) => {
                    debug!("no plan: {e:#}");
                    None
                }
            };
            match found {
                Some((hash, bytes)) if played != Some(hash) || self.is_wanted(hash) => {
                    waiting = false;
                    let plan = FleetPlan::read(&bytes, &self.options.key.run)?;
                    let spec = plan.spec()?;
                    let rules = spec.config.game.rules;
                    with_rule_set!(rules, P => self.play::<P>(&plan, spec, hash))?;
                    played = Some(hash);
                }
                _ => {
                    if !waiting {
                        info!("waiting for the trainer");
                        waiting = true;
                    }
                    self.pause(PLAN_INTERVAL);
                }
            }
        }
        Ok(())
    }

    /// Whether the trainer wants games of a plan.
    fn is_wanted(&self, plan: PlanHash) -> bool {
        let answer = self.runtime.block_on(self.link.lease(plan, 0));
        answer.is_ok_and(|answer| answer.plan == Some(plan))
    }

    fn play<P: Position>(
        &mut self,
        plan: &FleetPlan,
        spec: PlanSpec,
        hash: PlanHash,
    ) -> anyhow::Result<()> {
        plan.check_versions::<P>()?;
        let mut networks = Vec::with_capacity(plan.networks.len());
        for named in &plan.networks {
            let started = Instant::now();
            let fetched = self.runtime.block_on(self.link.network(named));
            let bytes = match fetched {
                Ok(bytes) => bytes,
                // The trainer may have gone on to another plan meanwhile.
                Err(e) => {
                    debug!("no network: {e:#}");
                    self.pause(PLAN_INTERVAL);
                    return Ok(());
                }
            };
            networks.push(named.open::<P>(&bytes)?);
            debug!(
                "network of {} bytes in {:?}",
                bytes.len(),
                started.elapsed()
            );
        }
        info!(
            "plan {hash}: {} of checkpoint {}",
            P::NAME,
            checkpoint_name(plan.checkpoint())
        );
        #[cfg(test)]
        let spec = {
            let mut spec = spec;
            if let Some(cheat) = self.options.cheat {
                cheat(&mut spec, &mut networks);
            }
            spec
        };
        let played = PlanPlay {
            plan: Plan::<P>::new(spec),
            networks,
            hash,
            options: &self.options,
            link: &self.link,
            runtime: &self.runtime,
            outbox: &self.outbox,
        };
        self.summary.games += played.run()?;
        self.check_refused()
    }

    fn check_refused(&self) -> anyhow::Result<()> {
        if self.link.is_refused() {
            bail!(
                "the broker no longer accepts the key of worker {}: it was revoked, or the run's \
                 keys were made again",
                self.options.key.worker
            );
        }
        Ok(())
    }

    fn pause(&self, time: Duration) {
        let started = Instant::now();
        while started.elapsed() < time && !self.options.stop.is_due() && !self.link.has_notice() {
            std::thread::sleep(STOP_INTERVAL);
        }
    }

    /// Sends what is finished, and gives the rest back.
    fn leave(&self) {
        let started = Instant::now();
        let is_left = || !self.outbox.spool().is_empty() && !self.link.is_refused();
        while is_left() && started.elapsed() < FAREWELL {
            std::thread::sleep(STOP_INTERVAL);
        }
        let status = Status {
            leaving: true,
            cores: self.options.cores as u32,
            ..Status::default()
        };
        let _ = self.runtime.block_on(self.link.status(&status));
    }
}

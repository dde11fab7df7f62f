use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tracing::{debug, warn};

use super::hand::Hand;
use super::link::{SendError, WorkerLink};
use super::spool::Spool;

/// Pauses after failures.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(10);

/// Finished games on their way to the broker.
#[derive(Debug)]
pub(super) struct Outbox {
    spool: Mutex<Spool>,
    added: Notify,
    pub(super) hand: Hand,
    /// Games that the broker has.
    pub(super) sent: AtomicU64,
}

impl Outbox {
    pub(super) fn new(spool: Spool, hand: Hand) -> Outbox {
        Outbox {
            spool: Mutex::new(spool),
            added: Notify::new(),
            hand,
            sent: AtomicU64::new(0),
        }
    }

    pub(super) fn spool(&self) -> MutexGuard<'_, Spool> {
        self.spool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message to the spool.
    pub(super) fn add(&self, bytes: &[u8], numbers: Vec<u64>) -> anyhow::Result<()> {
        self.spool().write(bytes, numbers)?;
        self.added.notify_one();
        Ok(())
    }
}

/// Sends what lies in the spool, oldest first, for ever.
pub(super) async fn send_games(link: WorkerLink, outbox: Arc<Outbox>) {
    let mut failures = 0u32;
    loop {
        let next = outbox.spool().first();
        let Some((entry, bytes)) = next else {
            outbox.added.notified().await;
            continue;
        };
        match link.send(bytes).await {
            Ok(()) => {
                failures = 0;
                outbox.spool().remove(&entry);
                outbox.hand.remove(&entry.numbers);
                (outbox.sent).fetch_add(entry.numbers.len() as u64, Ordering::Relaxed);
            }
            Err(SendError::Refused(why)) => {
                warn!("the broker refuses a message, which is given up: {why}");
                outbox.spool().remove(&entry);
                outbox.hand.remove(&entry.numbers);
            }
            Err(SendError::NotNow(why)) => {
                failures += 1;
                debug!("games are kept: {why}");
                let pause = RETRY_PAUSE * failures.min(20);
                tokio::time::sleep(pause.min(MAX_RETRY_PAUSE)).await;
            }
        }
    }
}

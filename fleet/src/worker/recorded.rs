//! A worker that sends games which were played before, for measurements of the intake.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context;
use garuda_run::Stop;
use garuda_run::records::{GameRecord, encode_record_file};

use super::link::WorkerLink;
use crate::envelope::seal;
use crate::keys::WorkerKey;
use crate::plan::PlanHash;

/// Games that are leased at a time and make a message.
const GAMES: u32 = 32;
const PAUSE: Duration = Duration::from_millis(5);

/// Leases numbers and sends their games as fast as it can, until it is stopped.
pub(crate) async fn send_recorded(
    url: &str,
    key: &WorkerKey,
    games: &BTreeMap<u64, GameRecord>,
    stop: &Stop,
) -> anyhow::Result<()> {
    let link = WorkerLink::connect(url, key, stop).await?;
    let link = link.context("there is no connection")?;
    while !stop.is_due() {
        let Ok(Some(plan)) = link.plan().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let plan = PlanHash::of(&plan);
        while !stop.is_due() {
            let Ok(leased) = link.lease(plan, GAMES).await else {
                continue;
            };
            if leased.plan != Some(plan) {
                break;
            }
            let records = leased.numbers.iter().filter_map(|n| games.get(n).cloned());
            let records: Vec<_> = records.collect();
            if records.is_empty() {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            let records = encode_record_file(&records)?;
            let message = seal(
                &key.key,
                &key.run,
                &key.worker,
                plan,
                leased.lease,
                &records,
            )?;
            while link.send(message.clone()).await.is_err() && !stop.is_due() {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    Ok(())
}

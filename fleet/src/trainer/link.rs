use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{AckKind, Context, Message};
use async_nats::{Client, ConnectOptions};
use futures_util::StreamExt;
use garuda_run::one_line;
use nkeys::KeyPair;
use tokio::sync::mpsc::{Receiver, Sender};
use tracing::{debug, warn};

use super::hub::{Hub, Offer};
use crate::accept::{Refusal, check_sender};
use crate::names::{
    CHUNK, GAMES, MAX_MESSAGE, MAX_PLAN, NETS, Name, PLAN, chunk_subject, games_subject,
    lease_subject, plan_subject, sender, status_subject,
};
use crate::plan::PlanHash;
use crate::protocol::{LeaseRequest, Status, read, write};
use crate::tls::{certificate_error, secured};

/// Bytes of games that wait at the broker at most; beyond that it refuses them, and workers keep
/// theirs.
const MAX_WAITING: i64 = 4 << 30;
const MAX_NETWORKS: i64 = 3 << 30;
/// How long the broker recognises a message that it has had.
const DUPLICATES: Duration = Duration::from_secs(600);
/// When games that were not written by then are delivered again.
pub(super) const ACK_WAIT: Duration = Duration::from_secs(60);
/// Messages that are fetched at a time, and that may be unwritten at a time.
const FETCHED: usize = 16;
const UNWRITTEN: i64 = 512;
/// How long a fetch waits for messages, and so a new plan for the end of the one before.
const FETCH_TIME: Duration = Duration::from_millis(100);
/// How often everything at the broker is looked after: it may have lost its disk.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);
const RETRY_PAUSE: Duration = Duration::from_millis(300);
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(5);

/// Games that a worker sent, of the plan of the moment.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) worker: Name,
    pub(super) plan: PlanHash,
    pub(super) message: Message,
}

/// The connection to the broker.
#[derive(Clone, Debug)]
pub(super) struct Link {
    run: Name,
    client: Client,
    jetstream: Context,
}

impl Link {
    pub(super) async fn connect(
        url: &str,
        key: &KeyPair,
        authority: Option<&str>,
        run: &Name,
        retries: bool,
    ) -> anyhow::Result<Link> {
        let mut options = secured(ConnectOptions::with_nkey(key.seed()?), authority)?;
        if retries {
            options = options.retry_on_initial_connect();
        }
        let client = options
            .name("trainer")
            .reconnect_delay_callback(|attempts| {
                (RETRY_PAUSE * attempts.min(100) as u32).min(MAX_RETRY_PAUSE)
            })
            .event_callback(|event| async move { debug!("broker: {event}") })
            .connect(url)
            .await
            .map_err(|e| {
                let reason = certificate_error(&e).unwrap_or_else(|| e.to_string());
                anyhow!("{}", one_line(&reason))
            })?;
        let jetstream = async_nats::jetstream::new(client.clone());
        Ok(Link {
            run: run.clone(),
            client,
            jetstream,
        })
    }

    /// Replies to requests for games.
    pub(super) async fn serve_leases(self, hub: Arc<Hub>) {
        let answer = |worker: &Name, bytes: &[u8]| {
            read::<LeaseRequest>(bytes).map(|request| write(&hub.lease(worker, &request)))
        };
        self.serve(lease_subject(&self.run, "*"), answer).await;
    }

    /// Replies to heartbeats.
    pub(super) async fn serve_status(self, hub: Arc<Hub>) {
        let answer = |worker: &Name, bytes: &[u8]| {
            read::<Status>(bytes).map(|status| write(&hub.status(worker, &status)))
        };
        self.serve(status_subject(&self.run, "*"), answer).await;
    }

    async fn serve(&self, subject: String, answer: impl Fn(&Name, &[u8]) -> Option<Vec<u8>>) {
        loop {
            match self.client.subscribe(subject.clone()).await {
                Ok(mut requests) => {
                    while let Some(request) = requests.next().await {
                        let answer = sender(&request.subject)
                            .and_then(|worker| answer(&worker, &request.payload));
                        if let (Some(answer), Some(reply)) = (answer, request.reply) {
                            // One that is lost is asked for again.
                            let _ = self.client.publish(reply, answer.into()).await;
                        }
                    }
                }
                Err(e) => debug!("cannot listen on {subject}: {e}"),
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }

    /// Offers plans to workers and takes their games while a plan is open. Whatever goes wrong with
    /// the broker is tried again.
    pub(super) async fn take_games(self, hub: Arc<Hub>, arrivals: Sender<Arrival>) {
        let mut warned = Instant::now();
        loop {
            let offer = hub.next_offer().await;
            if let Err(e) = self.take_for_a_while(&hub, &offer, &arrivals).await {
                debug!("broker: {e:#}");
                hub.set_backlog(0);
                if warned.elapsed() > CHECK_INTERVAL {
                    warned = Instant::now();
                    warn!("no games from other machines at the moment: {e:#}");
                }
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    }

    async fn take_for_a_while(
        &self,
        hub: &Hub,
        offer: &Offer,
        arrivals: &Sender<Arrival>,
    ) -> anyhow::Result<()> {
        let consumer = self.publish(offer).await?;
        let since = Instant::now();
        while since.elapsed() < CHECK_INTERVAL && hub.plans().current == Some(offer.hash) {
            let mut messages = (consumer.fetch().max_messages(FETCHED))
                .expires(FETCH_TIME)
                .messages()
                .await?;
            let mut found = 0;
            while let Some(message) = messages.next().await {
                let message = message.map_err(|e| anyhow!("{e}"))?;
                found += 1;
                hub.set_backlog(message.info().map_or(0, |info| info.pending));
                self.take(hub, message, arrivals).await?;
            }
            if found == 0 {
                hub.set_backlog(0);
            }
        }
        Ok(())
    }

    /// Hands on a message of a worker that may send it.
    async fn take(
        &self,
        hub: &Hub,
        message: Message,
        arrivals: &Sender<Arrival>,
    ) -> anyhow::Result<()> {
        let Some(worker) = sender(&message.subject) else {
            end(&message, AckKind::Term).await;
            return Ok(());
        };
        let checked = check_sender(&message.payload, &worker, &hub.registry(), hub.plans());
        match checked.map(|envelope| envelope.plan) {
            Ok(_) if hub.is_too_fast(&worker) => {
                hub.refuse(&worker, &Refusal::TooFast);
                end(&message, AckKind::Nak(Some(Duration::from_secs(5)))).await;
            }
            Ok(plan) => {
                let arrival = Arrival {
                    worker,
                    plan,
                    message,
                };
                arrivals.send(arrival).await.context("training has ended")?;
            }
            Err(refusal) => {
                hub.refuse(&worker, &refusal);
                end(&message, AckKind::Term).await;
            }
        }
        Ok(())
    }

    /// Makes sure that the broker has all that workers need for a plan.
    async fn publish(&self, offer: &Offer) -> anyhow::Result<PullConsumer> {
        let games = Config {
            name: GAMES.to_owned(),
            subjects: vec!["games.>".to_owned()],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_bytes: MAX_WAITING,
            max_message_size: MAX_MESSAGE as i32 + 4096,
            duplicate_window: DUPLICATES,
            ..Config::default()
        };
        let games = self.jetstream.get_or_create_stream(games).await?;
        let networks = Config {
            name: NETS.to_owned(),
            subjects: vec!["nets.>".to_owned()],
            max_bytes: MAX_NETWORKS,
            max_message_size: CHUNK as i32 + 4096,
            max_messages_per_subject: 1,
            allow_direct: true,
            ..Config::default()
        };
        let networks = self.jetstream.get_or_create_stream(networks).await?;
        let plans = Config {
            name: PLAN.to_owned(),
            subjects: vec!["plan.>".to_owned()],
            max_message_size: MAX_PLAN as i32 + 4096,
            max_messages_per_subject: 1,
            allow_direct: true,
            ..Config::default()
        };
        let plans = self.jetstream.get_or_create_stream(plans).await?;
        for (hash, bytes) in &offer.networks {
            self.publish_network(&networks, hash, bytes).await?;
        }
        let subject = plan_subject(&self.run);
        let known = plans.direct_get_last_for_subject(subject.clone()).await;
        if !known.is_ok_and(|known| known.payload == offer.plan) {
            let plan = offer.plan.clone().into();
            // Workers listen on the subject itself as well: the plan is its own announcement.
            self.jetstream.publish(subject, plan).await?.await?;
            self.forget_networks(&networks, offer).await?;
        }
        let consumer = pull::Config {
            durable_name: Some(self.run.to_string()),
            filter_subject: games_subject(&self.run, "*"),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_ack_pending: UNWRITTEN,
            ..pull::Config::default()
        };
        Ok(games
            .get_or_create_consumer(self.run.as_str(), consumer)
            .await?)
    }

    async fn publish_network(
        &self,
        stream: &Stream,
        hash: &str,
        bytes: &[u8],
    ) -> anyhow::Result<()> {
        let chunks: Vec<_> = bytes.chunks(CHUNK).enumerate().collect();
        // The last one is written last.
        let last = chunk_subject(hash, &chunks.len().saturating_sub(1).to_string());
        if stream.direct_get_last_for_subject(last).await.is_ok() {
            return Ok(());
        }
        for (i, chunk) in chunks {
            let subject = chunk_subject(hash, &i.to_string());
            let chunk = chunk.to_vec().into();
            self.jetstream.publish(subject, chunk).await?.await?;
        }
        Ok(())
    }

    /// Removes networks that no plan names any more.
    async fn forget_networks(&self, stream: &Stream, offer: &Offer) -> anyhow::Result<()> {
        let mut subjects = stream.info_with_subjects("nets.*.0").await?;
        while let Some(found) = subjects.next().await {
            let (subject, _) = found?;
            let hash = subject.split('.').nth(1).unwrap_or_default();
            if !offer.networks.iter().any(|(named, _)| named == hash) {
                stream.purge().filter(chunk_subject(hash, "*")).await?;
            }
        }
        Ok(())
    }

    /// Tells the broker what became of messages.
    pub(super) async fn answer(mut answers: Receiver<(Message, AckKind)>) {
        while let Some((message, kind)) = answers.recv().await {
            end(&message, kind).await;
        }
    }

    pub(super) async fn flush(&self) {
        let _ = tokio::time::timeout(Duration::from_secs(1), self.client.flush()).await;
    }
}

/// A message whose end the broker does not hear of is delivered again, and recognised.
async fn end(message: &Message, kind: AckKind) {
    if let Err(e) = message.ack_with(kind).await {
        debug!("broker: {e}");
    }
}

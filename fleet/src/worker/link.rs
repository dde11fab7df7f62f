use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use async_nats::jetstream::Context;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerError};
use futures_util::StreamExt;
use garuda_run::{Stop, one_line};
use rand::RngExt;
use tracing::{debug, info, warn};

use crate::keys::WorkerKey;
use crate::names::{
    CHUNK, NETS, Name, PLAN, chunk_subject, direct_get, games_subject, inbox, lease_subject,
    plan_subject, status_subject,
};
use crate::plan::{PlanHash, PlanNetwork};
use crate::protocol::{LeaseAnswer, LeaseRequest, Status, StatusAnswer, read, write};
use crate::tls::{certificate_error, secured};

/// How long the first connection is tried for. Later ones are tried for ever.
const FIRST_CONNECTION: Duration = Duration::from_secs(30);
/// How long a key that the broker does not know is tried for: the trainer tells the broker of a new
/// worker a moment after the invitation.
const NEW_KEY: Duration = Duration::from_secs(3);
const RETRY_PAUSE: Duration = Duration::from_millis(500);
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(20);
const REQUEST_TIME: Duration = Duration::from_secs(3);

/// The connection to the broker.
#[derive(Clone, Debug)]
pub(super) struct WorkerLink {
    run: Name,
    worker: Name,
    client: Client,
    jetstream: Context,
    state: Arc<LinkState>,
}

#[derive(Debug, Default)]
struct LinkState {
    /// Whether the broker does not know the key any more.
    refused: AtomicBool,
    /// Whether there is a new plan.
    notice: AtomicBool,
}

/// Why a message is not at the broker.
#[derive(Debug)]
pub(super) enum SendError {
    /// It never will be.
    Refused(String),
    NotNow(String),
}

impl WorkerLink {
    /// `None` if the worker is stopped before there is a connection.
    pub(super) async fn connect(
        url: &str,
        key: &WorkerKey,
        stop: &Stop,
    ) -> anyhow::Result<Option<WorkerLink>> {
        let started = Instant::now();
        let (client, state) = loop {
            // Of this attempt alone: one that was refused says nothing of the next.
            let state = Arc::new(LinkState::default());
            match options(key, &state)?.connect(url).await {
                Ok(client) => break (client, state),
                Err(e) if let Some(reason) = certificate_error(&e) => bail!(
                    "the broker at {url} is not the one that the key is for, or someone else \
                     answers in its place: {}",
                    one_line(&reason)
                ),
                Err(e) => match e.kind() {
                    ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication
                        if started.elapsed() > NEW_KEY =>
                    {
                        bail!(
                            "the broker at {url} does not accept the key of worker {}: it was \
                             revoked, or is of another run",
                            key.worker
                        )
                    }
                    ConnectErrorKind::ServerParse => {
                        bail!("{url:?} is no address of a broker; one looks like tls://host:4222")
                    }
                    ConnectErrorKind::Tls => {
                        bail!(
                            "no secure connection to {url}: {}",
                            one_line(&e.to_string())
                        )
                    }
                    _ if started.elapsed() > FIRST_CONNECTION => {
                        bail!(
                            "cannot reach the broker at {url}: {}",
                            one_line(&e.to_string())
                        )
                    }
                    _ => debug!("no connection yet: {e}"),
                },
            }
            if stop.is_due() {
                return Ok(None);
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        };
        let link = WorkerLink {
            run: key.run.clone(),
            worker: key.worker.clone(),
            jetstream: async_nats::jetstream::new(client.clone()),
            client,
            state,
        };
        tokio::spawn(link.clone().listen());
        Ok(Some(link))
    }

    /// Takes notice of new plans.
    async fn listen(self) {
        loop {
            if let Ok(mut notices) = self.client.subscribe(plan_subject(&self.run)).await {
                while notices.next().await.is_some() {
                    self.state.notice.store(true, Ordering::Relaxed);
                }
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }

    pub(super) fn has_notice(&self) -> bool {
        self.state.notice.load(Ordering::Relaxed)
    }

    pub(super) fn is_refused(&self) -> bool {
        self.state.refused.load(Ordering::Relaxed)
    }

    /// The bytes of the plan, if the broker has one.
    pub(super) async fn plan(&self) -> anyhow::Result<Option<Vec<u8>>> {
        self.state.notice.store(false, Ordering::Relaxed);
        self.get(direct_get(PLAN, &plan_subject(&self.run))).await
    }

    pub(super) async fn network(&self, named: &PlanNetwork) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for i in 0..named.chunks() {
            let subject = chunk_subject(&named.hash, &i.to_string());
            let chunk = self.get(direct_get(NETS, &subject)).await?;
            let chunk = chunk.context("the broker lacks a part of the network")?;
            ensure!(chunk.len() <= CHUNK, "a part of the network is too large");
            bytes.extend(chunk);
        }
        Ok(bytes)
    }

    /// The last message on a stream's subject.
    async fn get(&self, subject: String) -> anyhow::Result<Option<Vec<u8>>> {
        let answer = self.request(subject, Vec::new()).await?;
        match answer.status {
            None => Ok(Some(answer.payload.to_vec())),
            Some(_) => Ok(None),
        }
    }

    pub(super) async fn lease(&self, plan: PlanHash, want: u32) -> anyhow::Result<LeaseAnswer> {
        let subject = lease_subject(&self.run, self.worker.as_str());
        let request = write(&LeaseRequest { plan, want });
        let answer = self.request(subject, request).await?;
        read(&answer.payload).context("the answer makes no sense")
    }

    pub(super) async fn status(&self, status: &Status) -> anyhow::Result<StatusAnswer> {
        let subject = status_subject(&self.run, self.worker.as_str());
        let answer = self.request(subject, write(status)).await?;
        read(&answer.payload).context("the answer makes no sense")
    }

    async fn request(
        &self,
        subject: String,
        payload: Vec<u8>,
    ) -> anyhow::Result<async_nats::Message> {
        let request = self.client.request(subject, payload.into());
        Ok(tokio::time::timeout(REQUEST_TIME, request).await??)
    }

    /// Gives a message with games to the broker, which has it on its disk afterwards.
    pub(super) async fn send(&self, bytes: Vec<u8>) -> Result<(), SendError> {
        let id = format!("{}.{}", self.worker, blake3::hash(&bytes).to_hex());
        let message = PublishMessage::build().payload(bytes.into()).message_id(id);
        let subject = games_subject(&self.run, self.worker.as_str());
        let sent = async { self.jetstream.send_publish(subject, message).await?.await };
        match sent.await {
            Ok(_) => Ok(()),
            Err(e) if e.kind() == PublishErrorKind::MaxPayloadExceeded => {
                Err(SendError::Refused(e.to_string()))
            }
            Err(e) => Err(SendError::NotNow(e.to_string())),
        }
    }
}

fn options(key: &WorkerKey, state: &Arc<LinkState>) -> anyhow::Result<ConnectOptions> {
    let state = Arc::clone(state);
    let options = secured(
        ConnectOptions::with_nkey(key.key.seed()?),
        key.ca.as_deref(),
    )?
    .name(key.worker.as_str())
    .custom_inbox_prefix(inbox(&key.worker))
    .reconnect_delay_callback(|attempts| {
        let pause = (RETRY_PAUSE * attempts.min(100) as u32).min(MAX_RETRY_PAUSE);
        // Not all workers at once.
        pause.mul_f64(rand::rng().random_range(0.5..1.0))
    })
    .event_callback(move |event| {
        let state = Arc::clone(&state);
        async move { note(&event, &state) }
    });
    Ok(options)
}

fn note(event: &Event, state: &LinkState) {
    match event {
        Event::Connected => debug!("connected"),
        Event::Disconnected => info!("the connection to the broker is lost; trying again"),
        Event::ServerError(ServerError::AuthorizationViolation) => {
            state.refused.store(true, Ordering::Relaxed);
        }
        Event::ServerError(error) => warn!("broker: {}", one_line(&error.to_string())),
        Event::ClientError(error) => {
            let text = error.to_string();
            if text.contains("authorization violation") {
                state.refused.store(true, Ordering::Relaxed);
            }
            debug!("connection: {text}");
        }
        event => debug!("connection: {event}"),
    }
}

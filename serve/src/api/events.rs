//! New events of a run as they are written: server-sent events whose id is the number of bytes of
//! `metrics.jsonl` up to the end of the event. A browser that reconnects sends the last id and gets
//! what follows, without gap or repetition.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_core::Stream;
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::{Answer, Asked, Params, SharedSite, blocking};
use crate::error::ApiError;

/// How often the log is looked at.
const INTERVAL: Duration = Duration::from_millis(500);
/// Bytes read at a time.
const MAX_READ: u64 = 1 << 20;

#[derive(Deserialize)]
pub(super) struct From {
    /// Where to start, in bytes; the end of the log if it is not given.
    from: Option<u64>,
}

pub(super) async fn events(
    State(site): SharedSite,
    Params(number): Params<usize>,
    Asked(asked): Asked<From>,
    headers: HeaderMap,
) -> Answer {
    let last_id = headers.get("last-event-id");
    let last_id = last_id.and_then(|id| id.to_str().ok()?.parse().ok());
    let permit = (site.streams.clone().try_acquire_owned())
        .map_err(|_| ApiError::unavailable("too many pages follow runs; close some"))?;
    let path = site.run(number)?.path.join("metrics.jsonl");
    let start = last_id.or(asked.from);
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(follow(path, start, sender, permit));
    Ok(Sse::new(EventStream(receiver))
        .keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
        .into_response())
}

struct EventStream(mpsc::Receiver<Event>);

impl Stream for EventStream {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

/// Sends what is appended to a log until nobody listens.
async fn follow(
    path: PathBuf,
    start: Option<u64>,
    sender: mpsc::Sender<Event>,
    _permit: OwnedSemaphorePermit,
) {
    let mut offset = start;
    loop {
        let log = path.clone();
        let from = offset;
        let Ok(read) = blocking(move || Ok(read_from(&log, from))).await else {
            return;
        };
        match read {
            Ok(lines) => {
                for (end, line) in lines.whole {
                    let event = Event::default().id(end.to_string()).data(line);
                    if sender.send(event).await.is_err() {
                        return;
                    }
                }
                if lines.restarted {
                    let event = Event::default()
                        .event("restart")
                        .id(lines.offset.to_string())
                        .data("the log was written again");
                    if sender.send(event).await.is_err() {
                        return;
                    }
                }
                offset = Some(lines.offset);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => return,
        }
        tokio::select! {
            () = tokio::time::sleep(INTERVAL) => {}
            () = sender.closed() => return,
        }
    }
}

struct Lines {
    /// Whole lines, each with the offset of its end.
    whole: Vec<(u64, String)>,
    /// Where the next line starts.
    offset: u64,
    /// Whether the log is shorter than it was.
    restarted: bool,
}

/// The whole lines from an offset on; from the end if there is none.
fn read_from(path: &Path, offset: Option<u64>) -> io::Result<Lines> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let start = offset.unwrap_or(length);
    if start > length {
        return Ok(Lines {
            whole: Vec::new(),
            offset: 0,
            restarted: true,
        });
    }
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(MAX_READ).read_to_end(&mut bytes)?;
    let mut end = start;
    let mut whole = Vec::new();
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        if line.last() != Some(&b'\n') {
            break;
        }
        end += line.len() as u64;
        // What is not an event is named by the summary; a stream carries events alone.
        if serde_json::from_slice::<garuda_run::Event>(line).is_ok() {
            let text = String::from_utf8_lossy(line).trim_end().to_owned();
            whole.push((end, text));
        }
    }
    Ok(Lines {
        whole,
        offset: end,
        restarted: false,
    })
}

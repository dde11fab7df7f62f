//! Decoding and replaying games is most of the intake's work. Messages do not depend on each other, so
//! that several threads do it.

use std::num::NonZero;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};
use std::time::Duration;

use anyhow::bail;
use garuda_rules::Position;
use garuda_run::records::GameRecord;
use garuda_selfplay::generate::Plan;

use super::link::Arrival;
use crate::accept::{Refusal, check_games};
use crate::envelope::Envelope;

/// Threads at most: beyond them the connection to the broker is the limit.
const MAX_READERS: usize = 8;
/// Messages per thread that are read, or wait for it: decoded games need memory.
const IN_FLIGHT: usize = 2;

/// Threads that read messages. They end with this value.
pub(super) struct Readers {
    arrivals: Sender<Arrival>,
    read: Receiver<ReadMessage>,
    in_flight: usize,
    limit: usize,
}

/// A message with its games, if the plan and the rules allow them.
pub(super) struct ReadMessage {
    pub(super) arrival: Arrival,
    pub(super) games: Result<Vec<GameRecord>, Refusal>,
}

impl Readers {
    pub(super) fn start<'scope, P: Position>(
        scope: &'scope Scope<'scope, '_>,
        plan: &'scope Plan<P>,
    ) -> Readers {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = threads.min(MAX_READERS);
        let (arrivals, unread) = mpsc::channel::<Arrival>();
        let (sender, read) = mpsc::channel();
        let unread = Arc::new(Mutex::new(unread));
        for _ in 0..threads {
            let (unread, sender) = (Arc::clone(&unread), sender.clone());
            scope.spawn(move || {
                loop {
                    // Not held while a message is read.
                    let next = unread.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(arrival) = next else {
                        return;
                    };
                    let games = read_games(&arrival, plan);
                    if sender.send(ReadMessage { arrival, games }).is_err() {
                        return;
                    }
                }
            });
        }
        Readers {
            arrivals,
            read,
            in_flight: 0,
            limit: threads * IN_FLIGHT,
        }
    }

    /// Whether there is room for another message.
    pub(super) fn have_room(&self) -> bool {
        self.in_flight < self.limit
    }

    pub(super) fn is_empty(&self) -> bool {
        self.in_flight == 0
    }

    pub(super) fn add(&mut self, arrival: Arrival) -> anyhow::Result<()> {
        if self.arrivals.send(arrival).is_err() {
            bail!("the threads that read messages have ended");
        }
        self.in_flight += 1;
        Ok(())
    }

    /// The next message that has been read, in no particular order, if there is one within a time.
    pub(super) fn next(&mut self, time: Duration) -> anyhow::Result<Option<ReadMessage>> {
        match self.read.recv_timeout(time) {
            Ok(read) => {
                self.in_flight -= 1;
                Ok(Some(read))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                bail!("the threads that read messages have ended")
            }
        }
    }
}

fn read_games<P: Position>(arrival: &Arrival, plan: &Plan<P>) -> Result<Vec<GameRecord>, Refusal> {
    let envelope = Envelope::decode(&arrival.message.payload)?;
    check_games::<P>(envelope.records, plan)
}

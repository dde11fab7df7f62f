use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use async_nats::jetstream::{AckKind, Message};
use garuda_rules::Position;
use garuda_run::counted;
use garuda_run::records::GameRecord;
use garuda_selfplay::generate::{Counters, GameSink, Plan};
use tokio::sync::mpsc::{Receiver, Sender, error::TryRecvError};
use tracing::{error, warn};

use super::checks;
use super::hub::Hub;
use super::intake_log::{IntakeEvent, IntakeLog};
use super::link::{ACK_WAIT, Arrival};
use super::readers::{ReadMessage, Readers};
use crate::accept::Refusal;
use crate::names::Name;
use crate::plan::PlanHash;

/// Messages whose games are written together, and how long they wait for each other.
const WRITTEN_TOGETHER: usize = 64;
const WRITE_EVERY: Duration = Duration::from_secs(5);
/// How long the phase sleeps when there is nothing to do.
pub(super) const IDLE: Duration = Duration::from_millis(5);
/// How long the end of a phase waits for a message that is being read.
const READ_TIME: Duration = Duration::from_secs(5);

/// Takes the games of one plan.
pub(super) struct Intake<'a, P> {
    pub(super) hub: &'a Hub,
    pub(super) plan: &'a Plan<P>,
    pub(super) hash: PlanHash,
    pub(super) counters: &'a Counters,
    pub(super) readers: Readers,
    pub(super) answers: &'a Sender<(Message, AckKind)>,
    pub(super) log: &'a mut IntakeLog,
    /// Whether games are checked by playing them again.
    pub(super) checks: bool,
    /// The games of this checkpoint that were written, by who sent them.
    pub(super) senders: BTreeMap<Name, BTreeSet<u64>>,
    /// Messages that wait for checks.
    pub(super) held: Vec<HeldMessage>,
    /// Messages whose games count and are not written, and since when.
    pub(super) unwritten: Vec<TakenMessage>,
    pub(super) waiting_since: Instant,
}

/// A message whose games are sound, and whose numbers are closed for others.
pub(super) struct TakenMessage {
    worker: Name,
    message: Message,
    records: Vec<GameRecord>,
}

impl TakenMessage {
    fn numbers(&self) -> Vec<u64> {
        self.records.iter().map(GameRecord::number).collect()
    }
}

/// A message that waits until some of its games have been played again.
pub(super) struct HeldMessage {
    taken: TakenMessage,
    unchecked: BTreeSet<u64>,
    /// When the broker last heard that the message is being worked on.
    progress_sent: Instant,
}

impl<P: Position> Intake<'_, P> {
    pub(super) fn run(
        mut self,
        arrivals: &mut Receiver<Arrival>,
        local: &mpsc::Receiver<GameRecord>,
        sink: &mut dyn GameSink,
        is_over: impl Fn() -> bool,
    ) -> anyhow::Result<()> {
        loop {
            // Before the end is looked for: what is withdrawn is missing again.
            for worker in self.hub.newly_revoked() {
                self.withdraw(&worker, sink)?;
            }
            for number in self.hub.uncheckable() {
                self.refuse_uncheckable(number);
            }
            // Before the queues are looked at: what came before the end is taken.
            let over = is_over();
            let mut idle = true;
            while let Ok(record) = local.try_recv() {
                idle = false;
                self.take_local(record, sink)?;
            }
            while self.readers.have_room() {
                match arrivals.try_recv() {
                    Ok(arrival) => self.readers.add(arrival)?,
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => {
                        bail!("the connection to the broker has ended")
                    }
                }
            }
            // At the end for all that is being read: they are few.
            while let Some(read) = self.next_read(over)? {
                idle = false;
                self.take(read);
            }
            let waits = !self.unwritten.is_empty();
            if self.unwritten.len() >= WRITTEN_TOGETHER
                || waits && self.waiting_since.elapsed() >= WRITE_EVERY
            {
                self.write(sink)?;
            }
            // What has not been looked at or checked is delivered again.
            if over {
                for held in std::mem::take(&mut self.held) {
                    self.answer(held.taken.message, AckKind::Nak(None));
                }
                self.write(sink)?;
                return sink.flush();
            }
            self.keep_held();
            if !idle {
                continue;
            }
            match self.readers.is_empty() {
                true => thread::sleep(IDLE),
                false => {
                    if let Some(read) = self.readers.next(IDLE)? {
                        self.take(read);
                    }
                }
            }
        }
    }

    /// Takes a game of the trainer's own shards, which may be the check of a worker's.
    fn take_local(&mut self, record: GameRecord, sink: &mut dyn GameSink) -> anyhow::Result<()> {
        let number = record.number();
        let held = (self.held.iter_mut()).position(|held| held.unchecked.remove(&number));
        let Some(i) = held else {
            if self.hub.take_local(number) {
                sink.add(record)?;
            }
            return Ok(());
        };
        let held = &self.held[i];
        let worker = held.taken.worker.clone();
        let equal = held.taken.records.contains(&record);
        self.log.add(&[IntakeEvent::Checked {
            worker: worker.clone(),
            checkpoint: self.plan.checkpoint(),
            number,
            equal,
        }])?;
        self.hub.note_check(&worker, equal);
        if !equal {
            error!(
                "worker {worker} has sent another game {number} of checkpoint {} than its plan \
                 makes: its key is revoked",
                self.plan.checkpoint()
            );
            // The trainer's own game counts.
            self.withdraw(&worker, sink)?;
            if self.hub.take_local(number) {
                sink.add(record)?;
            }
        } else if held.unchecked.is_empty() {
            let held = self.held.swap_remove(i);
            (self.hub).release(&worker, held.taken.records.len());
            self.accept(held.taken);
        }
        Ok(())
    }

    /// A message that has been read, if there is one.
    fn next_read(&mut self, waits: bool) -> anyhow::Result<Option<ReadMessage>> {
        if self.readers.is_empty() {
            return Ok(None);
        }
        let time = if waits { READ_TIME } else { Duration::ZERO };
        self.readers.next(time)
    }

    fn take(&mut self, read: ReadMessage) {
        let ReadMessage { arrival, games } = read;
        let Arrival {
            worker,
            plan,
            message,
        } = arrival;
        let checked = match games {
            _ if plan != self.hash => Err(Refusal::Late),
            // It may have been revoked since the message was received.
            _ if self.hub.is_revoked(&worker) => Err(Refusal::Revoked),
            checked => checked,
        };
        let mut records = match checked {
            Ok(records) => records,
            Err(refusal) => {
                self.hub.refuse(&worker, &refusal);
                self.answer(message, AckKind::Term);
                return;
            }
        };
        records.retain(|record| self.hub.take(&worker, record.number()));
        let unchecked: BTreeSet<_> = match self.checks {
            true => checks::choose(records.len(), self.hub.passed(&worker))
                .into_iter()
                .map(|i| records[i].number())
                .collect(),
            false => BTreeSet::new(),
        };
        let taken = TakenMessage {
            worker,
            message,
            records,
        };
        if unchecked.is_empty() {
            self.accept(taken);
            return;
        }
        (self.hub).hold(&taken.worker, taken.records.len(), &unchecked);
        self.held.push(HeldMessage {
            taken,
            unchecked,
            progress_sent: Instant::now(),
        });
    }

    /// Refuses a message with a game that this machine fails to play: the next one to play it fails
    /// too, or says why not.
    fn refuse_uncheckable(&mut self, number: u64) {
        let held = (self.held.iter()).position(|held| held.unchecked.contains(&number));
        if let Some(i) = held {
            let HeldMessage { taken, .. } = self.held.swap_remove(i);
            (self.hub).release(&taken.worker, taken.records.len());
            (self.hub).refuse(&taken.worker, &Refusal::Uncheckable(number));
            self.hub.reopen(&taken.numbers());
            self.answer(taken.message, AckKind::Term);
        }
    }

    fn accept(&mut self, taken: TakenMessage) {
        (self.hub).accept(&taken.worker, taken.records.len());
        if self.unwritten.is_empty() {
            self.waiting_since = Instant::now();
        }
        self.unwritten.push(taken);
    }

    /// Writes the games so far, and only then tells the broker that they are here.
    fn write(&mut self, sink: &mut dyn GameSink) -> anyhow::Result<()> {
        if self.unwritten.is_empty() {
            return Ok(());
        }
        let checkpoint = self.plan.checkpoint();
        let events: Vec<_> = (self.unwritten.iter())
            .filter(|taken| !taken.records.is_empty())
            .map(|taken| IntakeEvent::Accepted {
                worker: taken.worker.clone(),
                checkpoint,
                numbers: taken.numbers(),
            })
            .collect();
        self.log.add(&events)?;
        let mut messages = Vec::with_capacity(self.unwritten.len());
        for taken in std::mem::take(&mut self.unwritten) {
            let sent = self.senders.entry(taken.worker.clone()).or_default();
            sent.extend(taken.numbers());
            for record in taken.records {
                let positions = record.positions() as u64;
                self.counters.games.fetch_add(1, Ordering::Relaxed);
                (self.counters.positions).fetch_add(positions, Ordering::Relaxed);
                sink.add(record)?;
            }
            messages.push(taken.message);
        }
        sink.flush()?;
        for message in messages {
            self.answer(message, AckKind::Ack);
        }
        Ok(())
    }

    /// Takes back all games of this checkpoint that a worker sent, and has them played again.
    fn withdraw(&mut self, worker: &Name, sink: &mut dyn GameSink) -> anyhow::Result<()> {
        let mut open = Vec::new();
        let (theirs, held) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|held| held.taken.worker == *worker);
        self.held = held;
        for held in theirs {
            (self.hub).release(worker, held.taken.records.len());
            open.extend(held.taken.numbers());
            self.answer(held.taken.message, AckKind::Term);
        }
        let (theirs, others) = std::mem::take(&mut self.unwritten)
            .into_iter()
            .partition(|taken| taken.worker == *worker);
        self.unwritten = others;
        let mut withdrawn = 0;
        for taken in theirs {
            withdrawn += taken.records.len();
            open.extend(taken.numbers());
            self.answer(taken.message, AckKind::Term);
        }
        let written = self.senders.remove(worker).unwrap_or_default();
        withdrawn += written.len();
        open.extend(withdraw_written(
            self.log,
            worker,
            self.plan.checkpoint(),
            written,
            sink,
        )?);
        self.hub.reopen(&open);
        let earlier = self.hub.note_withdrawn(worker, withdrawn as u64);
        let games = counted(open.len() as u64, "game");
        warn!("{games} of worker {worker} are withdrawn and played again");
        if earlier > 0 {
            let games = counted(earlier, "game");
            warn!("{games} of worker {worker} were learned from by earlier checkpoints and stay");
        }
        Ok(())
    }

    /// Tells the broker of messages that are being worked on, which it would deliver again.
    fn keep_held(&mut self) {
        for held in &mut self.held {
            if held.progress_sent.elapsed() >= ACK_WAIT / 3 {
                held.progress_sent = Instant::now();
                let message = held.taken.message.clone();
                let _ = self.answers.blocking_send((message, AckKind::Progress));
            }
        }
    }

    fn answer(&self, message: Message, kind: AckKind) {
        // The task that receives them lives as long as the run is open.
        let _ = self.answers.blocking_send((message, kind));
    }
}

/// Takes games back that were written, and returns those that were there.
pub(super) fn withdraw_written(
    log: &mut IntakeLog,
    worker: &Name,
    checkpoint: u32,
    numbers: BTreeSet<u64>,
    sink: &mut dyn GameSink,
) -> anyhow::Result<Vec<u64>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let removed = sink.withdraw(&numbers)?;
    log.add(&[IntakeEvent::Withdrawn {
        worker: worker.clone(),
        checkpoint,
        numbers: numbers.into_iter().collect(),
    }])?;
    Ok(removed)
}

//! Workers that behave.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use anyhow::bail;
use garuda_run::Stop;
use garuda_run::records::{GameRecord, encode_record_file};
use garuda_selfplay::generate::{Counters, GameOrder, GameSink, GameSource};
use rustix::process::{Pid, getpgid};

use super::{Fleet, Gathered, has_server, local_games, plan, wait_for};

#[test]
fn games_of_workers_are_those_of_one_machine() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(1);
    fleet.invite("node-2");
    let stop = Stop::after(None);
    let workers = ["worker-1", "node-2"].map(|worker| fleet.spawn_worker(worker, &stop));
    for checkpoint in 0..2 {
        let playing = fleet.play(plan(checkpoint), 120);
        let found = fleet.end(playing);
        assert_eq!(found.records, local_games(&plan(checkpoint), 120));
        assert_eq!(found.flushed, 120);
    }
    stop.signal();
    for worker in workers {
        let summary = worker.join().unwrap().unwrap();
        assert!(summary.sent > 0 && summary.spooled == 0, "{summary:?}");
    }
}

#[test]
fn a_trainer_that_does_not_play_itself_gets_all_games() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    let stop = Stop::after(None);
    // The worker is there before the trainer has anything to play.
    let worker = fleet.spawn_worker("worker-1", &stop);
    let playing = fleet.play(plan(0), 50);
    let found = fleet.end(playing);
    assert_eq!(found.records, local_games(&plan(0), 50));
    stop.signal();
    let summary = worker.join().unwrap().unwrap();
    assert_eq!((summary.games, summary.sent), (50, 50));
}

#[test]
fn a_worker_that_is_revoked_ends_with_a_sentence() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    let playing = fleet.play(plan(0), 1_000_000);
    let worker = fleet.spawn_worker("worker-1", &Stop::after(None));
    wait_for("a game", || fleet.hub.accepted("worker-1") > 0);
    crate::revoke(&fleet.run(), &"worker-1".parse().unwrap()).unwrap();
    let error = worker.join().unwrap().unwrap_err().to_string();
    assert!(error.contains("no longer accepts the key"), "{error}");
    fleet.stop(playing);
    // Nor does it come back.
    let again = fleet.spawn_worker("worker-1", &Stop::after(None));
    let error = again.join().unwrap().unwrap_err().to_string();
    assert!(error.contains("does not accept the key"), "{error}");
}

#[test]
fn ctrl_c_in_the_terminal_does_not_reach_the_broker() {
    if !has_server() {
        return;
    }
    let fleet = Fleet::start(0);
    let pid = std::fs::read_to_string(fleet.run().join("broker/pid")).unwrap();
    let pid = Pid::from_raw(pid.trim().parse().unwrap());
    assert_eq!(getpgid(pid).ok(), pid);
}

/// A disk on which nothing fits any more.
struct FullDisk;

impl GameSink for FullDisk {
    fn add(&mut self, _: GameRecord) -> anyhow::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        bail!("no space left on device")
    }

    fn withdraw(&mut self, _: &BTreeSet<u64>) -> anyhow::Result<Vec<u64>> {
        Ok(Vec::new())
    }
}

#[test]
fn games_that_cannot_be_written_are_not_lost() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    let stop = Stop::after(None);
    let worker = fleet.spawn_worker("worker-1", &stop);
    let mut source = fleet.source.take().unwrap();
    let plan = plan(0);
    let order = GameOrder {
        plan: &plan,
        networks: &[],
        numbers: &(0..40).collect::<Vec<_>>(),
    };
    let (counters, never) = (Counters::default(), AtomicBool::new(false));
    let played = source.play(&order, &counters, &never, &mut FullDisk);
    assert_eq!(played.unwrap_err().to_string(), "no space left on device");
    // There is space again.
    let mut sink = Gathered::default();
    source.play(&order, &counters, &never, &mut sink).unwrap();
    sink.records.sort_by_key(GameRecord::number);
    assert_eq!(sink.records, local_games(&plan, 40));
    stop.signal();
    worker.join().unwrap().unwrap();
}

/// Games reach the disk, and then the trainer is killed: the broker does not hear of them.
struct KilledAfterWriting<'a>(&'a mut Gathered);

impl GameSink for KilledAfterWriting<'_> {
    fn add(&mut self, record: GameRecord) -> anyhow::Result<()> {
        self.0.add(record)
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.0.flush()?;
        bail!("killed")
    }

    fn withdraw(&mut self, numbers: &BTreeSet<u64>) -> anyhow::Result<Vec<u64>> {
        self.0.withdraw(numbers)
    }
}

#[test]
fn games_that_were_written_and_not_acknowledged_are_recognised() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    let games = local_games(&plan(0), 8);
    let client = fleet.client("worker-1");
    let message = |fleet: &Fleet, plan, range: std::ops::Range<usize>| {
        let records = encode_record_file(&games[range]).unwrap();
        fleet.sealed("worker-1", plan, &records)
    };
    let mut source = fleet.source.take().unwrap();
    let mut written = Gathered::default();
    let (first, hub) = (plan(0), Arc::clone(&fleet.hub));
    let current = thread::scope(|scope| {
        let playing = scope.spawn(|| {
            let order = GameOrder {
                plan: &first,
                networks: &[],
                numbers: &(0..8).collect::<Vec<_>>(),
            };
            let (counters, never) = (Counters::default(), AtomicBool::new(false));
            let mut sink = KilledAfterWriting(&mut written);
            source.play(&order, &counters, &never, &mut sink)
        });
        wait_for("the offer", || hub.offer().is_some());
        fleet.wait_for_plan(&client);
        let current = hub.plans().current.unwrap();
        assert_eq!(fleet.lease("worker-1", current, 5).len(), 4);
        fleet.send(&client, "worker-1", message(&fleet, current, 0..4));
        let error = playing.join().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "killed");
        current
    });
    assert_eq!(written.flushed, 4);
    fleet.source = Some(source);
    let mut fleet = fleet.restart(0);
    let playing = fleet.play_with(plan(0), Vec::new(), 8, written);
    let client = fleet.client("worker-1");
    fleet.wait_for_plan(&client);
    // What was not acknowledged comes again, and the rest with it.
    for range in [0..4, 2..8] {
        fleet.send(&client, "worker-1", message(&fleet, current, range));
    }
    let found = fleet.end(playing);
    assert_eq!(found.records, games);
    assert_eq!(fleet.hub.accepted("worker-1"), 8);
    assert_eq!(fleet.hub.refused("worker-1", "game not ordered"), 6);
}

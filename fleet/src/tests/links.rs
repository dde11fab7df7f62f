//! What lies between workers and the broker fails: connections are cut and slow, and the broker is full.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use garuda_run::Stop;

use super::{Fleet, has_server, local_games, plan, wait_for};
use crate::names::{GAMES, GAMES_PER_MESSAGE};

/// Passes bytes between a worker and the broker, as long as it is told to.
struct Wire {
    address: SocketAddr,
    state: Arc<Mutex<WireState>>,
}

#[derive(Default)]
struct WireState {
    is_cut: bool,
    /// Whether bytes are kept back, as by a network that drops packets: nobody is told.
    is_silent: bool,
    streams: Vec<TcpStream>,
}

impl Wire {
    /// `pause` is how long every few kilobytes take.
    fn to(broker: String, pause: Duration) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(WireState::default()));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for near in listener.incoming() {
                let near = near.unwrap();
                let mut state = shared.lock().unwrap();
                if state.is_cut {
                    continue;
                }
                let Ok(far) = TcpStream::connect(&broker) else {
                    continue;
                };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || pass(from, to, pause, &shared));
                }
                state.streams.extend([near, far]);
            }
        });
        Wire { address, state }
    }

    fn url(&self) -> String {
        format!("tls://{}", self.address)
    }

    fn cut(&self) {
        let mut state = self.state.lock().unwrap();
        state.is_cut = true;
        for stream in state.streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn silence(&self) {
        self.state.lock().unwrap().is_silent = true;
    }

    fn mend(&self) {
        let mut state = self.state.lock().unwrap();
        (state.is_cut, state.is_silent) = (false, false);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, pause: Duration, wire: &Mutex<WireState>) {
    let mut bytes = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        thread::sleep(pause);
        while wire.lock().unwrap().is_silent {
            thread::sleep(Duration::from_millis(10));
        }
        if to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

impl Fleet {
    fn broker(&self) -> String {
        fs::read_to_string(self.run().join("broker/address")).unwrap()
    }

    /// Messages that lie in a worker's spool.
    fn spooled(&self, worker: &str) -> usize {
        let Ok(files) = fs::read_dir(self.spool(worker)) else {
            return 0;
        };
        files
            .filter(|file| {
                let path = file.as_ref().unwrap().path();
                path.extension().is_some_and(|e| e == "games")
            })
            .count()
    }

    fn has_spooled(&self, worker: &str) -> bool {
        self.spooled(worker) > 0
    }
}

#[test]
fn a_worker_that_is_cut_off_keeps_its_games_and_comes_back() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    let wire = Wire::to(fleet.broker(), Duration::ZERO);
    let stop = Stop::after(None);
    let playing = fleet.play(plan(0), 500);
    let worker = fleet.spawn_worker_at(wire.url(), "worker-1", &stop);
    wait_for("a game", || fleet.hub.accepted("worker-1") > 0);
    wire.cut();
    wait_for("a game that is kept", || fleet.has_spooled("worker-1"));
    wire.mend();
    let found = fleet.end(playing);
    assert_eq!(found.records, local_games(&plan(0), 500));
    stop.signal();
    let summary = worker.join().unwrap().unwrap();
    assert_eq!(summary.spooled, 0);
}

#[test]
fn a_worker_whose_packets_vanish_keeps_its_games_and_comes_back() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    let wire = Wire::to(fleet.broker(), Duration::ZERO);
    let stop = Stop::after(None);
    let playing = fleet.play(plan(0), 500);
    let worker = fleet.spawn_worker_at(wire.url(), "worker-1", &stop);
    wait_for("a game", || fleet.hub.accepted("worker-1") > 0);
    wire.silence();
    wait_for("a game that is kept", || fleet.has_spooled("worker-1"));
    // It ends with what it has leased: there is no one who could give it more.
    let state = || {
        let accepted = fleet.hub.accepted("worker-1");
        (fleet.spooled("worker-1"), accepted)
    };
    thread::sleep(Duration::from_secs(6));
    let before = state();
    thread::sleep(Duration::from_secs(2));
    assert_eq!(state(), before);
    assert!(before.1 < 500, "{before:?}");
    wire.mend();
    let found = fleet.end(playing);
    assert_eq!(found.records, local_games(&plan(0), 500));
    stop.signal();
    let summary = worker.join().unwrap().unwrap();
    assert_eq!(summary.spooled, 0);
}

#[test]
fn a_slow_connection_is_enough() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    let wire = Wire::to(fleet.broker(), Duration::from_millis(50));
    let stop = Stop::after(None);
    let playing = fleet.play(plan(0), 50);
    let worker = fleet.spawn_worker_at(wire.url(), "worker-1", &stop);
    assert_eq!(fleet.end(playing).records, local_games(&plan(0), 50));
    stop.signal();
    worker.join().unwrap().unwrap();
}

#[test]
fn a_full_broker_leaves_games_with_the_workers() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    let playing = fleet.play(plan(0), 500);
    fleet.wait_for_plan(&fleet.client("worker-1"));
    let jetstream = fleet.jetstream();
    let limit = |bytes: i64| {
        fleet.runtime.block_on(async {
            let stream = jetstream.get_stream(GAMES).await.unwrap();
            let mut config = stream.cached_info().config.clone();
            let before = config.max_bytes;
            config.max_bytes = bytes;
            jetstream.update_stream(config).await.unwrap();
            before
        })
    };
    let before = limit(1);
    let stop = Stop::after(None);
    let worker = fleet.spawn_limited("worker-1", &stop, 1);
    wait_for("a game that is kept", || fleet.has_spooled("worker-1"));
    // Its spool is full as well: it plays what it has leased, and no more.
    let missing = || fleet.hub.summary().missing;
    let mut kept = 0;
    wait_for("the end of its games", || {
        let before = kept;
        thread::sleep(Duration::from_secs(1));
        kept = fleet.spooled("worker-1");
        kept == before
    });
    assert_eq!((fleet.hub.accepted("worker-1"), missing()), (0, 500));
    assert!(kept < 500 / GAMES_PER_MESSAGE, "{kept} messages");
    limit(before);
    assert_eq!(fleet.end(playing).records, local_games(&plan(0), 500));
    stop.signal();
    worker.join().unwrap().unwrap();
}

//! What lies between workers and the broker fails: connections are cut and slow, and the broker is full.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use async_nats::ConnectOptions;
use garuda_run::Stop;

use super::{Fleet, has_server, local_games, plan, wait_for};
use crate::keys::trainer_key;
use crate::names::GAMES;
use crate::registry::BrokerDir;
use crate::tls::secured;

/// Passes bytes between a worker and the broker, as long as it is told to.
struct Wire {
    address: SocketAddr,
    state: Arc<Mutex<WireState>>,
}

#[derive(Default)]
struct WireState {
    is_cut: bool,
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
                    thread::spawn(move || pass(from, to, pause));
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

    fn mend(&self) {
        self.state.lock().unwrap().is_cut = false;
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, pause: Duration) {
    let mut bytes = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        thread::sleep(pause);
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

    fn has_spooled(&self, worker: &str) -> bool {
        let spool = fs::read_dir(self.spool(worker));
        spool.is_ok_and(|mut files| {
            files.any(|file| {
                file.unwrap()
                    .path()
                    .extension()
                    .is_some_and(|e| e == "games")
            })
        })
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
    let playing = fleet.play(plan(0), 50);
    fleet.wait_for_plan(&fleet.client("worker-1"));
    let broker = BrokerDir::of(&fleet.run());
    let trainer = trainer_key(&broker.file("trainer.nk")).unwrap();
    let options = ConnectOptions::with_nkey(trainer.seed().unwrap());
    let options = secured(options, broker.read_ca().unwrap().as_deref()).unwrap();
    let limit = |bytes: i64| {
        fleet.runtime.block_on(async {
            let client = options.clone().connect(fleet.url()).await.unwrap();
            let jetstream = async_nats::jetstream::new(client);
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
    let worker = fleet.spawn_worker("worker-1", &stop);
    wait_for("a game that is kept", || fleet.has_spooled("worker-1"));
    thread::sleep(Duration::from_millis(300));
    assert_eq!(fleet.hub.accepted("worker-1"), 0);
    limit(before);
    assert_eq!(fleet.end(playing).records, local_games(&plan(0), 50));
    stop.signal();
    worker.join().unwrap().unwrap();
}

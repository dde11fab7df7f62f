//! Runs whose games are played by several processes, through a real broker.

use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::accidents::delays;
use super::scratch::{Scratch, errors, games, garuda, newest, signal, wait_for, weights};

/// A network that computes the same everywhere.
const SETTINGS: [&str; 7] = [
    "network.kind=sparse",
    "network.width=32",
    "machine.phases=alternate",
    "machine.shards=1",
    "bootstrap.positions=1500",
    "checkpoint.positions=1500",
    "evaluation.games=0",
];

fn settings() -> Vec<&'static str> {
    (SETTINGS.iter())
        .flat_map(|setting| ["--set", setting])
        .collect()
}

/// Says so where there is no server to test with.
fn has_server() -> bool {
    let server = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    let found = server.is_some_and(|path| path.is_file());
    if !found {
        eprintln!(
            "skipped: nats-server is not there (python3 scripts/setup/native.py nats-server)"
        );
    }
    found
}

/// A trainer that other processes can play for, on a port where they find it again after a restart.
fn listening(scratch: &Scratch, name: &str, port: u16, arguments: &[&str]) -> Child {
    let address = format!("127.0.0.1:{port}");
    let listen = ["--listen", &address, "--json"];
    let arguments = [&settings()[..], &listen, arguments].concat();
    let mut command = scratch.train(name, &arguments);
    // Nobody reads it, and a full pipe would stop the trainer.
    command.stderr(Stdio::null());
    command.spawn().unwrap()
}

/// The broker's address, once it can be reached.
fn address(run: &Path) -> String {
    let file = run.join("broker/address");
    wait_for("the broker", || file.exists());
    format!("tls://{}", fs::read_to_string(file).unwrap())
}

fn worker(scratch: &Scratch, run: &Path, name: &str) -> Child {
    let key = run.join(format!("broker/keys/{name}.nk"));
    wait_for("the key", || key.exists());
    garuda()
        .args(["worker", &address(run), "--cores", "1", "--json", "--key"])
        .arg(key)
        .arg("--spool")
        .arg(scratch.path(&format!("spool-{name}")))
        .spawn()
        .unwrap()
}

fn summary(output: &Output) -> Value {
    assert!(output.status.success(), "{}", errors(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn invite(run: &Path, name: &str) {
    let mut command = garuda();
    let output = command.arg("fleet").arg(run).args(["invite", name]);
    let output = output.output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
}

/// The names of the workers of these tests.
const WORKERS: [&str; 2] = ["worker-1", "node-2"];

#[test]
fn a_fleet_writes_the_records_of_one_machine() {
    if !has_server() {
        return;
    }
    let scratch = Scratch::new();
    let run = scratch.path("fleet");
    let port = free_port();
    // Alone at first, so that both workers play however slowly they start.
    let trainer = listening(&scratch, "fleet", port, &["--workers-only"]);
    address(&run);
    invite(&run, WORKERS[1]);
    let workers = WORKERS.map(|name| worker(&scratch, &run, name));
    wait_for("a game of each worker", || {
        let games = sent_games(&run);
        WORKERS.map(|name| games.values().any(|worker| worker == name)) == [true; 2]
    });
    signal(&trainer, "-TERM");
    let summary_of = |child: Child| summary(&child.wait_with_output().unwrap());
    summary_of(trainer);
    // Then together with the trainer's own shard.
    let target = newest(&run).map_or(2, |number| number + 2);
    let checkpoints = ["--checkpoints", &target.to_string()];
    let trained = summary_of(listening(&scratch, "fleet", port, &checkpoints));
    for worker in workers {
        signal(&worker, "-TERM");
        assert!(summary_of(worker)["sent"].as_u64() > Some(0));
    }
    let straight = scratch.trained("straight", &[&settings()[..], &checkpoints].concat());
    println!(
        "{} of {} games sent",
        sent_games(&run).len(),
        trained["games"]
    );
    assert_eq!(trained["games"], straight["games"]);
    assert_eq!(games(&run), games(&scratch.path("straight")));
    assert_eq!(
        weights(&run, target),
        weights(&scratch.path("straight"), target)
    );
}

/// How often something is killed, unless `GARUDA_KILL_ROUNDS` says how often.
const KILL_ROUNDS: usize = 30;

/// What is killed in a round.
#[derive(Copy, Clone, Debug)]
enum Victim {
    Worker(usize),
    Broker,
    /// The broker, and all that it has on its disk.
    BrokerAndDisk,
    Trainer,
}

const VICTIMS: [Victim; 6] = [
    Victim::Worker(0),
    Victim::Broker,
    Victim::Worker(1),
    Victim::Trainer,
    Victim::BrokerAndDisk,
    Victim::Worker(0),
];

/// The games that workers sent and that were taken, by checkpoint and number, with the worker.
fn sent_games(run: &Path) -> BTreeMap<(u32, u64), String> {
    let text = fs::read_to_string(run.join("intake.jsonl")).unwrap_or_default();
    let mut games = BTreeMap::new();
    for line in text.lines() {
        // The last one may be torn.
        let Ok(event) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        if event["event"] == "accepted" {
            let checkpoint = event["checkpoint"].as_u64().unwrap() as u32;
            let worker = event["worker"].as_str().unwrap();
            for number in event["numbers"].as_array().unwrap() {
                let game = (checkpoint, number.as_u64().unwrap());
                games.insert(game, worker.to_owned());
            }
        }
    }
    games
}

/// Waits until workers have sent something since, for a few seconds at most: a trainer that is killed
/// before anyone found it again shows little.
fn wait_for_workers(run: &Path, known: usize) {
    let started = Instant::now();
    while sent_games(run).len() <= known && started.elapsed() < Duration::from_secs(5) {
        thread::sleep(Duration::from_millis(50));
    }
}

fn kill_broker(run: &Path) {
    if let Ok(pid) = fs::read_to_string(run.join("broker/pid")) {
        // It may have ended with its trainer.
        let _ = Command::new("kill").args(["-9", pid.trim()]).output();
    }
}

#[test]
fn killed_at_any_moment_a_fleet_becomes_what_it_would_have_been() {
    if !has_server() {
        return;
    }
    let rounds = std::env::var("GARUDA_KILL_ROUNDS");
    let rounds = rounds.map_or(KILL_ROUNDS, |rounds| rounds.parse().unwrap());
    let scratch = Scratch::new();
    let run = scratch.path("killed");
    // All games are played by workers: the trainer would be done with most before they found it again.
    let port = free_port();
    let start = |arguments: &[&str]| {
        let arguments = [&["--workers-only"], arguments].concat();
        listening(&scratch, "killed", port, &arguments)
    };
    let mut trainer = start(&[]);
    address(&run);
    invite(&run, WORKERS[1]);
    let mut workers = WORKERS.map(|name| worker(&scratch, &run, name));
    let mut known = BTreeMap::new();
    let mut checkpoint = None;
    for (round, delay) in delays(5).take(rounds).enumerate() {
        thread::sleep(delay);
        let victim = VICTIMS[round % VICTIMS.len()];
        match victim {
            Victim::Worker(i) => {
                kill(&mut workers[i]);
                workers[i] = worker(&scratch, &run, WORKERS[i]);
            }
            Victim::Broker => kill_broker(&run),
            Victim::BrokerAndDisk => {
                kill_broker(&run);
                let _ = fs::remove_dir_all(run.join("broker/data"));
            }
            Victim::Trainer => {
                kill(&mut trainer);
                // Nothing that was there is gone or changed, and all of it is sound.
                let now = games(&run);
                let is_kept = |(game, name)| now.get(game) == Some(name);
                assert!(known.iter().all(is_kept), "round {round}");
                known = now;
                let newest = newest(&run);
                assert!(newest >= checkpoint, "round {round}: {newest:?}");
                checkpoint = newest;
                let sent = sent_games(&run).len();
                trainer = start(&[]);
                wait_for_workers(&run, sent);
            }
        }
    }
    kill(&mut trainer);
    let target = newest(&run).map_or(1, |number| number + 1);
    let target_text = target.to_string();
    let limit = [&settings()[..], &["--checkpoints", &target_text]].concat();
    assert!(
        start(&["--checkpoints", &target_text])
            .wait()
            .unwrap()
            .success()
    );
    for worker in workers {
        signal(&worker, "-TERM");
        summary(&worker.wait_with_output().unwrap());
    }
    let (sent, all) = (sent_games(&run), games(&run));
    println!("{rounds} rounds, {target} checkpoints, {} games", all.len());
    assert!(all.keys().all(|game| sent.contains_key(game)));
    scratch.trained("straight", &limit);
    let straight = scratch.path("straight");
    assert_eq!(all, games(&straight));
    assert_eq!(weights(&run, target), weights(&straight, target));
    // The broker of the last trainer has ended with it.
    wait_for("the end of the broker", || free(port));
}

fn kill(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

#[test]
fn mistakes_are_told_in_a_sentence() {
    if !has_server() {
        return;
    }
    let scratch = Scratch::new();
    let failed = |mut command: Command, expected: &str| {
        let output = command.output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(1),
            "{expected}: {}",
            errors(&output)
        );
        assert!(errors(&output).contains(expected), "{}", errors(&output));
    };
    let fleet = |run: &Path, arguments: &[&str]| {
        let mut command = garuda();
        command.arg("fleet").arg(run).args(arguments);
        command
    };
    let work_with = |address: &str, key: &Path, spool: &Path| {
        let mut command = garuda();
        command.args(["worker", address, "--key"]).arg(key);
        command.arg("--spool").arg(spool);
        command
    };
    let spool = scratch.path("spool");
    let work = |address: &str, key: &Path| work_with(address, key, &spool);
    // Before there is anything.
    failed(fleet(&scratch.path("none"), &["list"]), "is not a run");
    let arguments = [&settings()[..], &["--checkpoints", "1", "--games", "1"]].concat();
    scratch.trained("run", &arguments);
    let run = scratch.path("run");
    failed(fleet(&run, &["list"]), "has no workers yet");
    failed(
        work("tls://127.0.0.1:9", &scratch.path("no.nk")),
        "cannot read the key",
    );
    fs::write(scratch.path("bad.nk"), "seed = 'SUAsecret'\nrun = 1").unwrap();
    let mut bad = work("tls://127.0.0.1:9", &scratch.path("bad.nk"));
    let output = bad.output().unwrap();
    assert!(
        errors(&output).contains("is not the key of a worker"),
        "{}",
        errors(&output)
    );
    assert!(
        !errors(&output).contains("SUAsecret"),
        "{}",
        errors(&output)
    );

    invite(&run, "node");
    failed(
        fleet(&run, &["invite", "node"]),
        "there is a worker node already",
    );
    failed(fleet(&run, &["revoke", "nobody"]), "has no worker nobody");
    let key = run.join("broker/keys/node.nk");
    failed(work("a b", &key), "is no address of a broker");
    // An address where nobody listens is tried for a while: what follows runs meanwhile.
    let closed = format!("tls://127.0.0.1:{}", free_port());
    let mut unreachable = work_with(&closed, &key, &scratch.path("kept"));
    let unreachable = unreachable.spawn().unwrap();
    // Places where nobody may write or read, not even root.
    failed(
        work_with(&closed, &key, "/proc/spool".as_ref()),
        "cannot create directory /proc/spool",
    );
    failed(work("tls://127.0.0.1:9", &run), "cannot read the key");
    // An address that someone else uses.
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let arguments = [&settings()[..], &["--listen", &listen]].concat();
    failed(scratch.train("run", &arguments), "cannot listen on");
    // One that is not of this machine.
    let arguments = [&settings()[..], &["--listen", "192.0.2.1:4222"]].concat();
    failed(scratch.train("run", &arguments), "cannot listen on");
    // The key of another run, as it is and with the authority of this one.
    let trainer = listening(&scratch, "fleet", free_port(), &[]);
    let listens = scratch.path("fleet");
    let address = address(&listens);
    failed(work(&address, &key), "is not the one that the key is for");
    let authority = |key: &str| key[key.find("ca = ").unwrap()..].to_owned();
    let (other, own) = (
        fs::read_to_string(&key).unwrap(),
        fs::read_to_string(listens.join("broker/keys/worker-1.nk")).unwrap(),
    );
    let mixed = scratch.path("mixed.nk");
    fs::write(&mixed, other.replace(&authority(&other), &authority(&own))).unwrap();
    failed(work(&address, &mixed), "does not accept the key");
    let output = unreachable.wait_with_output().unwrap();
    let text = errors(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("cannot reach the broker at"), "{text}");
    signal(&trainer, "-TERM");
    summary(&trainer.wait_with_output().unwrap());
}

/// Starts a broker that is not the trainer's.
fn serve(scratch: &Scratch, port: u16, more: &str) -> Child {
    let store = scratch.path("store");
    let head = format!(
        "listen: \"127.0.0.1:{port}\"\nmax_payload: 2MB\njetstream {{ store_dir: {store:?} }}\n"
    );
    let config = scratch.path("outside.conf");
    fs::write(&config, format!("{head}{more}")).unwrap();
    let server = std::env::var_os("NATS_SERVER").unwrap();
    let mut command = Command::new(server);
    let server = command.arg("--config").arg(&config).stderr(Stdio::null());
    let server = server.spawn().unwrap();
    wait_for("the broker", || {
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    server
}

/// A worker of an outside broker's run.
fn outside_worker(scratch: &Scratch, run: &Path, url: &str) -> Child {
    (garuda().args(["worker", url, "--cores", "1", "--json", "--key"]))
        .arg(run.join("broker/keys/worker-1.nk"))
        .arg("--spool")
        .arg(scratch.path("spool"))
        .spawn()
        .unwrap()
}

#[test]
fn a_broker_that_others_run_will_do() {
    if !has_server() {
        return;
    }
    let scratch = Scratch::new();
    let run = scratch.path("fleet");
    let port = free_port();
    let url = format!("nats://127.0.0.1:{port}");
    let arguments = [&settings()[..], &["--checkpoints", "1"]].concat();
    let outside = [&arguments[..], &["--nats", &url, "--json"]].concat();
    let train = |more: &[&str]| scratch.train("fleet", &[&outside[..], more].concat());
    // A broker that is not there, and one that was not told of the run.
    let refused = |reason: &str| {
        let output = train(&[]).output().unwrap();
        let text = errors(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        for expected in [reason, "cannot connect to the broker", "accounts.conf"] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    };
    refused("Connection refused");
    let serve = |more: &str| serve(&scratch, port, more);
    let mut server = serve("authorization { token: secret }\n");
    refused("authorization violation");
    kill(&mut server);
    let mut server = serve("include fleet/broker/accounts.conf\n");
    let trainer = train(&["--workers-only"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let worker = outside_worker(&scratch, &run, &url);
    let summary_of = |child: Child| summary(&child.wait_with_output().unwrap());
    summary_of(trainer);
    signal(&worker, "-TERM");
    summary_of(worker);
    kill(&mut server);
    scratch.trained("straight", &arguments);
    assert_eq!(games(&run), games(&scratch.path("straight")));
}

/// With a broker that has a disk of its own.
#[test]
fn a_trainer_whose_disk_is_full_loses_no_games() {
    if !has_server() {
        return;
    }
    let scratch = Scratch::new();
    let run = scratch.path("fleet");
    let port = free_port();
    let url = format!("nats://127.0.0.1:{port}");
    let settings = settings();
    let outside = ["--nats", &url, "--workers-only"];
    let train = |checkpoints: &str| {
        let limit = ["--checkpoints", checkpoints];
        scratch.train("fleet", &[&settings[..], &outside, &limit].concat())
    };
    // Writes what the broker needs to know of the run.
    assert_eq!(train("1").output().unwrap().status.code(), Some(1));
    let mut server = serve(&scratch, port, "include fleet/broker/accounts.conf\n");
    let mut worker = outside_worker(&scratch, &run, &url);
    let output = train("1").output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let before = (games(&run), weights(&run, 1));

    // No file may be longer than a few kilobytes: as good as a full disk.
    let trained = train("2");
    let output = Command::new("bash")
        .args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$@\"", "bash"])
        .arg(trained.get_program())
        .args(trained.get_args())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    let text = errors(&output);
    assert!(text.contains("cannot write"), "{text}");
    assert_eq!(newest(&run), Some(1));
    assert_eq!(weights(&run, 1), before.1);
    let kept = games(&run);
    let is_kept = |(game, name)| kept.get(game) == Some(name);
    assert!(before.0.iter().all(is_kept));
    // The worker waits meanwhile.
    assert!(worker.try_wait().unwrap().is_none());

    let output = train("2").output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    signal(&worker, "-TERM");
    summary(&worker.wait_with_output().unwrap());
    kill(&mut server);
    let straight = [&settings[..], &["--checkpoints", "2"]].concat();
    scratch.trained("straight", &straight);
    assert_eq!(games(&run), games(&scratch.path("straight")));
    assert_eq!(weights(&run, 2), weights(&scratch.path("straight"), 2));
}

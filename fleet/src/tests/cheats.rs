//! Workers that send games which they did not play as the plan says.

use garuda_model::{Network, NetworkError};
use garuda_rules::tori::ToriPosition;
use garuda_run::config::Config;
use garuda_run::{FleetStatus, FleetTrust, RunDir, Stop};
use garuda_selfplay::generate::{Plan, PlanSpec};

use super::{Fleet, Gathered, has_server, local_games, local_games_with, name, plan, wait_for};
use crate::trainer::{NEW_SHARE, PROVEN_AFTER, PROVEN_SHARE};
use crate::worker::Cheat;

/// The number of false games after which a worker has been found, but for a chance of 1 in a million.
fn bound(share: f64) -> u64 {
    (1e-6f64.ln() / (1.0 - share).ln()).ceil() as u64
}

/// A plan whose games a network plays.
fn network_plan() -> (Plan<ToriPosition>, Vec<Network>) {
    let settings = [
        "game.rules=torishogi",
        "search.simulations=[8]",
        "search.simulations_from=[0]",
        "search.cheap_simulations=4",
        "selfplay.parallel_games=4",
    ];
    let config = Config::parse("test", "", &settings.map(str::to_owned)).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../nets/torishogi.safetensors");
    let network = Network::read(path.as_ref()).unwrap();
    (Plan::new(PlanSpec::new(config, 1, &[], 0)), vec![network])
}

fn other_moves(spec: &mut PlanSpec, _: &mut [Network]) {
    spec.config.selfplay.temperature *= 0.5;
}

fn fewer_simulations(spec: &mut PlanSpec, _: &mut [Network]) {
    for simulations in &mut spec.config.search.simulations {
        *simulations -= 1;
    }
}

fn other_network(_: &mut PlanSpec, networks: &mut [Network]) {
    let mut bytes = networks[0].bytes().to_vec();
    // The lower halves of some weights.
    let middle = bytes.len() / 4 * 2;
    for i in (0..20_000).step_by(2) {
        bytes[middle + i] ^= 0x1f;
    }
    // With a hash that is right.
    let Err(NetworkError::Hash { expected, found }) = Network::from_bytes(&bytes) else {
        panic!("the network is not another one");
    };
    let mut texts = bytes.windows(expected.len());
    let at = texts.position(|text| text == expected.as_bytes()).unwrap();
    bytes[at..at + found.len()].copy_from_slice(found.as_bytes());
    networks[0] = Network::from_bytes(&bytes).unwrap();
}

#[test]
fn cheats_are_found_and_their_games_withdrawn() {
    if !has_server() {
        return;
    }
    let cheats: [(&str, Cheat); 3] = [
        ("other moves", other_moves),
        ("fewer simulations", fewer_simulations),
        ("another network", other_network),
    ];
    let (plan, networks) = network_plan();
    let expected = local_games_with(&plan, &networks, 40);
    for (what, cheat) in cheats {
        let mut fleet = Fleet::start(0);
        fleet.invite("honest");
        let stop = Stop::after(None);
        let honest = fleet.spawn_worker("honest", &stop);
        let liar = fleet.spawn_cheat("worker-1", &stop, Some(cheat));
        let playing = fleet.play_with(plan.clone(), networks.clone(), 40, Gathered::default());
        let found = fleet.end(playing);
        let error = liar.join().unwrap().unwrap_err().to_string();
        assert!(error.contains("no longer accepts the key"), "{error}");
        assert_eq!(found.records, expected, "{what}");
        stop.signal();
        honest.join().unwrap().unwrap();

        let run = RunDir::open(&fleet.run()).unwrap();
        wait_for("the summary", || {
            let status = FleetStatus::read(&run.fleet()).unwrap().unwrap();
            let [liar, honest] = &status.workers[..] else {
                panic!("{status:?}");
            };
            assert_eq!((honest.checks_failed, honest.withdrawn), (0, 0));
            (liar.trust, liar.accepted) == (FleetTrust::Revoked, 0) && honest.checks_passed > 0
        });
        let status = fleet.hub.summary();
        println!("{what}: {:?}", status.workers[0]);
        assert_eq!(status.workers[0].checks_failed, 1);
        assert!(status.workers[0].withdrawn < bound(NEW_SHARE));
        assert!(crate::list(&fleet.run()).unwrap().workers[0].revoked);
    }
}

/// The formula of docs/fleet.md.
#[test]
fn the_documented_numbers_of_games_are_right() {
    assert_eq!((bound(NEW_SHARE), bound(PROVEN_SHARE)), (132, 1375));
    assert_eq!(PROVEN_AFTER, 50);
}

#[test]
fn games_of_a_worker_that_is_revoked_are_withdrawn() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    let stop = Stop::after(None);
    let worker = fleet.spawn_worker("worker-1", &stop);
    let playing = fleet.play(plan(0), 300);
    wait_for("games", || fleet.hub.accepted("worker-1") >= 20);
    // Restarted, the trainer still knows whose games it has.
    let found = fleet.stop(playing);
    stop.signal();
    worker.join().unwrap().unwrap();
    let taken = found.records.len();
    assert!(taken >= 20);
    let mut fleet = fleet.restart(1);
    assert_eq!(fleet.hub.accepted("worker-1"), taken as u64);
    crate::revoke(&fleet.run(), &name("worker-1")).unwrap();
    wait_for("the trainer's notice", || {
        fleet.hub.is_revoked(&name("worker-1"))
    });
    let playing = fleet.play_with(plan(0), Vec::new(), 300, found);
    let found = fleet.end(playing);
    assert_eq!(found.records, local_games(&plan(0), 300));
    assert_eq!(fleet.hub.accepted("worker-1"), 0);
    assert_eq!(fleet.hub.summary().workers[0].withdrawn, taken as u64);
    assert!(fleet.hub.summary().local >= taken as u64);
}

#[test]
fn a_worker_that_is_revoked_while_games_are_played_loses_them() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(1);
    let playing = fleet.play(plan(0), 1_000_000);
    let worker = fleet.spawn_worker("worker-1", &Stop::after(None));
    wait_for("games", || fleet.hub.accepted("worker-1") >= 20);
    crate::revoke(&fleet.run(), &name("worker-1")).unwrap();
    worker.join().unwrap().unwrap_err();
    wait_for("the withdrawal", || {
        fleet.hub.summary().workers[0].withdrawn >= 20
    });
    // The lowest numbers are played first: those of the worker again.
    let before = fleet.hub.summary();
    let again = before.local + before.workers[0].withdrawn + 50;
    wait_for("games", || fleet.hub.summary().local >= again);
    let found = fleet.stop(playing);
    assert_eq!(found.records[..200], local_games(&plan(0), 200));
    assert_eq!(fleet.hub.accepted("worker-1"), 0);
}

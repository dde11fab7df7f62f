//! Messages that are not what they should be: each is refused by name, and harms nothing.

use garuda_rules::Outcome;
use garuda_run::records::{GameRecord, encode_record_file};

use super::{Fleet, has_server, local_games, name, plan, wait_for};
use crate::accept::MAX_RATE;
use crate::names::{MAX_MESSAGE, games_subject};
use crate::plan::PlanHash;

#[test]
fn bad_messages_are_refused_by_name() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    fleet.invite("other");
    let games = local_games(&plan(0), 8);
    let elsewhere = local_games(&plan(1), 8);
    let file = |records: &[GameRecord]| encode_record_file(records).unwrap();
    let client = fleet.client("worker-1");

    // A plan that is over, for messages that come late.
    let playing = fleet.play(plan(1), 8);
    let late_plan = fleet.hub.plans().current.unwrap();
    fleet.stop(playing);

    let playing = fleet.play(plan(0), 6);
    // What is sent before the broker has its streams is lost.
    fleet.wait_for_plan(&client);
    let current = fleet.hub.plans().current.unwrap();
    for number in 0..4 {
        assert_eq!(fleet.lease("worker-1", current, 1), [number]);
    }
    assert_eq!(fleet.lease("other", current, 1), [4]);
    let sealed = |plan: PlanHash, records: &[u8]| fleet.sealed("worker-1", plan, records);
    let good = sealed(current, &file(&games[..1]));
    let flipped = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 4;
        bytes
    };
    // A file that says of itself that it unpacks to a gigabyte, with a checksum that is right.
    let bomb = |claim: u32| {
        let mut bytes = file(&games[..1]);
        bytes[40..44].copy_from_slice(&claim.to_le_bytes());
        let hash = blake3::hash(&bytes[40..]);
        bytes[8..40].copy_from_slice(hash.as_bytes());
        bytes
    };
    let mut damaged = file(&games[..1]);
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    // It ends where the rules do not end it.
    let outcome = Outcome {
        winner: games[0].winner(),
        termination: games[0].termination().unwrap(),
    };
    let decisions: Vec<_> = games[0].decisions().collect();
    let shorter = &decisions[..decisions.len() - 1];
    let shorter = GameRecord::new(games[0].head(), shorter, outcome).unwrap();
    let mut many = Vec::new();
    while many.len() < 65 {
        many.extend(games.iter().cloned());
    }
    let cases = [
        ("not a message with games", b"hello".to_vec()),
        ("not a message with games", Vec::new()),
        ("too large", vec![0; MAX_MESSAGE + 1000]),
        ("wrong signature", flipped(9)),
        ("wrong signature", flipped(good.len() - 1)),
        (
            "wrong signature",
            fleet.sealed("other", current, &file(&games[..1])),
        ),
        ("late", sealed(late_plan, &file(&elsewhere[..1]))),
        ("other plan", sealed(PlanHash::of(b"x"), &file(&games[..1]))),
        ("unreadable", sealed(current, b"garbage")),
        ("unreadable", sealed(current, &damaged)),
        ("unreadable", sealed(current, &bomb(1 << 30))),
        ("unreadable", sealed(current, &bomb(16 << 20))),
        ("number of games", sealed(current, &file(&many))),
        ("number of games", sealed(current, &file(&[]))),
        (
            "game twice",
            sealed(current, &file(&[games[0].clone(), games[0].clone()])),
        ),
        // Games of another seed, or of another number.
        ("wrong start", sealed(current, &file(&elsewhere[..1]))),
        ("impossible game", sealed(current, &file(&[shorter]))),
        ("game not leased", sealed(current, &file(&games[4..5]))),
        ("game not ordered", sealed(current, &file(&games[7..8]))),
    ];
    for (reason, bytes) in cases {
        let before = fleet.hub.refused("worker-1", reason);
        fleet.send(&client, "worker-1", bytes);
        wait_for(reason, || {
            fleet.hub.refused("worker-1", reason) == before + 1
        });
    }
    assert_eq!(fleet.hub.accepted("worker-1"), 0);

    // What is sound is taken all the same, and once.
    for round in 0..3 {
        fleet.send(&client, "worker-1", good.clone());
        wait_for("the game", || {
            fleet.hub.refused("worker-1", "game known already") == round
        });
    }
    wait_for("the games", || fleet.hub.accepted("worker-1") == 1);
    assert_eq!(fleet.hub.accepted("other"), 0);
    fleet.send(&client, "worker-1", sealed(current, &file(&games[1..4])));
    let other = fleet.client("other");
    let rest = fleet.sealed("other", current, &file(&games[4..6]));
    fleet.send(&other, "other", rest);
    let found = fleet.end(playing);
    assert_eq!(found.records, games[..6]);
    assert_eq!(found.flushed, 6);
    assert!(fleet.hub.registry().find(&name("other")).is_some());
}

#[test]
fn a_worker_that_sends_too_fast_waits() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    let client = fleet.client("worker-1");
    let playing = fleet.play(plan(0), 4);
    fleet.wait_for_plan(&client);
    let current = fleet.hub.plans().current.unwrap();
    let message = fleet.sealed("worker-1", current, b"garbage");
    let subject = games_subject(&fleet.hub.registry().run, "worker-1");
    fleet.runtime.block_on(async {
        for _ in 0..2 * MAX_RATE {
            let (subject, message) = (subject.clone(), message.clone().into());
            client.publish(subject, message).await.unwrap();
        }
        client.flush().await.unwrap();
    });
    wait_for("the refusal", || {
        fleet.hub.refused("worker-1", "too fast") > 0
    });
    // Its other messages are taken later.
    for number in 0..4 {
        assert_eq!(fleet.lease("worker-1", current, 1), [number]);
    }
    let games = local_games(&plan(0), 4);
    let records = encode_record_file(&games).unwrap();
    let message = fleet.sealed("worker-1", current, &records);
    fleet.send(&client, "worker-1", message);
    assert_eq!(fleet.end(playing).records, games);
}

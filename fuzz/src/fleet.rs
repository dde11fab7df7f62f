//! Messages with games that come from other machines.

use std::fs;
use std::sync::OnceLock;

use garuda_fleet::testing::read_messages;
use garuda_fleet::{
    KnownPlans, Name, PlanHash, RegisteredWorker, Registry, WorkerKey, check_games, check_sender,
    seal,
};
use garuda_rules::tori::ToriPosition;
use garuda_run::config::Config;
use garuda_selfplay::generate::{Plan, PlanSpec};
use nkeys::{KeyPair, KeyPairType};

use crate::run_files::scratch;

struct Receiver {
    key: KeyPair,
    worker: Name,
    registry: Registry,
    plans: KnownPlans,
    hash: PlanHash,
    plan: Plan<ToriPosition>,
}

fn receiver() -> &'static Receiver {
    static RECEIVER: OnceLock<Receiver> = OnceLock::new();
    RECEIVER.get_or_init(|| {
        let key = KeyPair::new_from_raw(KeyPairType::User, [7; 32]).expect("any bytes are a key");
        let worker: Name = "worker".parse().expect("a name");
        let settings = ["game.rules=torishogi".to_owned()];
        let config = Config::parse("fuzz", "", &settings).expect("sound settings");
        let hash = PlanHash::of(b"plan");
        Receiver {
            registry: Registry {
                run: "run".parse().expect("a name"),
                workers: vec![RegisteredWorker {
                    name: worker.clone(),
                    key: key.public_key(),
                    revoked: false,
                }],
            },
            key,
            worker,
            plans: KnownPlans {
                current: Some(hash),
                previous: None,
            },
            hash,
            plan: Plan::new(PlanSpec::new(config, 0, &[], 0)),
        }
    })
}

/// Messages about games, plans, and the files that say who may send them: refused, or what they say
/// is done without harm.
pub fn messages(input: &[u8]) {
    let to = receiver();
    read_messages(input, &to.worker, &to.registry);
    let directory = scratch();
    let key = directory.join("worker.nk");
    fs::write(&key, input).expect("there is room");
    if let Err(error) = WorkerKey::read(&key) {
        assert!(!error.to_string().is_empty());
    }
    if let Ok(registry) = serde_json::from_slice::<Registry>(input) {
        let hash = PlanHash::of(input);
        let plans = KnownPlans {
            current: Some(hash),
            previous: None,
        };
        // A key that was never invited, or is none.
        let message = seal(&to.key, &to.registry.run, &to.worker, hash, 1, b"");
        let message = message.expect("the key has a secret half");
        if let Err(refusal) = check_sender(&message, &to.worker, &registry, plans) {
            assert!(!refusal.name().is_empty());
        }
    }
}

/// Bytes are refused with a reason as a message; signed ones are refused with a reason, or hold games
/// that start as the plan says.
pub fn envelope(input: &[u8]) {
    let to = receiver();
    let sealed = |records: &[u8]| {
        let run = &to.registry.run;
        seal(&to.key, run, &to.worker, to.hash, 1, records).expect("the key has a secret half")
    };
    // With a valid checksum: without one nothing behind it would be reached.
    let payload = zstd::bulk::compress(input, 1).expect("memory can be written");
    let checked = [&(input.len() as u32).to_le_bytes(), &payload[..]].concat();
    let hash = blake3::hash(&checked);
    let file = [&b"garuda\x00\x01"[..], hash.as_bytes(), &checked].concat();
    let forged = [&b"garfleet"[..], input].concat();
    for (bytes, is_signed) in [
        (input.to_vec(), false),
        (forged, false),
        (sealed(input), true),
        (sealed(&file), true),
    ] {
        match check_sender(&bytes, &to.worker, &to.registry, to.plans) {
            Ok(envelope) => {
                assert!(is_signed, "a message without a signature");
                match check_games(envelope.records, &to.plan) {
                    Ok(records) => {
                        for record in records {
                            assert_eq!(record.head(), to.plan.head(record.number()));
                        }
                    }
                    Err(refusal) => assert!(!refusal.to_string().is_empty()),
                }
            }
            Err(refusal) => {
                assert!(!is_signed || bytes.len() > 1 << 20, "{refusal}");
                assert!(!refusal.name().is_empty());
            }
        }
    }
}

//! Workers of another version than the trainer.

use garuda_run::Stop;
use serde_json::{Value, json};

use super::{Fleet, has_server, plan};
use crate::names::plan_subject;

#[test]
fn a_worker_of_another_version_ends_with_a_sentence() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    let playing = fleet.play(plan(0), 4);
    fleet.wait_for_plan(&fleet.client("worker-1"));
    let offered: Value = serde_json::from_slice(&fleet.hub.offer().unwrap().plan).unwrap();
    let jetstream = fleet.jetstream();
    let subject = plan_subject(&fleet.hub.registry().run);
    let cases = [
        ("/protocol", json!(99), "version 99 of the protocol"),
        ("/versions/record", json!(99), "the version of records"),
        (
            "/versions/encoding",
            json!([99, 0]),
            "the version of the encoding",
        ),
        (
            "/versions/rules",
            json!("other"),
            "the signature of the rules",
        ),
        (
            "/versions/search",
            json!("other"),
            "the signature of the search",
        ),
        ("/run", json!("other"), "the plan is of the run other"),
    ];
    for (field, value, expected) in cases {
        // The trainer's own plan, as another version makes it. The trainer repairs it, but not at once.
        let mut plan = offered.clone();
        *plan.pointer_mut(field).unwrap() = value;
        let bytes = serde_json::to_vec(&plan).unwrap();
        fleet.runtime.block_on(async {
            let sent = jetstream.publish(subject.clone(), bytes.into()).await;
            sent.unwrap().await.unwrap();
        });
        let worker = fleet.spawn_worker("worker-1", &Stop::after(None));
        let error = worker.join().unwrap().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        if field.starts_with("/versions") {
            assert!(error.contains("Use the same version of Garuda"), "{error}");
        }
    }
    assert_eq!(fleet.hub.accepted("worker-1"), 0);
    fleet.stop(playing);
}

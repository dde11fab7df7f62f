//! What workers with a valid key try beyond their rights. The broker's configuration forbids it.

use std::time::Duration;

use async_nats::{Client, HeaderMap};
use futures_util::StreamExt;
use garuda_run::records::encode_record_file;

use super::{Fleet, has_server, local_games, plan, wait_for};
use crate::names::{
    NETS, PLAN, direct_get, games_subject, inbox, lease_subject, plan_subject, status_subject,
};

#[test]
fn a_worker_cannot_exceed_its_rights() {
    if !has_server() {
        return;
    }
    let mut fleet = Fleet::start(0);
    fleet.invite("victim");
    let games = local_games(&plan(0), 4);
    let playing = fleet.play(plan(0), 4);
    let current = fleet.hub.plans().current.unwrap();
    let (attacker, victim) = (fleet.client("worker-1"), fleet.client("victim"));
    let run = fleet.hub.registry().run;
    let plan_name = plan_subject(&run);
    let offered = fleet.hub.offer().unwrap().plan;
    fleet.wait_for_plan(&victim);

    // Writing where only the trainer writes, or as another worker: by publishing, and by naming the
    // subject as the one that an answer goes to.
    let forbidden = [
        plan_name.clone(),
        "nets.0000.0".to_owned(),
        games_subject(&run, "victim"),
        lease_subject(&run, "victim"),
        status_subject(&run, "victim"),
        format!("{}.x", inbox(&"victim".parse().unwrap())),
        "$JS.API.STREAM.PURGE.GAMES".to_owned(),
        "$JS.API.STREAM.DELETE.PLAN".to_owned(),
        "$JS.API.CONSUMER.DELETE.GAMES.trainer".to_owned(),
        "$JS.API.STREAM.MSG.GET.GAMES".to_owned(),
        "$SYS.REQ.SERVER.PING".to_owned(),
    ];
    let own = [
        games_subject(&run, "worker-1"),
        lease_subject(&run, "worker-1"),
        status_subject(&run, "worker-1"),
        direct_get(PLAN, &plan_name),
    ];
    let request = crate::protocol::write(&crate::protocol::LeaseRequest {
        plan: current,
        want: 0,
    });
    let heard = fleet.runtime.block_on(async {
        // Listening to others.
        let mut heard = Vec::new();
        for subject in [
            ">",
            "games.>",
            "lease.>",
            &format!("{}.>", inbox(&"victim".parse().unwrap())),
        ] {
            heard.push(attacker.subscribe(subject.to_owned()).await.unwrap());
        }
        for subject in &forbidden {
            attacker
                .publish(subject.clone(), "forged".into())
                .await
                .unwrap();
            for service in &own {
                let (service, reply) = (service.clone(), subject.clone());
                let payload = request.clone().into();
                attacker
                    .publish_with_reply(service, reply, payload)
                    .await
                    .unwrap();
            }
        }
        attacker.flush().await.unwrap();
        heard
    });
    // Whatever came through is there by now: the trainer answers in order.
    let answer = fleet
        .runtime
        .block_on(victim.request(lease_subject(&run, "victim"), request.into()));
    assert!(answer.is_ok());
    let stored = |stream, subject| fleet.stored(&victim, stream, subject).unwrap();
    assert_eq!(stored(PLAN, &plan_name), Some(offered));
    assert_eq!(stored(NETS, "nets.0000.0"), None);
    assert!(fleet.hub.refusals("victim").is_empty());
    for mut subscription in heard {
        let next = tokio_timeout(&fleet, subscription.next());
        assert!(next.is_none(), "heard {next:?}");
    }
    // Squatting on the id of another's message costs at most that its game is played again.
    for number in 0..4 {
        assert_eq!(fleet.lease("victim", current, 1), [number]);
    }
    let records = encode_record_file(&games[..1]).unwrap();
    let message = fleet.sealed("victim", current, &records);
    let id = format!("victim.{}", blake3::hash(&message).to_hex());
    let send = |client: &Client, worker: &str, bytes: Vec<u8>| {
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Msg-Id", id.as_str());
        let subject = games_subject(&run, worker);
        fleet.runtime.block_on(async {
            (client
                .publish_with_headers(subject, headers, bytes.into())
                .await)
                .unwrap();
            client.flush().await.unwrap();
        });
    };
    send(&attacker, "worker-1", b"squatter".to_vec());
    let reason = "not a message with games";
    wait_for("the squatter", || fleet.hub.refused("worker-1", reason) > 0);
    send(&victim, "victim", message);
    let records = encode_record_file(&games).unwrap();
    let message = fleet.sealed("victim", current, &records);
    fleet.send(&victim, "victim", message);
    assert_eq!(fleet.end(playing).records, games);
}

/// The next message, if there is one within a moment.
fn tokio_timeout<T>(fleet: &Fleet, next: impl Future<Output = Option<T>>) -> Option<T> {
    let wait = async { tokio::time::timeout(Duration::from_millis(200), next).await };
    fleet.runtime.block_on(wait).ok().flatten()
}

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::names::{
    MAX_MESSAGE, NETS, PLAN, chunk_subject, direct_get, games_subject, inbox, lease_subject,
    plan_subject, status_subject,
};
use crate::registry::{BrokerDir, Registry};

/// Bytes that the broker keeps on its disk at most.
const MAX_STORE: u64 = 8 << 30;
/// A message with games, and what the client adds to it.
const MAX_PAYLOAD: usize = MAX_MESSAGE + (64 << 10);

/// The configuration of the run's own broker.
pub(crate) fn broker_config(
    dir: &BrokerDir,
    listen: SocketAddr,
    trainer: &str,
    registry: &Registry,
) -> String {
    let run = &registry.run;
    let mut out = String::new();
    let path = |path: PathBuf| quoted(&path.display().to_string());
    let certificate = dir.certificate();
    let mut line = |text: String| {
        let _ = writeln!(out, "{text}");
    };
    line("# Written by garuda train --listen at every start: changes are lost.".to_owned());
    line(format!("server_name: {}", quoted(run.as_str())));
    line(format!("listen: {}", quoted(&listen.to_string())));
    line(format!("pid_file: {}", path(dir.file("pid"))));
    line(format!("log_file: {}", path(dir.file("log"))));
    line("logfile_size_limit: 10MB\nlogfile_max_num: 3".to_owned());
    line(format!("max_payload: {MAX_PAYLOAD}"));
    line(format!(
        "tls {{ cert_file: {}, key_file: {} }}",
        path(certificate.chain),
        path(certificate.key)
    ));
    line(format!(
        "jetstream {{ store_dir: {}, max_memory_store: 64MB, max_file_store: {MAX_STORE} }}",
        path(dir.file("data"))
    ));
    out + &accounts(trainer, registry)
}

/// The same for a broker that others run, which includes it in its configuration.
pub(crate) fn accounts_config(trainer: &str, registry: &Registry) -> String {
    format!(
        "# Written by garuda train --nats, and again with every worker that is invited or revoked.\n\
         # Include it in the broker's configuration, which needs JetStream and \
         max_payload: {MAX_PAYLOAD}.\n{}",
        accounts(trainer, registry)
    )
}

/// Who may connect, and what they may do.
///
/// The trainer and the workers have an account each, and see of each other only what is exported.
/// In a common account a worker that may not publish on a subject could still name it as the one
/// that the answer to a request goes to.
fn accounts(trainer: &str, registry: &Registry) -> String {
    let run = &registry.run;
    let mut out = String::new();
    // Several runs may share a broker.
    let [train, workers] = ["train", "workers"].map(|kind| quoted(&format!("{run}-{kind}")));
    let services = [
        games_subject(run, "*"),
        lease_subject(run, "*"),
        status_subject(run, "*"),
        direct_get(NETS, &chunk_subject("*", "*")),
        direct_get(PLAN, &plan_subject(run)),
    ];
    let plan = plan_subject(run);
    let mut line = |text: String| {
        let _ = writeln!(out, "{text}");
    };
    line(format!("accounts {{\n  {train} {{\n    jetstream: enabled"));
    line(format!(
        "    users: [ {{ nkey: {trainer} }} ]\n    exports: ["
    ));
    for subject in &services {
        line(format!(
            "      {{ service: {}, accounts: [{workers}] }}",
            quoted(subject)
        ));
    }
    line(format!(
        "      {{ stream: {}, accounts: [{workers}] }}",
        quoted(&plan)
    ));
    line(format!("    ]\n  }}\n  {workers} {{\n    imports: ["));
    for subject in &services {
        line(format!(
            "      {{ service: {{ account: {train}, subject: {} }} }}",
            quoted(subject)
        ));
    }
    line(format!(
        "      {{ stream: {{ account: {train}, subject: {} }} }}",
        quoted(&plan)
    ));
    line("    ]\n    users: [".to_owned());
    for worker in registry.workers.iter().filter(|worker| !worker.revoked) {
        let name = worker.name.as_str();
        let publish = [
            games_subject(run, name),
            lease_subject(run, name),
            status_subject(run, name),
            direct_get(NETS, &chunk_subject("*", "*")),
            direct_get(PLAN, &plan),
        ];
        let subscribe = [format!("{}.>", inbox(&worker.name)), plan.clone()];
        line(format!(
            "      {{ nkey: {}, permissions: {{ publish: {{ allow: [{}] }}, subscribe: {{ allow: [{}] }} }} }}",
            worker.key,
            list(&publish),
            list(&subscribe)
        ));
    }
    line("    ]\n  }\n}".to_owned());
    out
}

fn list(subjects: &[String]) -> String {
    let quoted: Vec<_> = subjects.iter().map(|subject| quoted(subject)).collect();
    quoted.join(", ")
}

/// A text as the server's configuration has it.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text can always be written")
}

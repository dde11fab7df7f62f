//! The API, request by request.

use std::fs;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Position, RuleSet};
use garuda_run::config::Config;
use garuda_run::{FleetStatus, FleetWorker, LiveGame, LiveGames, RunDir};
use garuda_serve::{Access, PAGE_FILES, Site, router};
use http_body_util::BodyExt;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tower::ServiceExt;

use crate::common::{Client, fill_run, tiny_run};

#[tokio::test]
async fn foreign_hosts_are_refused_before_anything_is_read() {
    let client = Client::without_runs();
    for host in [Some("evil.example"), Some("10.1.2.3"), Some(""), None] {
        for path in ["/", "/api/runs", "/nothing"] {
            let mut request = Request::get(path);
            if let Some(host) = host {
                request = request.header("host", host);
            }
            let answer = client.send(request.body(Body::empty()).unwrap()).await;
            assert_eq!(
                answer.status,
                StatusCode::MISDIRECTED_REQUEST,
                "{host:?} {path}"
            );
        }
    }
    let request = Request::get("http://evil.example/api/runs").header("host", "localhost");
    let answer = client.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST);
}

#[tokio::test]
async fn every_answer_has_the_security_headers() {
    let client = Client::without_runs();
    for path in ["/", "/app.js", "/api/runs", "/nothing", "/api/r/9/summary"] {
        let answer = client.get(path).await;
        let header = |name: &str| answer.headers[name].to_str().unwrap().to_owned();
        let policy = header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self';"),
            "{path}"
        );
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(
            header("cross-origin-resource-policy"),
            "same-origin",
            "{path}"
        );
    }
}

#[tokio::test]
async fn only_what_is_known_is_served() {
    let client = Client::without_runs();
    let paths = [
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2fCargo.toml",
        "/vendor/../../Cargo.toml",
        "//etc/passwd",
        "/api",
        "/api/r/..%2f..%2fetc/summary",
        "/api/r/0/summary",
        "/api/r/-1/summary",
        "/api/r/0/game/..%2f1/2",
        "/api/r/99999999999999999999/metrics",
    ];
    for path in paths {
        let answer = client.get(path).await;
        let expected = [StatusCode::NOT_FOUND, StatusCode::BAD_REQUEST];
        assert!(
            expected.contains(&answer.status),
            "{path}: {}",
            answer.status
        );
    }
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        let request = Request::builder().method(method).uri("/api/runs");
        let request = request
            .header("host", "localhost")
            .body(Body::from("{}"))
            .unwrap();
        let answer = client.send(request).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
    }
    let long = format!(
        "/api/position?rules=makruk&moves={}",
        "e3e4+".repeat(10_000)
    );
    assert_eq!(client.get(&long).await.status, StatusCode::URI_TOO_LONG);
    let request = Request::get("/api/runs").header("host", "localhost");
    let request = request
        .header("sec-fetch-site", "cross-site")
        .body(Body::empty())
        .unwrap();
    assert_eq!(client.send(request).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_token_is_asked_for_beyond_loopback() {
    let site = Arc::new(Site::new(&[], Vec::new()).unwrap());
    let access = Access::new([0, 0, 0, 0].into(), &[], Some("abcdefghijkl1".to_owned())).unwrap();
    let client = Client(router(site, access));
    assert_eq!(client.get("/").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        client.get("/api/runs").await.status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        client.get("/?token=abcdefghijkl2").await.status,
        StatusCode::UNAUTHORIZED
    );
    let entered = client.get("/?token=abcdefghijkl1").await;
    assert_eq!(entered.status, StatusCode::SEE_OTHER);
    let cookie = entered.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.ends_with("HttpOnly; SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    let request = Request::get("/api/runs").header("host", "192.0.2.1:8642");
    let request = request.header("cookie", format!("other=1; {pair}"));
    let answer = client.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn every_game_can_be_played_to_its_end() {
    let client = Client::without_runs();
    for rules in RuleSet::ALL {
        let mut moves: Vec<String> = Vec::new();
        // White plays the first legal move of a list that is the same every time, Black at random.
        let outcome = loop {
            let joined = moves.join(",").replace('+', "%2B");
            let query = format!("rules={rules}&moves={joined}");
            let position = client.json(&format!("/api/position?{query}")).await;
            if !position["outcome"].is_null() {
                break position["outcome"].clone();
            }
            let legal = position["legal"].as_array().unwrap();
            assert!(!legal.is_empty());
            if position["turn"] == 0 {
                let place = moves.len() * 31 % legal.len();
                moves.push(legal[place]["uci"].as_str().unwrap().to_owned());
            } else {
                let answer = client
                    .json(&format!("/api/move?{query}&player=random&level=1&seed=7"))
                    .await;
                let played = answer["move"]["uci"].as_str().unwrap();
                assert!(legal.iter().any(|mv| mv["uci"] == played));
                moves.push(played.to_owned());
                assert_eq!(
                    answer["position"]["moves"].as_array().unwrap().len(),
                    moves.len()
                );
            }
        };
        assert!(outcome["termination"].is_string(), "{rules}");
        let over = format!(
            "rules={rules}&moves={}",
            moves.join(",").replace('+', "%2B")
        );
        let after = client
            .get(&format!("/api/move?{over}&player=random&level=1"))
            .await;
        assert_eq!(after.status, StatusCode::BAD_REQUEST);
    }
}

#[tokio::test]
async fn hints_need_no_network() {
    let client = Client::without_runs();
    for rules in RuleSet::ALL {
        let path = format!("/api/analysis?rules={rules}&simulations=200");
        let answer = client.json(&path).await;
        assert_eq!(answer["by"], "material");
        let lines = answer["lines"].as_array().unwrap();
        assert_eq!(lines.len(), 3, "{rules}");
        let wdl: f64 = (answer["wdl"].as_array().unwrap().iter())
            .map(|part| part.as_f64().unwrap())
            .sum();
        assert!((wdl - 1.0).abs() < 1e-3, "{wdl}");
        for level in 1..=8 {
            let path = format!("/api/move?rules={rules}&player=alphabeta&level={level}&seed=3");
            let first = client.json(&path).await;
            assert_eq!(
                first["move"],
                client.json(&path).await["move"],
                "{rules} {level}"
            );
        }
    }
    for wrong in [
        "/api/analysis?rules=chess",
        "/api/analysis?rules=makruk&simulations=10000000",
        "/api/move?rules=makruk&player=random&level=9",
        "/api/move?rules=makruk&player=..%2Fx&level=1",
        "/api/move?rules=makruk&player=run:0:1&level=4",
        "/api/position?rules=makruk&moves=e3e9",
        "/api/position?rules=makruk&start=nonsense",
        "/api/position",
    ] {
        let answer = client.get(wrong).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{wrong}");
        assert!(answer.json()["error"].is_string());
    }
}

#[tokio::test]
async fn boards_are_drawn() {
    let client = Client::without_runs();
    let answer = client
        .get("/api/board.svg?rules=torishogi&moves=e4e5&black=true")
        .await;
    assert_eq!(answer.headers["content-type"], "image/svg+xml");
    assert!(answer.text().starts_with("<svg ") && answer.text().contains("class=\"last\""));
    let rules = client.json("/api/rules").await;
    assert_eq!(rules.as_array().unwrap().len(), RuleSet::ALL.len());
}

#[tokio::test]
async fn a_run_is_shown_with_what_is_damaged_in_it() {
    let run = tiny_run("torishogi", 40);
    let games = run.path().join("games");
    let damaged = games.join("00000001.games");
    let mut bytes = fs::read(&damaged).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    let warning = r#"{"event":"warning","checkpoint":1,"what":"<b>attention</b>"}"#;
    fs::write(
        run.path().join("metrics.jsonl"),
        format!("{warning}\nnonsense\n{{\"torn"),
    )
    .unwrap();
    fs::write(run.path().join("ladder.json"), "{").unwrap();

    let client = Client::of(&run);
    let summary = client.json("/api/r/0/summary").await;
    assert_eq!(summary["index"]["games"], 30);
    let named = summary["index"]["damaged"][0].as_str().unwrap();
    assert!(named.starts_with("00000001.games: the checksum"), "{named}");
    let problem = summary["problems"][0].as_str().unwrap();
    assert!(problem.starts_with("metrics.jsonl, line 2"), "{problem}");
    let metrics = client.json("/api/r/0/metrics").await;
    assert_eq!(metrics["events"].as_array().unwrap().len(), 1);
    assert_eq!(metrics["offset"], warning.len() + 1 + "nonsense\n".len());
    let ladder = client.json("/api/r/0/ladder").await;
    assert!(ladder["problem"].as_str().unwrap().contains("damaged"));
    let listed = client.json("/api/r/0/games").await;
    assert_eq!(listed["games"].as_array().unwrap().len(), 30);

    // What is no index becomes one again, and that is named once.
    fs::write(
        run.path().join("index.sqlite"),
        "no database at all, however long it may be",
    )
    .unwrap();
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(run.path().join(format!("index.sqlite{suffix}")));
    }
    let client = Client::of(&run);
    let summary = client.json("/api/r/0/summary").await;
    assert_eq!(summary["index"]["games"], 30);
    let problem = summary["index"]["problem"].as_str().unwrap();
    assert!(problem.contains("made again"), "{problem}");

    fs::remove_dir_all(run.path()).unwrap();
    let answer = client.get("/api/r/0/summary").await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(
        answer.json()["error"]
            .as_str()
            .unwrap()
            .contains("is not a run")
    );
    let runs = client.json("/api/runs").await;
    assert!(runs["runs"][0]["problem"].is_string());
}

/// What is read again only when it has changed is read again when it has.
#[tokio::test]
async fn a_run_that_goes_on_is_followed() {
    let run = tiny_run("torishogi", 10);
    let site = Arc::new(Site::new(&[run.path().to_owned()], Vec::new()).unwrap());
    site.update_indexes();
    let client = Client(router(Arc::clone(&site), Access::local()));
    // Every seventh game starts elsewhere.
    let before = client.json("/api/r/0/explorer").await;
    assert_eq!(before["total"], 9);
    fill_run(&run, "torishogi", 10..30);
    let log = run.path().join("metrics.jsonl");
    let line = |n: u32| format!("{{\"event\":\"warning\",\"checkpoint\":{n},\"what\":\"w\"}}\n");
    let events = |answer: Value| answer["events"].as_array().unwrap().len();
    for n in 1..=2 {
        fs::write(&log, (1..=n).map(line).collect::<String>()).unwrap();
        assert_eq!(events(client.json("/api/r/0/metrics").await), n as usize);
    }
    site.update_indexes();
    let after = client.json("/api/r/0/explorer").await;
    assert_eq!(after["total"], 26);
    assert_eq!(client.json("/api/r/0/summary").await["index"]["games"], 30);
}

/// New games are indexed for those who look at them, and cost a run that trains nothing otherwise.
#[tokio::test]
async fn only_an_index_that_is_looked_at_grows() {
    let run = tiny_run("torishogi", 10);
    let site = Arc::new(Site::new(&[run.path().to_owned()], Vec::new()).unwrap());
    let client = Client(router(Arc::clone(&site), Access::local()));
    // The first time it is made in any case.
    site.update_indexes_in_use();
    fill_run(&run, "torishogi", 10..30);
    let indexed = async || client.json("/api/r/0/summary").await["index"]["games"].clone();
    site.update_indexes_in_use();
    assert_eq!(indexed().await, 10);
    for games in [30, 40] {
        // The second time the answer is one that was kept.
        client.json("/api/r/0/explorer").await;
        site.update_indexes_in_use();
        assert_eq!(indexed().await, games);
        fill_run(&run, "torishogi", 30..40);
    }
}

#[tokio::test]
async fn an_index_that_is_lost_or_damaged_is_made_again() {
    let run = tiny_run("torishogi", 100);
    let site = Arc::new(Site::new(&[run.path().to_owned()], Vec::new()).unwrap());
    site.update_indexes();
    let client = Client(router(Arc::clone(&site), Access::local()));
    let whole = client.json("/api/r/0/explorer").await;
    assert_eq!(whole["total"], 86);
    let index = run.path().join("index.sqlite");
    let remove_logs = || {
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(run.path().join(format!("index.sqlite{suffix}")));
        }
    };

    fs::remove_file(&index).unwrap();
    remove_logs();
    let missing = client.get("/api/r/0/games").await;
    assert_eq!(missing.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(missing.text().contains("the position index cannot be read"));
    assert!(site.update_indexes());
    assert_eq!(client.json("/api/r/0/explorer").await, whole);

    // Damage that is found by a request, while nothing is added: all pages but the first.
    let mut bytes = fs::read(&index).unwrap();
    bytes[4096..].fill(0xff);
    fs::write(&index, bytes).unwrap();
    remove_logs();
    let damaged = client.get("/api/r/0/games").await;
    assert_eq!(damaged.status, StatusCode::SERVICE_UNAVAILABLE);
    site.update_indexes();
    let problem = client.json("/api/r/0/summary").await["index"]["problem"].clone();
    assert!(
        problem.as_str().unwrap().contains("made again"),
        "{problem}"
    );
    assert!(site.update_indexes());
    assert_eq!(client.json("/api/r/0/explorer").await, whole);
    let listed = client.json("/api/r/0/games").await;
    assert_eq!(listed["games"].as_array().unwrap().len(), 50);
}

#[tokio::test]
async fn live_games_are_shown_while_they_are_played() {
    let run = tiny_run("torishogi", 3);
    let client = Client::of(&run);
    let none = client.json("/api/r/0/live").await;
    assert_eq!(none["training"], false);
    assert!(none["live"].is_null() && none["age"].is_null());
    assert_eq!(client.json("/api/r/0/summary").await["phase"], "idle");

    let settings = ["game.rules=torishogi".to_owned()];
    let config = Config::parse("test", "", &settings).unwrap();
    let trained = RunDir::open_or_create(run.path(), &config).unwrap();
    let games = LiveGames {
        checkpoint: 7,
        games: vec![LiveGame {
            number: 42,
            start: ToriPosition::start().to_string(),
            moves: "c3c4 c5c4".to_owned(),
        }],
    };
    games.write(&trained.live()).unwrap();
    let live = client.json("/api/r/0/live").await;
    assert_eq!(live["training"], true);
    assert_eq!(client.json("/api/r/0/summary").await["phase"], "self-play");
    assert_eq!(live["live"]["checkpoint"], 7);
    assert_eq!(live["live"]["games"][0]["moves"], "c3c4 c5c4");
    assert!(live["age"].as_f64().unwrap() < 60.0);

    fs::write(trained.live(), "{").unwrap();
    let damaged = client.json("/api/r/0/live").await;
    assert!(damaged["problem"].as_str().unwrap().contains("live.json"));
}

#[tokio::test]
async fn a_fleet_is_shown_where_there_is_one() {
    let run = tiny_run("torishogi", 3);
    let client = Client::of(&run);
    assert_eq!(client.json("/api/runs").await["runs"][0]["fleet"], false);
    let none = client.json("/api/r/0/fleet").await;
    assert!(none["fleet"].is_null() && none["problem"].is_null());
    assert!(!client.get("/metrics").await.text().contains("fleet"));

    let path = RunDir::open(run.path()).unwrap().fleet();
    let worker = |name: &str, here, refused: &[(&str, u64)]| FleetWorker {
        name: name.to_owned(),
        here,
        games_per_second: 2.5,
        accepted: 40,
        refused: (refused.iter())
            .map(|&(reason, n)| (reason.to_owned(), n))
            .collect(),
        ..FleetWorker::default()
    };
    let mut status = FleetStatus {
        version: FleetStatus::VERSION,
        written: 1_700_000_000,
        workers: vec![
            worker("a", true, &[("late", 2), ("signature", 1)]),
            worker("b", false, &[]),
        ],
        ..FleetStatus::default()
    };
    status.write(&path).unwrap();
    assert_eq!(client.json("/api/runs").await["runs"][0]["fleet"], true);
    let fleet = client.json("/api/r/0/fleet").await;
    assert_eq!(fleet["fleet"]["workers"][0]["refused"]["late"], 2);
    assert!(fleet["now"].as_u64().unwrap() > 1_700_000_000);
    let figures = client.get("/metrics").await.text().to_owned();
    for line in [
        "garuda_fleet_worker_here{run=\"0\",worker=\"a\"} 1\n",
        "garuda_fleet_games_accepted{run=\"0\",worker=\"b\"} 40\n",
        "garuda_fleet_refused{run=\"0\",worker=\"a\",reason=\"late\"} 2\n",
    ] {
        assert!(figures.contains(line), "{line}{figures}");
    }

    status.version += 1;
    status.write(&path).unwrap();
    let newer = client.json("/api/r/0/fleet").await;
    assert!(newer["problem"].as_str().unwrap().contains("version"));
    fs::write(&path, "{").unwrap();
    let damaged = client.json("/api/r/0/fleet").await;
    assert!(damaged["problem"].as_str().unwrap().contains("fleet.json"));
}

/// The report may come from anywhere: it is shown, but nothing in it is run or loaded.
#[tokio::test]
async fn the_report_on_openings_is_linked() {
    let run = tiny_run("torishogi", 3);
    let client = Client::of(&run);
    assert_eq!(client.json("/api/r/0/summary").await["openings"], false);
    let missing = client.get("/api/r/0/openings").await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
    assert!(missing.text().contains("garuda openings"));

    let page = "<!DOCTYPE html><title>Openings</title><script>alert(1)</script>";
    fs::write(run.path().join("openings.html"), page).unwrap();
    assert_eq!(client.json("/api/r/0/summary").await["openings"], true);
    let answer = client.get("/api/r/0/openings").await;
    assert_eq!((answer.status, answer.text()), (StatusCode::OK, page));
    let policy = answer.headers["content-security-policy"].to_str().unwrap();
    assert!(
        policy.starts_with("sandbox; default-src 'none'"),
        "{policy}"
    );
    assert!(!policy.contains("script-src"), "{policy}");
}

#[tokio::test]
async fn games_are_listed_and_shown() {
    let run = tiny_run("makruk", 90);
    let client = Client::of(&run);
    let mut listed = Vec::new();
    let mut before = String::new();
    loop {
        let page = client
            .json(&format!("/api/r/0/games?before={before}"))
            .await;
        let games = page["games"].as_array().unwrap().clone();
        let Some(last) = games.last() else { break };
        before = format!("{}/{}", last["checkpoint"], last["number"]);
        listed.extend(games);
    }
    assert_eq!(listed.len(), 90);
    let mut filtered = 0;
    for result in ["white", "draw", "black"] {
        let path = format!("/api/r/0/games?result={result}&from=0&to=1");
        let games = client.json(&path).await["games"]
            .as_array()
            .unwrap()
            .clone();
        assert!(
            games
                .iter()
                .all(|game| game["checkpoint"].as_u64().unwrap() <= 1)
        );
        filtered += games.len();
    }
    let first_two = listed
        .iter()
        .filter(|game| game["checkpoint"].as_u64().unwrap() <= 1);
    assert_eq!(filtered, first_two.count());

    let game = &listed[17];
    let path = format!("/api/r/0/game/{}/{}", game["checkpoint"], game["number"]);
    let shown = client.json(&path).await;
    let decisions = shown["decisions"].as_array().unwrap();
    assert_eq!(decisions.len() as u64, game["plies"].as_u64().unwrap());
    assert_eq!(shown["winner"], game["winner"]);
    let moves: Vec<_> = decisions
        .iter()
        .map(|d| d["uci"].as_str().unwrap())
        .collect();
    let start = shown["start"].as_str().unwrap().replace(' ', "%20");
    let moves = moves.join(",").replace('+', "%2B");
    let query = format!("rules=makruk&start={start}&moves={moves}");
    let end = client.json(&format!("/api/position?{query}")).await;
    assert_eq!(end["outcome"]["termination"], shown["termination"]);
    assert_eq!(
        client.get("/api/r/0/game/7/999999").await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn a_cut_stream_resumes_without_gap_or_repetition() {
    let run = tiny_run("makruk", 1);
    let log = run.path().join("metrics.jsonl");
    let line = |n: u32| format!("{{\"event\":\"warning\",\"checkpoint\":{n},\"what\":\"w\"}}\n");
    fs::write(&log, (1..=3).map(line).collect::<String>()).unwrap();
    let client = Client::of(&run);
    let seen = client.stream("/api/r/0/events?from=0", None, 3).await;
    assert_eq!(
        seen.iter().map(|event| event.1).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    // The connection is cut after the second event; meanwhile more is written, the last torn.
    let text: String = (1..=5).map(line).collect();
    fs::write(&log, text + "{\"event\":\"warn").unwrap();
    let id = seen[1].0.clone();
    let seen = client.stream("/api/r/0/events?from=0", Some(&id), 3).await;
    assert_eq!(
        seen.iter().map(|event| event.1).collect::<Vec<_>>(),
        [3, 4, 5]
    );
}

#[test]
fn every_file_of_the_page_is_listed() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/web");
    let mut found = Vec::new();
    let mut folders = vec![std::path::PathBuf::from(root)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(
                    path.strip_prefix(root)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .to_owned(),
                );
            }
        }
    }
    let mut listed: Vec<_> = PAGE_FILES.iter().map(|file| file.path.to_owned()).collect();
    found.sort();
    listed.sort();
    assert_eq!(listed, found);
}

#[tokio::test]
async fn files_are_sent_once() {
    let client = Client::without_runs();
    let first = client.get("/").await;
    assert_eq!(first.headers["content-type"], "text/html; charset=utf-8");
    let tag = first.headers["etag"].clone();
    let request = Request::get("/")
        .header("host", "localhost")
        .header("if-none-match", tag);
    let response = (client
        .0
        .clone()
        .oneshot(request.body(Body::empty()).unwrap()))
    .await
    .unwrap();
    assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
    assert!(
        response
            .into_body()
            .collect()
            .await
            .unwrap()
            .to_bytes()
            .is_empty()
    );
}

#[test]
fn vendored_files_are_the_published_ones() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let listed = fs::read_to_string(format!("{folder}vendor.sha256")).unwrap();
    assert_eq!(listed.lines().count(), 3);
    for line in listed.lines() {
        let (hash, name) = line.split_once("  ").unwrap();
        let bytes = fs::read(format!("{folder}web/vendor/{name}")).unwrap();
        let found: String = (Sha256::digest(&bytes).iter())
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(found, hash, "{name}");
    }
}

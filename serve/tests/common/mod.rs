//! A client without a network, and small runs.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "test code of which each file uses a part"
)]

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use garuda_mcts::{Wdl, random_move};
use garuda_rules::{Game, GameState, MoveList, Position, RuleSet, with_rule_set};
use garuda_run::config::Config;
use garuda_run::records::{Decision, DecisionKind, GameRecord, RecordStore};
use garuda_run::{RunDir, seeds, testing};
use garuda_serve::{Access, Site, router};
use http_body_util::BodyExt;
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt;

pub(crate) struct Client(pub(crate) Router);

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{:?}", self.body))
    }
}

impl Client {
    pub(crate) fn without_runs() -> Client {
        let site = Site::new(&[], Vec::new()).unwrap();
        Client(router(Arc::new(site), Access::local()))
    }

    /// Serves a run whose index is up to date.
    pub(crate) fn of(run: &TempDir) -> Client {
        let site = Site::new(&[run.path().to_owned()], Vec::new()).unwrap();
        site.update_indexes();
        Client(router(Arc::new(site), Access::local()))
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.0.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        Answer {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        let request = Request::get(path).header("host", "localhost");
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
        answer.json()
    }

    /// The first `count` events of a stream: id and checkpoint of each.
    pub(crate) async fn stream(
        &self,
        path: &str,
        last_id: Option<&str>,
        count: usize,
    ) -> Vec<(String, u64)> {
        let mut request = Request::get(path).header("host", "localhost");
        if let Some(id) = last_id {
            request = request.header("last-event-id", id);
        }
        let request = request.body(Body::empty()).unwrap();
        let mut body = self.0.clone().oneshot(request).await.unwrap().into_body();
        let mut text = String::new();
        while text.matches("\n\n").count() < count {
            let frame = body.frame().await.unwrap().unwrap();
            text += std::str::from_utf8(&frame.into_data().unwrap()).unwrap();
        }
        let field = |event: &str, name: &str| -> String {
            let line = event.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap().trim_start_matches(':').trim().to_owned()
        };
        (text.split("\n\n").take(count))
            .map(|event| {
                let data: Value = serde_json::from_str(&field(event, "data")).unwrap();
                (field(event, "id"), data["checkpoint"].as_u64().unwrap())
            })
            .collect()
    }
}

/// A run of random games of four checkpoints, ten in each record file.
pub(crate) fn tiny_run(rules: &str, games: u64) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fill_run(&dir, rules, 0..games);
    dir
}

pub(crate) fn fill_run(dir: &TempDir, rules: &str, games: std::ops::Range<u64>) {
    let rules: RuleSet = rules.parse().unwrap();
    let config = Config::parse("test", "", &[format!("game.rules={rules}")]).unwrap();
    let run = RunDir::open_or_create(dir.path(), &config).unwrap();
    let mut store = RecordStore::open(&run.games()).unwrap();
    let numbers: Vec<_> = games.collect();
    for file in numbers.chunks(10) {
        let records: Vec<_> = (file.iter())
            .map(|&number| with_rule_set!(rules, P => random_game::<P>(number)))
            .collect();
        store.write(&records).unwrap();
    }
}

/// A random game; every seventh starts after two random moves.
pub(crate) fn random_game<P: Position>(number: u64) -> GameRecord {
    let mut rng = seeds::rng(number);
    let mut game = GameState::<P>::start();
    if number % 7 == 6 {
        for _ in 0..2 {
            let mv = random_move(&game, &mut rng).unwrap();
            game.play(mv);
        }
        game = GameState::from_position(*game.position());
    }
    let start = game.position().to_string();
    let mut legal = MoveList::new();
    let mut decisions = Vec::new();
    while let Some(mv) = random_move(&game, &mut rng) {
        game.legal_moves(&mut legal);
        let listed = legal.len().min(5);
        let win = f32::from((number % 200) as u8) / 255.0;
        decisions.push(Decision {
            mv,
            kind: DecisionKind::Searched,
            wdl: Wdl {
                win,
                draw: 0.1,
                loss: 0.9 - win,
            },
            policy: (legal[..listed].iter())
                .map(|&mv| (mv, 1.0 / listed as f32))
                .collect(),
        });
        game.play(mv);
    }
    let head = testing::head::<P>(&start, (number % 4) as u32, number);
    GameRecord::new(head, &decisions, game.outcome().unwrap()).unwrap()
}

//! Matches against UCI engines that play well, badly, or not at all.

use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use garuda_arena::matches::{MatchSettings, play_match};
use garuda_arena::players::{GameLine, LoadedPlayer, RandomPlayer, SearchBudget};
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::{Color, Game, GameState, Position, RuleSet, with_rule_set};
use garuda_run::Limit;
use serde_json::Value;

const GARUDA: &str = env!("CARGO_BIN_EXE_garuda");

/// The engine of `fake_engine.py` with a behaviour, as a player.
fn fake(behaviour: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_engine.py");
    format!("uci:python3 '{script}' '{GARUDA}' {behaviour}")
}

fn run(arguments: &[&str]) -> Output {
    Command::new(GARUDA)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = run(&[arguments, &["--json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A player with one node per move unless its name says otherwise, and a timeout in seconds.
fn load(player: &str, timeout: u64) -> anyhow::Result<LoadedPlayer> {
    LoadedPlayer::load(
        &player.parse()?,
        &SearchBudget {
            simulations: 1,
            movetime: None,
            draw_value: 0.0,
            limit: Some(Limit::Nodes(1)),
            timeout: Duration::from_secs(timeout),
        },
    )
}

/// The value of a tag.
fn tag<'a>(game: &'a str, name: &str) -> Option<&'a str> {
    let line = game
        .lines()
        .find_map(|line| line.strip_prefix(&format!("[{name} \"")))?;
    line.strip_suffix("\"]")
}

/// Replays a recorded game and checks that it ends as the record says.
fn replay<P: Position>(record: &str) {
    let mut game = match tag(record, "FEN") {
        Some(fen) => GameState::<P>::from_fen(fen).unwrap(),
        None => GameState::<P>::start(),
    };
    let (_, moves) = record.split_once("\n\n").unwrap();
    let words: Vec<_> = moves.split_whitespace().collect();
    let (result, moves) = words.split_last().unwrap();
    for mv in moves {
        assert_eq!(game.outcome(), None);
        game.play_uci(mv).unwrap();
    }
    let outcome = game.outcome().unwrap();
    assert_eq!(Some(outcome.termination.name()), tag(record, "Termination"));
    assert_eq!(Some(*result), tag(record, "Result"));
    let expected = outcome.winner.map_or("1/2-1/2", |winner| match winner {
        Color::White => "1-0",
        Color::Black => "0-1",
    });
    assert_eq!(*result, expected);
    let plies = moves.len().to_string();
    assert_eq!(Some(plies.as_str()), tag(record, "PlyCount"));
}

#[test]
fn engines_play_every_game_to_its_end_and_it_is_recorded() {
    let scratch = tempfile::tempdir().unwrap();
    for rule_set in RuleSet::ALL {
        let pgn = scratch.path().join(rule_set.name());
        let arguments = [
            "match",
            "alphabeta",
            &fake("garbage"),
            "--nodes=1",
            "--games=2",
            "--game",
            rule_set.name(),
            "--pgn",
            pgn.to_str().unwrap(),
        ];
        let found = json(&arguments);
        assert_eq!(found["games"], 2, "{found}");
        assert_eq!(found["forfeits"], Value::Array(vec![]));
        let records = fs::read_to_string(&pgn).unwrap();
        let records: Vec<_> = records.split("[Event ").skip(1).collect();
        assert_eq!(records.len(), 2);
        for (record, white) in records.iter().zip(["alphabeta", &fake("garbage")]) {
            assert_eq!(tag(record, "White"), Some(white));
            assert_eq!(tag(record, "Variant"), Some(rule_set.name()));
            with_rule_set!(rule_set, P => replay::<P>(record));
        }
    }
}

#[test]
fn faults_forfeit_the_game() {
    let rows = [
        ("illegal 1", "nodes=1", "illegal-move", "a1a1x"),
        ("nothing 1", "nodes=1", "illegal-move", "\"\""),
        ("none 1", "nodes=1", "no-move", "moves are legal"),
        ("crash", "nodes=1", "crash", "the fake engine falls over"),
        ("hang 1", "nodes=1", "hang", "no move within 4.000 s"),
        ("flood 1", "nodes=1", "hang", "no move within 4.000 s"),
        (
            "slow",
            "movetime=200",
            "time-loss",
            "no move within 0.300 s",
        ),
        (
            "slow 1",
            "clock=1+0.01",
            "time-loss",
            "no move within 1.000 s",
        ),
        ("hang 1", "clock=1", "time-loss", "no move within 1.000 s"),
        ("crash 1", "clock=60", "crash", "the fake engine falls over"),
    ];
    for (behaviour, limit, termination, expected) in rows {
        let timeout = if termination == "hang" { 4 } else { 60 };
        let load = load(&format!("{}?{limit}", fake(behaviour)), timeout).unwrap();
        let settings = MatchSettings {
            games: 2,
            opening_plies: 4,
            start: MakrukPosition::start(),
            varied_start_prob: 0.0,
            seed: 1,
            threads: 1,
            finished: std::collections::BTreeSet::new(),
        };
        let outcome = play_match::<MakrukPosition>(
            &|| load.player(),
            &|| Ok(Box::new(RandomPlayer::new())),
            &settings,
            &AtomicBool::new(false),
            &|_, _| Ok(()),
        )
        .unwrap();
        assert_eq!(outcome.tally.losses, 2, "{behaviour}: {outcome:?}");
        assert_eq!(outcome.ends[termination], 2, "{behaviour}: {outcome:?}");
        assert_eq!(outcome.forfeits.len(), 2);
        for lost in &outcome.forfeits {
            assert_eq!(lost.loser, 0);
            assert_eq!(lost.forfeit.fault.name(), termination);
            let message = &lost.forfeit.message;
            assert!(message.contains(expected), "{behaviour}: {message}");
        }
    }
}

#[test]
fn forfeits_are_reported_and_recorded() {
    let scratch = tempfile::tempdir().unwrap();
    let pgn = scratch.path().join("games.pgn");
    let output = run(&[
        "match",
        "random",
        &fake("none"),
        "--game=torishogi",
        "--games=2",
        "--nodes=1",
        "--pgn",
        pgn.to_str().unwrap(),
    ]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("WARNING: 2 forfeits by uci:python3"),
        "{said}"
    );
    assert!(said.contains("first in game 1: no-move: it says"), "{said}");
    assert!(said.contains("2 by no-move"), "{said}");
    let warned = String::from_utf8_lossy(&output.stderr);
    assert_eq!(warned.matches("forfeits by no-move").count(), 2, "{warned}");
    let records = fs::read_to_string(&pgn).unwrap();
    assert_eq!(records.matches("[Termination \"no-move\"]").count(), 2);
    assert_eq!(records.matches("{ it says").count(), 2);
}

/// Whether a process is running, neither gone nor a zombie.
fn is_running(pid: &str) -> bool {
    let output = Command::new("ps")
        .args(["-o", "stat=", "-p", pid])
        .output()
        .unwrap();
    let state = String::from_utf8(output.stdout).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

#[test]
fn processes_that_an_engine_started_end_with_it() {
    let scratch = tempfile::tempdir().unwrap();
    let wrapper = scratch.path().join("an engine's wrapper.sh");
    let pids = scratch.path().join("pids");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_engine.py");
    // The shell waits for both: killing it alone leaves them running.
    let text = format!(
        "sleep 1000 &\necho $! >>'{pids}'\npython3 '{script}' '{GARUDA}' \"$@\"\nwait\n",
        pids = pids.display()
    );
    fs::write(&wrapper, text).unwrap();
    for (behaviour, timeout, fault) in [
        ("hang 1", 2, Some("hang")),
        ("deaf", 2, None),
        ("well", 60, None),
    ] {
        let _ = fs::remove_file(&pids);
        let engine = format!("uci:sh \"{}\" {behaviour}?nodes=1", wrapper.display());
        let loaded = load(&engine, timeout).unwrap();
        match loaded.player::<MakrukPosition>() {
            Ok(mut player) => {
                player.new_game(1);
                let chosen = player.choose(&GameLine::new(MakrukPosition::start()), None);
                let found = chosen.err().map(|e| e.to_string());
                assert_eq!(
                    found.as_deref().and_then(|text| text.split(':').next()),
                    fault
                );
            }
            Err(error) => assert_eq!(behaviour, "deaf", "{error:#}"),
        }
        let pids = fs::read_to_string(&pids).unwrap();
        assert!(!pids.is_empty());
        for pid in pids.lines() {
            assert!(!is_running(pid), "{behaviour}: process {pid} was left");
        }
    }
}

#[test]
fn a_second_interrupt_leaves_no_engine_behind() {
    let scratch = tempfile::tempdir().unwrap();
    let pids = scratch.path().join("pids");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_engine.py");
    // It does not even answer `uci`, nor notice that nobody listens any more.
    let wrapper = scratch.path().join("wrapper.sh");
    let text = format!(
        "sleep 1000 &\necho $! $$ >>'{pids}'\npython3 '{script}' '{GARUDA}' deaf\nwait\n",
        pids = pids.display()
    );
    fs::write(&wrapper, text).unwrap();
    let engine = format!("uci:sh \"{}\"", wrapper.display());
    let mut garuda = Command::new(GARUDA)
        .args(["match", &engine, "random", "--game=makruk", "--nodes=1"])
        .args(["--games=2", "--concurrency=1", "--opening-plies=0"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let wait = |mut is_over: Box<dyn FnMut() -> bool + '_>| {
        let until = Instant::now() + Duration::from_secs(60);
        while !is_over() {
            assert!(Instant::now() < until, "it takes too long");
            thread::sleep(Duration::from_millis(20));
        }
    };
    wait(Box::new(|| {
        fs::read_to_string(&pids).is_ok_and(|text| text.ends_with('\n'))
    }));
    let interrupt = |garuda: &Child| {
        let id = garuda.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &id])
                .status()
                .unwrap()
                .success()
        );
    };
    interrupt(&garuda);
    thread::sleep(Duration::from_millis(300));
    assert!(
        garuda.try_wait().unwrap().is_none(),
        "it waits for the engine"
    );
    interrupt(&garuda);
    wait(Box::new(|| garuda.try_wait().unwrap().is_some()));
    assert_eq!(garuda.wait().unwrap().code(), Some(130));
    let pids = fs::read_to_string(&pids).unwrap();
    for pid in pids.split_whitespace() {
        wait(Box::new(|| !is_running(pid)));
    }
}

#[test]
fn no_shell_reads_an_engine_command() {
    let scratch = tempfile::tempdir().unwrap();
    let trace = scratch.path().join("trace");
    for command in [
        "true; touch {}",
        "true & touch {}",
        "$(touch {})",
        "`touch {}`",
    ] {
        let command = command.replace("{}", trace.to_str().unwrap());
        let loaded = load(&format!("uci:{command}?nodes=1"), 4).unwrap();
        assert!(loaded.player::<MakrukPosition>().is_err());
        assert!(!trace.exists(), "{command}");
    }
}

#[test]
fn engines_receive_position_clocks_and_options() {
    let scratch = tempfile::tempdir().unwrap();
    let log = scratch.path().join("an engine's log");
    let player = fake("well") + "?clock=30+0.5&Log File=" + log.to_str().unwrap();
    let arguments = [
        "match",
        &player,
        &fake("well"),
        "--game=sittuyin",
        "--games=2",
        "--clock=60+1",
        "--opening-plies=2",
        "--concurrency=1",
    ];
    let found = json(&arguments);
    assert_eq!(found["forfeits"], Value::Array(vec![]));
    let log = fs::read_to_string(log).unwrap();
    let lines: Vec<_> = log.lines().collect();
    assert_eq!(lines[..3], ["isready", "ucinewgame", "isready"]);
    let start = format!("position fen {} moves ", SittuyinPosition::<false>::start());
    let moves = lines[3].strip_prefix(&start).unwrap();
    assert_eq!(moves.split(' ').count(), 2, "{moves}");
    // White is this engine in the first game and the other one in the second.
    assert_eq!(lines[4], "go wtime 30000 btime 60000 winc 500 binc 1000");
    assert!(lines[5].starts_with(&format!("{start}{moves} ")));
    let second = lines
        .iter()
        .rposition(|&line| line == "ucinewgame")
        .unwrap();
    assert_eq!(
        lines.iter().filter(|&&line| line == "ucinewgame").count(),
        2
    );
    let go = lines[second..]
        .iter()
        .find(|line| line.starts_with("go"))
        .unwrap();
    assert!(go.contains("btime 30000 winc 1000 binc 500"), "{go}");
    // The clock runs, and each move adds its half second.
    let last: Vec<_> = lines
        .iter()
        .rfind(|line| line.starts_with("go"))
        .unwrap()
        .split(' ')
        .collect();
    let left: u64 = last[4].parse().unwrap();
    assert!(left > 30_000, "{last:?}");
    assert_eq!(lines.last(), Some(&"quit"));
}

#[test]
fn engines_that_cannot_play_are_refused_with_the_reason() {
    for (player, expected) in [
        ("uci:".to_owned(), "a command must follow uci:"),
        (
            "uci:no-such-engine".to_owned(),
            "cannot start \"no-such-engine\": No such file",
        ),
        ("uci:true".to_owned(), "does not speak UCI"),
        (
            fake("deaf"),
            "does not speak UCI: it did not answer in time",
        ),
        (fake("old"), "it has no option UCI_Variant"),
        (fake("chess"), "does not play makruk"),
        (
            fake("well") + "?Threads=2",
            "has no option \"Threads\"; it has Log File",
        ),
        (fake("well") + "?Threads", "must look like Name=Value"),
        (
            fake("well") + "?Log File=/no/such/folder/log",
            "says: ERROR: [Errno 2] No such file or directory",
        ),
        (
            fake("classical") + "?EvalFile=other.nnue",
            "plays without the network \"other.nnue\": the file's name must begin with the \
             variant's, as in makruk-1.nnue",
        ),
    ] {
        let timeout = if expected.contains("in time") { 1 } else { 60 };
        let refused = load(&player, timeout).and_then(|load| load.player::<MakrukPosition>());
        let error = format!("{:#}", refused.err().unwrap());
        assert!(error.contains(expected), "{player}: {error}");
    }
    for player in [
        fake("network") + "?EvalFile=makruk-1.nnue",
        fake("classical") + "?EvalFile=other.nnue&Use NNUE=false",
    ] {
        let loaded = load(&player, 60).unwrap();
        assert!(loaded.player::<MakrukPosition>().is_ok(), "{player}");
    }
    let output = run(&["match", "random", &fake("well"), "--game=makruk"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("needs a limit, as in"), "{errors}");
}

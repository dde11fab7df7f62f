use std::time::{Duration, Instant};

use crate::process::{Engine, number};

#[test]
fn options_are_announced() {
    let started = Instant::now();
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.recv_until("uciok");
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(lines[0].starts_with("id name Garuda"));
    for option in [
        "option name UCI_Variant type combo default makruk var makruk var sittuyin \
         var sittuyin-booklet var torishogi var eternal",
        "option name EvalFile type string default <empty>",
        "option name Threads type spin default 1 min 1 max 256",
        "option name MultiPV type spin default 1 min 1 max 500",
        "option name UCI_ShowWDL type check default false",
        "option name Move Overhead type spin default 50 min 0 max 5000",
        "option name Ponder type check default false",
    ] {
        assert!(lines.iter().any(|line| line == option), "{option}");
    }
    let hash = "option name Hash type spin default 256 min 1 max ";
    assert!(lines.iter().any(|line| line.starts_with(hash)), "{lines:?}");
    engine.send("quit");
}

#[test]
fn commands_before_quit_are_answered() {
    let mut engine = Engine::start();
    engine.send("uci\nisready\ngo nodes 5\nquit");
    engine.recv_until("uciok");
    engine.recv_until("readyok");
    engine.recv_until("bestmove");
}

#[test]
fn invalid_input_is_reported_and_ignored() {
    let mut engine = Engine::with_variant("makruk");
    engine.sync();
    for invalid in [
        "xyzzy",
        "go nodes many",
        "go sideways",
        "position",
        "position fen",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position startpos moves e2e4",
        "position startpos moves a3a4 a3a4",
        "position sfen 9/9 b - 1",
        "setoption",
        "setoption name",
        "setoption name Hash value much",
        "setoption name Hash value 1048577",
        "setoption name Threads value 0",
        "setoption name UCI_Variant value chess",
        "setoption name EvalFile value no/such/file.onnx",
        "setoption name EvalFile value /",
        "perft -1",
        "\u{1b}[31m ♞ \u{feff}",
    ] {
        engine.send(invalid);
        let lines = engine.sync();
        assert_eq!(lines.len(), 1, "{invalid}: {lines:?}");
        assert!(lines[0].starts_with("info string error: "), "{lines:?}");
    }
    for ignored in [
        "",
        "   ",
        "debug on",
        "register later",
        "gameover win",
        "stop",
        "ponderhit",
    ] {
        engine.send(ignored);
        assert_eq!(engine.sync(), [] as [&str; 0], "{ignored:?}");
    }
    engine.send_bytes(b"\xff\xfe\x00\x80go\n\n\r\n");
    assert_eq!(engine.sync().len(), 1);
    // A line that is too long.
    engine.send_bytes(&vec![b'x'; 5 << 20]);
    engine.send_bytes(b"\n");
    let lines = engine.sync();
    assert_eq!(lines, ["info string error: the line is too long"]);
    // The position has not changed.
    let (_, best) = engine.search("go nodes 100 searchmoves e3e4");
    assert_eq!(best, "e3e4");
}

#[test]
fn position_evaluation_and_perft_are_displayed() {
    let mut engine = Engine::with_variant("torishogi");
    engine.send("position startpos moves e4e5\nd");
    let lines = engine.sync();
    let fen = "Fen: rpckcpl/3f3/ssssSss/2s4/SSSSSSS/3F3/LPCKCPR[S] b - - 0 1";
    assert!(lines.iter().any(|line| line == fen), "{lines:?}");
    let sfen = "Sfen: rpckcpl/3f3/ssssSss/2s4/SSSSSSS/3F3/LPCKCPR w S 2";
    assert!(lines.iter().any(|line| line == sfen), "{lines:?}");
    engine.send("eval");
    let lines = engine.sync();
    let priors = lines[1..].iter().map(|line| {
        let prior = line.split_whitespace().nth(1).unwrap();
        prior.parse::<f64>().unwrap()
    });
    assert!((priors.sum::<f64>() - 1.0).abs() < 0.01, "{lines:?}");
    engine.send("position startpos\nperft 3");
    let lines = engine.sync();
    assert_eq!(lines.last().unwrap(), "Nodes searched: 5430", "{lines:?}");
    engine.send("go perft 1");
    assert_eq!(engine.sync().len(), 17 + 2);
    engine.send("perft 0");
    assert_eq!(engine.sync().last().unwrap(), "Nodes searched: 1");
}

#[test]
fn search_limits_are_observed() {
    let mut engine = Engine::with_variant("makruk");
    let (lines, _) = engine.search("go nodes 700");
    let last = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
    assert_eq!(number(last, "nodes"), Some(700));
    let (lines, _) = engine.search("ucinewgame\ngo depth 4");
    let last = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
    assert_eq!(number(last, "depth"), Some(4));
    let started = Instant::now();
    engine.search("ucinewgame\ngo movetime 300");
    assert!(started.elapsed() >= Duration::from_millis(300));
    engine.search("ucinewgame\ngo wtime 0 btime 0");
    engine.search("go wtime -100 btime 5");
    engine.search("go nodes 0");
    engine.search("go depth 0");
    engine.search("go movetime 0");
}

/// The time that is used is tested with the time management, not here on a busy machine.
#[test]
fn every_go_is_answered_while_the_clock_runs_down() {
    let mut engine = Engine::with_variant("torishogi");
    let mut remaining = Duration::from_millis(600);
    let mut moves = Vec::new();
    for _ in 0..12 {
        let started = Instant::now();
        let time = remaining.as_millis();
        let moves_so_far = moves.join(" ");
        let (_, best) = engine.search(&format!(
            "position startpos moves {moves_so_far}\ngo wtime {time} btime {time} winc 20 binc 20"
        ));
        remaining = remaining.saturating_sub(started.elapsed());
        moves.push(best);
    }
}

#[test]
fn only_searchmoves_are_searched() {
    let mut engine = Engine::with_variant("torishogi");
    for moves in ["a3a4", "g1g2 d1c2", "d1c2 a3a4 b3b4"] {
        let (lines, best) = engine.search(&format!("go nodes 300 searchmoves {moves}"));
        assert!(moves.split(' ').any(|mv| mv == best), "{best}");
        for line in lines.iter().filter(|line| line.contains(" pv ")) {
            let first = line
                .split(" pv ")
                .nth(1)
                .unwrap()
                .split(' ')
                .next()
                .unwrap();
            assert!(moves.contains(first), "{line}");
        }
    }
    // Illegal ones are ignored; if none is legal, all moves are searched.
    let (_, best) = engine.search("go nodes 50 searchmoves a1a7 a3a4 nonsense");
    assert_eq!(best, "a3a4");
    let (lines, _) = engine.search("go nodes 50 searchmoves a1a7");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("\"a1a7\" is not a legal move"))
    );
    engine.send("setoption name MultiPV value 100");
    let (lines, _) = engine.search("go nodes 3000");
    let searched = |count| {
        lines
            .iter()
            .any(|line| number(line, "multipv") == Some(count))
    };
    assert!(searched(2), "{lines:?}");
}

#[test]
fn multipv_and_wdl_are_shown() {
    let mut engine = Engine::with_variant("sittuyin-booklet");
    engine.send("setoption name MultiPV value 4\nsetoption name UCI_ShowWDL value true");
    let (lines, best) = engine.search("go nodes 2000");
    let infos: Vec<_> = lines.iter().filter(|line| line.contains(" pv ")).collect();
    let last: Vec<_> = infos.iter().rev().take(4).rev().collect();
    for (i, line) in last.iter().enumerate() {
        assert_eq!(number(line, "multipv"), Some(i as i64 + 1), "{line}");
    }
    assert!(last[0].contains(&format!(" pv {best}")));
    for line in infos {
        let wdl = line.split(" wdl ").nth(1).unwrap();
        let sum: u32 = wdl
            .split(' ')
            .take(3)
            .map(|n| n.parse::<u32>().unwrap())
            .sum();
        assert_eq!(sum, 1000, "{line}");
        for word in ["depth", "nodes", "nps", "time", "hashfull"] {
            assert!(number(line, word).is_some(), "{word} in {line}");
        }
    }
    engine.send("setoption name UCI_ShowWDL value false");
    let (lines, _) = engine.search("go nodes 3000");
    assert!(lines.iter().all(|line| !line.contains(" wdl ")));
}

#[test]
fn the_tree_is_reused_from_move_to_move() {
    let mut engine = Engine::with_variant("makruk");
    let (lines, best) = engine.search("position startpos\ngo nodes 5000");
    let reply = lines.last().unwrap().split(' ').nth(3).unwrap();
    let (lines, _) = engine.search(&format!(
        "position startpos moves {best} {reply}\ngo nodes 1"
    ));
    let line = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
    assert!(number(line, "nodes").unwrap() > 10, "{line}");
    let (lines, _) = engine.search(&format!(
        "ucinewgame\nposition startpos moves {best} {reply}\ngo nodes 1"
    ));
    let line = lines
        .iter()
        .rfind(|line| line.contains(" nodes "))
        .map_or("", String::as_str);
    assert!(number(line, "nodes").unwrap_or(0) <= 1, "{line}");
}

use std::time::{Duration, Instant};

use crate::process::{Engine, number};

#[test]
fn it_introduces_itself_at_once() {
    let started = Instant::now();
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.hear_until("uciok");
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(lines[0].starts_with("id name Garuda"));
    for option in [
        "option name UCI_Variant type combo default makruk var makruk var sittuyin \
         var sittuyin-booklet var torishogi var eternal",
        "option name EvalFile type string default <empty>",
        "option name Threads type spin default 1 min 1 max 256",
        "option name Hash type spin default 256 min 1 max 1048576",
        "option name MultiPV type spin default 1 min 1 max 500",
        "option name UCI_ShowWDL type check default false",
        "option name Move Overhead type spin default 50 min 0 max 5000",
        "option name Ponder type check default false",
    ] {
        assert!(lines.iter().any(|line| line == option), "{option}");
    }
    engine.send("quit");
}

#[test]
fn what_was_asked_before_quit_is_answered() {
    let mut engine = Engine::start();
    engine.send("uci\nisready\ngo nodes 5\nquit");
    engine.hear_until("uciok");
    engine.hear_until("readyok");
    engine.hear_until("bestmove");
}

#[test]
fn garbage_is_answered_in_words_and_forgotten() {
    let mut engine = Engine::of("makruk");
    for garbage in [
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
        "setoption name Threads value 0",
        "setoption name UCI_Variant value chess",
        "setoption name EvalFile value no/such/file.onnx",
        "setoption name EvalFile value /",
        "perft -1",
        "\u{1b}[31m ♞ \u{feff}",
    ] {
        engine.send(garbage);
        let lines = engine.settle();
        assert_eq!(lines.len(), 1, "{garbage}: {lines:?}");
        assert!(lines[0].starts_with("info string error: "), "{lines:?}");
    }
    for silence in [
        "",
        "   ",
        "debug on",
        "register later",
        "gameover win",
        "stop",
        "ponderhit",
    ] {
        engine.send(silence);
        assert_eq!(engine.settle(), [] as [&str; 0], "{silence:?}");
    }
    engine.say_bytes(b"\xff\xfe\x00\x80go\n\n\r\n");
    assert_eq!(engine.settle().len(), 1);
    // A line without end, and then one that has one.
    engine.say_bytes(&vec![b'x'; 5 << 20]);
    engine.say_bytes(b"\n");
    let lines = engine.settle();
    assert_eq!(lines, ["info string error: a line is too long"]);
    // The position was never changed.
    let (_, best) = engine.ask("go nodes 100 searchmoves e3e4");
    assert_eq!(best, "e3e4");
}

#[test]
fn positions_can_be_looked_at() {
    let mut engine = Engine::of("torishogi");
    engine.send("position startpos moves e4e5\nd");
    let lines = engine.settle();
    let fen = "Fen: rpckcpl/3f3/ssssSss/2s4/SSSSSSS/3F3/LPCKCPR[S] b - - 0 1";
    assert!(lines.iter().any(|line| line == fen), "{lines:?}");
    let sfen = "Sfen: rpckcpl/3f3/ssssSss/2s4/SSSSSSS/3F3/LPCKCPR w S 2";
    assert!(lines.iter().any(|line| line == sfen), "{lines:?}");
    engine.send("eval");
    let lines = engine.settle();
    let priors = lines[1..].iter().map(|line| {
        let prior = line.split_whitespace().nth(1).unwrap();
        prior.parse::<f64>().unwrap()
    });
    assert!((priors.sum::<f64>() - 1.0).abs() < 0.01, "{lines:?}");
    engine.send("position startpos\nperft 3");
    let lines = engine.settle();
    assert_eq!(lines.last().unwrap(), "Nodes searched: 5430", "{lines:?}");
    engine.send("go perft 1");
    assert_eq!(engine.settle().len(), 17 + 2);
    engine.send("perft 0");
    assert_eq!(engine.settle().last().unwrap(), "Nodes searched: 1");
}

#[test]
fn limits_are_kept() {
    let mut engine = Engine::of("makruk");
    let (lines, _) = engine.ask("go nodes 700");
    let last = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
    assert_eq!(number(last, "nodes"), Some(700));
    let (lines, _) = engine.ask("ucinewgame\ngo depth 4");
    let last = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
    assert_eq!(number(last, "depth"), Some(4));
    let started = Instant::now();
    engine.ask("ucinewgame\ngo movetime 300");
    assert!(started.elapsed() >= Duration::from_millis(250));
    engine.ask("ucinewgame\ngo wtime 0 btime 0");
    engine.ask("go wtime -100 btime 5");
    engine.ask("go nodes 0");
    engine.ask("go depth 0");
    engine.ask("go movetime 0");
}

/// How much time is used is the clock's own test and no matter for one on a busy machine.
#[test]
fn a_clock_that_runs_down_is_answered_to_its_end() {
    let mut engine = Engine::of("torishogi");
    let mut left = Duration::from_millis(600);
    let mut moves = Vec::new();
    for _ in 0..12 {
        let started = Instant::now();
        let time = left.as_millis();
        let moves_so_far = moves.join(" ");
        let (_, best) = engine.ask(&format!(
            "position startpos moves {moves_so_far}\ngo wtime {time} btime {time} winc 20 binc 20"
        ));
        left = left.saturating_sub(started.elapsed());
        moves.push(best);
    }
}

#[test]
fn searchmoves_are_obeyed_and_others_searched_again_after() {
    let mut engine = Engine::of("torishogi");
    for moves in ["a3a4", "g1g2 d1c2", "d1c2 a3a4 b3b4"] {
        let (lines, best) = engine.ask(&format!("go nodes 300 searchmoves {moves}"));
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
    // What is legal of them counts; if nothing is, everything does.
    let (_, best) = engine.ask("go nodes 50 searchmoves a1a7 a3a4 nonsense");
    assert_eq!(best, "a3a4");
    let (lines, _) = engine.ask("go nodes 50 searchmoves a1a7");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("\"a1a7\" is not a legal move"))
    );
    engine.send("setoption name MultiPV value 100");
    let (lines, _) = engine.ask("go nodes 3000");
    assert!(lines.iter().any(|line| number(line, "multipv") == Some(17)));
}

#[test]
fn several_lines_are_told_with_their_chances() {
    let mut engine = Engine::of("sittuyin-booklet");
    engine.send("setoption name MultiPV value 4\nsetoption name UCI_ShowWDL value true");
    let (lines, best) = engine.ask("go nodes 2000");
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
    let (lines, _) = engine.ask("go nodes 3000");
    assert!(lines.iter().all(|line| !line.contains(" wdl ")));
}

#[test]
fn the_lack_of_a_network_is_told_once() {
    let mut engine = Engine::of("eternal");
    let seen = |lines: &[String]| lines.iter().filter(|l| l.contains("no network")).count();
    assert_eq!(seen(&engine.ask("go nodes 10").0), 1);
    assert_eq!(seen(&engine.ask("go nodes 20").0), 0);
}

#[test]
fn trees_are_kept_from_move_to_move() {
    let mut engine = Engine::of("makruk");
    let (lines, best) = engine.ask("position startpos\ngo nodes 5000");
    let reply = lines.last().unwrap().split(' ').nth(3).unwrap();
    let (lines, _) = engine.ask(&format!(
        "position startpos moves {best} {reply}\ngo nodes 1"
    ));
    let line = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
    assert!(number(line, "nodes").unwrap() > 10, "{line}");
    let (lines, _) = engine.ask(&format!(
        "ucinewgame\nposition startpos moves {best} {reply}\ngo nodes 1"
    ));
    let line = lines
        .iter()
        .rfind(|line| line.contains(" nodes "))
        .map_or("", String::as_str);
    assert!(number(line, "nodes").unwrap_or(0) <= 1, "{line}");
}

use std::thread;
use std::time::{Duration, Instant};

use crate::process::Engine;

#[test]
fn stop_without_search_does_nothing() {
    let mut engine = Engine::with_variant("makruk");
    engine.sync();
    engine.send("stop\nstop\nponderhit");
    assert_eq!(engine.sync(), [] as [&str; 0]);
    engine.search("go nodes 10");
    engine.send("stop");
    assert_eq!(engine.sync(), [] as [&str; 0]);
}

#[test]
fn every_go_has_one_bestmove_however_it_is_stopped() {
    let mut engine = Engine::with_variant("torishogi");
    engine.sync();
    let mut pauses = [0, 0, 1, 50, 200, 1000, 3000].into_iter().cycle();
    for round in 0..60 {
        let go = [
            "go infinite",
            "go",
            "go mate 3",
            "go ponder wtime 50 btime 50",
        ][round % 4];
        engine.send(go);
        thread::sleep(Duration::from_micros(pauses.next().unwrap()));
        engine.send("stop");
        let lines = engine.recv_until("bestmove");
        assert!(
            lines.iter().all(|line| !line.contains("error")),
            "{lines:?}"
        );
    }
    // All at once.
    engine.send(&"go infinite\nstop\n".repeat(100));
    for _ in 0..100 {
        engine.recv_until("bestmove");
    }
    engine.send("stop");
    assert_eq!(engine.sync(), [] as [&str; 0]);
}

#[test]
fn many_queued_commands_do_not_delay_quit() {
    let mut engine = Engine::with_variant("makruk");
    engine.send("go movetime 60000");
    engine.send(&"setoption name MultiPV value 2\n".repeat(100_000));
    engine.send("quit");
    engine.recv_until("bestmove");
}

#[test]
fn isready_is_answered_during_a_search() {
    let mut engine = Engine::with_variant("makruk");
    engine.send("go infinite");
    for _ in 0..5 {
        engine.send("isready");
        engine.recv_until("readyok");
        thread::sleep(Duration::from_millis(5));
    }
    engine.send("stop");
    engine.recv_until("bestmove");
}

#[test]
fn other_commands_end_an_endless_search() {
    let mut engine = Engine::with_variant("makruk");
    engine.send("go infinite\nposition startpos moves a3a4\ngo nodes 10\nd");
    engine.recv_until("bestmove");
    engine.recv_until("bestmove");
    engine.recv_until("Fen:");
    engine.send("perft 30");
    thread::sleep(Duration::from_millis(20));
    engine.send("stop");
    let lines = engine.sync();
    assert_eq!(lines.last().unwrap(), "perft was stopped");
}

#[test]
fn the_end_of_the_input_ends_search_and_engine() {
    for go in [
        "go infinite",
        "go ponder",
        "go wtime 1000000 btime 1000000",
        "go mate 9",
    ] {
        for pause in [0, 20] {
            let mut engine = Engine::with_variant("torishogi");
            engine.sync();
            let started = Instant::now();
            engine.send(go);
            thread::sleep(Duration::from_millis(pause));
            let rest = engine.close();
            assert!(rest.last().unwrap().starts_with("bestmove"), "{rest:?}");
            assert!(started.elapsed() < Duration::from_secs(20));
        }
    }
    let mut engine = Engine::with_variant("torishogi");
    engine.send("go infinite");
    thread::sleep(Duration::from_millis(20));
    engine.send("quit");
    engine.recv_until("bestmove");
    // A command that is not endless is completed.
    let mut engine = Engine::with_variant("torishogi");
    engine.send("perft 4");
    let rest = engine.close();
    assert_eq!(rest.last().unwrap(), "Nodes searched: 103857", "{rest:?}");
}

#[test]
fn pondering_waits_for_ponderhit_and_then_for_the_clock() {
    let mut engine = Engine::with_variant("torishogi");
    let (lines, best) = engine.search("position startpos\ngo nodes 500");
    let words: Vec<_> = lines.last().unwrap().split(' ').collect();
    assert_eq!(words[2], "ponder", "{words:?}");
    engine.send(&format!(
        "position startpos moves {best} {}\ngo ponder wtime 600 btime 600",
        words[3]
    ));
    thread::sleep(Duration::from_millis(300));
    // It may send infos, but no best move.
    let seen = engine.sync();
    assert!(seen.iter().all(|line| line.starts_with("info")), "{seen:?}");
    engine.send("ponderhit");
    engine.recv_until("bestmove");
    // A proven position needs no search, but the engine must wait all the same.
    engine.send("position fen 3k3/7/3K3/7/7/7/7[F] w - - 0 1\ngo ponder wtime 600 btime 600");
    thread::sleep(Duration::from_millis(30));
    assert!(engine.sync().iter().all(|line| !line.contains("bestmove")));
    engine.send("ponderhit");
    assert_eq!(
        engine.recv_until("bestmove").last().unwrap(),
        "bestmove F@d6"
    );
}

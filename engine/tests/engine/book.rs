use std::collections::BTreeSet;
use std::fs;

use garuda_rules::Position;
use garuda_rules::tori::ToriPosition;

use crate::process::Engine;

#[test]
fn moves_of_the_book_are_played_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("book.epd");
    let start = ToriPosition::start();
    fs::write(&file, format!("{start} bm a3a4 c1b2 e4e5; weight 1 0 1;\n")).unwrap();
    let mut engine = Engine::with_variant("torishogi");
    // The network is announced once.
    engine.sync();
    engine.send(&format!("setoption name Book value {}", file.display()));
    assert_eq!(engine.sync(), [] as [&str; 0]);
    let mut played = BTreeSet::new();
    for _ in 0..40 {
        engine.send("position startpos\ngo nodes 1000000000");
        let lines = engine.recv_until("bestmove");
        assert!(lines.iter().any(|line| line.contains("book")), "{lines:?}");
        played.insert(lines.last().unwrap().clone());
    }
    let expected = ["bestmove a3a4", "bestmove e4e5"].map(str::to_owned);
    assert_eq!(played, BTreeSet::from(expected));

    // Where the book has nothing, and where a search was asked for, the engine searches.
    for search in [
        "position startpos moves a3a4\ngo nodes 5",
        "position startpos\ngo nodes 5 searchmoves g3g4",
    ] {
        engine.send(search);
        let lines = engine.recv_until("bestmove");
        assert!(!lines.iter().any(|line| line.contains("book")), "{lines:?}");
    }
    engine.send("setoption name Book value <empty>\nposition startpos\ngo nodes 5");
    let lines = engine.recv_until("bestmove");
    assert!(!lines.iter().any(|line| line.contains("book")), "{lines:?}");
}

#[test]
fn a_bad_book_is_reported_and_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("book.epd");
    fs::write(&file, "no position bm e4e5;").unwrap();
    let mut engine = Engine::with_variant("torishogi");
    // The network is announced once.
    engine.sync();
    let missing = dir.path().join("missing.epd");
    for (path, message) in [
        (file.as_path(), "line 1 of the book"),
        (missing.as_path(), "cannot read"),
        (dir.path(), "is not a file"),
    ] {
        engine.send(&format!("setoption name Book value {}", path.display()));
        let lines = engine.sync();
        assert!(lines[0].starts_with("info string error: "), "{lines:?}");
        assert!(lines[0].contains(message), "{lines:?}");
    }
    // A book of one game has no positions of another one.
    fs::write(&file, format!("{} bm e4e5;", ToriPosition::start())).unwrap();
    engine.send(&format!("setoption name Book value {}", file.display()));
    assert_eq!(engine.sync(), [] as [&str; 0]);
    engine.send("setoption name UCI_Variant value makruk");
    let lines = engine.sync();
    assert!(
        lines
            .iter()
            .any(|line| line.contains("not used for makruk")),
        "{lines:?}"
    );
    engine.send("go nodes 5");
    engine.recv_until("bestmove");
}

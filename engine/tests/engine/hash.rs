//! The option `Hash` when memory is short.

use crate::process::{Engine, number};

/// The announced maximum of `Hash` in MiB.
fn announced_maximum() -> i64 {
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.recv_until("uciok");
    let line = lines
        .iter()
        .find(|line| line.contains("name Hash "))
        .unwrap();
    number(line, "max").unwrap()
}

/// An engine that can allocate about this number of MiB more than it has at the start.
fn engine_with_spare_memory(mib: u64) -> Engine {
    let mut unlimited = Engine::start();
    unlimited.sync();
    Engine::with_memory_limit(unlimited.virtual_memory() + mib * 1024)
}

#[test]
fn the_maximum_is_no_more_than_the_memory_of_the_machine() {
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap();
    let line = meminfo.lines().find(|line| line.starts_with("MemTotal:"));
    let mib = number(line.unwrap(), "MemTotal:").unwrap() / 1024;
    let maximum = announced_maximum();
    assert!(
        (256..=mib.max(256)).contains(&maximum),
        "{maximum} of {mib}"
    );
    // More is refused.
    let mut engine = Engine::start();
    engine.send(&format!("setoption name Hash value {}", maximum + 1));
    let lines = engine.sync();
    let message = format!("error: Hash must be a number from 1 to {maximum}, not");
    assert!(lines[0].contains(&message), "{lines:?}");
    engine.search("go nodes 10");
}

#[test]
fn a_hash_that_cannot_be_allocated_is_refused() {
    let maximum = announced_maximum();
    // The cache has at least an eighth of the memory.
    let mut engine = engine_with_spare_memory(maximum as u64 / 16);
    engine.sync();
    engine.send(&format!("setoption name Hash value {maximum}"));
    let lines = engine.sync();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let message = format!("error: cannot allocate a Hash of {maximum} MiB");
    assert!(lines[0].contains(&message), "{lines:?}");
    assert!(lines[0].ends_with("Hash remains 256 MiB"), "{lines:?}");
    engine.search("go nodes 1000");
    engine.send("setoption name Hash value 16");
    assert_eq!(engine.sync(), [] as [&str; 0]);
    engine.search("go nodes 1000");
}

/// The tree has a limit of 192 MiB, but can allocate less.
#[test]
fn a_search_ends_when_no_more_memory_can_be_allocated() {
    let mut engine = engine_with_spare_memory(24);
    let (lines, best) = engine.search("go nodes 4000000000");
    assert_ne!(best, "(none)");
    let last = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
    assert!(number(last, "hashfull").unwrap() < 900, "{last}");
    assert!(number(last, "nodes").unwrap() > 1000, "{last}");
    // The next search works as well.
    engine.search("ucinewgame\ngo nodes 1000");
}

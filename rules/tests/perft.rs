//! Numbers of move sequences against other programs' counts. One position a line in
//! `data/perft`: `text ; D1 count ; D2 count …`.

use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Position, perft};

/// Greater counts are checked by hand: `garuda perft makruk 6`, `garuda perft sittuyin 5`.
const MOST: u64 = 50_000_000;

fn check<P: Position>(data: &str) {
    let lines = data.lines().filter(|line| !line.starts_with('#'));
    let mut checked = 0;
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let mut parts = line.split(';').map(str::trim);
        let text = parts.next().expect("a line starts with a position");
        let position: P = text.parse().unwrap_or_else(|error| panic!("{error}"));
        for part in parts {
            let (depth, count) = part
                .strip_prefix('D')
                .and_then(|part| part.split_once(' '))
                .unwrap_or_else(|| panic!("{part:?} in {line:?}"));
            let depth = depth.parse().expect("a depth");
            let count = count.parse().expect("a count");
            if count <= MOST {
                assert_eq!(perft(&position, depth), count, "depth {depth} of {text}");
                checked += 1;
            }
        }
    }
    assert!(checked > 0, "no counts");
}

#[test]
fn eternal() {
    check::<EternalPosition>(include_str!("data/perft/eternal.perft"));
}

#[test]
fn makruk() {
    check::<MakrukPosition>(include_str!("data/perft/makruk.perft"));
}

#[test]
fn sittuyin() {
    check::<SittuyinPosition<false>>(include_str!("data/perft/sittuyin.perft"));
}

#[test]
fn torishogi() {
    check::<ToriPosition>(include_str!("data/perft/torishogi.perft"));
}

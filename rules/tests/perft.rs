//! Numbers of move sequences against other programs' counts. A file for each rule set in
//! `data/perft`, one position a line: `FEN ; D1 count ; D2 count …`.

use std::fs;

use garuda_rules::{Position, RuleSet, perft, with_rule_set};

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
fn counts_agree() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/perft");
    for entry in fs::read_dir(directory).expect("the directory of counts") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().expect("a name").to_string_lossy();
        let rule_set: RuleSet = name.parse().unwrap_or_else(|error| panic!("{error}"));
        let data = fs::read_to_string(&path).expect("a text");
        with_rule_set!(rule_set, P => check::<P>(&data));
    }
}

//! Records on disk: whole, or refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Game, GameState, Move, MoveList, Outcome, Position, Termination};
use garuda_run::records::{
    Decision, DecisionKind, GameHead, GameRecord, RecordError, RecordStore, Scanned,
    decode_record_file, encode_record_file, scan, verify,
};
use garuda_run::testing::{self, unsearched};
use proptest::prelude::*;

use crate::common::{config, games};

fn head() -> GameHead {
    let start = ToriPosition::start().to_string();
    GameHead {
        sides: [3, 1],
        ..testing::head::<ToriPosition>(&start, 3, 14)
    }
}

/// The decisions of a short game in which Black is mated, or at least some legal moves.
fn some_moves(count: usize) -> Vec<Decision> {
    let mut game = GameState::<ToriPosition>::start();
    let mut legal = MoveList::new();
    (0..count)
        .map(|i| {
            game.legal_moves(&mut legal);
            let mv = legal[i % legal.len()];
            game.play(mv);
            unsearched(mv)
        })
        .collect()
}

#[test]
fn a_game_survives_the_file() {
    let records = games(&config(&[]), 0, &[0, 1, 2, 3], 2);
    let bytes = encode_record_file(&records).unwrap();
    assert_eq!(decode_record_file(&bytes).unwrap(), records);
    for record in &records {
        verify::<ToriPosition>(record).unwrap();
        assert!(record.positions() > 0);
    }
}

#[test]
fn policies_keep_their_shares() {
    let mut legal = MoveList::new();
    GameState::<ToriPosition>::start().legal_moves(&mut legal);
    let shares = [0.7, 0.2, 0.0999, 0.0001, 0.000_001];
    let policy: Vec<_> = legal.iter().copied().zip(shares).collect();
    let decision = Decision {
        kind: DecisionKind::Searched,
        policy: policy.clone(),
        ..unsearched(legal[0])
    };
    let outcome = Outcome::win(Color::White, Termination::Checkmate);
    let record = GameRecord::new(head(), &[decision], outcome).unwrap();
    let kept = record.policies().next().unwrap();
    assert_eq!(kept.len(), 4, "what is as good as nothing is dropped");
    let sum: f32 = kept.iter().map(|&(_, share)| share).sum();
    assert!((sum - 1.0).abs() < 1e-5);
    for (mv, share) in kept {
        let before = policy.iter().find(|(m, _)| *m == mv).unwrap().1;
        assert!((share / before - 1.0).abs() < 0.04, "{share} for {before}");
    }
    let bad = Decision {
        policy: vec![(legal[0], f32::NAN)],
        ..unsearched(legal[0])
    };
    assert!(GameRecord::new(head(), &[bad], outcome).is_err());
}

#[test]
fn a_move_takes_a_few_dozen_bytes() {
    let numbers: Vec<_> = (0..24).collect();
    let records = games(&config(&["search.simulations=[16]"]), 0, &numbers, 2);
    let plies: usize = records.iter().map(GameRecord::plies).sum();
    let bytes = encode_record_file(&records).unwrap().len() as f64 / plies as f64;
    println!("{bytes:.1} bytes a move");
    assert!(bytes < 60.0, "{bytes} bytes a move");
}

#[test]
fn any_damage_is_noticed() {
    let bytes = encode_record_file(&games(&config(&[]), 0, &[0, 1], 1)).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(decode_record_file(&damaged).is_err(), "byte {at} flipped");
        assert!(
            decode_record_file(&bytes[..at]).is_err(),
            "cut to {at} bytes"
        );
    }
    for garbage in [&b"\0"[..], b"garuda", &bytes] {
        let longer = [&bytes[..], garbage].concat();
        assert!(decode_record_file(&longer).is_err());
    }
}

/// A file with a sound checksum around any payload and any claim about its length.
fn forged(payload: &[u8], claim: u32) -> Vec<u8> {
    let mut checked = claim.to_le_bytes().to_vec();
    checked.extend(payload);
    let mut bytes = b"garuda\x00\x01".to_vec();
    bytes.extend(blake3::hash(&checked).as_bytes());
    bytes.extend(checked);
    bytes
}

#[test]
fn hostile_lengths_and_bombs_are_bounded() {
    // 2^60 records, and a record whose name would be 2^60 bytes long.
    for payload in [
        &(1u64 << 60).to_le_bytes()[..],
        &[
            1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 15,
        ],
    ] {
        let compressed = zstd::bulk::compress(payload, 3).unwrap();
        let bytes = forged(&compressed, payload.len() as u32);
        assert!(decode_record_file(&bytes).is_err());
    }
    // A gigabyte of zeros in a few kilobytes, told and untold.
    let bomb =
        zstd::stream::encode_all(std::io::Read::take(std::io::repeat(0), 1 << 30), 3).unwrap();
    assert!(bomb.len() < 1 << 20);
    for claim in [16, 1 << 30, u32::MAX] {
        assert!(decode_record_file(&forged(&bomb, claim)).is_err());
    }
    // Leftovers behind the records.
    let mut payload = 0u64.to_le_bytes().to_vec();
    payload.push(0);
    let compressed = zstd::bulk::compress(&payload, 3).unwrap();
    assert!(decode_record_file(&forged(&compressed, 9)).is_err());
}

#[test]
fn what_was_no_game_is_refused() {
    let check = |record: &GameRecord| verify::<ToriPosition>(record);
    let outcome = Outcome::win(Color::White, Termination::Checkmate);
    let unfinished = GameRecord::new(head(), &some_moves(5), outcome).unwrap();
    assert_eq!(check(&unfinished), Err(RecordError::Unfinished));

    let mut moves = some_moves(5);
    moves[3].mv = Move::from_code(0xffff);
    let illegal = GameRecord::new(head(), &moves, outcome).unwrap();
    assert!(matches!(
        check(&illegal),
        Err(RecordError::Illegal { ply: 3, .. })
    ));

    let other = GameHead {
        rules: "makruk".to_owned(),
        ..head()
    };
    let other = GameRecord::new(other, &some_moves(1), outcome).unwrap();
    assert!(matches!(check(&other), Err(RecordError::Rules { .. })));

    let nowhere = GameHead {
        start: "nowhere".to_owned(),
        ..head()
    };
    let nowhere = GameRecord::new(nowhere, &[], outcome).unwrap();
    assert!(matches!(check(&nowhere), Err(RecordError::Start(_))));

    // A real game with another result, and one that goes on after its end.
    let real = games(&config(&[]), 0, &[0], 1).remove(0);
    let decisions: Vec<_> = real.decisions().collect();
    let real_head = GameHead {
        start: real.start().to_owned(),
        ..head()
    };
    let loser = real.winner().map_or(Color::White, |winner| !winner);
    let wrong = Outcome::win(loser, Termination::Checkmate);
    let wrong = GameRecord::new(real_head.clone(), &decisions, wrong).unwrap();
    assert!(matches!(check(&wrong), Err(RecordError::Outcome { .. })));
    let longer: Vec<_> = decisions.iter().chain(decisions.last()).cloned().collect();
    let longer = GameRecord::new(real_head, &longer, outcome).unwrap();
    assert!(check(&longer).is_err());
}

#[test]
fn damaged_record_files_are_set_aside_and_the_rest_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let all = games(&config(&[]), 0, &(0..8).collect::<Vec<_>>(), 2);
    let mut store = RecordStore::open(dir.path()).unwrap();
    store.write(&all[..3]).unwrap();
    store.write(&all[3..5]).unwrap();
    store.write(&all[4..]).unwrap();
    let damaged = dir.path().join("00000001.games");
    let mut bytes = fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 64;
    fs::write(&damaged, &bytes).unwrap();
    fs::write(dir.path().join("00000009.games"), b"").unwrap();

    let store = RecordStore::open(dir.path()).unwrap();
    let loaded = store.load::<ToriPosition>(|_| 0).unwrap();
    let numbers: Vec<_> = loaded.records.iter().map(GameRecord::number).collect();
    assert_eq!(numbers, [0, 1, 2, 4, 5, 6, 7]);
    assert_eq!(loaded.refused.len(), 2);
    assert!(!damaged.exists());
    assert_eq!(
        fs::read(dir.path().join("refused/00000001.games")).unwrap(),
        bytes
    );

    // Nothing is counted twice, and a new file does not take an old name.
    let mut store = RecordStore::open(dir.path()).unwrap();
    store.write(&all).unwrap();
    let loaded = store.load::<ToriPosition>(|_| 0).unwrap();
    assert_eq!(loaded.records, all);
    assert!(loaded.refused.is_empty());
}

#[test]
fn games_can_be_withdrawn() {
    let dir = tempfile::tempdir().unwrap();
    let earlier = games(&config(&[]), 0, &(0..3).collect::<Vec<_>>(), 1);
    let head = GameHead {
        checkpoint: 1,
        sides: [1; 2],
        ..earlier[0].head()
    };
    let later: Vec<_> = (0..6)
        .map(|number| {
            let decisions: Vec<_> = earlier[0].decisions().collect();
            let head = GameHead {
                number,
                ..head.clone()
            };
            let outcome = Outcome {
                winner: earlier[0].winner(),
                termination: earlier[0].termination().unwrap(),
            };
            GameRecord::new(head, &decisions, outcome).unwrap()
        })
        .collect();
    let mut store = RecordStore::open(dir.path()).unwrap();
    for records in [&earlier[..], &later[..3], &later[3..5], &later[5..]] {
        store.write(records).unwrap();
    }
    store.withdraw(1, &[0, 2, 5, 77].into()).unwrap();
    let expected = [&earlier[..], &later[1..2], &later[3..5]].concat();
    let load = || {
        let store = RecordStore::open(dir.path()).unwrap();
        assert!(store.missing_files().unwrap().is_empty());
        store.load::<ToriPosition>(|_| 0).unwrap()
    };
    assert_eq!(load().records, expected);
    // A crash left both the file and what was written of it again.
    let refused = dir.path().join("refused/00000001.games");
    fs::copy(&refused, dir.path().join("00000001.games")).unwrap();
    let mut store = RecordStore::open(dir.path()).unwrap();
    store.withdraw(1, &[0, 2, 5].into()).unwrap();
    assert_eq!(load().records, expected);
    // Files without any of them stay as they are.
    assert!(dir.path().join("00000002.games").is_file());
    assert!(dir.path().join("00000000.games").is_file());
}

/// A file without damage whose games cannot have been played: only games that are wanted are replayed,
/// and what takes their place is wanted then.
#[test]
fn impossible_games_are_set_aside_when_they_are_wanted() {
    let dir = tempfile::tempdir().unwrap();
    let all = games(&config(&[]), 0, &(0..4).collect::<Vec<_>>(), 2);
    let impossible = GameHead {
        number: 9,
        ..head()
    };
    let outcome = Outcome::win(Color::White, Termination::Checkmate);
    let impossible = GameRecord::new(impossible, &some_moves(5), outcome).unwrap();
    let mut store = RecordStore::open(dir.path()).unwrap();
    store.write(&all[..2]).unwrap();
    store.write(&all[2..]).unwrap();
    store.write(&[impossible]).unwrap();

    let none = store.load::<ToriPosition>(<[_]>::len).unwrap();
    assert!(none.records.is_empty() && none.refused.is_empty());
    let last_two = store.load::<ToriPosition>(|games| games.len() - 2).unwrap();
    assert_eq!(last_two.records, all[2..]);
    assert_eq!(last_two.refused.len(), 1);
    assert!(dir.path().join("refused/00000002.games").is_file());
}

/// Stray files with the highest numbers there are.
#[test]
fn a_record_file_is_never_replaced() {
    let all = games(&config(&[]), 0, &(0..2).collect::<Vec<_>>(), 1);
    let contents = |dir: &Path| -> BTreeMap<String, Vec<u8>> {
        let files = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        (files.filter(|path| path.is_file()))
            .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
            .collect()
    };
    let dir = tempfile::tempdir().unwrap();
    let mut store = RecordStore::open(dir.path()).unwrap();
    store.write(&all[..1]).unwrap();
    fs::copy(
        dir.path().join("00000000.games"),
        dir.path().join("4294967295.games"),
    )
    .unwrap();
    for records in [&all[1..], &all] {
        let before = contents(dir.path());
        RecordStore::open(dir.path())
            .unwrap()
            .write(records)
            .unwrap();
        let after = contents(dir.path());
        assert_eq!(after.len(), before.len() + 1);
        assert!(before.iter().all(|(name, bytes)| after[name] == *bytes));
    }
    assert!(dir.path().join("4294967297.games").is_file());
    // A file that appears under the next number.
    let mut store = RecordStore::open(dir.path()).unwrap();
    let stray = dir.path().join("4294967298.games");
    fs::write(&stray, b"mine").unwrap();
    let error = format!("{:#}", store.write(&all).unwrap_err());
    assert!(error.contains("cannot write"), "{error}");
    assert_eq!(fs::read(&stray).unwrap(), b"mine");
    // No number follows this one.
    let last = format!("{}.games", u64::MAX);
    fs::write(dir.path().join(&last), b"").unwrap();
    let error = RecordStore::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains(&last), "{error}");
}

#[test]
fn a_number_that_was_set_aside_is_not_used_again() {
    let all = games(&config(&[]), 0, &(0..2).collect::<Vec<_>>(), 1);
    let dir = tempfile::tempdir().unwrap();
    let load = || {
        let store = RecordStore::open(dir.path()).unwrap();
        let loaded = store.load::<ToriPosition>(|_| 0);
        (loaded.unwrap(), store)
    };
    fs::write(dir.path().join("00000000.games"), b"damaged").unwrap();
    let (_, mut store) = load();
    store.write(&all).unwrap();
    assert!(dir.path().join("refused/00000000.games").is_file());
    assert!(dir.path().join("00000001.games").is_file());
    // Copied back by hand it is set aside again, beside the first.
    fs::write(dir.path().join("00000000.games"), b"damaged again").unwrap();
    assert_eq!(load().0.records, all);
    let refused = |name| fs::read(dir.path().join("refused").join(name)).unwrap();
    assert_eq!(refused("00000000.games"), b"damaged");
    assert_eq!(refused("00000000.games-2"), b"damaged again");
}

#[test]
fn missing_files_are_named() {
    let all = games(&config(&[]), 0, &[0], 1);
    let dir = tempfile::tempdir().unwrap();
    let mut store = RecordStore::open(dir.path()).unwrap();
    assert!(store.missing_files().unwrap().is_empty());
    for _ in 0..8 {
        store.write(&all).unwrap();
    }
    assert!(store.missing_files().unwrap().is_empty());
    for number in [0, 3, 4, 5, 7] {
        fs::remove_file(dir.path().join(format!("{number:08}.games"))).unwrap();
    }
    assert_eq!(
        store.missing_files().unwrap(),
        ["00000000.games", "00000003.games to 00000005.games"]
    );
}

#[test]
fn games_that_are_not_wanted_are_only_counted() {
    let dir = tempfile::tempdir().unwrap();
    let all = games(&config(&[]), 0, &(0..8).collect::<Vec<_>>(), 2);
    let mut store = RecordStore::open(dir.path()).unwrap();
    assert!(store.is_empty());
    // As they were finished, some twice.
    for part in [&all[4..7], &all[1..5], &all[..1], &all[6..]] {
        store.write(part).unwrap();
    }
    for first in 0..=all.len() {
        let loaded = store.load::<ToriPosition>(|stored| {
            let numbers: Vec<_> = stored.iter().map(|game| game.number).collect();
            assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7]);
            first
        });
        let loaded = loaded.unwrap();
        assert_eq!(loaded.records, all[first..]);
        let before: usize = all[..first].iter().map(GameRecord::positions).sum();
        assert_eq!(loaded.passed_over, before as u64);
    }
}

/// The numbers of all games that a scan sees, file by file, and what it says at the end.
fn scanned(dir: &Path) -> (Vec<Vec<u64>>, Scanned) {
    let mut seen = Vec::new();
    let mut last = 0;
    let scanned = scan::<ToriPosition, _>(
        dir,
        |records| records.iter().map(GameRecord::number).collect(),
        |numbers| seen.push(numbers),
        |progress| last = progress.files - progress.files_done,
    );
    assert_eq!(last, 0);
    (seen, scanned.expect("the files are sound or set aside"))
}

#[test]
fn a_scan_sees_every_sound_game_once_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let all = games(&config(&[]), 0, &(0..8).collect::<Vec<_>>(), 2);
    let mut store = RecordStore::open(dir.path()).unwrap();
    store.write(&all[..3]).unwrap();
    store.write(&all[1..6]).unwrap();
    for _ in 0..20 {
        store.write(&all[6..]).unwrap();
    }
    let damaged = dir.path().join("00000008.games");
    fs::write(&damaged, b"garuda").unwrap();
    let pool = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| scanned(dir.path()))
    };
    let (seen, end) = pool(1);
    assert_eq!(seen[..3], [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7]]);
    assert!(seen[3..].iter().all(Vec::is_empty));
    assert_eq!(end.games, 8);
    assert_eq!(end.refused.len(), 1);
    assert!(end.refused[0].contains("00000008.games"));
    assert!(damaged.exists());
    assert_eq!(pool(3), (seen, end));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode_record_file(&bytes).is_err());
        let compressed = zstd::bulk::compress(&bytes, 1).unwrap();
        let _ = decode_record_file(&forged(&compressed, bytes.len() as u32));
    }
}

use std::collections::HashSet;

use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::mini_makruk::MiniMakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Position, RuleSet, with_rule_set};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::random_games::random_positions;

fn layout<P: Position>() -> NnueLayout {
    NnueLayout::of::<P>().unwrap()
}

/// Random weights of the size that training gives.
fn random_network(layout: CompactLayout, width: usize, stacks: usize, seed: u64) -> CompactNetwork {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut numbers = |count: usize, limit: i32| -> Vec<i32> {
        (0..count)
            .map(|_| rng.random_range(-limit..=limit))
            .collect()
    };
    let rows = layout.rows();
    let i16s = |numbers: Vec<i32>| numbers.into_iter().map(|n| n as i16).collect();
    let i8s = |numbers: Vec<i32>| numbers.into_iter().map(|n| n as i8).collect();
    CompactNetwork {
        width,
        bias: i16s(numbers(width, 60)),
        rows: i16s(numbers(rows * width, 40)),
        psqt: numbers(rows * stacks, 20_000),
        stacks: (0..stacks)
            .map(|_| NnueStack {
                bias_1: numbers(HIDDEN_1, 4_000),
                weights_1: i8s(numbers(HIDDEN_1 * 2 * width, 20)),
                bias_2: numbers(HIDDEN_2, 4_000),
                weights_2: i8s(numbers(HIDDEN_2 * HIDDEN_1, 60)),
                bias_3: numbers(1, 4_000)[0],
                weights_3: i8s(numbers(HIDDEN_2, 127)),
            })
            .collect(),
        layout,
    }
}

/// Positions of random games that the engine's network would evaluate.
fn positions<P: Position>(count: usize, visit: impl FnMut(&P, NnuePosition)) {
    let layout = layout::<P>();
    let mut visit = visit;
    let mut seen = 0;
    random_positions::<P>(4 * count + 100, 1, &[], |game, _| {
        if let Some(seen_position) = NnuePosition::of(&layout, game.position())
            && seen < count
        {
            visit(game.position(), seen_position);
            seen += 1;
        }
    });
    assert_eq!(seen, count);
}

#[test]
fn layouts_have_the_engines_sizes() {
    let sizes = |layout: NnueLayout| {
        (
            layout.squares(),
            layout.types(),
            layout.features_per_king(),
            layout.features(),
        )
    };
    assert_eq!(sizes(layout::<MakrukPosition>()), (64, 6, 704, 45_056));
    assert_eq!(
        sizes(layout::<SittuyinPosition<false>>()),
        (64, 6, 704, 45_056)
    );
    assert_eq!(sizes(layout::<ToriPosition>()), (49, 9, 1_057, 51_793));
    assert_eq!(NnueNetwork::file_len(45_056, 0), 47_721_296);
    assert_eq!(NnueNetwork::file_len(51_793, 7), 54_835_575);
}

#[test]
fn games_that_the_engine_does_not_play_are_refused_in_words() {
    for (error, word) in [
        (NnueLayout::of::<EternalPosition>(), "no Eternal chess"),
        (NnueLayout::of::<SittuyinPosition<true>>(), "booklet"),
        (NnueLayout::of::<MiniMakrukPosition>(), "mini-makruk"),
    ] {
        let error = error.unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

/// The numbers are those of the engine's formula, computed by hand.
#[test]
fn features_have_the_engines_numbers() {
    let layout = layout::<MakrukPosition>();
    // White: king d1 (3), rook a1. Black: king e8, pawn c6. Black sees e8 as e1 (4) and c6 as c3 (18).
    let position: MakrukPosition = "4k3/8/2p5/8/8/8/8/R2K4 w - - 0 1".parse().unwrap();
    let position = NnuePosition::of(&layout, &position).unwrap();
    let mut features = Vec::new();
    layout.fill(&position, Color::White, &mut features);
    features.sort_unstable();
    let white = 3 * 704;
    let mut expected = [
        white + 4 * 64,      // own rook on a1
        white + 10 * 64 + 3, // own king on d1
        white + 64 + 42,     // enemy pawn on c6
        white + 10 * 64 + 60,
    ];
    expected.sort_unstable();
    assert_eq!(features, expected);
    layout.fill(&position, Color::Black, &mut features);
    features.sort_unstable();
    let black = 4 * 704;
    let mut expected = [
        black + 5 * 64 + 56,
        black + 10 * 64 + 59,
        black + 18,
        black + 10 * 64 + 4,
    ];
    expected.sort_unstable();
    assert_eq!(features, expected);
    assert_eq!(position.bucket(), 0);

    let layout = super::layout::NnueLayout::of::<ToriPosition>().unwrap();
    let position: ToriPosition = "3k3/7/7/7/7/7/3K3[SSp] b - - 0 1".parse().unwrap();
    let position = NnuePosition::of(&layout, &position).unwrap();
    layout.fill(&position, Color::Black, &mut features);
    let black = 3 * 1_057;
    let hand = black + 17 * 49;
    for feature in [
        black + 16 * 49 + 3,
        black + 16 * 49 + 45,
        hand + 14,      // the enemy's first swallow
        hand + 14 + 1,  // and its second
        hand + 10 * 14, // the own pheasant
    ] {
        assert!(features.contains(&feature), "{feature} of {features:?}");
    }
    assert_eq!(features.len(), 5);
}

#[test]
fn features_are_distinct_and_positions_survive_their_bytes() {
    fn check<P: Position>() {
        let layout = layout::<P>();
        let mut features = Vec::new();
        positions::<P>(500, |position, seen| {
            for color in Color::ALL {
                layout.fill(&seen, color, &mut features);
                let distinct: HashSet<_> = features.iter().collect();
                assert_eq!(distinct.len(), features.len(), "{position}");
                let in_range = |&feature: &u32| (feature as usize) < layout.features();
                assert!(features.iter().all(in_range), "{position}");
            }
            let mut bytes = Vec::new();
            seen.write(&layout, &mut bytes);
            assert_eq!(bytes.len(), NnuePosition::encoded_len(&layout));
            assert_eq!(NnuePosition::read(&layout, &bytes), Some(seen));
        });
    }
    check::<MakrukPosition>();
    check::<SittuyinPosition<false>>();
    check::<ToriPosition>();
}

#[test]
fn what_the_engine_has_no_features_for_is_no_position() {
    let sittuyin = layout::<SittuyinPosition<false>>();
    let start = SittuyinPosition::<false>::start();
    assert_eq!(NnuePosition::of(&sittuyin, &start), None);
    let tori = layout::<ToriPosition>();
    let hand = |swallows: usize| {
        let fen = format!("3k3/7/7/7/7/7/3K3[{}] w - - 0 1", "S".repeat(swallows));
        NnuePosition::of(&tori, &fen.parse::<ToriPosition>().unwrap())
    };
    assert!(hand(14).is_some());
    assert_eq!(hand(15), None);
    // Bytes with two kings of a side, without a king, with an unknown piece or side.
    let mut bytes = Vec::new();
    hand(3).unwrap().write(&tori, &mut bytes);
    for (place, byte) in [(0, 17), (3, 0), (0, 19), (49 + 16, 2), (49, 15)] {
        let mut broken = bytes.clone();
        broken[place] = byte;
        assert_eq!(NnuePosition::read(&tori, &broken), None, "{place} {byte}");
    }
    assert_eq!(NnuePosition::read(&tori, &bytes[1..]), None);
}

/// Expanding shared rows to the engine's features changes no evaluation, in exact integers, and
/// evaluations do not tell left from right.
#[test]
fn expanded_networks_evaluate_as_compact_ones_do() {
    fn check<P: Position>() {
        for (king_buckets, width, stacks) in [
            (KingBuckets::One, 64, 1),
            (KingBuckets::Eight, 32, 8),
            (KingBuckets::Every, 16, 8),
        ] {
            let layout = layout::<P>();
            let compact = CompactLayout::new(layout.clone(), king_buckets);
            let network = random_network(compact, width, stacks, 7);
            let expanded = network.expand(String::new());
            let middle = match P::BOARD.files % 2 {
                1 => Some(P::BOARD.files / 2),
                _ => None,
            };
            let mut distinct = HashSet::new();
            positions::<P>(100, |position, seen| {
                let evaluation = network.evaluate(&seen);
                assert_eq!(expanded.evaluate(&layout, &seen), evaluation, "{position}");
                distinct.insert((evaluation.psqt, evaluation.positional));
                // A king on a middle file is its own mirror image, but the other pieces are not.
                let on_middle = |color| Some(seen.king(color) % P::BOARD.files) == middle;
                if let Some(image) = position.mirrored()
                    && !Color::ALL.into_iter().any(on_middle)
                {
                    let image = NnuePosition::of(&layout, &image).unwrap();
                    assert_eq!(network.evaluate(&image), evaluation, "{position}");
                }
            });
            assert!(distinct.len() > 90, "{} of 100", distinct.len());
        }
    }
    check::<MakrukPosition>();
    check::<SittuyinPosition<false>>();
    check::<ToriPosition>();
}

#[test]
fn files_survive_a_round_trip() {
    for rule_set in [RuleSet::Makruk, RuleSet::Sittuyin, RuleSet::ToriShogi] {
        let layout = with_rule_set!(rule_set, P => layout::<P>());
        let compact = CompactLayout::new(layout.clone(), KingBuckets::One);
        let network = random_network(compact, 64, 8, 3).expand("some words".to_owned());
        let bytes = network.to_bytes();
        assert_eq!(bytes.len(), NnueNetwork::file_len(layout.features(), 10));
        let again = NnueNetwork::from_bytes(&layout, &bytes).unwrap();
        assert_eq!(again, network);
        assert_eq!(again.to_bytes(), bytes);
        assert!(network.largest_accumulator(40) <= i64::from(i16::MAX));
    }
}

#[test]
fn broken_files_are_refused() {
    let layout = layout::<ToriPosition>();
    let compact = CompactLayout::new(layout.clone(), KingBuckets::One);
    let bytes = random_network(compact, 8, 1, 3)
        .expand("words".to_owned())
        .to_bytes();
    let refused = |bytes: &[u8], words: &str| {
        let error = NnueNetwork::from_bytes(&layout, bytes).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    for length in [0, 3, 11, 12, 20, 1_000, bytes.len() - 1] {
        refused(&bytes[..length], "the file ends after");
    }
    refused(&[&bytes[..], &[0]].concat(), "1 bytes too many");
    let damaged = |place: usize, words: &str| {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1;
        refused(&bytes, words);
    };
    damaged(0, "the version");
    damaged(4, "the hash is");
    damaged(8, "1 bytes too many");
    damaged(12 + 5, "the hash of the features");
    let stacks = 12 + 5 + 4 + 1_024 + 51_793 * 1_056;
    damaged(stacks, "the hash of a stack");
    damaged(stacks + 4 + 64 + 16 * 1_024 + 128 + 16, "only 16 inputs");
    // Makruk's file is shorter.
    let makruk = super::layout::NnueLayout::of::<MakrukPosition>().unwrap();
    let error = NnueNetwork::from_bytes(&makruk, &bytes).unwrap_err();
    assert!(error.to_string().contains("too many"), "{error}");
}

#[test]
fn overflowing_sums_of_the_engines_vector_code_are_counted() {
    let layout = layout::<ToriPosition>();
    let compact = CompactLayout::new(layout.clone(), KingBuckets::One);
    let mut network = random_network(compact, 8, 1, 3).expand(String::new());
    let position = NnuePosition::of(&layout, &ToriPosition::start()).unwrap();
    assert_eq!(network.saturations(&layout, &position), 0);
    network.bias.fill(10_000);
    for stack in &mut network.stacks {
        stack.weights_1[..8].fill(127);
        stack.bias_1.fill(0);
    }
    assert_eq!(network.saturations(&layout, &position), 2);
}

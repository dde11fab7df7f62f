use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Position};

use super::*;
use crate::random_games::random_positions;

fn encoded<P: Position>(game: &GameState<P>, view: View) -> Vec<f32> {
    let mut planes = vec![f32::NAN; Encoding::of::<P>().input_len()];
    encode(game, view, &mut planes);
    planes
}

/// Small positions, so that random games also see endings.
const MAKRUK: &[&str] = &[
    "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
    "8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 97 1",
    "3k4/2m5/8/4MP2/3KS3/8/8/8 w - - 0 1",
    "4k3/8/4p3/3R4/8/3N4/3K4/8 w - - 0 1",
];
const SITTUYIN: &[&str] = &[
    "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[KFRRSSNNkfrrssnn] w - - 0 1",
    "3k4/8/8/8/8/3R4/3K4/8[] b - - 0 1",
    "3k4/8/2n1p3/8/4P3/2R5/3K4/5S2[] w - - 0 1",
];
const BOOKLET: &[&str] = &[SITTUYIN[0], SITTUYIN[2]];

/// The contract of actions: each legal move has a number of its own, and the number leads back.
fn actions_are_distinct<P: Position>(starts: &[&str]) {
    let mut taken_at = vec![0; Encoding::of::<P>().actions()];
    let mut time = 0;
    random_positions::<P>(100_000, 7, starts, |game, legal| {
        let position = game.position();
        let mirrors = if position.mirrored().is_some() { 2 } else { 1 };
        for mirror in [false, true].into_iter().take(mirrors) {
            let view = View::of(position).mirrored(mirror);
            time += 1;
            for &mv in legal {
                let action = view.action(position, mv);
                assert_ne!(taken_at[action], time, "{position}: {}", position.uci(mv));
                taken_at[action] = time;
                assert_eq!(view.move_of(position, action), Some(mv));
            }
        }
    });
    let view = View {
        color: Color::Black,
        mirror: false,
    };
    assert_eq!(view.move_of(&P::start(), taken_at.len()), None);
}

#[test]
fn actions_of_makruk() {
    actions_are_distinct::<MakrukPosition>(MAKRUK);
}

#[test]
fn actions_of_sittuyin() {
    actions_are_distinct::<SittuyinPosition<false>>(SITTUYIN);
    actions_are_distinct::<SittuyinPosition<true>>(BOOKLET);
}

#[test]
fn actions_of_tori_shogi() {
    actions_are_distinct::<ToriPosition>(&[]);
}

#[test]
fn actions_of_eternal_chess() {
    actions_are_distinct::<EternalPosition>(&[]);
}

/// Two games look equal exactly when the rules cannot tell them apart, the sides exchanged or not.
fn encoding_tells_what_the_rules_tell<P: Position>(starts: &[&str]) {
    let mut by_encoding = HashMap::new();
    let mut by_state = HashMap::new();
    random_positions::<P>(30_000, 8, starts, |game, _| {
        let position = game.position();
        let upright = match position.turn() {
            Color::White => *position,
            Color::Black => position.rotated(),
        };
        let state = (upright.key(), upright.clock_key(), game.occurrences());
        let mut hasher = DefaultHasher::new();
        for number in encoded(game, View::of(position)) {
            number.to_bits().hash(&mut hasher);
        }
        let encoding = hasher.finish();
        let other = by_encoding.entry(encoding).or_insert(state);
        assert_eq!(*other, state, "{position} looks like another position");
        let other = by_state.entry(state).or_insert(encoding);
        assert_eq!(*other, encoding, "{position} looks different another time");
    });
    assert!(by_state.len() > 10_000);
}

#[test]
fn encoding_tells_what_the_rules_tell_of_makruk() {
    encoding_tells_what_the_rules_tell::<MakrukPosition>(MAKRUK);
}

#[test]
fn encoding_tells_what_the_rules_tell_of_sittuyin() {
    encoding_tells_what_the_rules_tell::<SittuyinPosition<false>>(SITTUYIN);
    encoding_tells_what_the_rules_tell::<SittuyinPosition<true>>(BOOKLET);
}

#[test]
fn encoding_tells_what_the_rules_tell_of_tori_shogi() {
    encoding_tells_what_the_rules_tell::<ToriPosition>(&[]);
}

#[test]
fn encoding_tells_what_the_rules_tell_of_eternal_chess() {
    encoding_tells_what_the_rules_tell::<EternalPosition>(&[]);
}

/// Games that differ in one thing only.
#[test]
fn one_difference_is_seen() {
    differ::<MakrukPosition>(&[
        ("8/3k4/8/2K1S3/8/8/8/8 w - 88 20 1", ""),
        ("8/3k4/8/2K1S3/8/8/8/8 w - 88 22 1", ""),
        ("8/3k4/8/2K1S3/8/8/8/8 w - 64 20 1", ""),
        ("8/3k4/8/2K1S3/8/8/8/8 w - 128 40 1", ""),
        ("8/3k4/8/2K1S3/8/8/8/8 w - - 0 1", ""),
    ]);
    differ::<MakrukPosition>(&[(MAKRUK[0], ""), (MAKRUK[0], "b1d2 b8d7 d2b1 d7b8")]);
    differ::<SittuyinPosition<false>>(&[
        (SITTUYIN[0], ""),
        (SITTUYIN[0], "N@d2"),
        (SITTUYIN[0], "R@d1"),
        (
            "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[KFRRSSNkfrrssn] w - - 0 1",
            "",
        ),
        (
            "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[KFRRSSNkfrrsnn] w - - 0 1",
            "",
        ),
        (
            "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[KFRRSNNkfrrssn] w - - 0 1",
            "",
        ),
    ]);
    differ::<SittuyinPosition<false>>(&[
        ("3k4/8/2n1p3/8/4P3/2R5/3K4/5S2[] w - - 0 1", ""),
        ("3k4/8/2n1p3/8/4P3/2R5/3K4/5S2[] w - - 60 1", ""),
    ]);
    differ::<ToriPosition>(&[
        ("3k3/7/7/7/7/7/3K3[Ss] w - - 0 1", ""),
        ("3k3/7/7/7/7/7/3K3[SS] w - - 0 1", ""),
        ("3k3/7/7/7/7/7/3K3[ss] w - - 0 1", ""),
        ("3k3/7/7/7/7/7/3K3[Ss] w - - 0 1", "d1e1 d7e7 e1d1 e7d7"),
        (
            "3k3/7/7/7/7/7/3K3[Ss] w - - 0 1",
            "d1e1 d7e7 e1d1 e7d7 d1e1 d7e7 e1d1 e7d7",
        ),
    ]);
    let eternal = "2C1ap2/1b6/1n1c3p/R1r3br/3n1o2/P4B1P/2Aa3A/1Nc2B2/2N4R b P:C";
    let points = ["0 2", "1 2", "0 1", "2 0"].map(|points| format!("{eternal} {points}"));
    differ::<EternalPosition>(&points.each_ref().map(|text| (text.as_str(), "")));
}

/// The last positions of games (start, moves) all look different.
fn differ<P: Position>(games: &[(&str, &str)]) {
    let all: Vec<_> = games
        .iter()
        .map(|(start, moves)| {
            let mut game = GameState::<P>::from_fen(start).unwrap();
            for mv in moves.split_whitespace() {
                game.play_uci(mv).unwrap();
            }
            encoded(&game, View::of(game.position()))
        })
        .collect();
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate().skip(i + 1) {
            assert_ne!(a, b, "{:?} and {:?} look the same", games[i], games[j]);
        }
    }
}

/// A mirrored position looks like the position in the mirror, plane by plane.
fn mirrors<P: Position>(starts: &[&str], swapped: &[(&str, &str)]) {
    let encoding = Encoding::of::<P>();
    let squares = encoding.squares();
    let image_of = |plane: usize| {
        let name = &encoding.planes[plane];
        let pair = swapped.iter().find(|(a, b)| a == name || b == name);
        pair.map_or(plane, |(a, b)| {
            let other = if a == name { b } else { a };
            encoding
                .planes
                .iter()
                .position(|name| name == other)
                .unwrap()
        })
    };
    let mut compared = 0;
    random_positions::<P>(3_000, 9, starts, |game, legal| {
        let position = game.position();
        let Some(image) = position.mirrored() else {
            return;
        };
        let image = GameState::from_position(image);
        let plain = GameState::from_position(*position);
        let view = View::of(position);
        let direct = encoded(&plain, view);
        let mirrored = encoded(&plain, view.mirrored(true));
        assert_eq!(mirrored, encoded(&image, view), "{position}");
        for plane in 0..encoding.planes.len() {
            for square in encoding.board.all() {
                let there = image_of(plane) * squares + encoding.board.mirror(square).index();
                assert_eq!(direct[plane * squares + square.index()], mirrored[there]);
            }
        }
        for &mv in legal {
            let action = view.mirrored(true).action(position, mv);
            assert_eq!(
                action,
                view.action(image.position(), position.mirror_move(mv))
            );
        }
        compared += 1;
    });
    assert!(compared > 1_000);
}

#[test]
fn mirrored_encodings() {
    mirrors::<MakrukPosition>(MAKRUK, &[]);
    mirrors::<SittuyinPosition<false>>(SITTUYIN, &[]);
    mirrors::<SittuyinPosition<true>>(BOOKLET, &[]);
    let quails = [
        ("own L", "own R"),
        ("enemy L", "enemy R"),
        ("own hand L per 2", "own hand R per 2"),
        ("enemy hand L per 2", "enemy hand R per 2"),
    ];
    mirrors::<ToriPosition>(&[], &quails);
    mirrors::<EternalPosition>(&[], &[]);
}

/// The planes of a position as text, top rank first: empty planes by name only, even ones by their
/// number.
fn drawing<P: Position>(start: &str, moves: &str) -> String {
    let mut game = GameState::<P>::from_fen(start).unwrap();
    for mv in moves.split_whitespace() {
        game.play_uci(mv).unwrap();
    }
    let encoding = Encoding::of::<P>();
    let planes = encoded(&game, View::of(game.position()));
    let mut text = format!("{}\n", game.position());
    for (name, plane) in encoding
        .planes
        .iter()
        .zip(planes.chunks(encoding.squares()))
    {
        write!(text, "{name}:").unwrap();
        if plane.iter().all(|number| *number == plane[0]) {
            writeln!(text, " {}", plane[0]).unwrap();
            continue;
        }
        let ranks = plane.chunks(usize::from(encoding.board.files)).rev();
        let ranks = ranks.map(|rank| {
            let squares = rank
                .iter()
                .map(|&n| if n == 0.0 { ".".into() } else { n.to_string() });
            squares.collect::<String>()
        });
        writeln!(text, "\n  {}", ranks.collect::<Vec<_>>().join("\n  ")).unwrap();
    }
    text
}

#[test]
fn drawn_planes() {
    insta::assert_snapshot!(drawing::<MakrukPosition>(
        "8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 97 1",
        "e5f6 g7f8 f6g7"
    ));
    insta::assert_snapshot!(drawing::<SittuyinPosition<false>>(
        SITTUYIN[0],
        "K@d2 R@a8 R@h1"
    ));
    insta::assert_snapshot!(drawing::<SittuyinPosition<true>>(SITTUYIN[0], "K@d2 R@a1"));
    insta::assert_snapshot!(drawing::<ToriPosition>(
        ToriPosition::STARTS[0].1,
        "e4e5 d6e5 c3c4"
    ));
    insta::assert_snapshot!(drawing::<EternalPosition>(
        "2C1ap2/1b6/1n1c3p/R1r3br/3n1o2/P4B1P/2Aa3A/1Nc2B2/2N4R b P:C 0 2",
        ""
    ));
    insta::assert_snapshot!(drawing::<EternalPosition>(
        "bc1p2p1/2aN3n/C2a4/1R1rr3/1oBo2Po/3nBc2/8/N4AA1/bRC3P1 b D:D8 1 1",
        ""
    ));
}

/// What is stored with exported networks. If this changes, older networks are refused.
#[test]
fn descriptions() {
    insta::assert_snapshot!(Encoding::of::<ToriPosition>().describe());
    insta::assert_snapshot!(Encoding::of::<EternalPosition>().describe());
}

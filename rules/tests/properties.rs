//! What must hold in every position of every game, tried on random games and random texts.

mod walk;

use std::collections::HashSet;

use garuda_rules::{
    Color, Game, GameState, Move, MoveList, Outcome, Position, RuleSet, with_rule_set,
};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use walk::walk;

/// No game goes on for longer than this; see the length limits.
const LONGEST: usize = 5000;

fn random_games<P: Position>(games: u64, mut look: impl FnMut(&GameState<P>, &MoveList)) {
    for seed in 0..games {
        let outcome = walk(GameState::<P>::start(), seed, LONGEST, &mut look);
        assert!(outcome.is_some(), "the game of seed {seed} does not end");
    }
}

fn keys_are_kept_up<P: Position>() {
    random_games::<P>(60, |game, _| {
        let position = game.position();
        assert_eq!(position.key(), position.key_from_scratch(), "{position}");
    });
}

fn text_comes_back<P: Position>() {
    random_games::<P>(40, |game, legal| {
        let position = game.position();
        let text = position.to_string();
        let parsed: P = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(parsed.to_string(), text);
        assert_eq!(parsed.key(), position.key(), "{text}");
        let mut moves = MoveList::new();
        parsed.legal_moves(&mut moves);
        assert_eq!(&moves, legal, "{text}");
    });
}

fn move_lists_are_sets_and_counted<P: Position>() {
    random_games::<P>(60, |game, legal| {
        let position = game.position();
        let distinct: HashSet<_> = legal.iter().collect();
        assert_eq!(distinct.len(), legal.len(), "{legal:?} in {position}");
        assert_eq!(position.count_legal_moves(), legal.len(), "{position}");
        for mv in legal {
            assert_eq!(Move::from_code(mv.code()), *mv);
        }
    });
}

/// What a search asks for at every node is found without trying all moves.
fn winning_moves_are_found<P: Position>() {
    let mut wins = 0;
    random_games::<P>(60, |game, legal| {
        let mut next = game.clone();
        let first_win = legal.iter().position(|&mv| {
            next.return_to(game);
            next.play(mv);
            let outcome = next.outcome();
            outcome.is_some_and(|outcome| outcome.winner == Some(game.turn()))
        });
        wins += usize::from(first_win.is_some());
        assert_eq!(game.winning_move(legal), first_win, "{}", game.position());
    });
    assert!(wins > 0, "no position with a win in one was met");
}

fn uci_comes_back<P: Position>() {
    random_games::<P>(10, |game, legal| {
        let position = game.position();
        for &mv in legal {
            let uci = position.uci(mv);
            assert_eq!(position.parse_uci(&uci), Ok(mv), "{uci} in {position}");
        }
    });
}

fn sorted_moves<P: Position>(position: &P) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.sort();
    moves.to_vec()
}

fn mapped(legal: &MoveList, f: impl Fn(Move) -> Move) -> Vec<Move> {
    let mut moves: Vec<_> = legal.iter().map(|&mv| f(mv)).collect();
    moves.sort();
    moves
}

fn mirror_image_has_mirrored_moves<P: Position>() {
    random_games::<P>(20, |game, legal| {
        let position = game.position();
        let Some(image) = position.mirrored() else {
            return;
        };
        assert_eq!(image.mirrored().as_ref(), Some(position));
        assert_eq!(image.key(), image.key_from_scratch(), "{image}");
        let expected = mapped(legal, |mv| position.mirror_move(mv));
        assert_eq!(sorted_moves(&image), expected, "{position}");
        assert_eq!(image.is_check(), position.is_check(), "{position}");
        assert_eq!(
            image.terminal_outcome(legal),
            position.terminal_outcome(legal),
            "{position}"
        );
        for &mv in legal {
            let (mut next, mut next_image) = (*position, image);
            next.play(mv);
            next_image.play(position.mirror_move(mv));
            assert_eq!(Some(next_image), next.mirrored(), "{mv:?} in {position}");
        }
    });
}

fn rotated_position_has_rotated_moves<P: Position>() {
    let swapped = |outcome: Option<Outcome>| {
        outcome.map(|outcome| Outcome {
            winner: outcome.winner.map(|color: Color| !color),
            ..outcome
        })
    };
    random_games::<P>(20, |game, legal| {
        let position = game.position();
        let image = position.rotated();
        assert_eq!(&image.rotated(), position);
        assert_eq!(image.key(), image.key_from_scratch(), "{image}");
        assert_eq!(image.turn(), !position.turn());
        assert_eq!(sorted_moves(&image), mapped(legal, P::rotate_move));
        assert_eq!(image.is_check(), position.is_check(), "{position}");
        let verdict = swapped(position.terminal_outcome(legal));
        assert_eq!(image.terminal_outcome(legal), verdict, "{position}");
        for &mv in legal {
            let (mut next, mut next_image) = (*position, image);
            next.play(mv);
            next_image.play(P::rotate_move(mv));
            // Not all of it: move numbers go up with Black's moves only.
            assert_eq!(next_image.key(), next.rotated().key(), "{position}");
            assert_eq!(next_image.clock_key(), next.clock_key(), "{position}");
        }
    });
}

/// Any text is refused or gives a position that can be played on without a panic.
fn parse_and_play<P: Position>(text: &str) {
    let Ok(position) = text.parse::<P>() else {
        return;
    };
    let again: P = position
        .to_string()
        .parse()
        .unwrap_or_else(|error| panic!("own text refused: {error}"));
    assert_eq!(again.to_string(), position.to_string());
    position.rotated();
    walk(GameState::from_position(position), 0, 60, |game, legal| {
        let position = game.position();
        assert_eq!(position.key(), position.key_from_scratch(), "{position}");
        assert_eq!(position.count_legal_moves(), legal.len(), "{position}");
    });
}

fn no_text_panics<P: Position>() {
    let letters: String = P::PIECE_TYPES
        .iter()
        .map(|piece_type| piece_type.letter)
        .collect();
    let letters = format!("{letters}{}o+/123456789[]- wbr", letters.to_lowercase());
    let alphabet: Vec<char> = letters.chars().collect();
    let from_alphabet = prop::collection::vec(prop::sample::select(alphabet.clone()), 0..90)
        .prop_map(|chars| chars.into_iter().collect::<String>());
    run(1000, &any::<String>(), |text| parse_and_play::<P>(&text));
    run(2000, &from_alphabet, |text| parse_and_play::<P>(&text));

    let mut texts = Vec::new();
    random_games::<P>(20, |game, _| texts.push(game.position().to_string()));
    let mutation = (
        any::<prop::sample::Index>(),
        prop::sample::select(alphabet),
        0..4_u8,
    );
    let mutated = (
        prop::sample::select(texts),
        prop::collection::vec(mutation, 1..4),
    )
        .prop_map(|(text, mutations)| {
            let mut chars: Vec<char> = text.chars().collect();
            for (at, letter, how) in mutations {
                let at = at.index(chars.len());
                match how {
                    0 => chars.insert(at, letter),
                    1 if chars.len() > 1 => {
                        chars.remove(at);
                    }
                    2 => {
                        let other = (at + letter as usize) % chars.len();
                        chars.swap(at, other);
                    }
                    _ => chars[at] = letter,
                }
            }
            chars.into_iter().collect::<String>()
        });
    run(10_000, &mutated, |text| parse_and_play::<P>(&text));
}

fn run<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value)) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let result = runner.run(strategy, |value| {
        test(value);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// One test for each property, which tries it on every game of the table.
macro_rules! properties {
    ($($property:ident)*) => {$(
        mod $property {
            use super::*;

            #[test]
            fn holds_in_all_games() {
                for rule_set in RuleSet::WITH_EXAMPLES {
                    with_rule_set!(rule_set, P => super::$property::<P>());
                }
            }
        }
    )*};
}

properties! {
    keys_are_kept_up
    text_comes_back
    move_lists_are_sets_and_counted
    winning_moves_are_found
    uci_comes_back
    mirror_image_has_mirrored_moves
    rotated_position_has_rotated_moves
    no_text_panics
}

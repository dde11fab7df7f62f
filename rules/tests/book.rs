//! Opening books as text.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use garuda_rules::makruk::MakrukPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{MoveList, OpeningBook, Position, RuleSet, with_rule_set};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn books_of_all_games_survive_their_text() {
    fn check<P: Position>() {
        let mut book = OpeningBook::<P>::default();
        let mut position = P::start();
        let mut legal = MoveList::new();
        for ply in 0..12 {
            position.legal_moves(&mut legal);
            for (i, &mv) in legal.iter().take(3).enumerate() {
                book.add(&position, mv, 1 + i as u32 + ply);
            }
            let next = legal[ply as usize % legal.len()];
            position.play(next);
        }
        assert!(!book.is_empty());
        assert_eq!(book.to_string().parse::<OpeningBook<P>>().unwrap(), book);
    }
    for rule_set in RuleSet::ALL {
        with_rule_set!(rule_set, P => check::<P>());
    }
}

#[test]
fn moves_are_drawn_by_weight() {
    type P = ToriPosition;
    let start = P::start();
    let text = format!("# a comment\n\n{start} bm a3a4 c1b2 e4e5; id \"x\"; weight 1 0 3;\n");
    let book: OpeningBook<P> = text.parse().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let drawn: Vec<_> = (0..400)
        .map(|_| start.uci(book.choose(&start, rng.random()).unwrap()))
        .collect();
    let share = drawn.iter().filter(|mv| *mv == "e4e5").count();
    assert!((260..=340).contains(&share), "{share}");
    assert!(drawn.iter().all(|mv| mv != "c1b2"));
    let mut after = start;
    after.play(start.parse_uci("a3a4").unwrap());
    assert_eq!(book.choose(&after, rng.random()), None);
    let even: OpeningBook<P> = format!("{start} bm a3a4 e4e5").parse().unwrap();
    assert!(even.moves(&start).iter().all(|&(_, weight)| weight == 1));
}

#[test]
fn a_bad_line_is_named() {
    let start = MakrukPosition::start();
    for (line, message) in [
        (format!("{start}"), "no opcode"),
        ("8/8 bm a3a4;".to_owned(), "line 2"),
        (format!("{start} bm a3a5;"), "not a legal move"),
        (
            format!("{start} bm a3a4 b3b4; weight 1;"),
            "2 moves have 1 weights",
        ),
        (format!("{start} bm a3a4; weight many;"), "many"),
        (format!("{start} bm a3a4; weight -1;"), "-1"),
    ] {
        let error = format!("\n{line}")
            .parse::<OpeningBook<MakrukPosition>>()
            .unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains(message) && error.contains("line 2"),
            "{error}"
        );
    }
}

proptest! {
    /// Any text is refused with a message, or is a book that survives its own text.
    #[test]
    fn any_text_is_a_book_or_refused(
        moves in prop::collection::vec("[a-g][1-7][a-g][1-7]|S@d4|e4e5|a3a4", 0..4),
        rest in "(; ?weight [0-9 ]{0,8};)?|[ -~]{0,20}",
        free in "[ -~\\n]{0,60}",
    ) {
        let start = ToriPosition::start();
        for text in [format!("{start} bm {}{rest}", moves.join(" ")), free] {
            match text.parse::<OpeningBook<ToriPosition>>() {
                Ok(book) => prop_assert_eq!(book.to_string().parse(), Ok(book)),
                Err(error) => prop_assert!(error.to_string().contains("line ")),
            }
        }
    }
}

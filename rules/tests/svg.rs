//! Drawings: well-formed, complete, and as they were when someone last looked at them.

mod walk;

use std::collections::BTreeMap;

use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, GameState, Occupant, Piece, Position, SvgOptions, svg};
use roxmltree::{Document, Node};
use walk::walk;

/// Everything a drawing must show: pieces by side and letter, and stones.
type Census = BTreeMap<String, usize>;

fn in_position<P: Position>(position: &P) -> Census {
    let mut census = Census::new();
    let mut add = |piece: Piece, count: usize| {
        let letter = P::PIECE_TYPES[usize::from(piece.piece_type)].letter;
        *census
            .entry(format!("{} {letter}", piece.color))
            .or_default() += count;
    };
    for square in P::BOARD.all() {
        if let Some(Occupant::Piece(piece)) = position.occupant(square) {
            add(piece, 1);
        }
    }
    match position.pending() {
        Some(piece) => add(piece, 1),
        None => {
            for color in Color::ALL {
                for &piece_type in P::PLACEABLE {
                    let count = usize::from(position.hand(color, piece_type));
                    if count > 0 {
                        add(Piece { color, piece_type }, count);
                    }
                }
            }
        }
    }
    let stone = |&square: &_| position.occupant(square) == Some(Occupant::Stone);
    let stones = P::BOARD.all().filter(stone).count();
    if stones > 0 {
        census.insert("stone".to_owned(), stones);
    }
    census
}

fn in_drawing(drawing: &Document<'_>) -> Census {
    let mut census = Census::new();
    let has_class = |node: &Node<'_, '_>, class| node.attribute("class") == Some(class);
    for node in drawing.descendants() {
        if has_class(&node, "stone") {
            *census.entry("stone".to_owned()).or_default() += 1;
        }
        if has_class(&node, "piece") {
            let side = node.parent().and_then(|group| group.attribute("class"));
            let letter = node.children().find_map(|child| child.text());
            let name = format!("{} {}", side.expect("a side"), letter.expect("a letter"));
            // A number beside a piece in hand tells how many there are.
            let count = node
                .next_sibling_element()
                .filter(|next| has_class(next, "count"))
                .and_then(|next| next.text())
                .map_or(1, |count| count.parse().expect("a number"));
            *census.entry(name).or_default() += count;
        }
    }
    census
}

/// Everything numeric is a finite number, and pieces lie within the picture.
fn check_numbers(drawing: &Document<'_>) {
    let view: Vec<f32> = numbers(drawing.root_element().attribute("viewBox"));
    for node in drawing.descendants().filter(Node::is_element) {
        if node.attribute("class") == Some("piece") {
            let at = numbers(node.attribute("transform"));
            assert!((20.0..=view[2] - 20.0).contains(&at[0]), "{at:?}");
            assert!((20.0..=view[3] - 20.0).contains(&at[1]), "{at:?}");
        }
        for attribute in node.attributes() {
            let value = attribute.value();
            assert!(!value.contains("NaN") && !value.contains("inf"), "{value}");
        }
    }
}

fn numbers(text: Option<&str>) -> Vec<f32> {
    text.expect("the attribute")
        .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().expect("a number"))
        .collect()
}

fn random_positions_are_drawn<P: Position>() {
    for seed in 0..6 {
        let mut drawn = 0;
        walk(GameState::<P>::start(), seed, 200, |game, legal| {
            let position = game.position();
            let options = SvgOptions {
                last_move: legal.first().copied(),
                coordinates: seed % 2 == 0,
                bottom: Color::ALL[drawn % 2],
            };
            drawn += 1;
            let text = svg(position, &options);
            let drawing = Document::parse(&text).unwrap_or_else(|e| panic!("{e} in {text}"));
            assert_eq!(in_drawing(&drawing), in_position(position), "{position}");
            check_numbers(&drawing);
        });
    }
}

/// Draws what a move makes of a position.
fn snapshot<P: Position>(name: &str, text: &str, uci: &str) {
    let mut game = GameState::<P>::from_fen(text).unwrap_or_else(|error| panic!("{error}"));
    let mv = game.play_uci(uci).unwrap_or_else(|error| panic!("{error}"));
    let options = SvgOptions {
        last_move: Some(mv),
        ..SvgOptions::default()
    };
    let drawing = svg(game.position(), &options);
    insta::assert_binary_snapshot!(&format!("{name}.svg"), drawing.into());
}

macro_rules! games {
    ($($game:ident: $position:ty, $text:literal, $uci:literal;)*) => {$(
        mod $game {
            use super::*;

            #[test]
            fn random_positions_are_drawn() {
                super::random_positions_are_drawn::<$position>();
            }

            #[test]
            fn looks_as_before() {
                super::snapshot::<$position>(stringify!($game), $text, $uci);
            }
        }
    )*};
}

games! {
    eternal: EternalPosition,
        "2a2R2/a3p3/r4Bc1/bn1n1C1c/3o1oo1/2A1b2p/B1CPN2N/1r1P1A2/2R5 r - 1 2", "f9f7";
    makruk: MakrukPosition,
        "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1", "e3e4";
    sittuyin: SittuyinPosition<false>,
        "2r2r2/2n2s2/1k2pppp/pppp4/4PPPP/PPPP1NS1/2K5/R6R[FSNfsn] w - - 0 6", "S@d2";
    sittuyin_booklet: SittuyinPosition<true>,
        "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[KFRRSSNNkfrrssnn] w - - 0 1", "K@g2";
    tori: ToriPosition,
        "r2kcpl/1+S5/ss1s1ss/+F1s1f2/SSS1SSS/7/LPCKCPR[Pcss] w - - 0 1", "P@b4";
}

//! Keeps `ENCODING.md` true: what it lists is written by this test.

use std::fmt::Write;
use std::{env, fs};

use garuda_rules::{Game, MoveList, RuleSet, with_rule_set};

use super::*;
use crate::sparse::{FeatureLayout, SparseSample};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/ENCODING.md");
/// What follows this line is generated.
const MARK: &str = "<!-- generated: do not edit below, see above for how -->\n";

/// Positions that have what is hard about the encoding of a game: its name, a start (none for the
/// ordinary one) and moves. A game that is not listed shows its start.
const EXAMPLES: [(&str, Option<&str>, &[&str]); 5] = [
    (
        "makruk",
        Some("8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 97 1"),
        &["e5f6"],
    ),
    (
        "sittuyin",
        Some("5s2/3k4/2r5/8/4p3/2N5/8/4K3[] b - - 7 30"),
        &[],
    ),
    ("sittuyin-booklet", None, &["R@a1", "K@e2"]),
    ("torishogi", None, &["c3c4", "c5c4", "S@c5"]),
    (
        "eternal",
        Some("2C1ap2/1b6/1n1c3p/R1r3br/3n1o2/P4B1P/2Aa3A/1Nc2B2/2N4R b P:C 0 2"),
        &[],
    ),
];

fn section<P: Position>(page: &mut String) -> std::fmt::Result {
    let encoding = Encoding::of::<P>();
    let (planes, actions) = (encoding.planes.len(), encoding.actions());
    let Board { files, ranks } = encoding.board;
    let (squares, placed) = (encoding.squares(), encoding.placeable.len());
    writeln!(page, "\n## {}\n", encoding.rules)?;
    writeln!(
        page,
        "`planes` is `[batch, {planes}, {ranks}, {files}]` (S = {squares}), `policy` is \
         `[batch, {actions}]` (K = {placed}{}{}).\n",
        if placed == 0 { "" } else { ": " },
        encoding.placeable.join(" ")
    )?;
    writeln!(page, "| plane | holds |\n|---|---|")?;
    for (i, name) in encoding.planes.iter().enumerate() {
        writeln!(page, "| {i} | {name} |")?;
    }

    let example = EXAMPLES.into_iter().find(|example| example.0 == P::NAME);
    let (_, fen, moves) = example.unwrap_or((P::NAME, None, &[]));
    let mut game = match fen {
        Some(fen) => GameState::<P>::from_fen(fen).unwrap(),
        None => GameState::start(),
    };
    write!(page, "\nExample: `{}`", game.position())?;
    if !moves.is_empty() {
        write!(page, " and then `{}`", moves.join(" "))?;
    }
    writeln!(page, ".\n\n```text")?;
    for mv in moves {
        game.play_uci(mv).unwrap();
    }
    let position = game.position();
    let view = View::of(position);
    writeln!(page, "{position}")?;
    let mut numbers = vec![0.0; encoding.input_len()];
    encode(&game, view, &mut numbers);
    for (i, plane) in numbers.chunks(squares).enumerate() {
        if plane.iter().all(|&number| number == plane[0]) {
            if plane[0] != 0.0 {
                writeln!(page, "plane {i}: {} everywhere", plane[0])?;
            }
            continue;
        }
        assert!(plane.iter().all(|&number| number == 0.0 || number == 1.0));
        let ones: Vec<_> = (0..squares)
            .filter(|&square| plane[square] == 1.0)
            .collect();
        let ones: Vec<_> = ones.iter().map(ToString::to_string).collect();
        writeln!(page, "plane {i}: 1 at {}", ones.join(" "))?;
    }
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let mut numbered: Vec<_> = (legal.iter())
        .map(|&mv| (position.uci(mv), view.action(position, mv)))
        .collect();
    numbered.sort();
    for line in numbered.chunks(8) {
        let moves: Vec<_> = (line.iter())
            .map(|(mv, action)| format!("{mv}={action}"))
            .collect();
        writeln!(page, "actions: {}", moves.join(" "))?;
    }
    writeln!(page, "```")?;
    sparse::<P>(page, &game)
}

/// What a sparse network of the game takes, and what it gets in the example.
fn sparse<P: Position>(page: &mut String, game: &GameState<P>) -> std::fmt::Result {
    let layout = FeatureLayout::of::<P>();
    let (features, entries) = (layout.features(), layout.moves());
    let types: Vec<_> = P::PIECE_TYPES.iter().map(|kind| kind.letter).collect();
    writeln!(
        page,
        "\nA sparse network: `features` is `[batch, {features}]`, with T = {} types in the order {}; the \
         move table has {entries} entries.\n",
        types.len(),
        types.join(" ")
    )?;
    writeln!(page, "| features | hold |\n|---|---|")?;
    for (name, first, count) in layout.blocks() {
        writeln!(page, "| {first}–{} | {name} |", first + count - 1)?;
    }
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let position = game.position();
    let mut sample = SparseSample::default();
    layout.fill(game, &legal, View::of(position), &mut sample);
    sample.features.sort_unstable();
    let active: Vec<_> = sample.features.iter().map(ToString::to_string).collect();
    writeln!(page, "\n```text\n{position}")?;
    for line in active.chunks(16) {
        writeln!(page, "features: {}", line.join(" "))?;
    }
    let mut moves: Vec<_> = (legal.iter().zip(&sample.moves))
        .map(|(&mv, entry)| format!("{}={entry}", position.uci(mv)))
        .collect();
    moves.sort();
    for line in moves.chunks(8) {
        writeln!(page, "entries: {}", line.join(" "))?;
    }
    writeln!(page, "```")
}

#[test]
fn the_page_tells_the_encoding() {
    let mut generated = String::new();
    for rules in RuleSet::ALL {
        with_rule_set!(rules, P => section::<P>(&mut generated)).unwrap();
    }
    let page = fs::read_to_string(PAGE).unwrap();
    let (written, found) = page.split_once(MARK).expect("the page has its mark");
    if env::var_os("GARUDA_UPDATE_PAGE").is_some() {
        fs::write(PAGE, format!("{written}{MARK}{generated}")).unwrap();
        return;
    }
    let version = format!("encoding {}", Encoding::VERSION);
    assert!(written.contains(&version), "the page is not of {version}");
    assert!(
        found == generated,
        "{PAGE} is out of date; run this test with GARUDA_UPDATE_PAGE=1"
    );
}

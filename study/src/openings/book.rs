use anyhow::Context;
use garuda_arena::matches::pgn_text;
use garuda_rules::{Move, OpeningBook, Position};

use crate::experiment::{ArmKind, ArmReport, ExperimentNode, ExperimentReport, Verdict};

/// The good moves of an experiment as a book for engines; weights are scores in per cent.
pub fn book<P: Position>(report: &ExperimentReport) -> anyhow::Result<OpeningBook<P>> {
    let mut book = OpeningBook::default();
    for line in lines::<P>(report)? {
        let mut position = line.start;
        for (decisions, weight) in line.moves {
            for mv in decisions {
                // A move that several lines share has the same weight in all of them.
                if (book.moves(&position).iter()).all(|(known, _)| *known != mv) {
                    book.add(&position, mv, weight);
                }
                position.play(mv);
            }
        }
    }
    Ok(book)
}

/// The good lines of an experiment in the format of PGN, with moves in UCI notation and no result.
pub fn book_pgn<P: Position>(report: &ExperimentReport) -> anyhow::Result<String> {
    let mut text = String::new();
    for (number, line) in lines::<P>(report)?.into_iter().enumerate() {
        let mut tags = vec![
            ("Event", "garuda openings".to_owned()),
            ("Round", (number + 1).to_string()),
            ("Result", "*".to_owned()),
            ("Variant", P::NAME.to_owned()),
        ];
        if line.start != P::start() {
            tags.push(("SetUp", "1".to_owned()));
            tags.push(("FEN", line.start.to_string()));
        }
        let mut position = line.start;
        let mut words = Vec::new();
        for mv in line.moves.into_iter().flat_map(|(decisions, _)| decisions) {
            words.push(position.uci(mv));
            position.play(mv);
        }
        words.push("*".to_owned());
        text += &pgn_text(&tags, words.iter().map(String::as_str));
    }
    Ok(text)
}

/// Good moves one after the other, each with its decisions and weight.
struct BookLine<P> {
    start: P,
    moves: Vec<(Vec<Move>, u32)>,
}

/// The good lines, as far as they were followed.
fn lines<P: Position>(report: &ExperimentReport) -> anyhow::Result<Vec<BookLine<P>>> {
    let mut lines = Vec::new();
    if report.kind == ArmKind::Moves {
        for node in &report.nodes {
            let start = node.fen.parse::<P>()?;
            add_lines(&mut lines, start, start, &[], node)?;
        }
    }
    Ok(lines)
}

fn add_lines<P: Position>(
    lines: &mut Vec<BookLine<P>>,
    start: P,
    position: P,
    before: &[(Vec<Move>, u32)],
    node: &ExperimentNode,
) -> anyhow::Result<()> {
    for arm in node.arms.iter().filter(|arm| arm.verdict == Verdict::Good) {
        let (decisions, after) = decisions(position, arm)?;
        let weight = (100.0 * arm.score.value).round().max(1.0) as u32;
        let mut moves = before.to_vec();
        moves.push((decisions, weight));
        let has_good =
            |next: &&ExperimentNode| next.arms.iter().any(|arm| arm.verdict == Verdict::Good);
        match arm.next.as_ref().filter(has_good) {
            Some(next) => add_lines(lines, start, after, &moves, next)?,
            None => lines.push(BookLine { start, moves }),
        }
    }
    Ok(())
}

/// The decisions of an arm's move, and the position after them.
fn decisions<P: Position>(position: P, arm: &ArmReport) -> anyhow::Result<(Vec<Move>, P)> {
    let mut after = position;
    let mut decisions = Vec::new();
    for uci in arm.name.split(' ') {
        let mv = after
            .parse_uci(uci)
            .context("the report has an illegal move")?;
        after.play(mv);
        decisions.push(mv);
    }
    Ok((decisions, after))
}

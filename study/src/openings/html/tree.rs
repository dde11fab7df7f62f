use std::fmt::Write;

use garuda_rules::Position;
use garuda_run::thousands;

use super::bars::{part_words, result_bar, value_mark};
use super::{ValueScale, board, escaped, percent, signed};
use crate::openings::report::{MoveReport, OpeningNode, OpeningsReport};

/// The moves one below the other, each to be opened.
pub(super) fn write<P: Position>(out: &mut String, report: &OpeningsReport) {
    let [one, _] = report.move_words;
    let _ = writeln!(
        out,
        "<h2>One by one</h2>\n<p class=\"note\">EvaluatorFactory a {one} to see the board after it and what was found about the evaluations.</p>"
    );
    moves::<P>(out, &report.root, true);
}

fn moves<P: Position>(out: &mut String, node: &OpeningNode, top: bool) {
    let scale = ValueScale::of(node);
    out.push_str("<div class=\"tree\">\n");
    for mv in &node.moves {
        let class = if mv.good { "good" } else { "plain" };
        let _ = write!(out, "<details class=\"{class}\">\n<summary>");
        summary(out, mv, &scale);
        out.push_str("</summary>\n<div class=\"inside\">\n");
        // Deep down only what is followed gets a board: a page of a few hundred would be slow.
        if top || mv.next.is_some() {
            board::<P>(out, &mv.after, Some((&node.fen, &mv.mv)), &mv.mv);
        }
        out.push_str("<div class=\"facts\">\n");
        facts(out, mv);
        out.push_str("</div>\n</div>\n");
        if let Some(next) = &mv.next {
            let _ = writeln!(
                out,
                "<p class=\"note\">Evaluations to <code>{}</code></p>",
                escaped(&mv.mv)
            );
            moves::<P>(out, next, false);
        }
        out.push_str("</details>\n");
    }
    out.push_str("</div>\n");
}

fn summary(out: &mut String, mv: &MoveReport, scale: &ValueScale) {
    let _ = write!(out, "<code>{}</code>", escaped(&mv.mv));
    if let Some(value) = mv.searched.value {
        let _ = write!(
            out,
            "<b>{}</b>{}",
            signed(value),
            value_mark(&mv.searched, scale)
        );
    }
    if let Some(results) = mv.played.results() {
        let _ = write!(
            out,
            "<small>{}</small>{}",
            thousands(results.games().into()),
            result_bar(&results)
        );
    }
    if mv.good {
        out.push_str("<span class=\"badge\">good</span>");
    }
}

fn facts(out: &mut String, mv: &MoveReport) {
    out.push_str("<dl>\n");
    let mut fact = |name: &str, words: String| {
        let _ = writeln!(out, "<dt>{name}</dt><dd>{words}</dd>");
    };
    let found = &mv.searched;
    if let (Some(value), Some(low), Some(high)) = (found.value, found.value_low, found.value_high) {
        let spread = if found.proven {
            "proven".to_owned()
        } else {
            format!("{} to {}", signed(low), signed(high))
        };
        fact("value", format!("{} ({spread})", signed(value)));
    }
    if let Some(prior) = found.prior {
        fact("prior", percent(prior));
    }
    if let Some(visits) = found.visits {
        fact("visits", thousands(visits));
    }
    if let Some(reply) = &found.reply {
        fact("reply", format!("<code>{}</code>", escaped(reply)));
    }
    if let Some(line) = &found.line {
        fact("line", format!("<code>{}</code>", escaped(line)));
    }
    if let Some(results) = mv.played.results() {
        let score = results.score().map_or_else(String::new, percent);
        fact(
            "games",
            format!(
                "{}, score {score}: {} won, {} drawn, {} lost",
                thousands(results.games().into()),
                thousands(results.wins.into()),
                thousands(results.draws.into()),
                thousands(results.losses.into()),
            ),
        );
        for part in &mv.by_checkpoints {
            let name = format!("checkpoints {}–{}", part.range.from, part.range.to);
            fact(&name, part_words(part.games, part.results.score()));
        }
    }
    if let Some(path) = &mv.transposes {
        fact(
            "evaluations",
            format!("see <code>{}</code>, the same position", escaped(path)),
        );
    }
    out.push_str("</dl>\n");
}

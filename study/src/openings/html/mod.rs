//! A report as one HTML page that needs nothing else: no network, no script.
//!
//! It is well-formed XML too, which is how its test reads it.

mod bars;
mod setups;
mod tree;

use std::fmt::Write;

use garuda_rules::{Position, SvgOptions, svg};
use garuda_run::thousands;

use self::bars::{result_bar, value_mark};
use super::report::{OpeningNode, OpeningsReport};
use super::text::{games, percent, signed, source};
use crate::balance::balance_html;

const STYLE: &str = include_str!("style.css");

/// Draws a report.
pub fn page<P: Position>(report: &OpeningsReport) -> String {
    let name = report.title;
    let mut out = String::with_capacity(1 << 20);
    let title = match &report.from {
        None => format!("{name}: openings"),
        Some(from) => format!("{name} after {}", escaped(from)),
    };
    let _ = write!(
        out,
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>{title}</title>
<style>
{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
"#
    );
    introduction::<P>(&mut out, report);
    overview(&mut out, report);
    tree::write::<P>(&mut out, report);
    if let Some(set_ups) = &report.set_ups {
        setups::write::<P>(&mut out, set_ups);
    }
    if let Some(balance) = &report.balance {
        out.push_str(&balance_html(balance));
    }
    explanation(&mut out, report);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn introduction<P: Position>(out: &mut String, report: &OpeningsReport) {
    out.push_str("<div class=\"intro\">\n<div>\n");
    for (i, sentence) in report.summary.iter().enumerate() {
        let class = if i == 0 { "lead" } else { "note" };
        let _ = writeln!(out, "<p class=\"{class}\">{}</p>", escaped(sentence));
    }
    let _ = write!(out, "<p class=\"note\">{}", escaped(&source(report)));
    if let Some(counted) = &report.counted {
        let _ = write!(out, "<br/>{}", escaped(&games(counted)));
    }
    out.push_str("</p>\n</div>\n");
    board::<P>(out, &report.root.fen, None, "the position");
    out.push_str("</div>\n");
}

/// All moves of the position in one table.
fn overview(out: &mut String, report: &OpeningsReport) {
    let [one, several] = report.move_words;
    let counted = report.counted.is_some();
    let searched = report.search.is_some();
    let listed = report.root.moves.len();
    let heading = if listed == report.root.legal {
        format!("All {several}")
    } else if searched {
        format!("The {listed} likeliest {several}")
    } else {
        format!("The {several} that were played")
    };
    let _ = writeln!(
        out,
        "<h2>{heading}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: {heading}\">\n<table>\n<thead><tr>"
    );
    let _ = write!(out, "<th scope=\"col\">{one}</th>");
    if searched {
        out.push_str("<th scope=\"col\" class=\"n\">value</th><th scope=\"col\">95 % interval</th><th scope=\"col\" class=\"n\">prior</th><th scope=\"col\">reply</th>");
    }
    if counted {
        out.push_str("<th scope=\"col\" class=\"n\">games</th><th scope=\"col\" class=\"n\">score</th><th scope=\"col\" class=\"wide\">won, drawn, lost</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let scale = ValueScale::of(&report.root);
    for mv in &report.root.moves {
        let class = if mv.good { " class=\"good\"" } else { "" };
        let mark = if mv.good {
            " <span class=\"badge\">good</span>"
        } else {
            ""
        };
        let _ = write!(
            out,
            "<tr{class}><th scope=\"row\"><code>{}</code>{mark}</th>",
            escaped(&mv.mv)
        );
        let found = &mv.searched;
        if searched {
            let value = found.value.map_or_else(String::new, signed);
            let prior = found.prior.map_or_else(String::new, percent);
            let reply = found.reply.as_deref().unwrap_or("–");
            let _ = write!(
                out,
                "<td class=\"n\">{value}</td><td>{}</td><td class=\"n\">{prior}</td><td><code>{}</code></td>",
                value_mark(found, &scale),
                escaped(reply)
            );
        }
        if counted {
            let results = mv.played.results();
            let score = results.and_then(|results| results.score());
            let _ = write!(
                out,
                "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"wide\">{}</td>",
                mv.played
                    .games
                    .map_or_else(String::new, |n| thousands(n.into())),
                score.map_or_else(|| "–".to_owned(), percent),
                results.map_or_else(String::new, |results| result_bar(&results)),
            );
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    let listed = report.root.moves.iter().filter_map(|mv| mv.played.games);
    let others = report.root.here.unwrap_or(0) - listed.sum::<u32>();
    if others > 0 {
        let _ = writeln!(
            out,
            "<p class=\"note\">{} games went on with {several} that were not searched.</p>",
            thousands(others.into())
        );
    }
}

fn explanation(out: &mut String, report: &OpeningsReport) {
    out.push_str("<h2>How to read this</h2>\n<ul class=\"note\">\n");
    if let Some(search) = &report.search {
        let _ = write!(
            out,
            "<li>Values are for the side that moves: +1 won, 0 even, −1 lost. Each move is made, and the position after it searched {} times with {} visits and different random choices of what to look at; the value is the mean.</li>\n<li>The 95 % interval comes from how much these searches differ (Student’s t). It tells how much is luck in searching. It cannot tell whether the network itself judges rightly.</li>\n<li>The prior is how likely the network thinks the move before any search. The reply is the answer that most searches take for best.</li>\n<li>After each position at most {} good moves are followed.</li>\n",
            search.searches, search.visits, search.width
        );
    }
    if report.counted.is_some() {
        out.push_str("<li>Games are those of self-play from the ordinary start; transpositions are one position. GameResults are for the side that moves. Self-play tries moves for the sake of learning, so how often a move was played is no measure of how good it is.</li>\n");
    }
    out.push_str("</ul>\n");
}

/// A position with the last decision of a move highlighted.
fn board<P: Position>(out: &mut String, fen: &str, before: Option<(&str, &str)>, words: &str) {
    let Ok(position) = fen.parse::<P>() else {
        return;
    };
    let options = SvgOptions {
        last_move: before.and_then(|(before, mv)| last_decision::<P>(before, mv)),
        ..SvgOptions::default()
    };
    // Inside HTML the drawing needs no namespace, and without it no address is on the page.
    let drawing = svg(&position, &options).replace(r#" xmlns="http://www.w3.org/2000/svg""#, "");
    let drawing = drawing.replacen("<svg ", "<svg role=\"img\" ", 1);
    let _ = writeln!(
        out,
        "<figure class=\"board\" aria-label=\"Board: {}\">{drawing}</figure>",
        escaped(words)
    );
}

fn last_decision<P: Position>(before: &str, mv: &str) -> Option<garuda_rules::Move> {
    let mut position: P = before.parse().ok()?;
    let mut last = None;
    for word in mv.split(' ') {
        let decision = position.parse_uci(word).ok()?;
        position.play(decision);
        last = Some(decision);
    }
    last
}

/// The range of values that the marks of a position's moves are drawn in.
struct ValueScale {
    low: f64,
    high: f64,
}

impl ValueScale {
    fn of(node: &OpeningNode) -> ValueScale {
        let lows = node.moves.iter().filter_map(|mv| mv.searched.value_low);
        let highs = node.moves.iter().filter_map(|mv| mv.searched.value_high);
        let low = lows.reduce(f64::min).unwrap_or(-1.0);
        let high = highs.reduce(f64::max).unwrap_or(1.0);
        let middle = f64::midpoint(low, high);
        let half = ((high - low) / 2.0).max(0.01);
        ValueScale {
            low: middle - half,
            high: middle + half,
        }
    }

    /// From 0 to 100.
    fn place(&self, value: f64) -> f64 {
        100.0 * (value - self.low) / (self.high - self.low)
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

//! Set-ups of Sittuyin: where each piece goes, and the commonest formations.

use std::fmt::Write;

use garuda_rules::{Color, Position, SvgOptions, svg};
use garuda_run::thousands;

use super::bars::result_bar;
use super::{escaped, percent};
use crate::openings::setups::{PieceMap, SetUps, SideSetUps};
use crate::openings::text::game_count;

const SQUARE: u32 = 20;
/// Ranks from its own side on which a side places pieces.
const RANKS: u32 = 3;
/// How many formations are drawn.
const DRAWN: usize = 4;

pub(super) fn write<P: Position>(out: &mut String, set_ups: &SetUps) {
    let _ = writeln!(
        out,
        "<h2>Set-ups</h2>\n<p class=\"note\">Where pieces were placed in {} games. Each map shows a side’s first three ranks from its own edge. The stronger the colour the more games had such a piece there; the number is the share in per cent.</p>",
        thousands(set_ups.games)
    );
    let sides = [
        (&set_ups.first, Color::White, "First mover"),
        (&set_ups.second, Color::Black, "Second mover"),
    ];
    for (side, color, name) in sides {
        let _ = writeln!(out, "<h3>{name}</h3>\n<div class=\"maps\">");
        for piece in &side.pieces {
            map::<P>(out, piece, color, set_ups.games);
        }
        out.push_str("</div>\n");
        formations::<P>(out, side, color, name);
    }
}

/// The ranks where a side places pieces, its own first rank at the bottom.
fn map<P: Position>(out: &mut String, piece: &PieceMap, color: Color, games: u64) {
    let board = P::BOARD;
    let (width, height) = (u32::from(board.files) * SQUARE, RANKS * SQUARE);
    let words: Vec<_> = (piece.squares.iter().take(3))
        .map(|(square, count)| format!("{square} {}", percent(f64::from(*count) / games as f64)))
        .collect();
    let _ = write!(
        out,
        "<figure class=\"map\"><svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}: {}\">",
        piece.name,
        words.join(", ")
    );
    let most = piece.squares.iter().map(|(_, count)| *count).max();
    let most = f64::from(most.unwrap_or(1));
    for rank in 0..RANKS {
        for file in 0..u32::from(board.files) {
            let seen = match color {
                Color::White => board.square(file as u8, rank as u8),
                Color::Black => board.rotate(board.square(file as u8, rank as u8)),
            };
            let name = board.name(seen);
            let count = (piece.squares.iter()).find(|(square, _)| *square == name);
            let count = count.map_or(0, |(_, count)| *count);
            let (x, y) = (file * SQUARE, (RANKS - 1 - rank) * SQUARE);
            let heat = f64::from(count) / most;
            let share = 100.0 * f64::from(count) / games as f64;
            let _ = write!(
                out,
                "<g><title>{name}: {share:.1} %</title><rect class=\"ground\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/><rect class=\"heat\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill-opacity=\"{heat:.2}\"/>"
            );
            if share >= 0.5 {
                let class = if heat > 0.55 { "hot" } else { "cool" };
                let _ = write!(
                    out,
                    "<text class=\"{class}\" x=\"{}\" y=\"{}\">{share:.0}</text>",
                    x + SQUARE / 2,
                    y + SQUARE / 2 + 3
                );
            }
            out.push_str("</g>");
        }
    }
    let _ = writeln!(
        out,
        "</svg><figcaption><b>{}</b> {}</figcaption></figure>",
        piece.letter,
        escaped(piece.name)
    );
}

fn formations<P: Position>(out: &mut String, side: &SideSetUps, color: Color, name: &str) {
    let _ = writeln!(
        out,
        "<h4>{name}: commonest of {} formations</h4>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Formations of the {}\">\n<table>\n<thead><tr><th scope=\"col\">formation</th><th scope=\"col\" class=\"n\">games</th><th scope=\"col\" class=\"n\">score</th><th scope=\"col\" class=\"wide\">won, drawn, lost</th></tr></thead>\n<tbody>",
        thousands(side.distinct),
        name.to_lowercase()
    );
    for formation in &side.formations {
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\"><code>{}</code></th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"wide\">{}</td></tr>",
            escaped(&formation.pieces),
            thousands(formation.games.into()),
            formation.score.map_or_else(String::new, percent),
            result_bar(&formation.results)
        );
    }
    out.push_str("</tbody>\n</table>\n</div>\n<div class=\"boards\">\n");
    for formation in side.formations.iter().take(DRAWN) {
        let Ok(position) = formation.example.parse::<P>() else {
            continue;
        };
        let options = SvgOptions {
            bottom: color,
            ..SvgOptions::default()
        };
        let drawing =
            svg(&position, &options).replace(r#" xmlns="http://www.w3.org/2000/svg""#, "");
        let _ = writeln!(
            out,
            "<figure class=\"board\">{drawing}<figcaption>{}; the board of one</figcaption></figure>",
            game_count(formation.games)
        );
    }
    out.push_str("</div>\n");
}

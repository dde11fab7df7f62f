//! Set-ups of Sittuyin and formations of Makruk: where each piece was placed, and the most frequent formations.

use garuda_rules::{Board, Color};
use garuda_run::{HumanCount, counted};
use maud::{Markup, html};

use super::boards::Boards;
use super::marks::result_bar;
use crate::format::percent;
use crate::markup::{number_head, scrolling_table, text_head};
use crate::openings::setups::{PieceMap, SetUps, SideSetUps};

const SQUARE: u32 = 20;
/// Number of ranks on which a side places pieces, from its own edge.
const RANKS: u32 = 3;
/// Number of formations that are drawn.
const DRAWN: usize = 4;

pub(super) fn section(set_ups: &SetUps, boards: Option<Boards>) -> Markup {
    let sides = [
        (&set_ups.first, Color::White, "First mover"),
        (&set_ups.second, Color::Black, "Second mover"),
    ];
    html! {
        h2 { (set_ups.title()) }
        p.note {
            "Where pieces stood in " (counted(set_ups.games, "game")) ". Each map shows a side’s "
            "first three ranks from its own edge. The number is the percentage of games with that "
            "piece there; a stronger colour means more games."
        }
        @for (side, color, name) in sides {
            h3 { (name) }
            @if let Some(boards) = boards {
                div.maps {
                    @for piece in &side.pieces { (map(boards.board, piece, color, set_ups.games)) }
                }
            }
            (formations(side, color, name, boards))
        }
    }
}

/// The ranks on which a side places pieces, its own first rank at the bottom.
fn map(board: Board, piece: &PieceMap, color: Color, games: u64) -> Markup {
    let files = u32::from(board.files);
    let share = |n: u32| f64::from(n) / games as f64;
    let most_frequent: Vec<_> = (piece.squares.iter().take(3))
        .map(|(square, n)| format!("{square} {}", percent(share(*n))))
        .collect();
    let label = format!("{}: {}", piece.name, most_frequent.join(", "));
    let most = piece.squares.iter().map(|(_, n)| *n).max().unwrap_or(1);
    html! {
        figure.map {
            svg viewBox=(format!("0 0 {} {}", files * SQUARE, RANKS * SQUARE)) role="img"
                aria-label=(label)
            {
                @for rank in 0..RANKS {
                    @for file in 0..files {
                        @let name = square_name(board, color, file as u8, rank as u8);
                        @let found = piece.squares.iter().find(|(square, _)| *square == name);
                        @let n = found.map_or(0, |(_, n)| *n);
                        @let corner = [file * SQUARE, (RANKS - 1 - rank) * SQUARE];
                        (map_square(&name, corner, share(n), f64::from(n) / f64::from(most)))
                    }
                }
            }
            figcaption { b { (piece.letter) } " " (piece.name) }
        }
    }
}

/// The name of a square, counted from a side's own left corner.
fn square_name(board: Board, color: Color, file: u8, rank: u8) -> String {
    let square = board.square(file, rank);
    board.name(match color {
        Color::White => square,
        Color::Black => board.rotate(square),
    })
}

/// A square with its share of the games, and its heat from 0 to 1.
fn map_square(name: &str, [x, y]: [u32; 2], share: f64, heat: f64) -> Markup {
    html! {
        g {
            title { (name) ": " (percent(share)) }
            rect.ground x=(x) y=(y) width=(SQUARE) height=(SQUARE) {}
            rect.heat x=(x) y=(y) width=(SQUARE) height=(SQUARE) fill-opacity=(format!("{heat:.2}")) {}
            @if share >= 0.005 {
                text class=(if heat > 0.55 { "hot" } else { "cool" })
                    x=(x + SQUARE / 2) y=(y + SQUARE / 2 + 3)
                { (format!("{:.0}", 100.0 * share)) }
            }
        }
    }
}

fn formations(side: &SideSetUps, color: Color, name: &str, boards: Option<Boards>) -> Markup {
    let head = html! {
        (text_head("formation"))
        (number_head("games"))
        (number_head("score"))
        th.wide scope="col" { "won, drawn, lost" }
    };
    let rows = html! {
        @for formation in &side.formations {
            tr {
                th scope="row" { code { (formation.pieces) } }
                td.n { (HumanCount(formation.games.into())) }
                td.n { (formation.score.map_or_else(String::new, percent)) }
                td.wide { (result_bar(&formation.results)) }
            }
        }
    };
    let label = format!("Formations of the {}", name.to_lowercase());
    let board = |fen: &str| boards?.draw(fen, color, None);
    html! {
        h4 { (name) ": most frequent of " (counted(side.distinct, "formation")) }
        (scrolling_table(&label, &head, &rows))
        div.boards {
            @for formation in side.formations.iter().take(DRAWN) {
                @if let Some(drawing) = board(&formation.example) {
                    figure.board {
                        (drawing)
                        figcaption { (counted(formation.games, "game")) "; example board" }
                    }
                }
            }
        }
    }
}

//! A report as one HTML page that needs nothing else: no network, no script.
//!
//! The page is well-formed XML too, which lets tests parse it: elements without content are closed.

mod boards;
mod experiment;
mod marks;
mod setups;
mod tree;

use garuda_rules::{Color, Position};
use garuda_run::{HumanCount, counted};
use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use self::boards::Boards;
use self::marks::{ValueScale, good_badge, move_name, result_bar, value_mark};
use super::report::{MoveReport, OpeningsReport};
use super::text::{games_line, source_line};
use crate::balance;
use crate::format::{percent, percent_or_dash, signed};
use crate::markup::{number_head, scrolling_table, text_head};

const STYLE: &str = include_str!("style.css");
/// Void elements, which maud does not close.
const META: &str = r#"<meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/><meta name="color-scheme" content="light dark"/>"#;

/// A report as an HTML page. Boards are drawn if the game is in the table of rule sets.
pub fn html(report: &OpeningsReport) -> String {
    page(report, Boards::of_game(&report.game))
}

/// A report as an HTML page, with the boards of any game.
pub fn html_of<P: Position>(report: &OpeningsReport) -> String {
    page(report, Some(Boards::of::<P>()))
}

fn page(report: &OpeningsReport, boards: Option<Boards>) -> String {
    let name = &report.title;
    let title = match &report.from {
        None => format!("{name}: openings"),
        Some(from) => format!("{name} after {from}"),
    };
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                (PreEscaped(META))
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (title) }
                    (introduction(report, boards))
                    @if let Some(experiment) = &report.experiment {
                        (experiment::section(experiment))
                    }
                    @if !report.root.moves.is_empty() { (overview(report)) }
                    @if !report.root.moves.is_empty() { (tree::section(report, boards)) }
                    @if let Some(set_ups) = &report.set_ups {
                        (setups::section(set_ups, boards))
                    }
                    @if let Some(balance) = &report.balance { (balance::section(balance)) }
                    (explanation(report))
                }
            }
        }
    };
    page.into_string() + "\n"
}

fn introduction(report: &OpeningsReport, boards: Option<Boards>) -> Markup {
    let position = boards.and_then(|boards| boards.draw(&report.root.fen, Color::White, None));
    markup! {
        div.intro {
            div {
                @for (i, sentence) in lead(report).iter().enumerate() {
                    p class=(if i == 0 { "lead" } else { "note" }) { (sentence) }
                }
                p.note { (source_line(report)) }
                @if let Some(counted) = &report.counted {
                    p.note { (games_line(counted)) }
                }
            }
            @if let Some(drawing) = position {
                figure.board aria-label="Board: the position" { (drawing) }
            }
        }
    }
}

/// The result in sentences: games count more than searches.
fn lead(report: &OpeningsReport) -> &[String] {
    (report.experiment.as_ref()).map_or(&report.summary, |experiment| &experiment.summary)
}

/// All moves of the position in one table.
fn overview(report: &OpeningsReport) -> Markup {
    let root = &report.root;
    let [noun, nouns] = &report.move_words;
    let is_counted = report.counted.is_some();
    let searched = report.search.is_some();
    let listed = root.moves.len();
    let heading = if listed == root.legal {
        format!("All {nouns}")
    } else if searched {
        format!("The {listed} most likely {nouns}")
    } else {
        format!("The {nouns} that were played")
    };
    let head = markup! {
        (text_head(noun))
        @if searched {
            (number_head("value")) (text_head("95 % interval"))
            (number_head("prior")) (text_head("reply"))
        }
        @if is_counted {
            (number_head("games")) (number_head("score"))
            th.wide scope="col" { "won, drawn, lost" }
        }
    };
    let scale = ValueScale::of(root);
    let rows = markup! {
        @for mv in &root.moves {
            tr.good[mv.good] {
                th scope="row" { (move_name(&mv.mv, &mv.notation)) @if mv.good { " " (good_badge()) } }
                @if searched { (search_cells(mv, &scale)) }
                @if is_counted { (game_cells(mv)) }
            }
        }
    };
    let listed_games: u32 = (root.moves.iter().filter_map(|mv| mv.played.games)).sum();
    let other_games = root.here.unwrap_or(0).saturating_sub(listed_games);
    markup! {
        h2 { (heading) }
        @if report.experiment.is_some() && searched {
            p.note { "A second opinion, by search alone. " (report.summary.join(" ")) }
        }
        (scrolling_table(&format!("Table: {heading}"), &head, &rows))
        @if other_games > 0 {
            p.note { (counted(other_games, "game")) " continued with " (nouns) " that were not searched." }
        }
    }
}

fn search_cells(mv: &MoveReport, scale: &ValueScale) -> Markup {
    let search = &mv.searched;
    markup! {
        td.n { (search.value.map_or_else(String::new, signed)) }
        td { (value_mark(search, scale)) }
        td.n { (search.prior.map_or_else(String::new, percent)) }
        td { code { (search.reply.as_deref().unwrap_or("–")) } }
    }
}

fn game_cells(mv: &MoveReport) -> Markup {
    let results = mv.played.results();
    markup! {
        td.n { (mv.played.games.map_or_else(String::new, |n| HumanCount(n.into()).to_string())) }
        td.n { (percent_or_dash(results.and_then(|results| results.score()))) }
        td.wide { @if let Some(results) = &results { (result_bar(results)) } }
    }
}

fn explanation(report: &OpeningsReport) -> Markup {
    markup! {
        h2 { "How to read this" }
        ul.note {
            @if let Some(search) = &report.search {
                li {
                    "Values are for the side that moves: +1 won, 0 even, −1 lost. The position after "
                    "each move was searched " (counted(search.searches, "time")) " with "
                    (counted(search.visits, "visit")) " and different random numbers; the value is the "
                    "mean of these searches."
                }
                li {
                    "The 95 % interval comes from the differences between these searches (Student’s "
                    "t). It measures the randomness of searching, not the errors of the network."
                }
                li {
                    "The prior is the network’s probability of the move before any search. The reply "
                    "is the one that most searches prefer."
                }
                li { "At each position at most " (counted(search.width, "good move")) " were followed." }
            }
            @if report.counted.is_some() {
                li {
                    "Games are those of self-play from the ordinary start; transpositions are one "
                    "position. Results are for the side that moves. Self-play tries moves in order to "
                    "learn, so the number of games of a move does not measure how good it is."
                }
            }
        }
    }
}

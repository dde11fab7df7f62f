use garuda_run::HumanCount;
use maud::{Markup, html};

use super::{BalanceReport, BalanceStats};
use crate::format::{percent, percent_or_dash, percent_with_error};
use crate::markup::{number_head, scrolling_table, text_head};

/// The balance as a part of an HTML page, well-formed as XML, without scripts or styles of its
/// own. Numbers have the class `n`, and wide tables are in a `div` of class `scroll`.
pub fn html(report: &BalanceReport) -> String {
    section(report).into_string()
}

pub(crate) fn section(report: &BalanceReport) -> Markup {
    let starts = [
        ("ordinary start", &report.ordinary, &report.bands[..]),
        ("varied starts", &report.varied, &[]),
    ];
    let starts: Vec<_> = (starts.into_iter())
        .filter(|(_, stats, _)| stats.games > 0)
        .collect();
    let overview = html! {
        @for (name, stats, bands) in &starts {
            (row(name, &cells(report, stats)))
            @if bands.len() > 1 {
                @for band in *bands {
                    (row(&format!("– {}", band.checkpoints), &cells(report, &band.stats)))
                }
            }
        }
    };
    html! {
        section.balance {
            h2 { "Balance" }
            (scrolling_table("Balance", &head("games from", &columns(report)), &overview))
            @for (name, stats, _) in &starts {
                h3 { "How games end: " (name) }
                (terminations(stats))
            }
        }
    }
}

fn terminations(stats: &BalanceStats) -> Markup {
    let columns = ["games", "share", "first mover won", "drew", "lost"];
    let rows = html! {
        @for end in &stats.terminations {
            (row(&end.termination, &[
                HumanCount(end.games).to_string(),
                percent(end.games as f64 / stats.games as f64),
                HumanCount(end.wins).to_string(),
                HumanCount(end.draws).to_string(),
                HumanCount(end.losses).to_string(),
            ]))
        }
    };
    let head = head("termination", &columns.map(str::to_owned));
    scrolling_table("How games end", &head, &rows)
}

fn head(first: &str, others: &[String]) -> Markup {
    html! {
        (text_head(first))
        @for column in others { (number_head(column)) }
    }
}

fn row(name: &str, cells: &[String]) -> Markup {
    html! {
        tr {
            th scope="row" { (name) }
            @for cell in cells { td.n { (cell) } }
        }
    }
}

fn columns(report: &BalanceReport) -> Vec<String> {
    let mut columns = vec![
        "games".to_owned(),
        "first mover’s score".to_owned(),
        "draws".to_owned(),
        format!("{}: median (90 % of games)", report.length_unit),
        "captures per game".to_owned(),
    ];
    if report.has_promotion {
        columns.push("promotions per game".to_owned());
    }
    if let Some(drops) = &report.drop_word {
        columns.push(format!("{drops} per game"));
    }
    if report.has_counting {
        columns.push("counting ran / ended the game".to_owned());
    }
    columns
}

fn cells(report: &BalanceReport, stats: &BalanceStats) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.1}"));
    let mut cells = vec![
        HumanCount(stats.games).to_string(),
        percent_with_error(stats.score, stats.score_error),
        percent_with_error(stats.draw_share, stats.draw_error),
        stats.lengths.as_ref().map_or("–".to_owned(), |lengths| {
            format!("{} ({}–{})", lengths.median, lengths.p5, lengths.p95)
        }),
        number(stats.captures),
    ];
    if report.has_promotion {
        cells.push(number(stats.promotions));
    }
    if report.drop_word.is_some() {
        cells.push(number(stats.drops));
    }
    if report.has_counting {
        cells.push(format!(
            "{} / {}",
            percent_or_dash(stats.counted),
            percent_or_dash(stats.decided_by_counting)
        ));
    }
    cells
}

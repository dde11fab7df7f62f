use std::fmt::Write;

use super::{BalanceReport, BalanceStats};

/// The balance as a part of an HTML page, well-formed as XML, without scripts or styles of its
/// own. Numbers have the class `n`, and what may be too wide is in a `div` of class `scroll`.
pub fn balance_html(balance: &BalanceReport) -> String {
    let mut out = String::new();
    write_html(&mut out, balance).expect("writing to a string does not fail");
    out
}

fn write_html(out: &mut String, balance: &BalanceReport) -> std::fmt::Result {
    let starts = [
        ("ordinary start", &balance.ordinary, &balance.bands[..]),
        ("varied starts", &balance.varied, &[]),
    ];
    let starts: Vec<_> = (starts.into_iter())
        .filter(|(_, facts, _)| facts.games > 0)
        .collect();
    writeln!(out, "<section class=\"balance\">\n<h2>BalanceReport</h2>")?;
    open_table(out, "Balance", "games from", &heads(balance))?;
    for (name, facts, bands) in &starts {
        write_row(out, name, &cells(balance, facts))?;
        if bands.len() > 1 {
            for band in *bands {
                let name = match (band.from, band.to) {
                    (from, to) if from == to => format!("– checkpoint {from}"),
                    (from, to) => format!("– checkpoints {from}–{to}"),
                };
                write_row(out, &name, &cells(balance, &band.facts))?;
            }
        }
    }
    close_table(out)?;
    for (name, facts, _) in &starts {
        writeln!(out, "<h3>How games end: {name}</h3>")?;
        let heads = ["games", "share", "first mover won", "drew", "lost"];
        open_table(out, "How games end", "by", &heads.map(str::to_owned))?;
        for end in &facts.ends {
            let share = end.games as f64 / facts.games as f64;
            let cells = [
                end.games.to_string(),
                percent(Some(share), None),
                end.wins.to_string(),
                end.draws.to_string(),
                end.losses.to_string(),
            ];
            write_row(out, end.termination, &cells)?;
        }
        close_table(out)?;
    }
    writeln!(out, "</section>")
}

fn open_table(out: &mut String, label: &str, first: &str, heads: &[String]) -> std::fmt::Result {
    write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">\n<table>\n<thead><tr><th scope=\"col\">{first}</th>"
    )?;
    for head in heads {
        write!(out, "<th scope=\"col\" class=\"n\">{head}</th>")?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")
}

fn write_row(out: &mut String, name: &str, cells: &[String]) -> std::fmt::Result {
    write!(out, "<tr><th scope=\"row\">{name}</th>")?;
    for cell in cells {
        write!(out, "<td class=\"n\">{cell}</td>")?;
    }
    writeln!(out, "</tr>")
}

fn close_table(out: &mut String) -> std::fmt::Result {
    writeln!(out, "</tbody>\n</table>\n</div>")
}

fn heads(balance: &BalanceReport) -> Vec<String> {
    let mut heads = vec![
        "games".to_owned(),
        "first mover".to_owned(),
        "draws".to_owned(),
        format!("{} (90 %)", balance.length_unit),
        "captures".to_owned(),
    ];
    if balance.has_promotion {
        heads.push("promotions".to_owned());
    }
    heads.extend(balance.drop_word.map(str::to_owned));
    if balance.has_counting {
        heads.push("counting ran / ended it".to_owned());
    }
    heads
}

fn cells(balance: &BalanceReport, facts: &BalanceStats) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.1}"));
    let mut cells = vec![
        facts.games.to_string(),
        percent(facts.score, facts.score_error),
        percent(facts.draw_share, facts.draw_error),
        facts.lengths.as_ref().map_or("–".to_owned(), |lengths| {
            format!("{} ({}–{})", lengths.median, lengths.p5, lengths.p95)
        }),
        number(facts.captures),
    ];
    if balance.has_promotion {
        cells.push(number(facts.promotions));
    }
    if balance.drop_word.is_some() {
        cells.push(number(facts.drops));
    }
    if balance.has_counting {
        let (ran, ended) = (facts.counted, facts.decided_by_counting);
        cells.push(format!("{} / {}", percent(ran, None), percent(ended, None)));
    }
    cells
}

fn percent(share: Option<f64>, error: Option<f64>) -> String {
    match (share, error) {
        (Some(share), Some(error)) => format!("{:.1} ± {:.1} %", 100.0 * share, 100.0 * error),
        (Some(share), None) => format!("{:.1} %", 100.0 * share),
        (None, _) => "–".to_owned(),
    }
}

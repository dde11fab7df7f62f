use super::report::{OpeningNode, OpeningsReport};

/// A report as comma-separated values: a line for each move of each position, with the results by
/// part of the run in the last columns.
pub fn csv(report: &OpeningsReport) -> String {
    let mut out = String::from(
        "path,ply,move,good,prior,value,value_low,value_high,visits,proven,reply,games,wins,draws,losses",
    );
    let ranges = report.counted.iter().flat_map(|counted| &counted.ranges);
    for range in ranges {
        for column in ["games", "wins", "draws", "losses"] {
            out += &format!(",{column}_{}-{}", range.from, range.to);
        }
    }
    out.push('\n');
    rows(&mut out, &report.root, &[]);
    out
}

/// The moves of the position after `path`.
fn rows(out: &mut String, node: &OpeningNode, path: &[&str]) {
    for mv in &node.moves {
        let (search, played) = (&mv.searched, &mv.played);
        let fields = [
            quoted(&path.join(" ")),
            (path.len() + 1).to_string(),
            quoted(&mv.mv),
            mv.good.to_string(),
            optional(search.prior),
            optional(search.value),
            optional(search.value_low),
            optional(search.value_high),
            optional(search.visits),
            search.proven.to_string(),
            quoted(search.reply.as_deref().unwrap_or_default()),
            optional(played.games),
            optional(played.wins),
            optional(played.draws),
            optional(played.losses),
        ];
        out.push_str(&fields.join(","));
        for part in &mv.by_checkpoints {
            let results = part.results;
            *out += &format!(
                ",{},{},{},{}",
                part.games, results.wins, results.draws, results.losses
            );
        }
        out.push('\n');
    }
    for mv in &node.moves {
        if let Some(next) = &mv.next {
            rows(out, next, &[path, &[&mv.mv]].concat());
        }
    }
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Quoted where CSV requires it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

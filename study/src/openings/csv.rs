use super::report::{OpeningNode, OpeningsReport};
use crate::experiment::ExperimentNode;

/// A report as comma-separated values. Where games were played from every move it has a line for each
/// arm of them; otherwise a line for each move of each position, with the results by part of the run
/// in the last columns.
pub fn csv(report: &OpeningsReport) -> String {
    if let Some(experiment) = &report.experiment {
        let mut out = String::from(
            "path,side,move,notation,verdict,games,wins,draws,losses,distinct_games,\
             score,score_low,score_high,elo,elo_low,elo_high,value\n",
        );
        for node in &experiment.nodes {
            arm_rows(&mut out, node);
        }
        return out;
    }
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

/// The arms of an experiment, and those below them.
fn arm_rows(out: &mut String, node: &ExperimentNode) {
    for arm in &node.arms {
        let fields = [
            quoted(&node.path),
            node.side.to_string(),
            quoted(&arm.name),
            quoted(&arm.notation),
            arm.verdict.name().to_owned(),
            arm.games.to_string(),
            arm.results.wins.to_string(),
            arm.results.draws.to_string(),
            arm.results.losses.to_string(),
            arm.distinct_games.to_string(),
            arm.score.value.to_string(),
            arm.score.low.to_string(),
            arm.score.high.to_string(),
            arm.elo.value.to_string(),
            arm.elo.low.to_string(),
            arm.elo.high.to_string(),
            optional(arm.value),
        ];
        out.push_str(&fields.join(","));
        out.push('\n');
    }
    for next in node.arms.iter().filter_map(|arm| arm.next.as_ref()) {
        arm_rows(out, next);
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

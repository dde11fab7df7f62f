use garuda_run::{HumanCount, counted};

use super::experiment_text::experiment_lines;
use super::report::{CountedGames, MoveReport, OpeningNode, OpeningsReport};
use super::setups::SideSetUps;
use crate::format::{percent, signed, with_notation};

/// Number of formations of a side that are listed.
const FORMATIONS: usize = 5;

/// A report as text for a terminal.
pub fn text(report: &OpeningsReport) -> String {
    let position = match &report.from {
        None => "from the start".to_owned(),
        Some(from) => format!("after {from}"),
    };
    let mut lines = vec![format!("{} {position}", report.title), source_line(report)];
    lines.extend(report.counted.as_ref().map(games_line));
    lines.push(String::new());
    if let Some(experiment) = &report.experiment {
        lines.extend(experiment_lines(experiment));
        if report.search.is_some() {
            lines.push("A second opinion, by search alone:".to_owned());
        }
    }
    if report.experiment.is_none() || !report.root.moves.is_empty() {
        lines.extend(table_lines(report));
    }
    if let Some(set_ups) = &report.set_ups {
        lines.extend([String::new(), set_ups.title()]);
        lines.extend(formation_lines(&set_ups.first, "first"));
        lines.extend(formation_lines(&set_ups.second, "second"));
    }
    if report.has_setup && report.counted.is_none() {
        lines.push(String::new());
        lines.push("Set-up statistics need the games of a run.".to_owned());
    }
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// The table of moves, and its summary.
fn table_lines(report: &OpeningsReport) -> Vec<String> {
    let [noun, _] = &report.move_words;
    let width = widest(&report.root, 0).max(noun.len());
    let mut lines = vec![format!(
        "{noun:<width$}    value     95 % interval   prior    games     won   drawn    lost   score  reply"
    )];
    move_lines(&mut lines, &report.root, width, 0);
    if !report.summary.is_empty() {
        lines.push(String::new());
    }
    lines.extend(report.summary.iter().cloned());
    lines
}

/// The run or network that the report is about.
pub(super) fn source_line(report: &OpeningsReport) -> String {
    let source = &report.source;
    let mut parts = vec![source.name.clone()];
    parts.extend(
        source
            .checkpoint
            .map(|number| format!("checkpoint {number}")),
    );
    parts.extend(source.step.map(|steps| counted(steps, "training step")));
    parts.join(", ")
}

/// Which games were counted.
pub(super) fn games_line(source: &CountedGames) -> String {
    let mut parts = vec![counted(source.games, "game")];
    if source.varied > 0 {
        parts.push(format!(
            "{} from other starts left out",
            HumanCount(source.varied)
        ));
    }
    if source.elsewhere > 0 {
        parts.push(format!(
            "{} that never reached this position left out",
            HumanCount(source.elsewhere)
        ));
    }
    if !source.refused.is_empty() {
        let files = counted(source.refused.len() as u64, "damaged record file");
        parts.push(format!("{files} skipped"));
    }
    parts.join("; ")
}

fn widest(node: &OpeningNode, indent: usize) -> usize {
    let widths = node.moves.iter().map(|mv| {
        let below = mv.next.as_ref().map_or(0, |next| widest(next, indent + 2));
        below.max(indent + both(mv).chars().count() + 2)
    });
    widths.max().unwrap_or(0)
}

/// The moves of a position, and below each the replies to it.
fn move_lines(lines: &mut Vec<String>, node: &OpeningNode, width: usize, indent: usize) {
    for mv in &node.moves {
        lines.push(move_line(mv, width, indent));
        if let Some(next) = &mv.next {
            move_lines(lines, next, width, indent + 2);
        }
    }
}

/// The move in UCI notation, and as people of the game write it where that differs.
fn both(mv: &MoveReport) -> String {
    with_notation(&mv.mv, &mv.notation)
}

fn move_line(mv: &MoveReport, width: usize, indent: usize) -> String {
    let star = if mv.good { " *" } else { "" };
    let name = format!("{:indent$}{}{star}", "", both(mv));
    let search = &mv.searched;
    let value = search.value.map_or_else(String::new, signed);
    let interval = match search.value_low.zip(search.value_high) {
        Some(_) if search.proven => "proven".to_owned(),
        Some((low, high)) => format!("{} … {}", signed(low), signed(high)),
        None => String::new(),
    };
    let prior = search.prior.map_or_else(String::new, percent);
    let games = (mv.played.games).map_or_else(String::new, |n| HumanCount(n.into()).to_string());
    let results = match mv.played.results() {
        Some(results) => {
            let share = |n: u32| percent(f64::from(n) / f64::from(results.games()));
            format!(
                "{:>7} {:>7} {:>7} {:>7}",
                share(results.wins),
                share(results.draws),
                share(results.losses),
                results.score().map_or_else(String::new, percent)
            )
        }
        None => " ".repeat(31),
    };
    let see = (mv.transposes.as_ref()).map(|path| format!("(see {path})"));
    let reply = match (&search.reply, see) {
        (Some(reply), Some(see)) => format!("{reply}   {see}"),
        (Some(reply), None) => reply.clone(),
        (None, see) => see.unwrap_or_default(),
    };
    format!("{name:<width$} {value:>8}  {interval:>16} {prior:>7} {games:>8} {results}  {reply}")
}

fn formation_lines(side: &SideSetUps, name: &str) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        format!(
            "most frequent of the {name} mover, of {} in all",
            HumanCount(side.distinct)
        ),
    ];
    lines.extend(side.formations.iter().take(FORMATIONS).map(|formation| {
        let score = formation.score.map_or_else(String::new, percent);
        let games = counted(formation.games, "game");
        format!("{games:>14} {score:>7}  {}", formation.pieces)
    }));
    lines
}

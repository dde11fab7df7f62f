use garuda_run::{HumanCount, counted};

use crate::experiment::{ArmKind, ArmReport, Calibration, ExperimentNode, ExperimentReport};
use crate::format::{percent, signed, with_notation};

/// An experiment as lines for a terminal.
pub(super) fn experiment_lines(experiment: &ExperimentReport) -> Vec<String> {
    let games = &experiment.games_played;
    let mut lines = vec![format!(
        "games with {} simulations a move on both sides, temperature {} over {} after the start; {} % confidence",
        games.simulations,
        games.temperature,
        counted(games.temperature_plies, "move"),
        100.0 * experiment.settings.confidence
    )];
    for node in &experiment.nodes {
        lines.push(String::new());
        node_lines(&mut lines, node, experiment.kind, 0);
    }
    lines.push(String::new());
    lines.extend(experiment.summary.iter().cloned());
    lines.push(format!("records: {}", games.records));
    lines.push(String::new());
    lines
}

fn node_lines(lines: &mut Vec<String>, node: &ExperimentNode, kind: ArmKind, indent: usize) {
    let noun = match kind {
        ArmKind::Moves => "move",
        ArmKind::Handicaps => "handicap",
        ArmKind::SetUps => "set-up",
        ArmKind::Start => "start",
    };
    let width = (node.arms.iter())
        .map(|arm| label(arm).chars().count())
        .chain([noun.len()])
        .max()
        .unwrap_or(0);
    if !node.path.is_empty() {
        lines.push(format!("{:indent$}after {}", "", node.path));
    }
    lines.push(format!(
        "{:indent$}{noun:<width$}   score     interval      games     won   drawn    lost  distinct    value  verdict",
        ""
    ));
    for arm in &node.arms {
        lines.push(format!("{:indent$}{}", "", arm_line(arm, width)));
    }
    lines.extend(node.calibration.map(|found| {
        let line = calibration_line(&found);
        format!("{:indent$}{line}", "")
    }));
    for next in node.arms.iter().filter_map(|arm| arm.next.as_ref()) {
        lines.push(String::new());
        node_lines(lines, next, kind, indent + 2);
    }
}

fn label(arm: &ArmReport) -> String {
    with_notation(&arm.name, &arm.notation)
}

fn arm_line(arm: &ArmReport, width: usize) -> String {
    let share = |n: u32| percent(f64::from(n) / f64::from(arm.games.max(1)));
    let interval = format!(
        "{:.1} … {:.1}",
        100.0 * arm.score.low,
        100.0 * arm.score.high
    );
    format!(
        "{:<width$} {:>7} {interval:>12} {:>10} {:>7} {:>7} {:>7} {:>9} {:>8}  {}",
        label(arm),
        percent(arm.score.value),
        HumanCount(arm.games.into()).to_string(),
        share(arm.results.wins),
        share(arm.results.draws),
        share(arm.results.losses),
        HumanCount(arm.distinct_games).to_string(),
        arm.value.map_or_else(String::new, signed),
        arm.verdict.name()
    )
}

/// How well search values agree with scores.
pub(super) fn calibration_line(found: &Calibration) -> String {
    let correlation = found.correlation.map_or_else(
        || "no correlation can be computed".to_owned(),
        |correlation| format!("correlation {correlation:.2}"),
    );
    format!(
        "search values against scores over {}: {correlation}, scores are {:+.1} % off on average, {:.1} % in root mean square",
        counted(found.arms as u64, "arm"),
        100.0 * found.bias,
        100.0 * found.error
    )
}

//! What games from every move show.

use garuda_run::{HumanCount, counted};
use maud::{Markup, html};

use super::marks::{good_badge, move_name, range_mark, result_bar};
use crate::experiment::{ArmKind, ArmReport, ExperimentNode, ExperimentReport, Verdict};
use crate::format::{percent, signed};
use crate::markup::{number_head, scrolling_table, text_head};
use crate::openings::experiment_text::calibration_line;

pub(super) fn section(experiment: &ExperimentReport) -> Markup {
    let games = &experiment.games_played;
    html! {
        section.experiment {
            h2 { "By experiment" }
            @for node in &experiment.nodes { (table(node, experiment.kind)) }
            p.note {
                "Complete games from each start, with " (counted(games.simulations, "simulation"))
                " a move on both sides. The first " (counted(games.temperature_plies, "move"))
                " after it are drawn with temperature " (games.temperature) ", so that games differ. "
                "Scores are for the side that made the move; a draw is half a point. Each interval "
                "holds with " (percent(experiment.settings.confidence)) " confidence however often it "
                "was looked at, for its own row; the verdicts hold for all rows together."
            }
        }
    }
}

fn table(node: &ExperimentNode, kind: ArmKind) -> Markup {
    let (noun, heading) = match kind {
        ArmKind::Moves if node.path.is_empty() => {
            ("move", "Games from every first move".to_owned())
        }
        ArmKind::Moves => ("move", format!("Games from every move after {}", node.path)),
        ArmKind::Handicaps => (
            "handicap",
            "Games with handicaps, for the side that receives".to_owned(),
        ),
        ArmKind::SetUps => match node.side {
            'w' => ("set-up", "Set-ups of the first mover".to_owned()),
            _ => ("set-up", "Set-ups of the second mover".to_owned()),
        },
        ArmKind::Start => ("start", "Balance, for the side to move".to_owned()),
    };
    let has_elo = kind == ArmKind::Handicaps;
    let head = html! {
        (text_head(noun)) (number_head("score")) (text_head("interval"))
        (number_head("games")) (number_head("distinct"))
        th.wide scope="col" { "won, drawn, lost" }
        @if has_elo { (number_head("Elo")) } @else { (number_head("value")) (text_head("verdict")) }
    };
    let low = node
        .arms
        .iter()
        .map(|arm| arm.score.low)
        .fold(1.0, f64::min);
    let high = node
        .arms
        .iter()
        .map(|arm| arm.score.high)
        .fold(0.0, f64::max);
    let rows = html! {
        @for arm in &node.arms {
            tr.good[arm.verdict == Verdict::Good && !has_elo] {
                th scope="row" { (move_name(&arm.name, &arm.notation)) }
                (score_cells(arm, [low, high]))
                @if has_elo {
                    td.n { (format!("{:+.0}", arm.elo.value)) }
                } @else {
                    td.n { (arm.value.map_or_else(String::new, signed)) }
                    td {
                        @if arm.verdict == Verdict::Good { (good_badge()) } @else { (arm.verdict.name()) }
                    }
                }
            }
        }
    };
    html! {
        h3 { (heading) }
        (scrolling_table(&format!("Table: {heading}"), &head, &rows))
        @if let Some(found) = &node.calibration { p.note { (calibration_line(found)) } }
        @for next in node.arms.iter().filter_map(|arm| arm.next.as_ref()) { (table(next, kind)) }
    }
}

fn score_cells(arm: &ArmReport, scale: [f64; 2]) -> Markup {
    let score = &arm.score;
    let label = format!("{} to {}", percent(score.low), percent(score.high));
    html! {
        td.n { (percent(score.value)) }
        td { (range_mark([score.low, score.value, score.high], scale, &label)) }
        td.n { (HumanCount(arm.games.into())) }
        td.n { (HumanCount(arm.distinct_games)) }
        td.wide { @if arm.games > 0 { (result_bar(&arm.results)) } }
    }
}

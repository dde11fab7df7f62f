use garuda_run::counted;

use super::{FeatureValue, FittedValues, PhaseValues, ValuesReport};
use crate::{ConfidenceInterval, balance};

/// A report as text for a terminal.
pub fn text(report: &ValuesReport) -> String {
    let mut lines = head(report);
    if let Some(fitted) = &report.values {
        lines.push(String::new());
        lines.extend(table(fitted));
        lines.extend(notes(fitted));
    }
    if let Some(problem) = &report.problem {
        lines.push(format!("no values: {problem}"));
    }
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    lines + &balance::text(&report.balance)
}

fn head(report: &ValuesReport) -> Vec<String> {
    let share = 100.0 * report.varied_games as f64 / report.games.max(1) as f64;
    let mut lines = vec![format!(
        "{}: {}, {} of {}, {} of them ({share:.0} %) from varied starts",
        report.source,
        report.game,
        counted(report.games as u64, "game"),
        report.checkpoints,
        report.varied_games,
    )];
    if report.length_limit_draws > 0 {
        lines.push(format!(
            "left out of the values: {} by the length limit, which depend on the limit and not on material",
            counted(report.length_limit_draws as u64, "draw"),
        ));
    }
    if !report.refused.is_empty() {
        lines.push(format!(
            "skipped: {}",
            counted(report.refused.len() as u64, "damaged record file")
        ));
    }
    lines
}

/// A row for each feature. A phase whose unit is not as clear as that of the whole has a star: its
/// column is in the other unit.
fn table(fitted: &FittedValues) -> Vec<String> {
    let all = &fitted.all;
    let has_guide = all.features.iter().any(|feature| feature.guide.is_some());
    let has_assumed = all.features.iter().any(|feature| feature.assumed.is_some());
    let what = if all.unit_is_clear {
        format!("{} = 1", fitted.unit)
    } else {
        "log-odds".to_owned()
    };
    let mut head = format!("{:<20} {:>24}", "", format!("{what} (95 %)"));
    for values in &fitted.by_phase {
        let star = if values.unit_is_clear == all.unit_is_clear {
            ""
        } else {
            "*"
        };
        head += &format!(" {:>8}", format!("{}{star}", values.name()));
    }
    if has_guide {
        head += &format!(" {:>7}", "guide");
    }
    if has_assumed {
        head += &format!(" {:>9}", "material");
    }
    head += &format!(" {:>8} {:>9}", "games", "log-odds");
    let mut lines = vec![head];
    for (i, feature) in all.features.iter().enumerate() {
        let mut line = format!(
            "{:<20} {:>24}",
            feature.label(),
            with_bounds(feature.shown(all.unit_is_clear))
        );
        for values in &fitted.by_phase {
            line += &format!(" {:>8}", number(shown(values, i)));
        }
        if has_guide {
            let guide = feature.guide.map(|guide| guide.to_string());
            line += &format!(" {:>7}", guide.unwrap_or_default());
        }
        if has_assumed {
            let assumed = feature.assumed.map(|value| value.to_string());
            line += &format!(" {:>9}", assumed.unwrap_or_default());
        }
        line += &format!(" {:>8} {:>9}", feature.games, number(feature.log_odds));
        lines.push(line);
    }
    for (name, log_odds) in [("first move", all.first_move), ("to move", all.to_move)] {
        let log_odds = with_bounds(Some(log_odds));
        lines.push(format!("{name:<20} {log_odds:>24}  in log-odds"));
    }
    lines
}

fn notes(fitted: &FittedValues) -> Vec<String> {
    let all = &fitted.all;
    let mut lines = vec![
        String::new(),
        format!(
            "{} of {}, up to {} per phase of a game, each game with the same weight; intervals from {} of whole games",
            counted(all.positions as u64, "quiet position"),
            counted(all.games as u64, "game"),
            fitted.positions_per_phase,
            counted(fitted.resamples as u64, "resample"),
        ),
        format!("phases: {}", fitted.phases),
    ];
    lines.extend(fitted.guide.clone());
    let warnings = fitted.warnings.iter();
    lines.extend(warnings.map(|warning| format!("! {warning}")));
    lines
}

fn shown(values: &PhaseValues, feature: usize) -> Option<ConfidenceInterval> {
    let feature: &FeatureValue = values.features.get(feature)?;
    feature.shown(values.unit_is_clear)
}

fn number(interval: Option<ConfidenceInterval>) -> String {
    interval.map_or("n/a".to_owned(), |i| format!("{:.2}", i.value))
}

fn with_bounds(interval: Option<ConfidenceInterval>) -> String {
    interval.map_or("n/a".to_owned(), |i| {
        format!("{:.2} ({:.2} – {:.2})", i.value, i.low, i.high)
    })
}

use std::fmt::Write;

use super::guide::GuideValue;
use super::{FeatureValue, FittedValues, PhaseValues};
use crate::ConfidenceInterval;
use crate::charts::chart::{Axis, COLOURS, label};
use garuda_rules::{FeaturePlace, GamePhase};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 130.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 74.0;
const BOTTOM: f64 = 48.0;
const BAND: f64 = 46.0;
const GUIDE_COLOUR: &str = "#222";

/// One colour: all phases, or one of them.
struct Row<'a> {
    values: &'a PhaseValues,
    colour: &'static str,
    /// Of the middle of a band.
    offset: f64,
}

/// A plot of the values with their intervals, beside the guide's.
pub fn values_svg(report: &FittedValues) -> String {
    let mut out = String::new();
    draw(&mut out, report).expect("writing to a string does not fail");
    out
}

/// What is shown of a feature: its value, or log-odds where the unit has no clear value.
fn shown(report: &FittedValues, feature: &FeatureValue) -> Option<ConfidenceInterval> {
    if report.all.unit_is_clear {
        feature.value
    } else {
        feature.log_odds
    }
}

fn rows(report: &FittedValues) -> Vec<Row<'_>> {
    let usable = |values: &&PhaseValues| values.unit_is_clear || !report.all.unit_is_clear;
    std::iter::once(&report.all)
        .chain(report.by_phase.iter().filter(usable))
        .map(|values| {
            let place = values.phase.map_or(0, |phase| 1 + phase as usize);
            Row {
                values,
                colour: COLOURS[place],
                offset: [-13.0, -3.0, 5.0, 13.0][place],
            }
        })
        .collect()
}

/// An axis that shows all values but not the whole of intervals that dwarf them.
fn axis(report: &FittedValues, rows: &[Row<'_>]) -> Axis {
    let mut reach: Vec<f64> = vec![0.0];
    for (i, row) in rows.iter().enumerate() {
        for interval in row.values.features.iter().filter_map(|a| shown(report, a)) {
            reach.push(interval.value);
            if i == 0 {
                reach.extend([interval.low, interval.high]);
            }
        }
    }
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let values = report.all.features.iter().filter_map(|a| shown(report, a));
    let bound = 2.5 * largest(&mut values.map(|interval| interval.value.abs()));
    let shown = reach.into_iter().map(|x| x.clamp(-bound, bound.max(1.0)));
    let guides = report
        .all
        .features
        .iter()
        .filter_map(|a| a.guide.map(bounds));
    let guides = guides
        .map(|(_, high)| high)
        .filter(|_| report.all.unit_is_clear);
    Axis::new(shown.chain(guides), LEFT, WIDTH - RIGHT)
}

fn bounds(guide: GuideValue) -> (f64, f64) {
    match guide {
        GuideValue::About(value) | GuideValue::Under(value) => (value, value),
        GuideValue::Between(low, high) => (low, high),
    }
}

fn draw(out: &mut String, report: &FittedValues) -> std::fmt::Result {
    let rows = rows(report);
    let x = axis(report, &rows);
    let features = &report.all.features;
    let bottom = TOP + BAND * features.len() as f64;
    let height = bottom + BOTTOM;
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">"#
    )?;
    writeln!(out, r#"<rect width="100%" height="100%" fill="white"/>"#)?;
    let (rules, games) = (report.rules, report.all.games);
    writeln!(
        out,
        r#"<text x="16" y="24" font-size="16">Worth of pieces in {rules}, fitted to {games} games</text>"#
    )?;
    legend(out, report, &rows)?;
    for (i, feature) in features.iter().enumerate() {
        let middle = TOP + BAND * (i as f64 + 0.5);
        if i % 2 == 1 {
            let top = middle - BAND / 2.0;
            writeln!(
                out,
                r##"<rect x="0" y="{top}" width="{WIDTH}" height="{BAND}" fill="#f5f5f5"/>"##
            )?;
        }
        let (name, edge, base) = (title(feature), LEFT - 12.0, middle + 4.0);
        writeln!(
            out,
            r#"<text x="{edge}" y="{base}" text-anchor="end">{name}</text>"#
        )?;
    }
    for tick in x.ticks() {
        let (at, text, base) = (x.place(tick), label(tick), bottom + 18.0);
        let colour = if tick == 0.0 { "#888" } else { "#ddd" };
        writeln!(
            out,
            r#"<path d="M{at:.1} {TOP}V{bottom}" stroke="{colour}"/>"#
        )?;
        writeln!(
            out,
            r#"<text x="{at:.1}" y="{base}" text-anchor="middle">{text}</text>"#
        )?;
    }
    let unit = if report.all.unit_is_clear {
        format!("value, {} = 1; bars are 95 % intervals", report.unit)
    } else {
        "log-odds of winning; bars are 95 % intervals".to_owned()
    };
    let (middle, base) = (f64::midpoint(LEFT, WIDTH - RIGHT), height - 12.0);
    writeln!(
        out,
        r#"<text x="{middle}" y="{base}" text-anchor="middle">{unit}</text>"#
    )?;
    for row in &rows {
        for (i, feature) in row.values.features.iter().enumerate() {
            let y = TOP + BAND * (i as f64 + 0.5) + row.offset;
            if let Some(interval) = shown(report, feature) {
                bar(out, &x, interval, y, row)?;
            }
        }
    }
    if report.all.unit_is_clear {
        for (i, feature) in features.iter().enumerate() {
            if let Some(guide) = feature.guide {
                let y = TOP + BAND * (i as f64 + 0.5) - 13.0;
                guide_mark(out, &x, guide, y)?;
            }
        }
    }
    writeln!(out, "</svg>")
}

fn title(feature: &FeatureValue) -> String {
    let name = feature.feature.name;
    match feature.feature.place {
        FeaturePlace::Board | FeaturePlace::Zone | FeaturePlace::Score => name.to_owned(),
        FeaturePlace::Hand => format!("{name} in hand"),
        FeaturePlace::Across => format!("{name} across"),
    }
}

fn legend(out: &mut String, report: &FittedValues, rows: &[Row<'_>]) -> std::fmt::Result {
    let mut left = 16.0;
    let mut entry = |mark: &dyn Fn(f64) -> String, name: &str| {
        let (mark, text) = (mark(left), left + 20.0);
        left += 34.0 + 7.0 * name.len() as f64;
        writeln!(out, r#"{mark}<text x="{text}" y="52">{name}</text>"#)
    };
    for row in rows {
        let colour = row.colour;
        let line = |at| format!(r#"<path d="M{at} 48h14" stroke="{colour}" stroke-width="3"/>"#);
        entry(&line, name(row))?;
    }
    let has_guide = report
        .all
        .features
        .iter()
        .any(|feature| feature.guide.is_some());
    if has_guide && report.all.unit_is_clear {
        entry(&|at| diamond(at + 7.0, 48.0), "the guide's")?;
        let is_under = |feature: &FeatureValue| matches!(feature.guide, Some(GuideValue::Under(_)));
        if report.all.features.iter().any(is_under) {
            entry(&|at| under(at + 10.0, 48.0), "a little less than that")?;
        }
    }
    Ok(())
}

fn name(row: &Row<'_>) -> &'static str {
    row.values.phase.map_or("all phases", GamePhase::name)
}

fn bar(
    out: &mut String,
    x: &Axis,
    interval: ConfidenceInterval,
    y: f64,
    row: &Row<'_>,
) -> std::fmt::Result {
    let colour = row.colour;
    let (width, radius) = match row.values.phase {
        None => (2.5, 4.5),
        Some(_) => (1.2, 2.5),
    };
    let cut = |value: f64| x.place(value.clamp(x.low, x.high));
    let (low, high) = (cut(interval.low), cut(interval.high));
    writeln!(
        out,
        r#"<path d="M{low:.1} {y}H{high:.1}" stroke="{colour}" stroke-width="{width}"/>"#
    )?;
    // An arrow says that the interval goes on.
    for (is_cut, tip, back) in [
        (interval.low < x.low, low, 6.0),
        (interval.high > x.high, high, -6.0),
    ] {
        if is_cut {
            let bottom = y + 3.5;
            writeln!(
                out,
                r#"<path d="M{tip:.1} {y}l{back} -3.5V{bottom}z" fill="{colour}"/>"#
            )?;
        }
    }
    let at = cut(interval.value);
    writeln!(
        out,
        r#"<circle cx="{at:.1}" cy="{y}" r="{radius}" fill="{colour}"/>"#
    )
}

fn diamond(x: f64, y: f64) -> String {
    format!(
        r#"<path d="M{x:.1} {y}m-5 0l5 -5l5 5l-5 5z" fill="white" stroke="{GUIDE_COLOUR}" stroke-width="1.5"/>"#
    )
}

fn under(x: f64, y: f64) -> String {
    format!(
        r#"<path d="M{x:.1} {y}m0 -5l-7 5l7 5" fill="none" stroke="{GUIDE_COLOUR}" stroke-width="1.5"/>"#
    )
}

fn guide_mark(out: &mut String, x: &Axis, guide: GuideValue, y: f64) -> std::fmt::Result {
    let (low, high) = bounds(guide);
    let (from, to) = (x.place(low), x.place(high));
    match guide {
        GuideValue::About(_) => writeln!(out, "{}", diamond(from, y)),
        GuideValue::Between(..) => writeln!(
            out,
            r#"<path d="M{from:.1} {y}m0 -5v10m0 -5H{to:.1}m0 -5v10" fill="none" stroke="{GUIDE_COLOUR}" stroke-width="1.5"/>"#
        ),
        GuideValue::Under(_) => writeln!(out, "{}", under(from, y)),
    }
}

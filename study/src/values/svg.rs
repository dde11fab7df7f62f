use garuda_run::counted;
use maud::{Markup, html};

use super::{FeatureValue, FittedValues, GuideValue, PhaseValues};
use crate::ConfidenceInterval;
use crate::charts::parts::{
    Anchor, Axis, COLOURS, GRID_COLOUR, document, dot, line, text, tick_label,
};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 130.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 74.0;
const BOTTOM: f64 = 48.0;
const BAND: f64 = 46.0;
const GUIDE_COLOUR: &str = "#222";
/// Distance from the middle of a feature's band to the marks of all phases and of the guide.
const FIRST_OFFSET: f64 = -13.0;

/// The values in one colour: of all phases, or of one of them.
struct PhaseMarks<'a> {
    values: &'a PhaseValues,
    colour: &'static str,
    /// From the middle of a feature's band.
    offset: f64,
}

/// A plot of the values with their intervals, and of the guide values.
pub fn svg(fitted: &FittedValues) -> String {
    let phases = phases(fitted);
    let x = axis(fitted, &phases);
    let in_units = fitted.all.unit_is_clear;
    let bottom = TOP + BAND * fitted.all.features.len() as f64;
    let height = bottom + BOTTOM;
    let content = html! {
        (legend(fitted, &phases))
        (grid(fitted, &x, bottom))
        @for phase in &phases {
            @for (i, feature) in phase.values.features.iter().enumerate() {
                @if let Some(interval) = feature.shown(in_units) {
                    (interval_mark(&x, interval, band_middle(i) + phase.offset, phase))
                }
            }
        }
        @if in_units {
            @for (i, feature) in fitted.all.features.iter().enumerate() {
                @if let Some(guide) = feature.guide {
                    (guide_mark(&x, guide, band_middle(i) + FIRST_OFFSET))
                }
            }
        }
    };
    let games = counted(fitted.all.games as u64, "game");
    let title = format!("Piece values in {}, fitted to {games}", fitted.title);
    document([WIDTH, height], &title, &content)
}

fn band_middle(feature: usize) -> f64 {
    TOP + BAND * (feature as f64 + 0.5)
}

/// The phases that can be drawn in the unit of the whole.
fn phases(fitted: &FittedValues) -> Vec<PhaseMarks<'_>> {
    let in_units = fitted.all.unit_is_clear;
    std::iter::once(&fitted.all)
        .chain(fitted.by_phase.iter())
        .filter(|values| values.unit_is_clear || !in_units)
        .map(|values| {
            let place = values.phase.map_or(0, |phase| 1 + phase as usize);
            PhaseMarks {
                values,
                colour: COLOURS[place],
                offset: [FIRST_OFFSET, -3.0, 5.0, 13.0][place],
            }
        })
        .collect()
}

/// An axis that shows all values, but cuts off intervals that are much longer than the values.
fn axis(fitted: &FittedValues, phases: &[PhaseMarks<'_>]) -> Axis {
    let in_units = fitted.all.unit_is_clear;
    let mut covered: Vec<f64> = vec![0.0];
    for phase in phases {
        let features = phase.values.features.iter();
        for interval in features.filter_map(|feature| feature.shown(in_units)) {
            covered.push(interval.value);
            if phase.values.phase.is_none() {
                covered.extend([interval.low, interval.high]);
            }
        }
    }
    let features = || fitted.all.features.iter();
    let largest = (features().filter_map(|feature| feature.shown(in_units)))
        .map(|interval| interval.value.abs())
        .fold(0.0, f64::max);
    let bound = 2.5 * largest;
    let covered = covered
        .into_iter()
        .map(|value| value.clamp(-bound, bound.max(1.0)));
    let guides = features()
        .filter_map(|feature| feature.guide.filter(|_| in_units))
        .map(|guide| bounds(guide)[1]);
    Axis::new(covered.chain(guides), LEFT, WIDTH - RIGHT)
}

fn bounds(guide: GuideValue) -> [f64; 2] {
    match guide {
        GuideValue::About(value) | GuideValue::Under(value) => [value, value],
        GuideValue::Between(low, high) => [low, high],
    }
}

fn grid(fitted: &FittedValues, x: &Axis, bottom: f64) -> Markup {
    let unit = if fitted.all.unit_is_clear {
        format!("value, {} = 1; bars are 95 % intervals", fitted.unit)
    } else {
        "log-odds of winning; bars are 95 % intervals".to_owned()
    };
    html! {
        @for (i, feature) in fitted.all.features.iter().enumerate() {
            @let middle = band_middle(i);
            @if i % 2 == 1 {
                rect x="0" y=(middle - BAND / 2.0) width=(WIDTH) height=(BAND) fill="#f5f5f5" {}
            }
            (text(LEFT - 12.0, middle + 4.0, Anchor::End, &feature.label()))
        }
        @for tick in x.ticks() {
            @let at = x.place(tick);
            @let colour = if tick == 0.0 { "#888" } else { GRID_COLOUR };
            (line(&format!("M{at:.1} {TOP}V{bottom}"), colour, 1.0))
            (text(at, bottom + 18.0, Anchor::Middle, &tick_label(tick)))
        }
        (text(x.middle(), bottom + BOTTOM - 12.0, Anchor::Middle, &unit))
    }
}

fn legend(fitted: &FittedValues, phases: &[PhaseMarks<'_>]) -> Markup {
    type Mark<'a> = Box<dyn Fn(f64) -> Markup + 'a>;
    let mut entries: Vec<(Mark<'_>, &str)> = Vec::new();
    for phase in phases {
        let mark = |left: f64| line(&format!("M{left} 48h14"), phase.colour, 3.0);
        entries.push((Box::new(mark), phase.values.name()));
    }
    let has = |test: fn(&FeatureValue) -> bool| fitted.all.features.iter().any(test);
    if fitted.all.unit_is_clear && has(|feature| feature.guide.is_some()) {
        entries.push((Box::new(|left| diamond(left + 7.0, 48.0)), "guide"));
        if has(|feature| matches!(feature.guide, Some(GuideValue::Under(_)))) {
            let mark = |left| less_than(left + 10.0, 48.0);
            entries.push((Box::new(mark), "guide: a little less"));
        }
    }
    let mut next = 16.0;
    let mut place = |name: &str| {
        let left = next;
        next += 34.0 + 7.0 * name.len() as f64;
        left
    };
    html! {
        @for (mark, name) in &entries {
            @let left = place(name);
            (mark(left))
            (text(left + 20.0, 52.0, Anchor::Start, name))
        }
    }
}

fn interval_mark(x: &Axis, interval: ConfidenceInterval, y: f64, phase: &PhaseMarks<'_>) -> Markup {
    let colour = phase.colour;
    let (width, radius) = match phase.values.phase {
        None => (2.5, 4.5),
        Some(_) => (1.2, 2.5),
    };
    let (low, high) = (x.place_within(interval.low), x.place_within(interval.high));
    let ends = [
        (interval.low < x.low, low, 6.0),
        (interval.high > x.high, high, -6.0),
    ];
    html! {
        (line(&format!("M{low:.1} {y}H{high:.1}"), colour, width))
        // An arrow marks an interval that extends beyond the axis.
        @for (is_cut, tip, back) in ends {
            @if is_cut {
                path d=(format!("M{tip:.1} {y}l{back} -3.5V{}z", y + 3.5)) fill=(colour) {}
            }
        }
        (dot(x.place_within(interval.value), y, radius, colour))
    }
}

fn guide_mark(x: &Axis, guide: GuideValue, y: f64) -> Markup {
    let [from, to] = bounds(guide).map(|bound| x.place(bound));
    match guide {
        GuideValue::About(_) => diamond(from, y),
        GuideValue::Between(..) => line(
            &format!("M{from:.1} {y}m0 -5v10m0 -5H{to:.1}m0 -5v10"),
            GUIDE_COLOUR,
            1.5,
        ),
        GuideValue::Under(_) => less_than(from, y),
    }
}

fn diamond(x: f64, y: f64) -> Markup {
    let path = format!("M{x:.1} {y}m-5 0l5 -5l5 5l-5 5z");
    html! { path d=(path) fill="white" stroke=(GUIDE_COLOUR) stroke-width="1.5" {} }
}

fn less_than(x: f64, y: f64) -> Markup {
    line(&format!("M{x:.1} {y}m0 -5l-7 5l7 5"), GUIDE_COLOUR, 1.5)
}

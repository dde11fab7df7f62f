//! What all charts are made of: axes, labels, lines and dots.

use maud::{Markup, html};

/// Distinguishable by colour-blind readers (Okabe and Ito).
pub(crate) const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555",
];
pub(crate) const GRID_COLOUR: &str = "#ddd";

/// A range of values, and the range of coordinates where it is drawn.
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Axis {
    /// An axis that covers all finite values.
    pub(crate) fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let (mut low, mut high) = values
            .filter(|v| v.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            });
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low < 1e-9 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        Axis {
            low,
            high,
            from,
            to,
        }
    }

    /// The coordinate of a value.
    pub(crate) fn place(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// The coordinate of a value, or of the end of the axis that it lies beyond.
    pub(crate) fn place_within(&self, value: f64) -> f64 {
        self.place(value.clamp(self.low, self.high))
    }

    pub(crate) fn middle(&self) -> f64 {
        f64::midpoint(self.from, self.to)
    }

    /// About five round numbers within the axis.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|m| m * power)
            .into_iter()
            .find(|&step| step >= rough)
            .unwrap_or(10.0 * power);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }
}

/// The text of a tick.
pub(crate) fn tick_label(value: f64) -> String {
    match value.abs() {
        v if v >= 1e6 => format!("{}M", trim(value / 1e6)),
        v if v >= 1e4 => format!("{}k", trim(value / 1e3)),
        _ => trim(value),
    }
}

fn trim(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An SVG document with a title on a white ground.
pub(crate) fn document(size: [f64; 2], title: &str, content: &Markup) -> String {
    let [width, height] = size;
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}"))
            font-family="sans-serif" font-size="12"
        {
            rect width="100%" height="100%" fill="white" {}
            text x="16" y="24" font-size="16" { (title) }
            (content)
        }
    };
    svg.into_string() + "\n"
}

/// Where a text stands relative to its coordinate.
#[derive(Copy, Clone)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

pub(crate) fn text(x: f64, y: f64, anchor: Anchor, content: &str) -> Markup {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    html! { text x=(pixels(x)) y=(pixels(y)) text-anchor=(anchor) { (content) } }
}

/// A line along a path.
pub(crate) fn line(path: &str, colour: &str, width: f64) -> Markup {
    html! { path d=(path) fill="none" stroke=(colour) stroke-width=(width) {} }
}

pub(crate) fn dot(x: f64, y: f64, radius: f64, colour: &str) -> Markup {
    html! { circle cx=(pixels(x)) cy=(pixels(y)) r=(radius) fill=(colour) {} }
}

fn pixels(coordinate: f64) -> String {
    format!("{coordinate:.1}")
}

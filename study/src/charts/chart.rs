//! Charts as SVG: lines over an axis, and the parts other charts are made of.

use std::fmt::Write;

/// A named line; a point may have an error bar of half its length.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) name: &'static str,
    pub(super) points: Vec<(f64, f64, f64)>,
}

#[derive(Clone, Debug)]
pub(super) struct Chart {
    pub(super) title: &'static str,
    pub(super) x: &'static str,
    pub(super) y: &'static str,
    pub(super) series: Vec<Series>,
    /// Values that the vertical axis must reach.
    pub(super) reach: Vec<f64>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// Readable for the colour-blind (Okabe and Ito).
pub(crate) const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555",
];

/// One axis: what it covers and where it is drawn.
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    from: f64,
    to: f64,
}

impl Axis {
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

    pub(crate) fn place(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round numbers within the axis, about five.
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

pub(crate) fn label(value: f64) -> String {
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

impl Chart {
    pub(super) fn to_svg(&self) -> String {
        let points = || self.series.iter().flat_map(|s| &s.points);
        let x = Axis::new(points().map(|p| p.0), LEFT, WIDTH - RIGHT);
        let heights = points()
            .flat_map(|p| [p.1 - p.2, p.1 + p.2])
            .chain(self.reach.iter().copied());
        let y = Axis::new(heights, HEIGHT - BOTTOM, TOP);
        let mut out = String::new();
        self.draw(&mut out, &x, &y)
            .expect("writing to a string does not fail");
        out
    }

    fn draw(&self, out: &mut String, x: &Axis, y: &Axis) -> std::fmt::Result {
        writeln!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">"#
        )?;
        writeln!(out, r#"<rect width="100%" height="100%" fill="white"/>"#)?;
        let title = self.title;
        writeln!(
            out,
            r#"<text x="{LEFT}" y="22" font-size="16">{title}</text>"#
        )?;
        for tick in y.ticks() {
            let (at, text) = (y.place(tick), label(tick));
            let (right, edge) = (x.to, LEFT - 6.0);
            writeln!(
                out,
                r##"<path d="M{LEFT} {at:.1}H{right}" stroke="#ddd"/>"##
            )?;
            let base = at + 4.0;
            writeln!(
                out,
                r#"<text x="{edge}" y="{base:.1}" text-anchor="end">{text}</text>"#
            )?;
        }
        for tick in x.ticks() {
            let (at, text, base) = (x.place(tick), label(tick), HEIGHT - BOTTOM + 18.0);
            writeln!(
                out,
                r#"<text x="{at:.1}" y="{base}" text-anchor="middle">{text}</text>"#
            )?;
        }
        let (middle, base) = (f64::midpoint(x.from, x.to), HEIGHT - 12.0);
        let (x_name, y_name) = (self.x, self.y);
        writeln!(
            out,
            r#"<text x="{middle}" y="{base}" text-anchor="middle">{x_name}</text>"#
        )?;
        let middle = f64::midpoint(y.from, y.to);
        writeln!(
            out,
            r#"<text transform="translate(18 {middle}) rotate(-90)" text-anchor="middle">{y_name}</text>"#
        )?;
        let (bottom, right) = (y.from, x.to);
        writeln!(
            out,
            r##"<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#333"/>"##
        )?;
        for (i, series) in self.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            series.draw(out, x, y, colour)?;
            let (left, base) = (x.to + 30.0, TOP + 10.0 + 18.0 * i as f64);
            let (line, name) = (base - 4.0, series.name);
            let start = x.to + 10.0;
            writeln!(
                out,
                r#"<path d="M{start} {line}h15" stroke="{colour}" stroke-width="3"/>"#
            )?;
            writeln!(out, r#"<text x="{left}" y="{base}">{name}</text>"#)?;
        }
        writeln!(out, "</svg>")
    }
}

impl Series {
    fn draw(&self, out: &mut String, x: &Axis, y: &Axis, colour: &str) -> std::fmt::Result {
        let finite = self
            .points
            .iter()
            .filter(|p| p.1.is_finite() && p.2.is_finite());
        let mut path = String::new();
        for (i, &(at, value, error)) in finite.enumerate() {
            let (px, py) = (x.place(at), y.place(value));
            write!(path, "{}{px:.1} {py:.1}", if i == 0 { "M" } else { "L" })?;
            writeln!(
                out,
                r#"<circle cx="{px:.1}" cy="{py:.1}" r="2.2" fill="{colour}"/>"#
            )?;
            if error > 0.0 {
                let (top, bottom) = (y.place(value + error), y.place(value - error));
                writeln!(
                    out,
                    r#"<path d="M{px:.1} {top:.1}V{bottom:.1}" stroke="{colour}" opacity="0.45"/>"#
                )?;
            }
        }
        writeln!(
            out,
            r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>"#
        )
    }
}

//! Line charts.

use maud::{Markup, html};

use super::parts::{Anchor, Axis, COLOURS, GRID_COLOUR, document, dot, line, text, tick_label};

/// A named line.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) name: &'static str,
    /// x, y, and half the length of the error bar.
    pub(super) points: Vec<(f64, f64, f64)>,
}

#[derive(Clone, Debug)]
pub(super) struct LineChart {
    pub(super) title: &'static str,
    pub(super) x: &'static str,
    pub(super) y: &'static str,
    pub(super) series: Vec<Series>,
    /// Values that the vertical axis must include.
    pub(super) y_includes: Vec<f64>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

impl LineChart {
    pub(super) fn to_svg(&self) -> String {
        let points = || self.series.iter().flat_map(|s| &s.points);
        let x = Axis::new(points().map(|p| p.0), LEFT, WIDTH - RIGHT);
        let heights = points()
            .flat_map(|p| [p.1 - p.2, p.1 + p.2])
            .chain(self.y_includes.iter().copied());
        let y = Axis::new(heights, HEIGHT - BOTTOM, TOP);
        let content = html! {
            (self.axes(&x, &y))
            @for (i, series) in self.series.iter().enumerate() {
                @let colour = COLOURS[i % COLOURS.len()];
                (series.draw(&x, &y, colour))
                @let base = TOP + 10.0 + 18.0 * i as f64;
                (line(&format!("M{} {}h15", x.to + 10.0, base - 4.0), colour, 3.0))
                (text(x.to + 30.0, base, Anchor::Start, series.name))
            }
        };
        document([WIDTH, HEIGHT], self.title, &content)
    }

    fn axes(&self, x: &Axis, y: &Axis) -> Markup {
        let right = x.to;
        html! {
            @for tick in y.ticks() {
                @let at = y.place(tick);
                (line(&format!("M{LEFT} {at:.1}H{right}"), GRID_COLOUR, 1.0))
                (text(LEFT - 6.0, at + 4.0, Anchor::End, &tick_label(tick)))
            }
            @for tick in x.ticks() {
                (text(x.place(tick), HEIGHT - BOTTOM + 18.0, Anchor::Middle, &tick_label(tick)))
            }
            (text(x.middle(), HEIGHT - 12.0, Anchor::Middle, self.x))
            g transform=(format!("translate(18 {}) rotate(-90)", y.middle())) {
                (text(0.0, 0.0, Anchor::Middle, self.y))
            }
            (line(&format!("M{LEFT} {TOP}V{}H{right}", y.from), "#333", 1.0))
        }
    }
}

impl Series {
    fn draw(&self, x: &Axis, y: &Axis, colour: &str) -> Markup {
        let finite: Vec<_> = (self.points.iter())
            .filter(|p| p.1.is_finite() && p.2.is_finite())
            .collect();
        let mut path = String::new();
        for (i, (at, value, _)) in finite.iter().enumerate() {
            let command = if i == 0 { "M" } else { "L" };
            path += &format!("{command}{:.1} {:.1}", x.place(*at), y.place(*value));
        }
        html! {
            @for &&(at, value, error) in &finite {
                (dot(x.place(at), y.place(value), 2.2, colour))
                @if error > 0.0 {
                    @let (top, bottom) = (y.place(value + error), y.place(value - error));
                    g opacity="0.45" {
                        (line(&format!("M{:.1} {top:.1}V{bottom:.1}", x.place(at)), colour, 1.0))
                    }
                }
            }
            (line(&path, colour, 1.6))
        }
    }
}

use std::path::Path;

use super::metrics::{Event, LossFigures, SelfplayFigures, TrainingFigures};
use super::svg::{Chart, Series};
use crate::files::{create_dir, write_atomically};
use crate::ratings::Rating;

/// Draws loss, rating, game length and results of a run into a directory.
pub fn write_plots(dir: &Path, events: &[Event], ratings: &[Rating]) -> anyhow::Result<()> {
    create_dir(dir)?;
    for (name, chart) in [
        ("loss", loss(events)),
        ("rating", rating(ratings)),
        ("length", length(events)),
        ("results", results(events)),
    ] {
        let path = dir.join(format!("{name}.svg"));
        write_atomically(&path, chart.to_svg().as_bytes())?;
    }
    Ok(())
}

fn training(events: &[Event]) -> impl Iterator<Item = &TrainingFigures> {
    events.iter().filter_map(|event| match event {
        Event::Training(figures) => Some(figures),
        _ => None,
    })
}

fn loss(events: &[Event]) -> Chart {
    let line = |name, of: &dyn Fn(&TrainingFigures) -> Option<f64>| Series {
        name,
        points: training(events)
            .filter_map(|figures| Some((figures.steps as f64, of(figures)?, 0.0)))
            .collect(),
    };
    let validation = |of: fn(&LossFigures) -> f64| {
        move |figures: &TrainingFigures| figures.validation.as_ref().map(of)
    };
    Chart {
        title: "Loss",
        x: "training steps",
        y: "cross-entropy, nats",
        series: vec![
            line("policy", &|f| Some(f.losses.policy)),
            line("policy, held out", &validation(|l| l.policy)),
            line("value", &|f| Some(f.losses.value)),
            line("value, held out", &validation(|l| l.value)),
        ],
        reach: vec![0.0],
    }
}

fn rating(ratings: &[Rating]) -> Chart {
    let mut points: Vec<_> = (ratings.iter())
        .filter_map(|r| Some((r.player.parse().ok()?, r.elo, r.error)))
        .collect();
    points.sort_by(|a: &(f64, f64, f64), b| a.0.total_cmp(&b.0));
    Chart {
        title: "Rating",
        x: "checkpoint",
        y: "Elo, random = 0",
        series: vec![Series {
            name: "checkpoint",
            points,
        }],
        reach: Vec::new(),
    }
}

fn selfplay_line(
    events: &[Event],
    name: &'static str,
    of: impl Fn(&SelfplayFigures) -> f64,
) -> Series {
    let figures = events.iter().filter_map(|event| match event {
        Event::Selfplay(figures) => Some(figures),
        _ => None,
    });
    Series {
        name,
        points: figures
            .map(|figures| (f64::from(figures.net), of(figures), 0.0))
            .collect(),
    }
}

fn length(events: &[Event]) -> Chart {
    Chart {
        title: "Length of games",
        x: "checkpoint",
        y: "plies",
        series: vec![selfplay_line(events, "mean", |f| f.mean_plies)],
        reach: vec![0.0],
    }
}

fn results(events: &[Event]) -> Chart {
    let cap = |f: &SelfplayFigures| f.ends.get("cap").copied().unwrap_or(0.0);
    Chart {
        title: "Results of self-play",
        x: "checkpoint",
        y: "share of games",
        series: vec![
            selfplay_line(events, "white wins", |f| f.white),
            selfplay_line(events, "draws", |f| f.draws),
            selfplay_line(events, "black wins", |f| f.black),
            selfplay_line(events, "length cap", cap),
        ],
        reach: vec![0.0, 1.0],
    }
}

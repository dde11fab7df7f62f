use std::path::Path;

use garuda_run::{
    Event, LossStats, Rating, SelfplayStats, TrainingStats, create_dir, write_atomically,
};

use super::chart::{LineChart, Series};

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

fn training(events: &[Event]) -> impl Iterator<Item = &TrainingStats> {
    events.iter().filter_map(|event| match event {
        Event::Training(stats) => Some(stats),
        _ => None,
    })
}

fn loss(events: &[Event]) -> LineChart {
    let line = |name, of: &dyn Fn(&TrainingStats) -> Option<f64>| Series {
        name,
        points: training(events)
            .filter_map(|stats| Some((stats.steps as f64, of(stats)?, 0.0)))
            .collect(),
    };
    let validation =
        |of: fn(&LossStats) -> f64| move |stats: &TrainingStats| stats.validation.as_ref().map(of);
    LineChart {
        title: "Loss",
        x: "training steps",
        y: "cross-entropy, nats",
        series: vec![
            line("policy", &|f| Some(f.losses.policy)),
            line("policy, validation", &validation(|l| l.policy)),
            line("value", &|f| Some(f.losses.value)),
            line("value, validation", &validation(|l| l.value)),
        ],
        y_includes: vec![0.0],
    }
}

fn rating(ratings: &[Rating]) -> LineChart {
    let mut points: Vec<_> = (ratings.iter())
        .filter_map(|r| Some((r.player.parse().ok()?, r.elo, r.error)))
        .collect();
    points.sort_by(|a: &(f64, f64, f64), b| a.0.total_cmp(&b.0));
    LineChart {
        title: "Rating",
        x: "checkpoint",
        y: "Elo, random = 0",
        series: vec![Series {
            name: "checkpoint",
            points,
        }],
        y_includes: Vec::new(),
    }
}

fn selfplay_line(
    events: &[Event],
    name: &'static str,
    of: impl Fn(&SelfplayStats) -> f64,
) -> Series {
    let stats = events.iter().filter_map(|event| match event {
        Event::Selfplay(stats) => Some(stats),
        _ => None,
    });
    Series {
        name,
        points: stats
            .map(|stats| (f64::from(stats.checkpoint), of(stats), 0.0))
            .collect(),
    }
}

fn length(events: &[Event]) -> LineChart {
    LineChart {
        title: "Game length",
        x: "checkpoint",
        y: "plies",
        series: vec![selfplay_line(events, "mean", |f| f.mean_plies)],
        y_includes: vec![0.0],
    }
}

fn results(events: &[Event]) -> LineChart {
    let length_limit = |f: &SelfplayStats| f.ends.get("length-limit").copied().unwrap_or(0.0);
    LineChart {
        title: "Self-play results",
        x: "checkpoint",
        y: "share of games",
        series: vec![
            selfplay_line(events, "white wins", |f| f.white),
            selfplay_line(events, "draws", |f| f.draws),
            selfplay_line(events, "black wins", |f| f.black),
            selfplay_line(events, "length limit", length_limit),
        ],
        y_includes: vec![0.0, 1.0],
    }
}

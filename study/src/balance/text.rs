use garuda_run::counted;

use super::{BalanceReport, BalanceStats, LengthStats};
use crate::format::percent_with_error;

/// The balance as text for a terminal.
pub fn text(report: &BalanceReport) -> String {
    let mut lines = Vec::new();
    for (name, stats) in [
        ("ordinary start", &report.ordinary),
        ("varied starts", &report.varied),
    ] {
        if stats.games > 0 {
            lines.extend(stats_lines(report, name, stats));
        }
    }
    if report.bands.len() > 1 {
        lines.extend(band_lines(report));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn stats_lines(report: &BalanceReport, name: &str, stats: &BalanceStats) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        format!("{name}: {}", counted(stats.games, "game")),
        format!(
            "  first mover    {}: {} won, {} drawn, {} lost",
            percent_with_error(stats.score, stats.score_error),
            stats.wins,
            stats.draws,
            stats.losses
        ),
        format!(
            "  draws          {}",
            percent_with_error(stats.draw_share, stats.draw_error)
        ),
    ];
    if let Some(lengths) = &stats.lengths {
        lines.extend(length_lines(&report.length_unit, lengths));
    }
    for (i, end) in stats.terminations.iter().enumerate() {
        lines.push(format!(
            "  {:<14} {:<18} {:>5.1} %  {:>12}: first mover won {}, drew {}, lost {}",
            if i == 0 { "ends by" } else { "" },
            end.termination,
            100.0 * end.games as f64 / stats.games as f64,
            counted(end.games, "game"),
            end.wins,
            end.draws,
            end.losses
        ));
    }
    if report.has_counting {
        let percent = |share: Option<f64>| 100.0 * share.unwrap_or(0.0);
        lines.push(format!(
            "  counting       ran in {:.1} % of games and ended {:.1} %",
            percent(stats.counted),
            percent(stats.decided_by_counting)
        ));
    }
    let mut per_game = vec![format!("{:.1} captures", stats.captures.unwrap_or(0.0))];
    if report.has_promotion {
        per_game.push(format!("{:.2} promotions", stats.promotions.unwrap_or(0.0)));
    }
    if let Some(drops) = &report.drop_word {
        per_game.push(format!("{:.1} {drops}", stats.drops.unwrap_or(0.0)));
    }
    lines.push(format!("  per game       {}", per_game.join(", ")));
    lines
}

fn band_lines(report: &BalanceReport) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        "ordinary start, by checkpoint".to_owned(),
        format!(
            "  {:<15} {:>7} {:>15} {:>13} {:>12}",
            "checkpoints",
            "games",
            "first mover",
            "draws",
            format!("median {}", report.length_unit)
        ),
    ];
    lines.extend(report.bands.iter().map(|band| {
        let stats = &band.stats;
        format!(
            "  {:06}–{:06} {:>9} {:>15} {:>13} {:>12}",
            band.checkpoints.from,
            band.checkpoints.to,
            stats.games,
            percent_with_error(stats.score, stats.score_error),
            percent_with_error(stats.draw_share, stats.draw_error),
            stats.lengths.as_ref().map_or(0, |lengths| lengths.median),
        )
    }));
    lines
}

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

fn length_lines(unit: &str, lengths: &LengthStats) -> [String; 2] {
    let histogram = &lengths.histogram;
    let most = u128::from(histogram.games.iter().copied().max().unwrap_or(0).max(1));
    let bar = |&games: &u64| {
        let eighths = (u128::from(games) * 8).div_ceil(most) as usize;
        eighths.checked_sub(1).map_or(' ', |place| BLOCKS[place])
    };
    let bars: String = histogram.games.iter().map(bar).collect();
    [
        format!(
            "  {unit:<14} {:.1} on average; half of the games {}–{}, 90 % {}–{}, all {}–{}",
            lengths.mean,
            lengths.p25,
            lengths.p75,
            lengths.p5,
            lengths.p95,
            lengths.shortest,
            lengths.longest
        ),
        format!(
            "                 {bars}  bar width in {unit}: {}",
            histogram.width
        ),
    ]
}

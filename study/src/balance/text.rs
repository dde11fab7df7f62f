use std::io::{self, Write};

use super::{BalanceReport, BalanceStats, LengthStats};

/// Prints the balance for people to read.
pub fn write_balance(out: &mut impl Write, balance: &BalanceReport) -> io::Result<()> {
    for (name, facts) in [
        ("ordinary start", &balance.ordinary),
        ("varied starts", &balance.varied),
    ] {
        if facts.games > 0 {
            write_facts(out, balance, name, facts)?;
        }
    }
    if balance.bands.len() > 1 {
        writeln!(out, "\nordinary start, by checkpoint")?;
        writeln!(
            out,
            "  {:<15} {:>7} {:>15} {:>13} {:>7}",
            "checkpoints", "games", "first mover", "draws", balance.length_unit
        )?;
        for band in &balance.bands {
            let facts = &band.facts;
            writeln!(
                out,
                "  {:06}–{:06} {:>9} {:>15} {:>13} {:>7}",
                band.from,
                band.to,
                facts.games,
                percent_with_error(facts.score, facts.score_error),
                percent_with_error(facts.draw_share, facts.draw_error),
                facts.lengths.as_ref().map_or(0, |lengths| lengths.median),
            )?;
        }
    }
    Ok(())
}

fn percent_with_error(share: Option<f64>, error: Option<f64>) -> String {
    match (share, error) {
        (Some(share), Some(error)) => format!("{:.1} ± {:.1} %", 100.0 * share, 100.0 * error),
        _ => "–".to_owned(),
    }
}

fn write_facts(
    out: &mut impl Write,
    balance: &BalanceReport,
    name: &str,
    facts: &BalanceStats,
) -> io::Result<()> {
    writeln!(out, "\n{name}: {} games", facts.games)?;
    writeln!(
        out,
        "  first mover    {}: {} won, {} drawn, {} lost",
        percent_with_error(facts.score, facts.score_error),
        facts.wins,
        facts.draws,
        facts.losses
    )?;
    writeln!(
        out,
        "  draws          {}",
        percent_with_error(facts.draw_share, facts.draw_error)
    )?;
    if let Some(lengths) = &facts.lengths {
        write_lengths(out, balance.length_unit, lengths)?;
    }
    for (i, end) in facts.ends.iter().enumerate() {
        let head = if i == 0 { "ends by" } else { "" };
        writeln!(
            out,
            "  {head:<14} {:<18} {:>5.1} %  {:>6} games: first mover won {}, drew {}, lost {}",
            end.termination,
            100.0 * end.games as f64 / facts.games as f64,
            end.games,
            end.wins,
            end.draws,
            end.losses
        )?;
    }
    if balance.has_counting {
        let percent = |share: Option<f64>| 100.0 * share.unwrap_or(0.0);
        writeln!(
            out,
            "  counting       ran in {:.1} % of games and ended {:.1} %",
            percent(facts.counted),
            percent(facts.decided_by_counting)
        )?;
    }
    let mut per_game = vec![format!("{:.1} captures", facts.captures.unwrap_or(0.0))];
    if balance.has_promotion {
        per_game.push(format!("{:.2} promotions", facts.promotions.unwrap_or(0.0)));
    }
    if let Some(word) = balance.drop_word {
        per_game.push(format!("{:.1} {word}", facts.drops.unwrap_or(0.0)));
    }
    writeln!(out, "  in a game      {}", per_game.join(", "))
}

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

fn write_lengths(out: &mut impl Write, unit: &str, lengths: &LengthStats) -> io::Result<()> {
    writeln!(
        out,
        "  {unit:<14} {:.1} on average; half of the games {}–{}, 90 % {}–{}, all {}–{}",
        lengths.mean,
        lengths.p25,
        lengths.p75,
        lengths.p5,
        lengths.p95,
        lengths.shortest,
        lengths.longest
    )?;
    let histogram = &lengths.histogram;
    let most = histogram.games.iter().copied().max().unwrap_or(0).max(1);
    let bars: String = (histogram.games.iter())
        .map(|&games| match games {
            0 => ' ',
            games => BLOCKS[((games * BLOCKS.len() as u64).div_ceil(most) - 1) as usize],
        })
        .collect();
    writeln!(
        out,
        "                 {bars}  a block for each {} {unit}",
        histogram.width
    )
}

use std::fmt::Write;

use garuda_run::thousands;

use super::report::{CountedGames, MoveReport, OpeningNode, OpeningsReport};
use super::setups::SideSetUps;

/// How many formations of a side the terminal shows.
const FORMATIONS: usize = 5;

/// A report as text for a terminal.
pub fn table(report: &OpeningsReport) -> String {
    let mut out = String::new();
    let position = match &report.from {
        None => "from the start".to_owned(),
        Some(from) => format!("after {from}"),
    };
    line(&mut out, &format!("{} {position}", report.title));
    line(&mut out, &source(report));
    if let Some(counted) = &report.counted {
        line(&mut out, &games(counted));
    }
    out.push('\n');
    let [one, _] = report.move_words;
    let width = widest(&report.root, 0).max(one.len());
    line(
        &mut out,
        &format!(
            "{one:<width$}    value     95 % interval   prior    games    won  drawn   lost  score  reply"
        ),
    );
    rows(&mut out, &report.root, width, 0);
    if !report.summary.is_empty() {
        out.push('\n');
    }
    for sentence in &report.summary {
        line(&mut out, sentence);
    }
    if let Some(set_ups) = &report.set_ups {
        for (side, name) in [(&set_ups.first, "first"), (&set_ups.second, "second")] {
            formations(&mut out, side, name);
        }
    }
    out
}

/// Where the figures come from.
pub(super) fn source(report: &OpeningsReport) -> String {
    let source = &report.source;
    let mut words = source.name.clone();
    if let Some(checkpoint) = source.checkpoint {
        let _ = write!(words, ", checkpoint {checkpoint}");
    }
    if let Some(step) = source.step {
        let _ = write!(words, ", {} training steps", thousands(step));
    }
    words
}

/// Which games count.
pub(super) fn games(counted: &CountedGames) -> String {
    let mut words = format!("{} games", thousands(counted.games));
    if counted.varied > 0 {
        let _ = write!(
            words,
            "; {} from other starts are left out",
            thousands(counted.varied)
        );
    }
    if counted.elsewhere > 0 {
        let _ = write!(words, "; {} never came here", thousands(counted.elsewhere));
    }
    if !counted.refused.is_empty() {
        let _ = write!(
            words,
            "; {} damaged files are passed over",
            counted.refused.len()
        );
    }
    words
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

fn widest(node: &OpeningNode, indent: usize) -> usize {
    let widths = node.moves.iter().map(|mv| {
        let below = mv.next.as_ref().map_or(0, |next| widest(next, indent + 2));
        below.max(indent + mv.mv.len() + 2)
    });
    widths.max().unwrap_or(0)
}

/// The moves of a position, and below each the answers to it.
fn rows(out: &mut String, node: &OpeningNode, width: usize, indent: usize) {
    for mv in &node.moves {
        row(out, mv, width, indent);
        if let Some(next) = &mv.next {
            rows(out, next, width, indent + 2);
        }
    }
}

fn row(out: &mut String, mv: &MoveReport, width: usize, indent: usize) {
    let mark = if mv.good { " *" } else { "" };
    let name = format!("{:indent$}{}{mark}", "", mv.mv);
    let found = &mv.searched;
    let value = found.value.map_or_else(String::new, signed);
    let interval = match found.value_low.zip(found.value_high) {
        Some(_) if found.proven => "proven".to_owned(),
        Some((low, high)) => format!("{} … {}", signed(low), signed(high)),
        None => String::new(),
    };
    let prior = found.prior.map_or_else(String::new, percent);
    let played = mv
        .played
        .games
        .map_or_else(String::new, |n| thousands(n.into()));
    let shares = match mv.played.results() {
        Some(results) => {
            let share = |n: u32| percent(f64::from(n) / f64::from(results.games()));
            format!(
                "{:>6} {:>6} {:>6} {:>6}",
                share(results.wins),
                share(results.draws),
                share(results.losses),
                results.score().map_or_else(String::new, percent)
            )
        }
        None => " ".repeat(27),
    };
    let reply = match (&found.reply, &mv.transposes) {
        (Some(reply), Some(path)) => format!("{reply}   (see {path})"),
        (Some(reply), None) => reply.clone(),
        (None, Some(path)) => format!("(see {path})"),
        (None, None) => String::new(),
    };
    line(
        out,
        &format!(
            "{name:<width$} {value:>8}  {interval:>16} {prior:>7} {played:>8} {shares}  {reply}"
        ),
    );
}

fn formations(out: &mut String, side: &SideSetUps, name: &str) {
    out.push('\n');
    line(
        out,
        &format!(
            "commonest set-ups of the {name} mover, of {} different ones",
            thousands(side.distinct)
        ),
    );
    for formation in side.formations.iter().take(FORMATIONS) {
        let score = formation.score.map_or_else(String::new, percent);
        let games = game_count(formation.games);
        line(
            out,
            &format!("{games:>14} {score:>6}  {}", formation.pieces),
        );
    }
}

/// `1 game`, `1,234 games`
pub(super) fn game_count(games: u32) -> String {
    let noun = if games == 1 { "game" } else { "games" };
    format!("{} {noun}", thousands(games.into()))
}

/// `+0.123`
pub(super) fn signed(value: f64) -> String {
    // No minus before a zero.
    let value = (value * 1000.0).round() / 1000.0 + 0.0;
    format!("{value:+.3}")
}

/// `12.3%`
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

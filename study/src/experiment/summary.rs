//! The result of an experiment in sentences.

use garuda_run::{HumanCount, counted};

use super::elimination::Verdict;
use super::report::{ArmKind, ArmReport, ExperimentNode, ExperimentReport, NetworkStrength};
use crate::ConfidenceInterval;
use crate::format::{in_words, list, percent};

/// Number of arms that are named where not all are.
const NAMED: usize = 10;
/// Share of games that may repeat others without a warning.
const MAX_REPEATED: f64 = 0.1;

/// The summary of an experiment, most important sentence first. `title` is the game's, `words` what
/// a move is called in singular and plural.
pub fn summary(title: &str, words: [&str; 2], report: &ExperimentReport) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(strength) = report.strength.as_ref().filter(|s| s.is_too_weak()) {
        sentences.push(too_weak(strength));
    }
    sentences.extend(report.nodes.iter().filter_map(repeated));
    let games = report.nodes.iter().map(all_games).sum::<u64>();
    let by = format!(
        "By {}{}",
        counted(games, "game"),
        report.strength.as_ref().map_or_else(String::new, described)
    );
    for node in &report.nodes {
        sentences.extend(match report.kind {
            ArmKind::Moves => moves(&by, title, words, node, report.settings.margin),
            ArmKind::Handicaps => handicaps(&by, node),
            ArmKind::SetUps => set_ups(&by, node),
            ArmKind::Start => balance(&by, node, report.settings.margin),
        });
    }
    if !report.complete {
        sentences.push("Interrupted: the same command continues.".to_owned());
    }
    sentences
}

fn all_games(node: &ExperimentNode) -> u64 {
    let below = node.arms.iter().filter_map(|arm| arm.next.as_ref());
    node.games + below.map(all_games).sum::<u64>()
}

/// A warning if many games repeat others: their scores are exact about a few lines, and say little
/// about the arm.
fn repeated(node: &ExperimentNode) -> Option<String> {
    let repeated = node.games.saturating_sub(node.distinct_games);
    (repeated as f64 > MAX_REPEATED * node.games as f64).then(|| {
        format!(
            "WARNING: {} of {} repeat others move by move, so scores are about a few lines: raise \
             --temperature or --temperature-plies.",
            HumanCount(repeated),
            counted(node.games, "game")
        )
    })
}

fn too_weak(strength: &NetworkStrength) -> String {
    let required = percent(strength.required_score);
    match strength.alphabeta() {
        Some(found) => format!(
            "Too weak to say: the network scores {} in {} against alphabeta, and {required} is \
             required. What follows shows how this network plays, not what is good.",
            percent(found.score),
            counted(found.games, "game"),
        ),
        None => format!(
            "Too weak to say: the network has not shown that it scores {required} against alphabeta."
        ),
    }
}

/// ` of a network rated 3539 ± 151 that scores 97.5 % against alphabeta`
fn described(strength: &NetworkStrength) -> String {
    let rating = (strength.rating).map_or_else(String::new, |[elo, error]| {
        format!(" rated {elo:.0} ± {error:.0}")
    });
    let scores: Vec<_> = (strength.opponents.iter())
        .map(|found| format!("{} against {}", percent(found.score), found.opponent))
        .collect();
    if rating.is_empty() && scores.is_empty() {
        return String::new();
    }
    let scoring = match scores.is_empty() {
        true => String::new(),
        false => format!(" that scores {}", scores.join(", ")),
    };
    format!(" of a network{rating}{scoring}")
}

fn of_verdict(node: &ExperimentNode, verdict: Verdict) -> Vec<&str> {
    (node.arms.iter().filter(|arm| arm.verdict == verdict))
        .map(|arm| arm.name.as_str())
        .collect()
}

fn moves(
    by: &str,
    title: &str,
    words: [&str; 2],
    node: &ExperimentNode,
    margin: f64,
) -> Vec<String> {
    let [good, open, bad] =
        [Verdict::Good, Verdict::Open, Verdict::Bad].map(|verdict| of_verdict(node, verdict));
    let noun = words[usize::from(good.len() != 1)];
    let (who, first) = match node.path.is_empty() {
        true => (title.to_owned(), "first "),
        false => (format!("{title} after {}", node.path), ""),
    };
    let named = if good.is_empty() {
        format!("no {first}{} of {who} is shown to be good", words[0])
    } else {
        let number = in_words(good.len());
        format!("{who} has {number} good {first}{noun}: {}", list(&good))
    };
    let mut sentences = vec![format!("{by}, {named}.")];
    let verb = |n: usize| if n == 1 { "is" } else { "are" };
    let mut rest = Vec::new();
    if !open.is_empty() {
        rest.push(format!(
            "{} {} open ({})",
            in_words(open.len()),
            verb(open.len()),
            list(&open)
        ));
    }
    if !bad.is_empty() {
        rest.push(format!(
            "{} {} bad ({})",
            in_words(bad.len()),
            verb(bad.len()),
            list(&bad)
        ));
    }
    if !rest.is_empty() {
        sentences.push(capitalised(&format!("{}.", rest.join(", "))));
    }
    sentences.push(format!(
        "Good means not worse than the best by more than {} of score, bad means worse by more; all \
         of this together is right with the stated confidence. The rest is open.",
        percent(margin)
    ));
    sentences
}

fn handicaps(by: &str, node: &ExperimentNode) -> Vec<String> {
    let worth: Vec<_> = (node.arms.iter())
        .map(|arm| {
            format!(
                "{} {} ({:+.0} Elo)",
                arm.name,
                with_bounds(&arm.score),
                arm.elo.value
            )
        })
        .collect();
    vec![format!(
        "{by}, the side that receives a handicap scores: {}.",
        worth.join("; ")
    )]
}

fn set_ups(by: &str, node: &ExperimentNode) -> Vec<String> {
    let best: Vec<_> = (node.arms.iter().take(NAMED))
        .filter(|arm| arm.verdict != Verdict::Bad)
        .map(|arm| format!("{} {}", arm.name, with_bounds(&arm.score)))
        .collect();
    let who = match node.side {
        'w' => "first",
        _ => "second",
    };
    vec![format!(
        "{by}, the best set-ups of the {who} mover are: {}.",
        best.join("; ")
    )]
}

/// Whether the position favours a side.
fn balance(by: &str, node: &ExperimentNode, margin: f64) -> Vec<String> {
    let Some(ArmReport { score, results, .. }) = node.arms.first() else {
        return Vec::new();
    };
    let meaning = if score.low > 0.5 {
        "moving first is an advantage"
    } else if score.high < 0.5 {
        "moving second is an advantage"
    } else if score.low >= 0.5 - margin && score.high <= 0.5 + margin {
        "the position is balanced within the margin"
    } else {
        "no side is shown to have an advantage"
    };
    vec![format!(
        "{by}, the side to move scores {}, with {} drawn: {meaning}.",
        with_bounds(score),
        percent(f64::from(results.draws) / f64::from(results.games().max(1)))
    )]
}

/// `53.1 % (50.2 to 56.0)`
fn with_bounds(score: &ConfidenceInterval) -> String {
    format!(
        "{} ({:.1} to {:.1})",
        percent(score.value),
        100.0 * score.low,
        100.0 * score.high
    )
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + chars.as_str()
    })
}

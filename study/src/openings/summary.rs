//! The result of a study in sentences.

use garuda_rules::Position;
use garuda_run::counted;

use super::report::{OpeningNode, SearchEffort};
use crate::format::{in_words, list};

/// What a move of the position is called, in singular and plural.
pub(super) fn move_words<P: Position>(node: &OpeningNode) -> [&'static str; 2] {
    let placing = node.moves.first().is_some_and(|mv| mv.mv.contains('@'));
    if P::HAS_SETUP && placing {
        ["placement", "placements"]
    } else {
        P::MOVE_WORDS
    }
}

/// The summary of a searched position: how many good moves it has and which, which moves may be
/// good as well, and what that means.
pub(super) fn summary<P: Position>(
    node: &OpeningNode,
    at_start: bool,
    effort: &SearchEffort,
) -> Vec<String> {
    let [one, several] = move_words::<P>(node);
    let noun = |n: usize| if n == 1 { one } else { several };
    let good: Vec<_> = (node.moves.iter().filter(|mv| mv.good))
        .map(|mv| mv.mv.as_str())
        .collect();
    let who = match (at_start, node.turn) {
        (true, _) => P::TITLE.to_owned(),
        (false, 'w') => "In this position the first player".to_owned(),
        (false, _) => "In this position the second player".to_owned(),
    };
    let first = if at_start { "first " } else { "" };
    let moves = noun(good.len());
    let mut sentences = vec![format!(
        "{who} has {} good {first}{moves}: {}.",
        in_words(good.len()),
        list(&good)
    )];
    let best = node.moves.first().and_then(|mv| mv.searched.value);
    let close: Vec<_> = (node.moves.iter().filter(|mv| !mv.good))
        .filter(|mv| {
            let reach = mv.searched.value_high.zip(best);
            reach.is_some_and(|(high, best)| high >= best - effort.margin)
        })
        .map(|mv| mv.mv.as_str())
        .collect();
    if !close.is_empty() {
        sentences.push(format!("Too close to call: {}.", list(&close)));
    }
    let which = if node.moves.len() == node.legal {
        format!("all {} {}", node.legal, noun(node.legal))
    } else {
        format!(
            "the {} most likely of {} {} by the network’s policy",
            node.moves.len(),
            node.legal,
            noun(node.legal)
        )
    };
    sentences.push(format!(
        "Good means a value within {} of the best, by {} of {} for each of {which}.",
        effort.margin,
        counted(effort.searches, "search"),
        counted(effort.visits, "visit"),
    ));
    sentences
}

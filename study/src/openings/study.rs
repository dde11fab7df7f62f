use garuda_mcts::Evaluator;
use garuda_rules::{GameState, Position};
use garuda_run::Log;

use super::inputs::StudyInputs;
use super::report::{CountedGames, OpeningsReport, SearchEffort};
use super::root::OpeningRoot;
use super::summary::{move_words, summary};
use super::tree::study_tree;
use crate::VersionedReport;

/// Studies a position: every move of it, and every move after the good ones, down to the depth of
/// the settings.
pub fn study_openings<P: Position, E: Evaluator<GameState<P>>>(
    root: &OpeningRoot<P>,
    inputs: &StudyInputs<'_, E>,
    log: &Log,
) -> anyhow::Result<OpeningsReport> {
    let node = study_tree(root, inputs, log)?;
    let effort = inputs.search.as_ref().map(|(search, _)| SearchEffort {
        visits: search.visits,
        searches: search.searches,
        seed: search.seed,
        margin: inputs.settings.margin,
        plies: inputs.settings.plies,
        width: inputs.settings.width,
    });
    let at_start = root.from().is_none();
    Ok(OpeningsReport {
        version: OpeningsReport::VERSION,
        game: P::NAME.to_owned(),
        title: P::TITLE.to_owned(),
        move_words: move_words::<P>(&node).map(str::to_owned),
        has_setup: P::HAS_SETUP,
        source: inputs.source.clone(),
        from: root.from().map(ToOwned::to_owned),
        summary: effort.map_or_else(Vec::new, |effort| summary::<P>(&node, at_start, &effort)),
        good: (node.moves.iter().filter(|mv| mv.good))
            .map(|mv| mv.mv.clone())
            .collect(),
        search: effort,
        counted: inputs.games.map(|games| CountedGames {
            games: games.counted,
            varied: games.varied,
            elsewhere: games.elsewhere,
            refused: games.refused.clone(),
            ranges: games.ranges(),
        }),
        set_ups: inputs.games.and_then(|games| games.set_ups().cloned()),
        balance: inputs.games.map(|games| games.balance.clone()),
        experiment: None,
        root: node,
    })
}

use garuda_run::config::OpeningsSettings;

use super::games::GameTable;
use super::report::ReportSource;
use super::search::SearchSettings;

/// What a study of openings is made from.
#[derive(Debug)]
pub struct StudyInputs<'a, E> {
    pub source: ReportSource,
    /// Margin, plies, width and turns count; visits and searches are those of `search`.
    pub settings: &'a OpeningsSettings,
    /// How to search and with what; `None` for the games alone.
    pub search: Option<(SearchSettings, EvaluatorFactory<'a, E>)>,
    pub games: Option<&'a GameTable>,
}

/// Makes an evaluator for a thread.
pub struct EvaluatorFactory<'a, E>(pub &'a (dyn Fn() -> anyhow::Result<E> + Sync));

impl<E> std::fmt::Debug for EvaluatorFactory<'_, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EvaluatorFactory")
    }
}

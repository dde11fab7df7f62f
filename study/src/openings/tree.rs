//! The tree of positions that a study follows.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use garuda_mcts::Evaluator;
use garuda_rules::{Color, Game, GameState, Move, Position};
use garuda_run::{Log, counted};

use super::candidates::{MoveCandidate, candidates, count_moves};
use super::games::{GameTable, PlayedMove};
use super::inputs::{EvaluatorFactory, StudyInputs};
use super::opening_move::{OpeningMove, uci_line};
use super::report::{MoveReport, MoveSearch, OpeningNode, PlayedCounts, RangeCounts};
use super::root::OpeningRoot;
use super::search::{PositionSearch, search_positions};
use crate::ConfidenceInterval;
use crate::GameResults;

/// A position being studied.
struct NodeDraft<P> {
    game: GameState<P>,
    /// Decisions from the root.
    path: Vec<Move>,
    legal: usize,
    moves: Vec<MoveDraft<P>>,
}

struct MoveDraft<P> {
    mv: OpeningMove,
    after: GameState<P>,
    prior: Option<f64>,
    search: Option<PositionSearch>,
    played: Option<PlayedMove>,
    good: bool,
    /// Index of the draft of the position after it.
    next: Option<usize>,
    /// Path of the draft that has the same position.
    transposes: Option<Vec<Move>>,
}

/// The root position with every move of it, and every move after the good ones, down to the depth
/// of the settings.
pub(super) fn study_tree<P: Position, E: Evaluator<GameState<P>>>(
    root: &OpeningRoot<P>,
    inputs: &StudyInputs<'_, E>,
    log: &Log,
) -> anyhow::Result<OpeningNode> {
    let settings = inputs.settings;
    let mut drafts = vec![NodeDraft::new(root.game().clone(), Vec::new())];
    // Index of the draft of each position, by key.
    let mut seen: HashMap<u64, usize> = HashMap::from([(root.game().position().key(), 0)]);
    let mut level = 0..1;
    for ply in 1..=settings.plies {
        for draft in &mut drafts[level.clone()] {
            draft.list_moves(inputs)?;
        }
        search_level(&mut drafts[level.clone()], inputs, ply, log)?;
        let end = drafts.len();
        for index in level {
            drafts[index].rank_moves(settings.margin);
            if ply < settings.plies {
                follow(&mut drafts, index, settings.width as usize, &mut seen);
            }
        }
        level = end..drafts.len();
    }
    Ok(node(&drafts, 0, inputs.games))
}

impl<P: Position> NodeDraft<P> {
    fn new(game: GameState<P>, path: Vec<Move>) -> NodeDraft<P> {
        NodeDraft {
            legal: count_moves(&game),
            game,
            path,
            moves: Vec::new(),
        }
    }

    /// Lists the moves: those to be searched, or without a search those that were played.
    fn list_moves<E: Evaluator<GameState<P>>>(
        &mut self,
        inputs: &StudyInputs<'_, E>,
    ) -> anyhow::Result<()> {
        let key = self.game.position().key();
        let mut played = inputs.games.map(|games| games.moves_at(key));
        let Some((_, EvaluatorFactory(open))) = &inputs.search else {
            let played = played.unwrap_or_default();
            self.moves = (played.into_iter())
                .map(|played| self.played_move(played))
                .collect();
            return Ok(());
        };
        let max_turns = inputs.settings.turns as usize;
        let candidates = candidates(&self.game, max_turns, &mut open()?)?;
        self.moves = (candidates.into_iter())
            .map(|MoveCandidate { mv, after, prior }| {
                let key = after.position().key();
                let played = played.as_mut().map(|moves| {
                    let place = moves.iter().position(|played| played.after == key);
                    place.map_or_else(
                        || never_played(mv, key, inputs.games),
                        |place| moves.swap_remove(place),
                    )
                });
                MoveDraft {
                    prior: Some(prior),
                    played,
                    ..MoveDraft::new(mv, after)
                }
            })
            .collect();
        Ok(())
    }

    fn played_move(&self, played: PlayedMove) -> MoveDraft<P> {
        let mut after = self.game.clone();
        for decision in played.mv.decisions() {
            after.play(decision);
        }
        let mv = played.mv;
        MoveDraft {
            played: Some(played),
            ..MoveDraft::new(mv, after)
        }
    }

    /// Sorts the moves, best first, and marks the good ones.
    fn rank_moves(&mut self, margin: f64) {
        let turn = self.game.turn();
        let value = |mv: &MoveDraft<P>| mv.estimate(turn).map(|estimate| estimate.value);
        self.moves.sort_by(|a, b| {
            let by_value = value(b).partial_cmp(&value(a)).unwrap_or(Ordering::Equal);
            let by_prior = b.prior.unwrap_or(0.0).total_cmp(&a.prior.unwrap_or(0.0));
            by_value
                .then(a.proof_order(turn).cmp(&b.proof_order(turn)))
                .then(b.games().cmp(&a.games()))
                .then(by_prior)
                .then(a.mv.cmp(&b.mv))
        });
        let best = self.moves.iter().filter_map(value).reduce(f64::max);
        for mv in &mut self.moves {
            let compared = mv.estimate(turn).zip(best);
            mv.good = compared.is_some_and(|(estimate, best)| estimate.value >= best - margin);
        }
    }
}

impl<P: Position> MoveDraft<P> {
    fn new(mv: OpeningMove, after: GameState<P>) -> MoveDraft<P> {
        MoveDraft {
            mv,
            after,
            prior: None,
            search: None,
            played: None,
            good: false,
            next: None,
            transposes: None,
        }
    }

    fn games(&self) -> u32 {
        self.played.as_ref().map_or(0, |p| p.results().games())
    }

    /// Sort key of moves of equal value: proven wins, short ones first; then what is not proven;
    /// then proven losses, long ones first.
    fn proof_order(&self, mover: Color) -> i64 {
        const UNPROVEN: i64 = 1 << 20;
        match (&self.search, self.estimate(mover)) {
            (Some(search), Some(estimate)) if search.proven && estimate.value > 0.0 => {
                search.line.len() as i64
            }
            (Some(search), Some(estimate)) if search.proven && estimate.value < 0.0 => {
                2 * UNPROVEN - search.line.len() as i64
            }
            _ => UNPROVEN,
        }
    }

    /// The value by the searches, for the side that makes the move.
    fn estimate(&self, mover: Color) -> Option<ConfidenceInterval> {
        let search = self.search.as_ref()?;
        let sign = if self.after.turn() == mover {
            1.0
        } else {
            -1.0
        };
        let values: Vec<_> = search.values.iter().map(|value| sign * value).collect();
        Some(value_estimate(&values))
    }
}

fn never_played(mv: OpeningMove, after: u64, games: Option<&GameTable>) -> PlayedMove {
    let ranges = games.map_or(0, |games| games.ranges().len());
    PlayedMove {
        mv,
        after,
        by_range: vec![GameResults::default(); ranges],
    }
}

/// Searches all positions after the moves of a level, each once.
fn search_level<P: Position, E: Evaluator<GameState<P>>>(
    drafts: &mut [NodeDraft<P>],
    inputs: &StudyInputs<'_, E>,
    ply: u32,
    log: &Log,
) -> anyhow::Result<()> {
    let Some((settings, EvaluatorFactory(open))) = &inputs.search else {
        return Ok(());
    };
    let mut places = HashMap::new();
    let mut positions = Vec::new();
    for mv in drafts.iter().flat_map(|draft| &draft.moves) {
        places.entry(mv.after.state_key()).or_insert_with(|| {
            positions.push(mv.after.clone());
            positions.len() - 1
        });
    }
    let total = positions.len() as u64 * u64::from(settings.searches) * u64::from(settings.visits);
    let phase = Mutex::new(log.phase(&format!("move {ply}"), total));
    let done = AtomicU64::new(0);
    let message = format!("visits in {}", counted(positions.len() as u64, "position"));
    let progress = |visits: u64| {
        let done = visits + done.fetch_add(visits, Relaxed);
        if let Ok(mut phase) = phase.try_lock() {
            phase.set(done, || message.clone());
        }
    };
    let searches = search_positions(&positions, settings, open, &progress)?;
    for mv in drafts.iter_mut().flat_map(|draft| &mut draft.moves) {
        mv.search = Some(searches[places[&mv.after.state_key()]].clone());
    }
    Ok(())
}

/// Adds drafts of the positions after the moves of a draft that are followed: the good ones, or
/// without a search the most frequent ones.
fn follow<P: Position>(
    drafts: &mut Vec<NodeDraft<P>>,
    index: usize,
    width: usize,
    seen: &mut HashMap<u64, usize>,
) {
    let followed: Vec<_> = (drafts[index].moves.iter().enumerate())
        .filter(|(_, mv)| mv.good || mv.search.is_none())
        .take(width)
        .filter(|(_, mv)| mv.after.outcome().is_none())
        .map(|(place, _)| place)
        .collect();
    for place in followed {
        let mv = &drafts[index].moves[place];
        let after = mv.after.clone();
        let mut path = drafts[index].path.clone();
        path.extend(mv.mv.decisions());
        let next = drafts.len();
        let known = *seen.entry(after.position().key()).or_insert(next);
        if known == next {
            drafts[index].moves[place].next = Some(next);
            drafts.push(NodeDraft::new(after, path));
        } else {
            let same = drafts[known].path.clone();
            drafts[index].moves[place].transposes = Some(same);
        }
    }
}

fn node<P: Position>(
    drafts: &[NodeDraft<P>],
    index: usize,
    games: Option<&GameTable>,
) -> OpeningNode {
    let draft = &drafts[index];
    let position = draft.game.position();
    let here = games.map(|games| {
        let moves = games.moves_at(position.key());
        moves.iter().map(|played| played.results().games()).sum()
    });
    let ranges = games.map_or_else(Vec::new, GameTable::ranges);
    let moves = (draft.moves.iter())
        .map(|mv| MoveReport {
            mv: mv.mv.uci(position),
            notation: mv.mv.notation(position),
            good: mv.good,
            searched: move_search(mv, draft.game.turn()),
            played: (mv.played.as_ref()).map_or_else(PlayedCounts::default, |played| {
                PlayedCounts::new(played.results())
            }),
            by_checkpoints: (mv.played.iter().flat_map(|played| &played.by_range))
                .zip(&ranges)
                .map(|(&results, &range)| RangeCounts {
                    range,
                    games: results.games(),
                    results,
                })
                .collect(),
            after: mv.after.position().to_string(),
            next: mv.next.map(|next| node(drafts, next, games)),
            transposes: (mv.transposes.as_ref())
                .map(|path| uci_line(drafts[0].game.position(), path.iter().copied())),
        })
        .collect();
    OpeningNode {
        fen: position.to_string(),
        turn: position.turn().letter(),
        here,
        legal: draft.legal,
        moves,
    }
}

fn move_search<P: Position>(mv: &MoveDraft<P>, mover: Color) -> MoveSearch {
    let Some((search, estimate)) = mv.search.as_ref().zip(mv.estimate(mover)) else {
        return MoveSearch::default();
    };
    let after = mv.after.position();
    let reply = OpeningMove::first_of(&mv.after, &search.line);
    let line = uci_line(after, search.line.iter().copied());
    MoveSearch {
        prior: mv.prior,
        value: Some(estimate.value),
        value_low: Some(estimate.low),
        value_high: Some(estimate.high),
        visits: Some(search.visits),
        proven: search.proven,
        reply: reply.map(|reply| reply.uci(after)),
        line: (!line.is_empty()).then_some(line),
    }
}

/// The mean of some values, with its interval clamped to the range of values.
fn value_estimate(values: &[f64]) -> ConfidenceInterval {
    let estimate = ConfidenceInterval::of_mean(values);
    ConfidenceInterval {
        low: estimate.low.max(-1.0),
        high: estimate.high.min(1.0),
        ..estimate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_intervals_stay_within_bounds() {
        let estimate = value_estimate(&[1.0, -1.0]);
        assert_eq!((estimate.low, estimate.high), (-1.0, 1.0));
    }
}

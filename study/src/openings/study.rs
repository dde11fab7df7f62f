use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use garuda_mcts::Evaluator;
use garuda_rules::{Color, Game, GameState, Move, Position};
use garuda_run::Log;
use garuda_run::config::OpeningsSettings;

use super::candidates::{MoveCandidate, candidates, count};
use super::games::{GameTable, PlayedMove};
use super::opening_move::{OpeningMove, uci};
use super::report::{MoveReport, MoveSearch, OpeningNode, PlayedCounts, RangeCounts};
use super::root::OpeningRoot;
use super::search::{PositionSearch, SearchSettings, search_positions};
use crate::ConfidenceInterval;

/// What a position's study rests on.
#[derive(Debug)]
pub struct StudyInputs<'a, E> {
    /// Margin, plies, width and turns; the effort is told by `search`.
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

/// A position being studied.
struct NodeDraft<P> {
    game: GameState<P>,
    /// From the root.
    path: Vec<Move>,
    legal: usize,
    moves: Vec<MoveDraft<P>>,
}

struct MoveDraft<P> {
    play: OpeningMove,
    after: GameState<P>,
    prior: Option<f64>,
    found: Option<PositionSearch>,
    played: Option<PlayedMove>,
    good: bool,
    /// The draft of the position after it.
    next: Option<usize>,
    transposes: Option<Vec<Move>>,
}

/// Studies a position: every move of it, and every move after the good ones, as far as asked for.
pub fn study<P: Position, E: Evaluator<GameState<P>>>(
    root: &OpeningRoot<P>,
    study: &StudyInputs<'_, E>,
    log: &Log,
) -> anyhow::Result<OpeningNode> {
    let mut drafts = vec![NodeDraft::new(root.game().clone(), Vec::new())];
    // Positions whose moves are told, and where.
    let mut told: HashMap<u64, usize> = HashMap::from([(root.game().position().key(), 0)]);
    let mut level = 0..1;
    for ply in 1..=study.settings.plies {
        for draft in &mut drafts[level.clone()] {
            draft.list(study)?;
        }
        search_level(&mut drafts[level.clone()], study, ply, log)?;
        let end = drafts.len();
        for index in level {
            drafts[index].judge(study.settings.margin);
            if ply < study.settings.plies {
                follow(&mut drafts, index, study.settings.width as usize, &mut told);
            }
        }
        level = end..drafts.len();
    }
    Ok(node(&drafts, 0, study.games))
}

impl<P: Position> NodeDraft<P> {
    fn new(game: GameState<P>, path: Vec<Move>) -> NodeDraft<P> {
        NodeDraft {
            legal: count(&game),
            game,
            path,
            moves: Vec::new(),
        }
    }

    /// Lists the moves: all that will be searched, or else those that were played.
    fn list<E: Evaluator<GameState<P>>>(
        &mut self,
        study: &StudyInputs<'_, E>,
    ) -> anyhow::Result<()> {
        let key = self.game.position().key();
        let mut played = study.games.map(|games| games.plays(key));
        let Some((_, EvaluatorFactory(open))) = &study.search else {
            let played = played.unwrap_or_default();
            self.moves = played.iter().map(|played| self.played(played)).collect();
            return Ok(());
        };
        let most = study.settings.turns as usize;
        let candidates = candidates(&self.game, most, &mut open()?)?;
        self.moves = (candidates.into_iter())
            .map(|MoveCandidate { play, after, prior }| {
                let key = after.position().key();
                let played = played.as_mut().map(|plays| {
                    let place = plays.iter().position(|played| played.after == key);
                    place.map_or_else(
                        || PlayedMove::none(play, key, study.games),
                        |place| plays.swap_remove(place),
                    )
                });
                MoveDraft {
                    prior: Some(prior),
                    played,
                    ..MoveDraft::new(play, after)
                }
            })
            .collect();
        Ok(())
    }

    fn played(&self, played: &PlayedMove) -> MoveDraft<P> {
        let mut after = self.game.clone();
        for mv in played.play.moves() {
            after.play(mv);
        }
        MoveDraft {
            played: Some(played.clone()),
            ..MoveDraft::new(played.play, after)
        }
    }

    /// Orders the moves and tells which are good.
    fn judge(&mut self, margin: f64) {
        let turn = self.game.turn();
        let value = |mv: &MoveDraft<P>| mv.estimate(turn).map(|estimate| estimate.value);
        self.moves.sort_by(|a, b| {
            let by_value = value(b).partial_cmp(&value(a));
            let by_value = by_value.unwrap_or(std::cmp::Ordering::Equal);
            let by_prior = b.prior.unwrap_or(0.0).total_cmp(&a.prior.unwrap_or(0.0));
            by_value
                .then(a.certainty(turn).cmp(&b.certainty(turn)))
                .then(b.games().cmp(&a.games()))
                .then(by_prior)
                .then(a.play.cmp(&b.play))
        });
        let best = self.moves.iter().filter_map(value).reduce(f64::max);
        for mv in &mut self.moves {
            let within = mv.estimate(turn).zip(best);
            mv.good = within.is_some_and(|(estimate, best)| estimate.value >= best - margin);
        }
    }
}

impl<P: Position> MoveDraft<P> {
    fn new(play: OpeningMove, after: GameState<P>) -> MoveDraft<P> {
        MoveDraft {
            play,
            after,
            prior: None,
            found: None,
            played: None,
            good: false,
            next: None,
            transposes: None,
        }
    }

    fn games(&self) -> u32 {
        self.played.as_ref().map_or(0, |p| p.results().games())
    }

    /// What orders moves of equal value: quick proven wins first, slow proven losses before quick
    /// ones, and what is not proven between them.
    fn certainty(&self, mover: Color) -> i64 {
        const UNPROVEN: i64 = 1 << 20;
        match (&self.found, self.estimate(mover)) {
            (Some(found), Some(estimate)) if found.proven && estimate.value > 0.0 => {
                found.line.len() as i64
            }
            (Some(found), Some(estimate)) if found.proven && estimate.value < 0.0 => {
                2 * UNPROVEN - found.line.len() as i64
            }
            _ => UNPROVEN,
        }
    }

    /// What the searches say, for the side that makes the move.
    fn estimate(&self, mover: Color) -> Option<ConfidenceInterval> {
        let found = self.found.as_ref()?;
        let sign = if self.after.turn() == mover {
            1.0
        } else {
            -1.0
        };
        let values: Vec<_> = found.values.iter().map(|value| sign * value).collect();
        Some(value_estimate(&values))
    }
}

impl PlayedMove {
    fn none(play: OpeningMove, after: u64, games: Option<&GameTable>) -> PlayedMove {
        let ranges = games.map_or(0, |games| games.ranges().len());
        PlayedMove {
            play,
            after,
            by_range: vec![super::GameResults::default(); ranges],
        }
    }
}

/// Searches all positions after the moves of a level, each once.
fn search_level<P: Position, E: Evaluator<GameState<P>>>(
    drafts: &mut [NodeDraft<P>],
    study: &StudyInputs<'_, E>,
    ply: u32,
    log: &Log,
) -> anyhow::Result<()> {
    let Some((settings, EvaluatorFactory(open))) = &study.search else {
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
    let words = format!("visits of {} positions", positions.len());
    let progress = |visits: u64| {
        let done = visits + done.fetch_add(visits, Ordering::Relaxed);
        if let Ok(mut phase) = phase.try_lock() {
            phase.set(done, || words.clone());
        }
    };
    let found = search_positions(&positions, settings, open, &progress)?;
    for mv in drafts.iter_mut().flat_map(|draft| &mut draft.moves) {
        mv.found = Some(found[places[&mv.after.state_key()]].clone());
    }
    Ok(())
}

/// Makes drafts of the positions after the moves of a draft that are followed: the good ones, or
/// where nothing was searched the most frequent.
fn follow<P: Position>(
    drafts: &mut Vec<NodeDraft<P>>,
    index: usize,
    width: usize,
    told: &mut HashMap<u64, usize>,
) {
    let followed: Vec<_> = (drafts[index].moves.iter().enumerate())
        .filter(|(_, mv)| mv.good || mv.found.is_none())
        .take(width)
        .filter(|(_, mv)| mv.after.outcome().is_none())
        .map(|(place, _)| place)
        .collect();
    for place in followed {
        let mv = &drafts[index].moves[place];
        let after = mv.after.clone();
        let mut path = drafts[index].path.clone();
        path.extend(mv.play.moves());
        let next = drafts.len();
        let known = *told.entry(after.position().key()).or_insert(next);
        if known == next {
            drafts[index].moves[place].next = Some(next);
            drafts.push(NodeDraft::new(after, path));
        } else {
            let elsewhere = drafts[known].path.clone();
            drafts[index].moves[place].transposes = Some(elsewhere);
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
        let plays = games.plays(position.key());
        plays.iter().map(|play| play.results().games()).sum()
    });
    let ranges = games.map_or_else(Vec::new, GameTable::ranges);
    let moves = (draft.moves.iter())
        .map(|mv| MoveReport {
            mv: mv.play.uci(position),
            good: mv.good,
            searched: searched(mv, draft.game.turn()),
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
                .map(|path| uci(drafts[0].game.position(), path.iter().copied())),
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

fn searched<P: Position>(mv: &MoveDraft<P>, mover: Color) -> MoveSearch {
    let Some((found, estimate)) = mv.found.as_ref().zip(mv.estimate(mover)) else {
        return MoveSearch::default();
    };
    let after = mv.after.position();
    let reply = OpeningMove::first_of(&mv.after, &found.line);
    let line = uci(after, found.line.iter().copied());
    MoveSearch {
        prior: mv.prior,
        value: Some(estimate.value),
        value_low: Some(estimate.low),
        value_high: Some(estimate.high),
        visits: Some(found.visits),
        proven: found.proven,
        reply: reply.map(|reply| reply.uci(after)),
        line: (!line.is_empty()).then_some(line),
    }
}

/// The mean of some values, with its interval cut to what values can be.
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

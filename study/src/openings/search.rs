use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, bail};
use garuda_mcts::{EvalCache, Evaluator, Gumbel, GumbelSettings, Search, Shard, Wdl};
use garuda_rules::{Game, GameState, Move, MoveList, Outcome, Position};
use garuda_run::seeds;

use super::perturbed::PerturbedSearch;

/// Number of searches that a shard runs in parallel, and its largest batch.
pub const PARALLEL_SEARCHES: usize = 32;
/// Number of evaluations in a shard's cache.
const CACHE_SIZE: usize = 1 << 16;
/// Memory limit of a tree; a node takes well below a kilobyte.
const BYTES_PER_VISIT: usize = 4 << 10;
const MIN_TREE_BYTES: usize = 16 << 20;

/// How every position is searched.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SearchSettings {
    /// Visits per search.
    pub visits: u32,
    /// Searches per position, each with its own random numbers.
    pub searches: u32,
    /// Seed of all randomness.
    pub seed: u64,
    /// Number of shards, each on its own thread. The result does not depend on it.
    pub shards: usize,
}

/// The searches of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionSearch {
    /// The value of each search's best move, for the side to move. A single value where the game is
    /// over.
    pub values: Vec<f64>,
    /// Visits of all searches together.
    pub visits: u64,
    /// The expected line of the majority of searches. Empty where the game is over.
    pub line: Vec<Move>,
    /// Whether the game is over, or all searches proved the same result.
    pub proven: bool,
}

/// The result of one search.
struct SearchResult {
    value: f64,
    visits: u32,
    line: Vec<Move>,
    proven: bool,
}

/// Searches every position several times, all with the same number of visits.
///
/// They are the Gumbel searches of self-play. Each has its own random choice of the moves it tries
/// first, and sees the network's policy a little [shifted](PerturbedSearch) at every position, so
/// that searches differ as far as the value depends on the choice of lines. They share batches of
/// the evaluator, as the games of a shard do. A position with a single move is searched after that
/// move.
pub fn search_positions<P: Position, E: Evaluator<GameState<P>>>(
    positions: &[GameState<P>],
    settings: &SearchSettings,
    open: &(dyn Fn() -> anyhow::Result<E> + Sync),
    progress: &(dyn Fn(u64) + Sync),
) -> anyhow::Result<Vec<PositionSearch>> {
    let starts: Vec<_> = positions.iter().map(SearchStart::new).collect();
    let mut jobs = Vec::new();
    for (position, start) in starts.iter().enumerate() {
        if start.outcome.is_none() {
            jobs.extend((0..settings.searches).map(|number| SearchJob { position, number }));
        }
    }
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<Vec<(SearchJob, SearchResult)>> {
        let places = PARALLEL_SEARCHES.min(jobs.len());
        let search = Gumbel::new(GameState::start(), tree_bytes(settings.visits));
        let shard = Shard::new(
            vec![PerturbedSearch::new(search); places],
            Some(EvalCache::new(CACHE_SIZE)),
        );
        let mut worker = SearchWorker {
            starts: &starts,
            jobs: &jobs,
            next: &next,
            settings,
            shard,
            running: vec![None; places],
            done: Vec::new(),
        };
        worker.run(&mut open()?, progress)?;
        Ok(worker.done)
    };
    let shards = settings
        .shards
        .clamp(1, jobs.len().div_ceil(PARALLEL_SEARCHES).max(1));
    let done: anyhow::Result<Vec<_>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..shards).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(result) => result,
            Err(_) => bail!("a search panicked"),
        });
        joined.collect()
    });
    let mut results: Vec<Vec<(u32, SearchResult)>> = starts.iter().map(|_| Vec::new()).collect();
    for (job, result) in done?.into_iter().flatten() {
        results[job.position].push((job.number, result));
    }
    Ok(starts
        .iter()
        .zip(results)
        .map(|(start, mut results)| {
            results.sort_by_key(|(number, _)| *number);
            let results: Vec<_> = results.into_iter().map(|(_, result)| result).collect();
            start.combine(&results)
        })
        .collect())
}

fn tree_bytes(visits: u32) -> usize {
    (visits as usize * BYTES_PER_VISIT).max(MIN_TREE_BYTES)
}

/// A position to search and the forced moves before its first choice.
struct SearchStart<P> {
    game: GameState<P>,
    forced: Vec<Move>,
    /// Whether the side to move at the first choice is the one at the position.
    same_side: bool,
    /// The outcome if the game ends without a choice.
    outcome: Option<Outcome>,
    turn: garuda_rules::Color,
}

impl<P: Position> SearchStart<P> {
    fn new(position: &GameState<P>) -> SearchStart<P> {
        let mut game = position.clone();
        let mut forced = Vec::new();
        let mut legal = MoveList::new();
        let outcome = loop {
            game.legal_moves(&mut legal);
            let outcome = game.outcome_given(&legal);
            if outcome.is_some() || legal.len() > 1 {
                break outcome;
            }
            forced.push(legal[0]);
            game.play(legal[0]);
        };
        SearchStart {
            same_side: game.turn() == position.turn(),
            turn: position.turn(),
            game,
            forced,
            outcome,
        }
    }

    fn combine(&self, searches: &[SearchResult]) -> PositionSearch {
        if let Some(outcome) = self.outcome {
            let value = match outcome.winner {
                None => 0.0,
                Some(winner) if winner == self.turn => 1.0,
                Some(_) => -1.0,
            };
            return PositionSearch {
                values: vec![value],
                visits: 0,
                line: self.forced.clone(),
                proven: true,
            };
        }
        let sign = if self.same_side { 1.0 } else { -1.0 };
        let mut line = self.forced.clone();
        line.extend(majority_line(searches));
        let agrees = |result: &SearchResult| result.proven && result.value == searches[0].value;
        PositionSearch {
            values: searches.iter().map(|result| sign * result.value).collect(),
            visits: searches.iter().map(|result| u64::from(result.visits)).sum(),
            line,
            proven: searches.iter().all(agrees),
        }
    }
}

/// The line of the first search whose first move has the most votes; with equal votes, the move
/// with the higher sum of values wins.
fn majority_line(searches: &[SearchResult]) -> Vec<Move> {
    let votes = |mv: Option<&Move>| {
        let same = searches.iter().filter(|result| result.line.first() == mv);
        let values: f64 = same.clone().map(|result| result.value).sum();
        (same.count(), values)
    };
    let mut best: Option<(&SearchResult, (usize, f64))> = None;
    for result in searches {
        let votes = votes(result.line.first());
        if best.is_none_or(|(_, most)| votes > most) {
            best = Some((result, votes));
        }
    }
    best.map_or_else(Vec::new, |(result, _)| result.line.clone())
}

#[derive(Copy, Clone, Debug)]
struct SearchJob {
    position: usize,
    /// The number of the search among those of its position.
    number: u32,
}

struct SearchWorker<'a, P: Position> {
    starts: &'a [SearchStart<P>],
    jobs: &'a [SearchJob],
    next: &'a AtomicUsize,
    settings: &'a SearchSettings,
    shard: Shard<GameState<P>, PerturbedSearch<GameState<P>>>,
    running: Vec<Option<SearchJob>>,
    done: Vec<(SearchJob, SearchResult)>,
}

impl<P: Position> SearchWorker<'_, P> {
    fn run(
        &mut self,
        evaluator: &mut impl Evaluator<GameState<P>>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> anyhow::Result<()> {
        for place in 0..self.running.len() {
            self.start_next(place);
        }
        while self.running.iter().any(Option::is_some) {
            let before = self.simulations();
            self.shard.step(evaluator).context("cannot search")?;
            progress(self.simulations() - before);
            for place in 0..self.running.len() {
                if let Some(job) = self.running[place]
                    && self.shard.searches()[place].is_over()
                {
                    let result = take_result(&self.shard.searches()[place].search)?;
                    // A search that has proved its result stops before its last visit.
                    progress(u64::from(
                        self.settings.visits.saturating_sub(result.visits),
                    ));
                    self.done.push((job, result));
                    self.start_next(place);
                }
            }
        }
        Ok(())
    }

    fn simulations(&self) -> u64 {
        (self.shard.searches().iter().zip(&self.running))
            .filter(|(_, job)| job.is_some())
            .map(|(search, _)| u64::from(search.search.simulations()))
            .sum()
    }

    /// Starts the next search in a place, if there is one left.
    fn start_next(&mut self, place: usize) {
        let job = self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed));
        self.running[place] = job.copied();
        let Some(&SearchJob { position, number }) = job else {
            return;
        };
        let game = &self.starts[position].game;
        // Seeded by the position, so that equal positions have equal searches.
        let numbers = [game.state_key(), u64::from(number)];
        let mut rng = seeds::rng(seeds::derive(self.settings.seed, "openings", &numbers));
        let varied = &mut self.shard.searches_mut()[place];
        let search = &mut varied.search;
        search.reset(game);
        let settings = GumbelSettings {
            simulations: self.settings.visits,
            check_win_in_one: true,
            ..GumbelSettings::default()
        };
        search.begin(settings, &mut rng);
        varied.seed(rng);
    }
}

fn take_result<P: Position>(search: &Gumbel<GameState<P>>) -> anyhow::Result<SearchResult> {
    let best = search.best();
    let line = search.pv_line();
    let proof = search.proof();
    let wdl = match (proof, &line) {
        (Some(proof), _) => Some(proof.wdl()),
        (None, Some(line)) => Some(line.wdl),
        (None, None) => search.value(),
    };
    Ok(SearchResult {
        value: f64::from(wdl.map(Wdl::value).context("a search has no value")?),
        visits: search.simulations(),
        line: line.map_or_else(|| vec![search.moves()[best]], |line| line.moves),
        proven: proof.is_some(),
    })
}

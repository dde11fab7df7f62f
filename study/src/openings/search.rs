use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, bail};
use garuda_mcts::{EvalCache, Evaluator, Gumbel, GumbelSettings, Search, Shard, Wdl};
use garuda_rules::{Game, GameState, Move, MoveList, Outcome, Position};
use garuda_run::seeds;

use super::perturbed::PerturbedSearch;

/// Searches of a shard at a time; also the largest batch it evaluates.
pub const PLACES: usize = 32;
/// Evaluations that a shard remembers.
const CACHED: usize = 1 << 16;
/// A bound for each tree; a node takes well below a kilobyte.
const BYTES_PER_VISIT: usize = 4 << 10;
const LEAST_BYTES: usize = 16 << 20;

/// How much effort each position gets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SearchSettings {
    /// Visits of a search.
    pub visits: u32,
    /// Searches of each position, each with random numbers of its own.
    pub searches: u32,
    /// Where all randomness comes from.
    pub seed: u64,
    /// Shards that search, each on a thread of its own. What they find does not depend on it.
    pub shards: usize,
}

/// What the searches of a position found.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionSearch {
    /// The value of each search for the side to move, of what it took for the best move. Just one
    /// where the game is over.
    pub values: Vec<f64>,
    /// Visits in all.
    pub visits: u64,
    /// What most of the searches would play and expect to follow. Empty where the game is over.
    pub line: Vec<Move>,
    /// The value is certain: the game is over, or all searches proved the same result.
    pub proven: bool,
}

/// What one search found.
struct SearchResult {
    value: f64,
    visits: u32,
    line: Vec<Move>,
    proven: bool,
}

/// Searches every position several times, all with the same number of visits.
///
/// The searches are the Gumbel searches of self-play. Each draws anew which moves it tries first,
/// and sees the network's policy a little [shifted](PerturbedSearch) at every position, so that searches
/// differ as far as the value depends on the lines that happen to be looked at. They share batches of the evaluator, as the games of a shard do. A position with a single move
/// is searched after that move.
pub fn search_positions<P: Position, E: Evaluator<GameState<P>>>(
    positions: &[GameState<P>],
    settings: &SearchSettings,
    open: &(dyn Fn() -> anyhow::Result<E> + Sync),
    progress: &(dyn Fn(u64) + Sync),
) -> anyhow::Result<Vec<PositionSearch>> {
    let beginnings: Vec<_> = positions.iter().map(SearchStart::new).collect();
    let mut jobs = Vec::new();
    for (position, beginning) in beginnings.iter().enumerate() {
        if beginning.outcome.is_none() {
            jobs.extend((0..settings.searches).map(|number| SearchJob { position, number }));
        }
    }
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<Vec<(SearchJob, SearchResult)>> {
        let places = PLACES.min(jobs.len());
        let search = Gumbel::new(GameState::start(), tree_bytes(settings.visits));
        let shard = Shard::new(
            vec![PerturbedSearch::new(search); places],
            Some(EvalCache::new(CACHED)),
        );
        let mut worker = SearchWorker {
            beginnings: &beginnings,
            jobs: &jobs,
            next: &next,
            settings,
            shard,
            at_work: vec![None; places],
            done: Vec::new(),
        };
        worker.run(&mut open()?, progress)?;
        Ok(worker.done)
    };
    let shards = settings.shards.clamp(1, jobs.len().div_ceil(PLACES).max(1));
    let done: anyhow::Result<Vec<_>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..shards).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(result) => result,
            Err(_) => bail!("a search panicked"),
        });
        joined.collect()
    });
    let mut found: Vec<Vec<(u32, SearchResult)>> = beginnings.iter().map(|_| Vec::new()).collect();
    for (job, one) in done?.into_iter().flatten() {
        found[job.position].push((job.number, one));
    }
    Ok(beginnings
        .iter()
        .zip(found)
        .map(|(beginning, mut found)| {
            found.sort_by_key(|(number, _)| *number);
            let found: Vec<_> = found.into_iter().map(|(_, one)| one).collect();
            beginning.combine(&found)
        })
        .collect())
}

fn tree_bytes(visits: u32) -> usize {
    (visits as usize * BYTES_PER_VISIT).max(LEAST_BYTES)
}

/// A position to search and the forced moves before its first choice.
struct SearchStart<P> {
    game: GameState<P>,
    forced: Vec<Move>,
    /// Whether the side to move at the first choice is the one at the position.
    same_side: bool,
    /// How the game ends if there is no choice any more.
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
        let certain = |one: &SearchResult| one.proven && one.value == searches[0].value;
        PositionSearch {
            values: searches.iter().map(|one| sign * one.value).collect(),
            visits: searches.iter().map(|one| u64::from(one.visits)).sum(),
            line,
            proven: searches.iter().all(certain),
        }
    }
}

/// The line of the first of the searches that agree with most on the first move; of equally many,
/// with those that think better of theirs.
fn majority_line(searches: &[SearchResult]) -> Vec<Move> {
    let votes = |mv: Option<&Move>| {
        let same = searches.iter().filter(|one| one.line.first() == mv);
        let values: f64 = same.clone().map(|one| one.value).sum();
        (same.count(), values)
    };
    let mut best: Option<(&SearchResult, (usize, f64))> = None;
    for one in searches {
        let votes = votes(one.line.first());
        if best.is_none_or(|(_, most)| votes > most) {
            best = Some((one, votes));
        }
    }
    best.map_or_else(Vec::new, |(one, _)| one.line.clone())
}

#[derive(Copy, Clone, Debug)]
struct SearchJob {
    position: usize,
    /// Of the searches of its position.
    number: u32,
}

struct SearchWorker<'a, P: Position> {
    beginnings: &'a [SearchStart<P>],
    jobs: &'a [SearchJob],
    next: &'a AtomicUsize,
    settings: &'a SearchSettings,
    shard: Shard<GameState<P>, PerturbedSearch<GameState<P>>>,
    at_work: Vec<Option<SearchJob>>,
    done: Vec<(SearchJob, SearchResult)>,
}

impl<P: Position> SearchWorker<'_, P> {
    fn run(
        &mut self,
        evaluator: &mut impl Evaluator<GameState<P>>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> anyhow::Result<()> {
        for place in 0..self.at_work.len() {
            self.begin(place);
        }
        while self.at_work.iter().any(Option::is_some) {
            let before = self.simulations();
            self.shard.step(evaluator).context("cannot search")?;
            progress(self.simulations() - before);
            for place in 0..self.at_work.len() {
                if let Some(job) = self.at_work[place]
                    && self.shard.searches()[place].is_over()
                {
                    let one = take(&self.shard.searches()[place].search)?;
                    // One that has proved its result does not need the rest.
                    progress(u64::from(self.settings.visits.saturating_sub(one.visits)));
                    self.done.push((job, one));
                    self.begin(place);
                }
            }
        }
        Ok(())
    }

    fn simulations(&self) -> u64 {
        (self.shard.searches().iter().zip(&self.at_work))
            .filter(|(_, job)| job.is_some())
            .map(|(search, _)| u64::from(search.search.simulations()))
            .sum()
    }

    /// Begins the next search in a place, if there is one left.
    fn begin(&mut self, place: usize) {
        let job = self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed));
        self.at_work[place] = job.copied();
        let Some(&SearchJob { position, number }) = job else {
            return;
        };
        let game = &self.beginnings[position].game;
        // Equal positions have equal searches, wherever they come from.
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

fn take<P: Position>(search: &Gumbel<GameState<P>>) -> anyhow::Result<SearchResult> {
    let best = search.best();
    let line = search.pv_line();
    let proof = search.proof();
    let wdl = match (proof, &line) {
        (Some(proof), _) => Some(proof.wdl()),
        (None, Some(line)) => Some(line.wdl),
        (None, None) => search.value(),
    };
    Ok(SearchResult {
        value: f64::from(wdl.map(Wdl::value).context("a search found nothing")?),
        visits: search.simulations(),
        line: line.map_or_else(|| vec![search.moves()[best]], |line| line.moves),
        proven: proof.is_some(),
    })
}

use std::collections::TryReserveError;
use std::time::{Duration, Instant};

use garuda_rules::{Game, Move};

use crate::leaf_batch::LeafBatch;
use crate::parallel::search_round;
use crate::{EvalCache, EvalError, Evaluator, MoveSelection, Proof, Puct, PuctSettings, PvLine};
use crate::{SearchControl, SearchLimits, Wdl};

/// Time between two looks at the principal variation by a search of several threads with a limit of
/// its length.
const DEPTH_INTERVAL: Duration = Duration::from_millis(2);

/// How an [`Analysis`] searches.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct AnalysisSettings {
    /// How the tree is searched.
    pub puct: PuctSettings,
    /// Which move is chosen from it.
    pub selection: MoveSelection,
    /// Maximum number of leaves per batch.
    pub batch_size: usize,
    /// Maximum number of principal variations in a [`SearchInfo`].
    pub multi_pv: usize,
    /// Time between two calls of the info callback.
    pub info_interval: Duration,
    /// Memory limit of the tree in bytes.
    pub tree_bytes: usize,
    /// Number of evaluations cached besides the tree; 0 for no cache.
    pub cache_entries: usize,
}

impl Default for AnalysisSettings {
    fn default() -> Self {
        AnalysisSettings {
            puct: PuctSettings::default(),
            selection: MoveSelection::default(),
            batch_size: 1,
            multi_pv: 1,
            info_interval: Duration::from_millis(500),
            tree_bytes: 256 << 20,
            cache_entries: 0,
        }
    }
}

/// The state of a search: what `info` lines are made of.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchInfo {
    /// The best move; `None` if the game is over.
    pub best: Option<Move>,
    /// The principal variations of the best visited moves, best first.
    pub lines: Vec<PvLine>,
    /// For the side to move. `None` if nothing was evaluated, as when there is only one legal
    /// move.
    pub wdl: Option<Wdl>,
    /// The result with best play, where the search could prove it.
    pub proof: Option<Proof>,
    /// Visits of the root, including those of a reused tree.
    pub visits: u32,
    /// Visits of the root made by this search.
    pub new_visits: u32,
    /// Visits of the most visited move other than the best, not counting proven losses.
    pub runner_up_visits: u32,
    /// Number of positions sent to the evaluator.
    pub evaluations: u64,
    /// Time since the search started.
    pub elapsed: Duration,
    /// Share of the tree's memory limit in use, from 0 to 1.
    pub hashfull: f64,
}

/// Searches the positions of one game with [`Puct`], several leaves per batch, and reuses the
/// tree from move to move.
#[derive(Clone, Debug)]
pub struct Analysis<G> {
    settings: AnalysisSettings,
    search: Puct<G>,
    batch: LeafBatch,
    /// Key of the position the game started from.
    start_key: u64,
    /// The moves played since the start.
    played: Vec<Move>,
}

impl<G: Game> Analysis<G> {
    /// # Panics
    /// If the memory for the cache cannot be allocated.
    pub fn new(start: G, settings: AnalysisSettings) -> Analysis<G> {
        Analysis::try_new(start, settings).expect("memory for the cache is available")
    }

    /// Like [`new`](Analysis::new), but returns an error if the memory for the cache cannot be
    /// allocated.
    pub fn try_new(start: G, settings: AnalysisSettings) -> Result<Analysis<G>, TryReserveError> {
        let cache = match settings.cache_entries {
            0 => None,
            entries => Some(EvalCache::try_new(entries)?),
        };
        Ok(Analysis {
            settings,
            start_key: start.state_key(),
            search: Puct::new(start, settings.tree_bytes, settings.puct),
            batch: LeafBatch::new(cache),
            played: Vec::new(),
        })
    }

    /// The game as it stands.
    pub fn game(&self) -> &G {
        self.search.game()
    }

    /// Sets the maximum number of leaves per batch.
    pub fn set_batch_size(&mut self, batch_size: usize) {
        self.settings.batch_size = batch_size;
    }

    /// Sets the maximum number of principal variations.
    pub fn set_multi_pv(&mut self, multi_pv: usize) {
        self.settings.multi_pv = multi_pv;
    }

    /// Starts another game with an empty tree.
    pub fn reset(&mut self, start: &G) {
        self.start_key = start.state_key();
        self.played.clear();
        self.search.reset(start);
    }

    /// Plays a legal move and keeps its subtree.
    pub fn play(&mut self, mv: Move) {
        self.played.push(mv);
        self.search.play(mv, true);
    }

    /// Moves to the position after `moves` from `start`. The subtree is kept if that position
    /// continues the current game.
    pub fn set_position(&mut self, start: &G, moves: &[Move]) {
        if self.start_key != start.state_key() || !moves.starts_with(&self.played) {
            self.reset(start);
        }
        for &mv in &moves[self.played.len()..] {
            self.play(mv);
        }
    }

    /// Clears the tree and the cache, as required when the evaluator changes.
    pub fn clear(&mut self) {
        let game = self.game().clone();
        self.search.reset(&game);
        self.batch.clear_cache();
    }

    /// Searches the current position within the limits and calls `on_info` at intervals. A
    /// position with one legal move is not searched, unless there are no limits or the search
    /// ponders.
    pub fn search(
        &mut self,
        evaluator: &mut impl Evaluator<G>,
        limits: SearchLimits,
        control: &SearchControl,
        mut on_info: impl FnMut(&SearchInfo),
    ) -> Result<SearchInfo, EvalError> {
        let mut progress = Progress::new(&self.search);
        let old_evaluations = self.batch.evaluations();
        let batch_size = self.settings.batch_size.clamp(1, evaluator.capacity());
        let mut last_info = progress.started;
        self.search.begin(u32::MAX);
        // One look at the clock per batch: with a fast evaluator more would cost a percent each.
        let mut now = progress.started;
        while !is_done(&self.search, self.settings.selection, limits, control, now) {
            if control.has_started() {
                self.search
                    .set_visit_limit(limits.nodes.unwrap_or(u32::MAX));
            }
            while self.batch.len() < batch_size && self.batch.gather(0, &mut self.search, evaluator)
            {
            }
            let searches = std::slice::from_mut(&mut self.search);
            self.batch.run(searches, evaluator)?;
            progress.evaluations = self.batch.evaluations() - old_evaluations;
            now = Instant::now();
            if now - last_info >= self.settings.info_interval {
                last_info = now;
                on_info(&progress.info(&self.search, &self.settings));
            }
        }
        Ok(progress.info(&self.search, &self.settings))
    }

    /// Like [`search`](Analysis::search) with a thread per evaluator, the calling one included, on
    /// one tree. It is for evaluators so fast that a batch would save nothing. With more than one
    /// the order of simulations, and so the result, differs from time to time.
    pub fn search_parallel<E>(
        &mut self,
        evaluators: &mut [E],
        limits: SearchLimits,
        control: &SearchControl,
        mut on_info: impl FnMut(&SearchInfo),
    ) -> Result<SearchInfo, EvalError>
    where
        G: Send + Sync,
        E: Evaluator<G> + Send,
    {
        let mut progress = Progress::new(&self.search);
        let settings = self.settings;
        self.search.begin(u32::MAX);
        let mut last_info = progress.started;
        let mut now = progress.started;
        while !is_done(&self.search, settings.selection, limits, control, now) {
            let has_started = control.has_started();
            if has_started {
                self.search
                    .set_visit_limit(limits.nodes.unwrap_or(u32::MAX));
            }
            // The length of the principal variation is known between rounds.
            let round_time = match limits.depth {
                Some(_) => settings.info_interval.min(DEPTH_INTERVAL),
                None => settings.info_interval,
            };
            let round_start = now;
            let must_pause = || {
                now = Instant::now();
                let is_timeout = |time| control.elapsed_at(now).is_some_and(|t| t >= time);
                control.is_stopped()
                    || control.has_started() != has_started
                    || now - round_start >= round_time
                    || limits.time.is_some_and(is_timeout)
            };
            let cache = self.batch.cache_mut();
            let evaluations = search_round(&mut self.search, cache, evaluators, must_pause)?;
            self.batch.count_evaluations(evaluations);
            progress.evaluations += evaluations;
            if now - last_info >= settings.info_interval {
                last_info = now;
                on_info(&progress.info(&self.search, &settings));
            }
        }
        Ok(progress.info(&self.search, &settings))
    }
}

fn is_done<G: Game>(
    search: &Puct<G>,
    selection: MoveSelection,
    limits: SearchLimits,
    control: &SearchControl,
    now: Instant,
) -> bool {
    if search.is_full() || search.proof().is_some() || control.is_stopped() {
        return true;
    }
    let Some(elapsed) = control.elapsed_at(now) else {
        return false;
    };
    let forced = search.moves().len() == 1 && !limits.is_unlimited();
    forced
        || limits.nodes.is_some_and(|nodes| search.visits() >= nodes)
        || limits.time.is_some_and(|time| elapsed >= time)
        || limits
            .depth
            .is_some_and(|depth| search.pv_length(selection) >= depth as usize)
}

/// How far a search has come.
struct Progress {
    started: Instant,
    /// Visits of the root when it started.
    old_visits: u32,
    /// Evaluations since.
    evaluations: u64,
}

impl Progress {
    fn new<G: Game>(search: &Puct<G>) -> Progress {
        Progress {
            started: Instant::now(),
            old_visits: search.visits(),
            evaluations: 0,
        }
    }

    fn info<G: Game>(&self, search: &Puct<G>, settings: &AnalysisSettings) -> SearchInfo {
        let selection = settings.selection;
        SearchInfo {
            best: search.best_move(selection),
            lines: search.pv_lines(selection, settings.multi_pv),
            wdl: search.value(),
            proof: search.proof(),
            visits: search.visits(),
            runner_up_visits: search.runner_up_visits(selection),
            new_visits: search.visits() - self.old_visits,
            evaluations: self.evaluations,
            elapsed: self.started.elapsed(),
            hashfull: search.hashfull(),
        }
    }
}

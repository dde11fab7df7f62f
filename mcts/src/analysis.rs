use std::time::{Duration, Instant};

use garuda_rules::{Game, Move};

use crate::batch::Batch;
use crate::{Cache, Choice, EvalError, Evaluator, Limits, Line, Proof, Puct, PuctSettings, Search};
use crate::{Signal, Wdl};

/// How one position after another of a game is searched.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct AnalysisSettings {
    pub puct: PuctSettings,
    pub choice: Choice,
    /// How many leaves go into a batch at most.
    pub leaves: usize,
    /// How many of the best moves are reported.
    pub lines: usize,
    /// How often the search reports while it goes on.
    pub report_every: Duration,
    /// How many bytes the tree may take.
    pub memory: usize,
    /// How many evaluations are kept besides the tree; 0 for none.
    pub cache: usize,
}

impl Default for AnalysisSettings {
    fn default() -> Self {
        AnalysisSettings {
            puct: PuctSettings::default(),
            choice: Choice::default(),
            leaves: 1,
            lines: 1,
            report_every: Duration::from_millis(500),
            memory: 256 << 20,
            cache: 0,
        }
    }
}

/// What a search has found out so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The move to play; `None` if the game is over.
    pub best: Option<Move>,
    /// The best moves that were visited, best first.
    pub lines: Vec<Line>,
    /// The chances of the side to move. `None` if nothing was judged, as when there is only one
    /// move.
    pub wdl: Option<Wdl>,
    pub proof: Option<Proof>,
    /// Visits of the root, those of a reused tree included.
    pub visits: u32,
    /// Those of them that this search made.
    pub new_visits: u32,
    /// Visits of the most visited move besides the best, not counting moves that are lost.
    pub rival_visits: u32,
    /// Positions the evaluator was asked about.
    pub evaluations: u64,
    pub elapsed: Duration,
    /// The share of the tree's memory that is in use.
    pub fullness: f64,
}

/// One player's thoughts about one game: a tree that is kept from move to move and searched with
/// several leaves in a batch.
#[derive(Clone, Debug)]
pub struct Analysis<G> {
    settings: AnalysisSettings,
    search: Puct<G>,
    batch: Batch,
    /// The hash of the position the game started from, and the moves since.
    start: u64,
    played: Vec<Move>,
}

impl<G: Game> Analysis<G> {
    pub fn new(start: G, settings: AnalysisSettings) -> Analysis<G> {
        Analysis {
            settings,
            start: start.state_key(),
            search: Puct::new(start, settings.memory, settings.puct),
            batch: Batch::new((settings.cache > 0).then(|| Cache::new(settings.cache))),
            played: Vec::new(),
        }
    }

    pub fn game(&self) -> &G {
        self.search.game()
    }

    /// Changes how many leaves go into a batch and how many moves are reported, both at most.
    pub fn adjust(&mut self, leaves: usize, lines: usize) {
        self.settings.leaves = leaves;
        self.settings.lines = lines;
    }

    /// Turns to another game: empties the tree.
    pub fn reset(&mut self, start: &G) {
        self.start = start.state_key();
        self.played.clear();
        self.search.reset(start);
    }

    /// Plays a legal move and keeps what is known about it.
    pub fn play(&mut self, mv: Move) {
        self.played.push(mv);
        self.search.play(mv, true);
    }

    /// Turns to the position after `moves` from `start`. If that continues the present game, what
    /// is known about it is kept.
    pub fn set_game(&mut self, start: &G, moves: &[Move]) {
        if self.start != start.state_key() || !moves.starts_with(&self.played) {
            self.reset(start);
        }
        for &mv in &moves[self.played.len()..] {
            self.play(mv);
        }
    }

    /// Forgets everything that came from the evaluator, as it must when that changes.
    pub fn forget(&mut self) {
        let game = self.game().clone();
        self.search.reset(&game);
        self.batch.clear_cache();
    }

    /// Searches the present position within the limits, and calls `info` now and then. An only
    /// move is not searched, unless there are no limits or the search is to ponder.
    pub fn think(
        &mut self,
        evaluator: &mut impl Evaluator<G>,
        limits: Limits,
        signal: &Signal,
        mut info: impl FnMut(&Report),
    ) -> Result<Report, EvalError> {
        let started = Instant::now();
        let before = (self.search.visits(), self.batch.evaluations());
        let leaves = self.settings.leaves.clamp(1, evaluator.capacity());
        let mut reported = started;
        self.search.begin(u32::MAX);
        while !self.is_done(limits, signal) {
            if signal.elapsed().is_some() {
                self.search.limit(limits.nodes.unwrap_or(u32::MAX));
            }
            while self.batch.len() < leaves && self.batch.gather(0, &mut self.search, evaluator) {}
            let searches = std::slice::from_mut(&mut self.search);
            self.batch.run(searches, evaluator)?;
            if reported.elapsed() >= self.settings.report_every {
                reported = Instant::now();
                info(&self.report(started, before));
            }
        }
        Ok(self.report(started, before))
    }

    fn is_done(&self, limits: Limits, signal: &Signal) -> bool {
        if self.search.is_over() || signal.is_stopped() {
            return true;
        }
        let Some(elapsed) = signal.elapsed() else {
            return false;
        };
        let forced = self.search.moves().len() == 1 && !limits.is_unlimited();
        forced
            || limits
                .nodes
                .is_some_and(|nodes| self.search.visits() >= nodes)
            || limits.time.is_some_and(|time| elapsed >= time)
            || limits
                .depth
                .is_some_and(|depth| self.search.depth(self.settings.choice) >= depth as usize)
    }

    /// `before` are the visits and evaluations when the search began.
    fn report(&self, started: Instant, before: (u32, u64)) -> Report {
        let search = &self.search;
        Report {
            best: search.best(self.settings.choice),
            lines: search.lines(self.settings.choice, self.settings.lines),
            wdl: search.value(),
            proof: search.proof(),
            visits: search.visits(),
            rival_visits: search.rival_visits(self.settings.choice),
            new_visits: search.visits() - before.0,
            evaluations: self.batch.evaluations() - before.1,
            elapsed: started.elapsed(),
            fullness: search.fullness(),
        }
    }
}

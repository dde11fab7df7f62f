//! A [`Puct`] search by several threads on one tree.
//!
//! A thread holds the lock of the tree while it chooses where to descend and while it backs up, and
//! works out the position in between: moves on the way, legal moves, win in one, evaluation. That
//! is what takes the time, so that a lock is enough for a few threads. It is for evaluators that
//! take microseconds; batches suit the others ([`Analysis::search`](crate::Analysis::search)).

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use garuda_rules::{Color, Game, Move, MoveList, Outcome};

use crate::descent::Selection;
use crate::math::softmax_at;
use crate::puct::select;
use crate::search::MAX_SIMULATIONS_PER_CALL;
use crate::tree::{NodeId, TreeFull};
use crate::{EvalCache, EvalError, Evaluations, Evaluator, Puct, Wdl};

/// What the threads of a search share.
pub(crate) struct SharedSearch<'a, G> {
    search: Mutex<&'a mut Puct<G>>,
    cache: Mutex<Option<&'a mut EvalCache>>,
    /// The position of the root.
    game: G,
    check_win_in_one: bool,
    policy_temperature: f32,
    leaves_per_lock: usize,
    stopped: AtomicBool,
    evaluations: AtomicU64,
    error: Mutex<Option<EvalError>>,
}

/// Leaves that a thread takes at a time: the lock changes hands less often.
const LEAVES_PER_LOCK: usize = 4;
/// A young tree gets fewer: leaves that are chosen without the results of others are bad ones.
const MIN_VISITS_PER_LEAF: usize = 64;

/// What a thread found out about a leaf.
enum Finding {
    GameOver(Outcome),
    /// The move at this place wins at once; the side to move after it.
    Win {
        edge: usize,
        turn: Color,
        outcome: Outcome,
    },
    Evaluated(Wdl),
}

impl<'a, G: Game> SharedSearch<'a, G> {
    /// For a search with this number of threads.
    pub(crate) fn new(
        search: &'a mut Puct<G>,
        cache: Option<&'a mut EvalCache>,
        threads: usize,
    ) -> SharedSearch<'a, G> {
        SharedSearch {
            leaves_per_lock: if threads == 1 { 1 } else { LEAVES_PER_LOCK },
            game: search.game().clone(),
            check_win_in_one: search.settings.check_win_in_one,
            policy_temperature: search.settings.policy_temperature,
            search: Mutex::new(search),
            cache: Mutex::new(cache),
            stopped: AtomicBool::new(false),
            evaluations: AtomicU64::new(0),
            error: Mutex::new(None),
        }
    }

    /// Number of positions sent to the evaluators.
    pub(crate) fn evaluations(&self) -> u64 {
        self.evaluations.load(Ordering::Relaxed)
    }

    /// The error that ended the search, if one did.
    pub(crate) fn into_result(self) -> Result<(), EvalError> {
        let error = self.error.into_inner();
        error
            .unwrap_or_else(PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }

    /// Searches until `is_done`, which is asked each time leaves are claimed, or until another thread
    /// ends the search.
    pub(crate) fn work<E: Evaluator<G>>(
        &self,
        evaluator: &mut E,
        mut is_done: impl FnMut(&mut Puct<G>) -> bool,
    ) {
        // Should this thread panic, the others must not wait for its leaves.
        let _guard = StopWhenDropped(&self.stopped);
        let mut game = self.game.clone();
        let mut evaluations = Evaluations::default();
        let mut leaves = [const { ClaimedLeaf::new() }; LEAVES_PER_LOCK];
        let mut claimed = 0;
        loop {
            {
                let mut search = lock(&self.search);
                for leaf in &leaves[..claimed] {
                    search.settle(leaf);
                }
                if self.stopped.load(Ordering::Relaxed) || is_done(&mut search) {
                    return;
                }
                let most = 1 + search.visits() as usize / MIN_VISITS_PER_LEAF;
                let most = most.min(self.leaves_per_lock);
                claimed = 0;
                while claimed < most && search.claim(&mut leaves[claimed]) {
                    claimed += 1;
                }
            }
            if claimed == 0 {
                thread::yield_now();
            }
            for leaf in &mut leaves[..claimed] {
                let finding = leaf.examine(self, &mut game, evaluator, &mut evaluations);
                leaf.finding = finding
                    .map_err(|error| *lock(&self.error) = Some(error))
                    .ok();
                if leaf.finding.is_none() {
                    self.stopped.store(true, Ordering::Relaxed);
                }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The lock is held for microseconds: to sleep and be woken would take longer.
    for _ in 0..10_000 {
        if let Ok(guard) = mutex.try_lock() {
            return guard;
        }
        hint::spin_loop();
    }
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the search of all threads when the first one leaves.
struct StopWhenDropped<'a>(&'a AtomicBool);

impl Drop for StopWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A leaf that a thread works on.
struct ClaimedLeaf {
    id: NodeId,
    /// The moves that lead there.
    path: Vec<Move>,
    turn: Color,
    legal: MoveList,
    /// Priors of the legal moves, if they were evaluated.
    priors: Vec<f32>,
    /// `None` if the evaluator failed.
    finding: Option<Finding>,
}

impl ClaimedLeaf {
    const fn new() -> ClaimedLeaf {
        ClaimedLeaf {
            id: NodeId::ROOT,
            path: Vec::new(),
            turn: Color::White,
            legal: MoveList::new_const(),
            priors: Vec::new(),
            finding: None,
        }
    }

    /// Works out the position of the leaf.
    fn examine<G: Game, E: Evaluator<G>>(
        &mut self,
        shared: &SharedSearch<'_, G>,
        game: &mut G,
        evaluator: &mut E,
        evaluations: &mut Evaluations,
    ) -> Result<Finding, EvalError> {
        game.return_to(&shared.game);
        for &mv in &self.path {
            game.play(mv);
        }
        self.turn = game.turn();
        game.legal_moves(&mut self.legal);
        if let Some(outcome) = game.outcome_given(&self.legal) {
            return Ok(Finding::GameOver(outcome));
        }
        let win = if shared.check_win_in_one {
            game.winning_move(&self.legal)
        } else {
            None
        };
        if let Some(edge) = win {
            game.play(self.legal[edge]);
            let outcome = game.outcome().expect("a winning move ends the game");
            let turn = game.turn();
            return Ok(Finding::Win {
                edge,
                turn,
                outcome,
            });
        }
        let key = game.state_key();
        let moves = self.legal.len();
        self.priors.resize(moves, 0.0);
        if let Some(cache) = lock(&shared.cache).as_mut()
            && let Some((wdl, logits)) = cache.get(key, moves)
        {
            softmax_at(shared.policy_temperature, logits, &mut self.priors);
            return Ok(Finding::Evaluated(wdl));
        }
        evaluator.push(game, &self.legal);
        evaluator.run(evaluations)?;
        evaluations.check([moves].into_iter())?;
        shared.evaluations.fetch_add(1, Ordering::Relaxed);
        let (wdl, logits) = evaluations.get(0);
        if let Some(cache) = lock(&shared.cache).as_mut() {
            cache.insert(key, wdl, logits);
        }
        softmax_at(shared.policy_temperature, logits, &mut self.priors);
        Ok(Finding::Evaluated(wdl))
    }
}

impl<G: Game> Puct<G> {
    /// Descends to a leaf that nobody works on and gives it a virtual loss. Returns false if there
    /// is none before others are settled.
    fn claim(&mut self, leaf: &mut ClaimedLeaf) -> bool {
        let path = &mut leaf.path;
        for _ in 0..MAX_SIMULATIONS_PER_CALL {
            if !self.may_descend() {
                return false;
            }
            path.clear();
            let settings = self.settings;
            let tree = &mut self.descent.tree;
            let mut id = NodeId::ROOT;
            loop {
                let node = tree.node(id);
                if node.proof().is_some() {
                    tree.backup_proven(id);
                    break;
                }
                if !node.is_evaluated() {
                    if node.in_flight() > 0 {
                        return false;
                    }
                    tree.add_virtual_loss(id);
                    leaf.id = id;
                    return true;
                }
                let children = tree.children(id);
                let edge = match select(tree, id, &settings) {
                    Selection::Child(slot) => {
                        path.push(children[slot].mv);
                        id = children[slot].node;
                        continue;
                    }
                    Selection::NextEdge | Selection::Edge(_) => children.len(),
                };
                path.push(tree.moves(id)[edge]);
                match tree.add_claimed(id, edge) {
                    Ok(child) => {
                        tree.order_edges(id);
                        id = child;
                    }
                    Err(TreeFull) => {
                        self.full = true;
                        break;
                    }
                }
            }
        }
        false
    }

    /// Backs up what a thread found at a leaf.
    fn settle(&mut self, leaf: &ClaimedLeaf) {
        let tree = &mut self.descent.tree;
        let outcome = match leaf.finding {
            Some(Finding::GameOver(outcome)) => Some(outcome),
            _ => None,
        };
        tree.settle(leaf.id, leaf.turn, &leaf.legal, outcome);
        if let Some(Finding::Evaluated(wdl)) = leaf.finding {
            tree.expand_with_priors(leaf.id, wdl, &leaf.priors);
            tree.order_edges(leaf.id);
            return;
        }
        tree.remove_virtual_loss(leaf.id);
        match leaf.finding {
            Some(Finding::GameOver(_)) => tree.backup_proven(leaf.id),
            Some(Finding::Win {
                edge,
                turn,
                outcome,
            }) => match tree.add(Some((leaf.id, edge)), turn, &[], Some(outcome)) {
                Ok(terminal) => tree.backup_proven(terminal),
                Err(TreeFull) => self.full = true,
            },
            Some(Finding::Evaluated(_)) | None => {}
        }
    }
}

//! A [`Puct`] search by several threads on one tree.
//!
//! One thread owns the tree: it chooses where to descend, and backs up. The others examine the leaves
//! that it sends them: moves on the way, legal moves, win in one, evaluation. The tree stays in the
//! caches of one core, and nobody waits for a lock.
//! While all others have enough to do the owner examines leaves itself. This is for evaluators that
//! take microseconds; batches suit the others ([`Analysis::search`](crate::Analysis::search)).

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use garuda_rules::{Color, Game, Move, MoveList, Outcome};

use crate::descent::Selection;
use crate::math::softmax_at;
use crate::puct::select;
use crate::search::MAX_SIMULATIONS_PER_CALL;
use crate::tree::{NodeId, TreeFull};
use crate::{EvalCache, EvalError, Evaluations, Evaluator, Puct, Wdl};

/// Number of leaves that a helper has at a time, so that it never waits for the owner of the tree.
const LEAVES_PER_HELPER: usize = 3;
/// In a young tree fewer leaves are pending: leaves that are chosen without the results of others
/// are bad ones.
const MIN_VISITS_PER_LEAF: usize = 64;
/// How often a thread looks for a message or a lock before it sleeps. Both take microseconds, and
/// to sleep and be woken takes longer.
const SPINS: usize = 10_000;

/// Searches with a thread per evaluator, the calling one included, until `is_done`, which gets the
/// number of evaluations so far. Returns that number, or the error of an evaluator.
///
/// # Panics
/// If there is no evaluator, or if one panics.
pub(crate) fn search_parallel<G, E>(
    search: &mut Puct<G>,
    cache: Option<&mut EvalCache>,
    evaluators: &mut [E],
    is_done: impl FnMut(&mut Puct<G>, u64) -> bool,
) -> Result<u64, EvalError>
where
    G: Game + Send + Sync,
    E: Evaluator<G> + Send,
{
    let (first, others) = evaluators
        .split_first_mut()
        .expect("a search needs an evaluator");
    let shared = Shared {
        game: search.game().clone(),
        check_win_in_one: search.settings.check_win_in_one,
        policy_temperature: search.settings.policy_temperature,
        cache: Mutex::new(cache),
        evaluations: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
        error: Mutex::new(None),
    };
    thread::scope(|scope| {
        let (done_sender, done) = sync_channel(others.len() * LEAVES_PER_HELPER);
        let mut helpers = Vec::new();
        for evaluator in others {
            let (sender, leaves) = sync_channel(LEAVES_PER_HELPER);
            let (examiner, done) = (Examiner::new(&shared, evaluator), done_sender.clone());
            scope.spawn(move || examiner.help(&leaves, &done));
            let (sender, pending) = (Some(sender), 0);
            helpers.push(Helper { sender, pending });
        }
        // When the helpers have ended, nobody can send any more.
        drop(done_sender);
        let owner = TreeOwner {
            search,
            helpers,
            done,
            unused: Vec::new(),
        };
        owner.search(Examiner::new(&shared, first), is_done);
    });
    match shared.error.into_inner() {
        Ok(Some(error)) => Err(error),
        _ => Ok(shared.evaluations.into_inner()),
    }
}

/// What the threads of a search share.
struct Shared<'a, G> {
    /// The position of the root.
    game: G,
    check_win_in_one: bool,
    policy_temperature: f32,
    cache: Mutex<Option<&'a mut EvalCache>>,
    evaluations: AtomicU64,
    /// Whether an evaluator failed or a helper ended, which before the others it does by a panic.
    stopped: AtomicBool,
    error: Mutex<Option<EvalError>>,
}

/// A thread that examines leaves, as the owner of the tree sees it.
struct Helper {
    /// `None` when the search is over.
    sender: Option<SyncSender<Box<ClaimedLeaf>>>,
    /// Number of leaves that it has not sent back yet.
    pending: usize,
}

/// The thread that has the tree.
struct TreeOwner<'a, G> {
    search: &'a mut Puct<G>,
    helpers: Vec<Helper>,
    /// Leaves that helpers have examined.
    done: Receiver<Box<ClaimedLeaf>>,
    #[expect(
        clippy::vec_box,
        reason = "leaves are sent as boxes, which are used again"
    )]
    unused: Vec<Box<ClaimedLeaf>>,
}

impl<G: Game> TreeOwner<'_, G> {
    fn search<E: Evaluator<G>>(
        mut self,
        mut examiner: Examiner<'_, '_, G, E>,
        mut is_done: impl FnMut(&mut Puct<G>, u64) -> bool,
    ) {
        let shared = examiner.shared;
        loop {
            while let Ok(leaf) = self.done.try_recv() {
                self.settle(leaf);
            }
            let evaluations = shared.evaluations.load(Ordering::Relaxed);
            if shared.stopped.load(Ordering::Relaxed) || is_done(self.search, evaluations) {
                break;
            }
            let pending: usize = self.helpers.iter().map(|helper| helper.pending).sum();
            let most = self.search.visits() as usize / MIN_VISITS_PER_LEAF;
            let mut leaf = self.unused.pop().unwrap_or_default();
            if pending > most || !self.search.claim(&mut leaf) {
                self.unused.push(leaf);
                hint::spin_loop();
                continue;
            }
            if let Some(mut leaf) = self.send(leaf) {
                examiner.examine(&mut leaf);
                self.settle(leaf);
            }
        }
        // Without their senders the helpers examine what they have, and end.
        for helper in &mut self.helpers {
            helper.sender = None;
        }
        while let Ok(leaf) = self.done.recv() {
            self.settle(leaf);
        }
    }

    /// Sends a leaf to the helper with the fewest; returns it if all have enough.
    fn send(&mut self, mut leaf: Box<ClaimedLeaf>) -> Option<Box<ClaimedLeaf>> {
        let helpers = self.helpers.iter_mut().enumerate();
        let idlest = helpers.min_by_key(|(_, helper)| helper.pending);
        let Some((index, Helper { sender, pending })) = idlest else {
            return Some(leaf);
        };
        let Some(sender) = sender.as_ref().filter(|_| *pending < LEAVES_PER_HELPER) else {
            return Some(leaf);
        };
        leaf.helper = Some(index);
        match sender.try_send(leaf) {
            Ok(()) => *pending += 1,
            Err(TrySendError::Full(mut leaf) | TrySendError::Disconnected(mut leaf)) => {
                leaf.helper = None;
                return Some(leaf);
            }
        }
        None
    }

    /// Backs up what was found at a leaf.
    fn settle(&mut self, mut leaf: Box<ClaimedLeaf>) {
        if let Some(helper) = leaf.helper.take() {
            self.helpers[helper].pending -= 1;
        }
        self.search.settle(&leaf);
        self.unused.push(leaf);
    }
}

/// Works out the positions of leaves.
struct Examiner<'s, 'c, G, E> {
    shared: &'s Shared<'c, G>,
    evaluator: &'s mut E,
    evaluations: Evaluations,
    game: G,
}

impl<'s, 'c, G: Game, E: Evaluator<G>> Examiner<'s, 'c, G, E> {
    fn new(shared: &'s Shared<'c, G>, evaluator: &'s mut E) -> Self {
        Examiner {
            shared,
            evaluator,
            evaluations: Evaluations::default(),
            game: shared.game.clone(),
        }
    }

    /// Examines leaves until no more can come.
    fn help(mut self, leaves: &Receiver<Box<ClaimedLeaf>>, done: &SyncSender<Box<ClaimedLeaf>>) {
        // Should this thread panic, the owner of the tree must not wait for its leaves.
        let _guard = StopWhenDropped(&self.shared.stopped);
        while let Some(mut leaf) = receive(leaves) {
            self.examine(&mut leaf);
            if done.send(leaf).is_err() {
                return;
            }
        }
    }

    fn examine(&mut self, leaf: &mut ClaimedLeaf) {
        leaf.finding = None;
        match self.find(leaf) {
            Ok(finding) => leaf.finding = Some(finding),
            Err(error) => {
                *lock(&self.shared.error) = Some(error);
                self.shared.stopped.store(true, Ordering::Relaxed);
            }
        }
    }

    fn find(&mut self, leaf: &mut ClaimedLeaf) -> Result<Finding, EvalError> {
        let (shared, game) = (self.shared, &mut self.game);
        game.return_to(&shared.game);
        for &mv in &leaf.path {
            game.play(mv);
        }
        leaf.turn = game.turn();
        game.legal_moves(&mut leaf.legal);
        if let Some(outcome) = game.outcome_given(&leaf.legal) {
            return Ok(Finding::GameOver(outcome));
        }
        let win = if shared.check_win_in_one {
            game.winning_move(&leaf.legal)
        } else {
            None
        };
        if let Some(edge) = win {
            game.play(leaf.legal[edge]);
            let outcome = game.outcome().expect("a winning move ends the game");
            let turn = game.turn();
            return Ok(Finding::Win {
                edge,
                turn,
                outcome,
            });
        }
        let key = game.state_key();
        let moves = leaf.legal.len();
        leaf.priors.resize(moves, 0.0);
        if let Some(cache) = lock(&shared.cache).as_mut()
            && let Some((wdl, logits)) = cache.get(key, moves)
        {
            softmax_at(shared.policy_temperature, logits, &mut leaf.priors);
            return Ok(Finding::Evaluated(wdl));
        }
        self.evaluator.push(game, &leaf.legal);
        self.evaluator.run(&mut self.evaluations)?;
        self.evaluations.check([moves].into_iter())?;
        shared.evaluations.fetch_add(1, Ordering::Relaxed);
        let (wdl, logits) = self.evaluations.get(0);
        if let Some(cache) = lock(&shared.cache).as_mut() {
            cache.insert(key, wdl, logits);
        }
        softmax_at(shared.policy_temperature, logits, &mut leaf.priors);
        Ok(Finding::Evaluated(wdl))
    }
}

/// The next message; `None` if there will be no more.
fn receive<T>(messages: &Receiver<T>) -> Option<T> {
    for _ in 0..SPINS {
        match messages.try_recv() {
            Ok(message) => return Some(message),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => hint::spin_loop(),
        }
    }
    messages.recv().ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..SPINS {
        if let Ok(guard) = mutex.try_lock() {
            return guard;
        }
        hint::spin_loop();
    }
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct StopWhenDropped<'a>(&'a AtomicBool);

impl Drop for StopWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A leaf of the tree with a virtual loss, on its way to an [`Examiner`] and back.
struct ClaimedLeaf {
    id: NodeId,
    /// The moves that lead there.
    path: Vec<Move>,
    /// The helper that has it; `None` for the owner of the tree.
    helper: Option<usize>,
    turn: Color,
    legal: MoveList,
    /// Priors of the legal moves, if they were evaluated.
    priors: Vec<f32>,
    /// `None` if the evaluator failed.
    finding: Option<Finding>,
}

/// What is found at a leaf.
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

impl Default for ClaimedLeaf {
    fn default() -> Self {
        ClaimedLeaf {
            id: NodeId::ROOT,
            path: Vec::new(),
            helper: None,
            turn: Color::White,
            legal: MoveList::new(),
            priors: Vec::new(),
            finding: None,
        }
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
            tree.enter_root();
            loop {
                let node = tree.node(id);
                if node.proof().is_some() {
                    tree.remove_virtual_loss(id);
                    tree.backup_proven(id);
                    break;
                }
                if !node.is_evaluated() {
                    if node.in_flight() > 1 {
                        tree.remove_virtual_loss(id);
                        return false;
                    }
                    leaf.id = id;
                    return true;
                }
                if let Selection::Child(slot) = select(tree, id, 1, &settings) {
                    path.push(tree.children(id)[slot].mv);
                    id = tree.enter_child(id, slot);
                    continue;
                }
                path.push(tree.moves(id)[tree.children(id).len()]);
                match tree.add_claimed(id) {
                    Ok(child) => id = child,
                    Err(TreeFull) => {
                        tree.remove_virtual_loss(id);
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

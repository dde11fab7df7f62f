//! A [`Puct`] search by several threads on one tree.
//!
//! All threads do the same: they descend, examine the leaf, and back up, and lock a node at a time
//! ([`Access`](crate::tree::Access)). This is for evaluators that take microseconds; batches suit
//! the others ([`Analysis::search`](crate::Analysis::search)).
//!
//! A search is a sequence of rounds. Between two of them one thread has the tree: then memory for the
//! next is allocated, and what can be read is consistent.

use std::hint;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use garuda_rules::{Color, Game, Move, MoveList, Outcome};

use crate::descent::Selection;
use crate::math::softmax_at;
use crate::puct::select;
use crate::search::MAX_SIMULATIONS_PER_CALL;
use crate::tree::{Access, NodeId, Nodes, Shared, TreeFull, UnusedBlocks};
use crate::{EvalCache, EvalError, Evaluations, Evaluator, Puct, PuctSettings, Wdl};

/// Number of leaves that a thread chooses one after the other, before it examines them. The nodes
/// near the root, which all threads change, then move less often from core to core.
const LEAVES_PER_THREAD: usize = 2;
/// In a young tree fewer leaves are pending: leaves that are chosen without the results of others
/// are bad ones.
const MIN_VISITS_PER_LEAF: u32 = 64;
/// How often a thread looks for a lock before it sleeps. It is held for a fraction of a
/// microsecond, and to sleep and be woken takes longer.
const SPINS: usize = 10_000;
/// How long a thread waits that has found no leaf.
const SPINS_WITHOUT_LEAF: usize = 100;
/// Numbers of simulations for which room is made before a round: little in a young tree, where most
/// of it might not be used, and so little in a large one that it is still in a cache when it is.
const MIN_ROOM: usize = 1 << 11;
const MAX_ROOM: usize = 1 << 15;

/// Searches with a thread per evaluator, the calling one included, until `must_pause`, or until the
/// search is over, or until the room for nodes is used up, for which the next round has more. Returns
/// the number of evaluations, or the error of an evaluator.
///
/// # Panics
/// If there is no evaluator, or if one panics.
pub(crate) fn search_round<G, E>(
    search: &mut Puct<G>,
    cache: Option<&mut EvalCache>,
    evaluators: &mut [E],
    must_pause: impl FnMut() -> bool,
) -> Result<u64, EvalError>
where
    G: Game + Send + Sync,
    E: Evaluator<G> + Send,
{
    let (first, others) = evaluators
        .split_first_mut()
        .expect("a search needs an evaluator");
    let limit = search.visit_limit();
    let wanted = (search.visits() as usize / 2).clamp(MIN_ROOM, MAX_ROOM);
    let left = limit.saturating_sub(search.visits()) as usize;
    let room = wanted.min(left + left / 8);
    if search.descent.tree.make_room(room).is_err() {
        search.full = true;
        return Ok(0);
    }
    let unused = search.descent.tree.take_unused();
    let round = Round {
        tree: &search.descent.tree,
        limit,
        settings: search.settings,
        game: search.descent.game(),
        cache: Contended(Mutex::new(cache)),
        // One thread gains nothing by choosing leaves without the results of others.
        leaves_per_thread: if others.is_empty() {
            1
        } else {
            LEAVES_PER_THREAD
        },
        ended: AtomicBool::new(false),
        evaluations: AtomicU64::new(0),
        error: Mutex::new(None),
    };
    let unused = thread::scope(|scope| {
        let spawn = |evaluator| {
            let thread = SearchThread::new(&round, evaluator, UnusedBlocks::default());
            scope.spawn(move || thread.search(|| false))
        };
        let others: Vec<_> = others.iter_mut().map(spawn).collect();
        let first = SearchThread::new(&round, first, unused).search(must_pause);
        let others = others.into_iter().map(ScopedJoinHandle::join);
        let mut all: Vec<_> = others
            .map(|unused| unused.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect();
        all.push(first);
        all
    });
    let (error, evaluations) = (round.error, round.evaluations.into_inner());
    search.descent.tree.end_sharing(unused);
    match error.into_inner() {
        Ok(Some(error)) => Err(error),
        _ => Ok(evaluations),
    }
}

/// What the threads of a round share.
struct Round<'a, G> {
    tree: &'a Nodes,
    /// Number of visits of the root at which the search ends.
    limit: u32,
    settings: PuctSettings,
    /// The position of the root.
    game: &'a G,
    cache: Contended<Mutex<Option<&'a mut EvalCache>>>,
    leaves_per_thread: usize,
    /// Whether no thread begins another simulation.
    ended: AtomicBool,
    evaluations: AtomicU64,
    error: Mutex<Option<EvalError>>,
}

/// Has cache lines of its own, so that who writes it does not slow down who reads its neighbours.
#[repr(align(128))]
struct Contended<T>(T);

/// What a descent has come to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Claim {
    /// A leaf, which has its virtual loss.
    Leaf,
    /// Nothing, before leaves of other threads are backed up.
    Wait,
    /// The end of the round.
    End,
}

/// A thread that searches, until the end of the round.
struct SearchThread<'r, 'a, G, E> {
    round: &'r Round<'a, G>,
    evaluator: &'r mut E,
    evaluations: Evaluations,
    evaluated: u64,
    game: G,
    unused: UnusedBlocks,
}

impl<'r, 'a, G: Game, E: Evaluator<G>> SearchThread<'r, 'a, G, E> {
    fn new(round: &'r Round<'a, G>, evaluator: &'r mut E, unused: UnusedBlocks) -> Self {
        SearchThread {
            round,
            evaluator,
            evaluations: Evaluations::default(),
            evaluated: 0,
            game: round.game.clone(),
            unused,
        }
    }

    fn search(mut self, mut must_pause: impl FnMut() -> bool) -> UnusedBlocks {
        // However a thread ends, by a panic too, others need not go on.
        let _guard = EndWhenDropped(&self.round.ended);
        let mut leaves: [Leaf; LEAVES_PER_THREAD] = Default::default();
        let leaves = &mut leaves[..self.round.leaves_per_thread];
        while !self.round.ended.load(Ordering::Relaxed) {
            let mut claim = Claim::Leaf;
            let mut count = 0;
            while count < leaves.len() && claim == Claim::Leaf {
                claim = self.claim(&mut leaves[count]);
                count += usize::from(claim == Claim::Leaf);
            }
            let leaves = &mut leaves[..count];
            for leaf in leaves.iter_mut() {
                self.examine(leaf);
            }
            for leaf in leaves.iter_mut() {
                self.settle(leaf);
            }
            match claim {
                Claim::End => break,
                Claim::Wait if count == 0 => {
                    (0..SPINS_WITHOUT_LEAF).for_each(|_| hint::spin_loop());
                }
                Claim::Leaf | Claim::Wait => {}
            }
            if must_pause() {
                break;
            }
        }
        (self.round.evaluations).fetch_add(self.evaluated, Ordering::Relaxed);
        self.unused
    }

    /// Descends to a leaf that nobody works on and gives it a virtual loss.
    fn claim(&mut self, leaf: &mut Leaf) -> Claim {
        let Round {
            tree,
            limit,
            settings,
            ..
        } = self.round;
        for _ in 0..MAX_SIMULATIONS_PER_CALL {
            leaf.path.clear();
            let mut id = NodeId::ROOT;
            let mut node = Shared::lock(tree.root());
            let (visits, in_flight) = (node.visits(), node.in_flight());
            if node.proof().is_some() || visits.saturating_add(in_flight) >= *limit {
                return Claim::End;
            }
            if in_flight > visits / MIN_VISITS_PER_LEAF {
                return Claim::Wait;
            }
            loop {
                node.add_virtual_loss();
                if node.proof().is_some() {
                    drop(node);
                    tree.backup_proven::<Shared>(id, 1);
                    break;
                }
                if !node.is_evaluated() {
                    let is_claimed = node.in_flight() > 1;
                    drop(node);
                    if is_claimed {
                        tree.remove_virtual_loss::<Shared>(id);
                        return Claim::Wait;
                    }
                    leaf.id = id;
                    return Claim::Leaf;
                }
                let added = match select(tree, &node, 1, settings) {
                    Selection::Child(slot) => {
                        let child = &tree.children_of(&node)[slot];
                        leaf.path.push(child.mv());
                        Ok(tree.enter_child(&node, slot))
                    }
                    _ => {
                        let edge = tree.children_of(&node).len();
                        leaf.path.push(tree.mv(id, edge));
                        // Whose turn it is there is not known yet.
                        let turn = node.turn();
                        let child = tree.add_child(&mut self.unused, id, &node, edge, turn);
                        if child.is_ok() {
                            tree.order_edges(&node);
                        }
                        child
                    }
                };
                drop(node);
                match added {
                    Ok(child) => id = child,
                    Err(TreeFull) => {
                        tree.remove_virtual_loss::<Shared>(id);
                        return Claim::End;
                    }
                }
                node = Shared::lock(tree.node(id));
            }
        }
        Claim::Wait
    }

    /// Backs up what was found at a leaf.
    fn settle(&mut self, leaf: &mut Leaf) {
        let tree = self.round.tree;
        let outcome = match leaf.finding {
            Some(Finding::GameOver(outcome)) => Some(outcome),
            _ => None,
        };
        let settled = tree.settle::<Shared>(leaf.id, leaf.turn, &leaf.legal, outcome);
        match (settled, &leaf.finding) {
            (Ok(()), &Some(Finding::Evaluated(wdl))) => {
                tree.expand_in_order::<Shared>(leaf.id, wdl, &mut leaf.priors, 1);
            }
            (Ok(()), Some(Finding::GameOver(_))) => tree.backup_proven::<Shared>(leaf.id, 1),
            (
                Ok(()),
                &Some(Finding::Win {
                    edge,
                    turn,
                    outcome,
                }),
            ) => {
                let node = Shared::lock(tree.node(leaf.id));
                let child = tree.add_child(&mut self.unused, leaf.id, &node, edge, turn);
                drop(node);
                let Ok(child) = child else {
                    tree.remove_virtual_loss::<Shared>(leaf.id);
                    return self.end_round();
                };
                // No other thread comes here before the leaf has its proof: it has its virtual loss
                // until then, which it shares with the child.
                tree.node(child).add_virtual_loss();
                tree.settle::<Shared>(child, turn, &[], Some(outcome))
                    .expect("the end of a game takes no room");
                tree.backup_proven::<Shared>(child, 1);
            }
            (Ok(()), None) => tree.remove_virtual_loss::<Shared>(leaf.id),
            (Err(TreeFull), _) => {
                tree.remove_virtual_loss::<Shared>(leaf.id);
                self.end_round();
            }
        }
    }

    fn end_round(&self) {
        self.round.ended.store(true, Ordering::Relaxed);
    }

    fn examine(&mut self, leaf: &mut Leaf) {
        leaf.finding = None;
        match self.find(leaf) {
            Ok(finding) => leaf.finding = Some(finding),
            Err(error) => {
                *lock(&self.round.error) = Some(error);
                self.end_round();
            }
        }
    }

    fn find(&mut self, leaf: &mut Leaf) -> Result<Finding, EvalError> {
        let (round, game) = (self.round, &mut self.game);
        game.return_to(round.game);
        for &mv in &leaf.path {
            game.play(mv);
        }
        leaf.turn = game.turn();
        game.legal_moves(&mut leaf.legal);
        if let Some(outcome) = game.outcome_given(&leaf.legal) {
            return Ok(Finding::GameOver(outcome));
        }
        let win = if round.settings.check_win_in_one {
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
        let temperature = round.settings.policy_temperature;
        leaf.priors.resize(moves, 0.0);
        if let Some(cache) = lock(&round.cache.0).as_mut()
            && let Some((wdl, logits)) = cache.get(key, moves)
        {
            softmax_at(temperature, logits, &mut leaf.priors);
            return Ok(Finding::Evaluated(wdl));
        }
        self.evaluator.push(game, &leaf.legal);
        self.evaluator.run(&mut self.evaluations)?;
        self.evaluations.check([moves].into_iter())?;
        self.evaluated += 1;
        let (wdl, logits) = self.evaluations.get(0);
        if let Some(cache) = lock(&round.cache.0).as_mut() {
            cache.insert(key, wdl, logits);
        }
        softmax_at(temperature, logits, &mut leaf.priors);
        Ok(Finding::Evaluated(wdl))
    }
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

struct EndWhenDropped<'a>(&'a AtomicBool);

impl Drop for EndWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A leaf of the tree with a virtual loss.
struct Leaf {
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

impl Default for Leaf {
    fn default() -> Self {
        Leaf {
            id: NodeId::ROOT,
            path: Vec::new(),
            turn: Color::White,
            legal: MoveList::new(),
            priors: Vec::new(),
            finding: None,
        }
    }
}

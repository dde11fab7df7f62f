use std::hint;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use super::Node;

/// How often a thread looks at a lock before it lets others run. A lock is held for less than a
/// microsecond, unless the thread that holds it was interrupted.
const SPINS: u32 = 1000;

/// Whether the tree belongs to one thread or is shared. The same code serves both: alone it takes
/// no locks, which it would do once per node in a descent and once in a back-up.
///
/// A thread that changes a node or the slots of its children holds its lock. It guards all of them,
/// so that a level of a descent costs one exchange of the cache line that holds both the lock and the
/// node. A back-up locks a parent before it lets its child go; a descent holds one lock at a time.
/// So nobody waits for another in a circle.
pub(crate) trait Access {
    const SHARED: bool;

    #[inline]
    fn lock(node: &Node) -> NodeGuard<'_, Self>
    where
        Self: Sized,
    {
        if Self::SHARED {
            node.lock.acquire();
        }
        NodeGuard {
            node,
            access: PhantomData,
        }
    }

    /// Adds to a counter and returns what it was before.
    #[inline]
    fn fetch_add(counter: &AtomicU32, number: u32) -> u32 {
        if Self::SHARED {
            return counter.fetch_add(number, Ordering::Relaxed);
        }
        let before = counter.load(Ordering::Relaxed);
        counter.store(before + number, Ordering::Relaxed);
        before
    }
}

/// One thread has the tree.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Exclusive;

/// Several threads have the tree.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Shared;

impl Access for Exclusive {
    const SHARED: bool = false;
}

impl Access for Shared {
    const SHARED: bool = true;
}

/// A node that no other thread changes.
pub(crate) struct NodeGuard<'a, A: Access> {
    node: &'a Node,
    access: PhantomData<A>,
}

impl<A: Access> Deref for NodeGuard<'_, A> {
    type Target = Node;

    #[inline]
    fn deref(&self) -> &Node {
        self.node
    }
}

impl<A: Access> Drop for NodeGuard<'_, A> {
    #[inline]
    fn drop(&mut self) {
        if A::SHARED {
            self.node.lock.release();
        }
    }
}

/// A lock at which threads wait awake.
#[derive(Default, Debug)]
pub(super) struct NodeLock(AtomicBool);

impl NodeLock {
    #[inline]
    fn acquire(&self) {
        while self.0.swap(true, Ordering::Acquire) {
            self.wait();
        }
    }

    #[cold]
    fn wait(&self) {
        let mut spins = 0;
        while self.0.load(Ordering::Relaxed) {
            spins += 1;
            if spins % SPINS == 0 {
                thread::yield_now();
            }
            hint::spin_loop();
        }
    }

    #[inline]
    fn release(&self) {
        self.0.store(false, Ordering::Release);
    }
}

/// The copy of a lock is free.
impl Clone for NodeLock {
    fn clone(&self) -> Self {
        NodeLock::default()
    }
}

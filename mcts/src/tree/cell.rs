use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use garuda_rules::{Color, Move};

use super::{ChildStatus, NodeId};
use crate::Proof;

/// A place for a value that several threads may read and write: a [`Cell`](std::cell::Cell) that
/// can be shared. To get and to set are plain loads and stores, as cheap as those of a variable;
/// to add is both, one after the other, so who adds needs the lock of the node (or the whole tree).
pub(super) struct SyncCell<T: Word>(T::Atomic);

/// A value that fits into an atomic.
pub(super) trait Word: Copy {
    type Atomic;

    fn into_atomic(self) -> Self::Atomic;
    fn load(atomic: &Self::Atomic) -> Self;
    fn store(self, atomic: &Self::Atomic);
}

impl<T: Word> SyncCell<T> {
    pub(super) fn new(value: T) -> SyncCell<T> {
        SyncCell(value.into_atomic())
    }

    #[inline]
    pub(super) fn get(&self) -> T {
        T::load(&self.0)
    }

    #[inline]
    pub(super) fn set(&self, value: T) {
        value.store(&self.0);
    }
}

impl SyncCell<u32> {
    #[inline]
    pub(super) fn add(&self, number: u32) {
        self.set(self.get() + number);
    }

    #[inline]
    pub(super) fn subtract(&self, number: u32) {
        self.set(self.get() - number);
    }
}

impl<T: Word> Clone for SyncCell<T> {
    fn clone(&self) -> Self {
        SyncCell::new(self.get())
    }
}

impl<T: Word + fmt::Debug> fmt::Debug for SyncCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

macro_rules! word {
    ($type:ty, $atomic:ty, $to_bits:expr, $of_bits:expr) => {
        impl Word for $type {
            type Atomic = $atomic;

            #[inline]
            fn into_atomic(self) -> $atomic {
                <$atomic>::new($to_bits(self))
            }

            #[inline]
            fn load(atomic: &$atomic) -> $type {
                $of_bits(atomic.load(Ordering::Relaxed))
            }

            #[inline]
            fn store(self, atomic: &$atomic) {
                atomic.store($to_bits(self), Ordering::Relaxed);
            }
        }
    };
}

word!(u16, AtomicU16, |value| value, |bits| bits);
word!(u32, AtomicU32, |value| value, |bits| bits);
word!(f32, AtomicU32, f32::to_bits, f32::from_bits);
word!(f64, AtomicU64, f64::to_bits, f64::from_bits);
word!(NodeId, AtomicU32, |id: NodeId| id.0, NodeId);
word!(Move, AtomicU16, Move::code, Move::from_code);
word!(Color, AtomicU8, |color| color as u8, |bits| {
    if bits == Color::White as u8 {
        Color::White
    } else {
        Color::Black
    }
});
word!(ChildStatus, AtomicU8, |status| status as u8, |bits| {
    match bits {
        0 => ChildStatus::Open,
        1 => ChildStatus::Lost,
        2 => ChildStatus::Drawn,
        _ => ChildStatus::Won,
    }
});
// The kind of proof above its distance.
word!(
    Option<Proof>,
    AtomicU32,
    |proof| match proof {
        None => 0,
        Some(Proof::Draw) => 1 << 16,
        Some(Proof::Win(distance)) => 2 << 16 | u32::from(distance),
        Some(Proof::Loss(distance)) => 3 << 16 | u32::from(distance),
    },
    |bits: u32| match bits >> 16 {
        0 => None,
        1 => Some(Proof::Draw),
        2 => Some(Proof::Win(bits as u16)),
        _ => Some(Proof::Loss(bits as u16)),
    }
);

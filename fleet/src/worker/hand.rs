use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The numbers that a worker has leased and whose games the broker does not have.
#[derive(Debug, Default)]
pub(super) struct Hand(Mutex<BTreeSet<u64>>);

impl Hand {
    fn numbers(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, numbers: &[u64]) {
        self.numbers().extend(numbers);
    }

    pub(super) fn remove(&self, numbers: &[u64]) {
        let mut held = self.numbers();
        for number in numbers {
            held.remove(number);
        }
    }

    pub(super) fn clear(&self) {
        self.numbers().clear();
    }

    pub(super) fn list(&self) -> Vec<u64> {
        self.numbers().iter().copied().collect()
    }
}

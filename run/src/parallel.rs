use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// What `map` makes of each item, in the order of the items, computed on all threads.
///
/// For work of milliseconds an item. rayon's own `map` and `collect` are some two hundred functions
/// that are compiled again for every game and every caller, which was a quarter of all that
/// was compiled for the command line; here the threads see one kind of closure.
pub fn map_parallel<S: Sync, T: Send>(items: &[S], map: impl Fn(&S) -> T + Sync) -> Vec<T> {
    let slots: Vec<Mutex<Option<T>>> = items.iter().map(|_| Mutex::new(None)).collect();
    for_each_index(items.len(), &|index| {
        let made = map(&items[index]);
        *slots[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
    });
    (slots.into_iter())
        .map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner))
        .map(|made| made.expect("every index was visited"))
        .collect()
}

fn for_each_index(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).collect();
        let squares: Vec<u64> = items.iter().map(|n| n * n).collect();
        assert_eq!(map_parallel(&items, |n| n * n), squares);
        assert!(map_parallel(&[], |n: &u64| *n).is_empty());
    }
}

use std::collections::TryReserveError;

use crate::Wdl;

/// A cache of evaluations by [`state_key`](garuda_rules::Game::state_key), of fixed size: new
/// entries replace old ones.
///
/// A hit gives an evaluation, never the outcome of a finished game.
#[derive(Clone, Debug)]
pub struct EvalCache {
    /// Direct-mapped: the slot of a key is given by its low bits.
    entries: Vec<CacheEntry>,
    /// Ring buffer with the logits of all entries. It grows to `ring_size` within the memory
    /// reserved at the start, so that untouched memory stays unused.
    logits: Vec<f32>,
    ring_size: usize,
    /// Where the next logits are written, counted without wrapping.
    end: u64,
    hits: u64,
    misses: u64,
}

#[derive(Copy, Clone, Debug)]
struct CacheEntry {
    key: u64,
    wdl: Wdl,
    /// Where the logits start, counted without wrapping.
    start: u64,
    /// Number of logits; 0 for an empty entry.
    moves: u32,
}

/// Expected number of legal moves per position; a wrong guess only wastes memory.
const AVERAGE_MOVES: usize = 40;

impl EvalCache {
    /// A cache for about this number of evaluations, at least one.
    ///
    /// # Panics
    /// If the memory cannot be allocated.
    pub fn new(evaluations: usize) -> EvalCache {
        EvalCache::try_new(evaluations).expect("memory for the cache is available")
    }

    /// Like [`new`](EvalCache::new), but returns an error if the memory cannot be allocated.
    pub fn try_new(evaluations: usize) -> Result<EvalCache, TryReserveError> {
        let slots = evaluations.max(1).next_power_of_two();
        let empty = CacheEntry {
            key: 0,
            wdl: Wdl {
                win: 0.0,
                draw: 0.0,
                loss: 0.0,
            },
            start: 0,
            moves: 0,
        };
        let ring_size = (slots * AVERAGE_MOVES).max(512);
        let mut logits = Vec::new();
        logits.try_reserve_exact(ring_size)?;
        let mut entries = Vec::new();
        entries.try_reserve_exact(slots)?;
        entries.resize(slots, empty);
        Ok(EvalCache {
            entries,
            logits,
            ring_size,
            end: 0,
            hits: 0,
            misses: 0,
        })
    }

    /// The evaluation of a position with this number of legal moves.
    pub fn get(&mut self, key: u64, moves: usize) -> Option<(Wdl, &[f32])> {
        let entry = self.entries[self.slot(key)];
        let size = self.ring_size as u64;
        let overwritten = entry.start + size < self.end;
        if entry.moves == 0 || entry.key != key || entry.moves as usize != moves || overwritten {
            self.misses += 1;
            return None;
        }
        self.hits += 1;
        let start = (entry.start % size) as usize;
        Some((entry.wdl, &self.logits[start..start + moves]))
    }

    /// Keeps an evaluation, in place of an older one.
    pub fn insert(&mut self, key: u64, wdl: Wdl, logits: &[f32]) {
        let size = self.ring_size as u64;
        let room = (size - self.end % size) as usize;
        if room < logits.len() {
            // The logits of an entry are contiguous.
            self.end += room as u64;
        }
        let start = (self.end % size) as usize;
        let end = start + logits.len();
        if self.logits.len() < end {
            self.logits.resize(end, 0.0);
        }
        self.logits[start..end].copy_from_slice(logits);
        let slot = self.slot(key);
        self.entries[slot] = CacheEntry {
            key,
            wdl,
            start: self.end,
            moves: logits.len() as u32,
        };
        self.end += logits.len() as u64;
    }

    /// Removes all entries, as required when the evaluator changes.
    pub fn clear(&mut self) {
        for entry in &mut self.entries {
            entry.moves = 0;
        }
    }

    /// Numbers of hits and misses of [`get`](EvalCache::get).
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits, self.misses)
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn too_large_a_cache_is_an_error() {
        assert!(EvalCache::try_new(1 << 50).is_err());
    }

    #[test]
    fn hits_return_what_was_inserted() {
        let mut cache = EvalCache::new(16);
        let mut inserted = HashMap::new();
        let mut number = 1_u64;
        for _ in 0..20_000 {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            let key = number >> 58;
            let moves = (number >> 20) as usize % 500 + 1;
            let wdl = Wdl {
                win: 0.0,
                draw: 0.0,
                loss: 1.0,
            };
            let logits: Vec<f32> = (0..moves)
                .map(|i| (number % 977 + i as u64) as f32)
                .collect();
            if let Some(expected) = inserted.get(&key)
                && let Some((_, found)) = cache.get(key, Vec::len(expected))
            {
                assert_eq!(expected, found);
            }
            assert!(cache.get(key, 501).is_none());
            cache.insert(key, wdl, &logits);
            assert_eq!(cache.get(key, moves), Some((wdl, &logits[..])));
            inserted.insert(key, logits);
        }
        let (hits, _) = cache.hits_and_misses();
        assert!(hits > 20_100);
        cache.clear();
        assert!(
            inserted
                .iter()
                .all(|(&key, logits)| cache.get(key, logits.len()).is_none())
        );
    }
}

use crate::Wdl;

/// Evaluations kept by [`state_key`](garuda_rules::Game::state_key). It has a fixed size and
/// forgets the oldest.
///
/// A hit says how good a position is, never that its game is over.
#[derive(Clone, Debug)]
pub struct Cache {
    /// A key has one place: its low bits.
    entries: Vec<Entry>,
    /// A ring: the logits of all entries one behind the other.
    logits: Vec<f32>,
    /// Where the next logits go, counted without wrapping.
    end: u64,
    hits: u64,
    misses: u64,
}

#[derive(Copy, Clone, Debug)]
struct Entry {
    key: u64,
    wdl: Wdl,
    /// Where its logits start, counted without wrapping.
    start: u64,
    /// 0 for an entry that holds nothing.
    moves: u32,
}

/// What a position has in moves on average; a wrong guess only wastes memory.
const USUAL_MOVES: usize = 40;

impl Cache {
    /// A cache for about so many evaluations, and one at least.
    pub fn new(evaluations: usize) -> Cache {
        let places = evaluations.max(1).next_power_of_two();
        let empty = Entry {
            key: 0,
            wdl: Wdl {
                win: 0.0,
                draw: 0.0,
                loss: 0.0,
            },
            start: 0,
            moves: 0,
        };
        Cache {
            entries: vec![empty; places],
            logits: vec![0.0; (places * USUAL_MOVES).max(512)],
            end: 0,
            hits: 0,
            misses: 0,
        }
    }

    /// The evaluation of a position with so many moves.
    pub fn get(&mut self, key: u64, moves: usize) -> Option<(Wdl, &[f32])> {
        let entry = self.entries[self.place(key)];
        let size = self.logits.len() as u64;
        let whole = entry.start + size >= self.end;
        if entry.moves == 0 || entry.key != key || entry.moves as usize != moves || !whole {
            self.misses += 1;
            return None;
        }
        self.hits += 1;
        let start = (entry.start % size) as usize;
        Some((entry.wdl, &self.logits[start..start + moves]))
    }

    pub fn insert(&mut self, key: u64, wdl: Wdl, logits: &[f32]) {
        let size = self.logits.len() as u64;
        let room = (size - self.end % size) as usize;
        if room < logits.len() {
            // No entry runs over the end of the ring.
            self.end += room as u64;
        }
        let start = (self.end % size) as usize;
        self.logits[start..start + logits.len()].copy_from_slice(logits);
        let place = self.place(key);
        self.entries[place] = Entry {
            key,
            wdl,
            start: self.end,
            moves: logits.len() as u32,
        };
        self.end += logits.len() as u64;
    }

    /// Forgets everything, as it must when the evaluator changes.
    pub fn clear(&mut self) {
        for entry in &mut self.entries {
            entry.moves = 0;
        }
    }

    /// How often [`get`](Cache::get) found something, and how often not.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits, self.misses)
    }

    fn place(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn what_is_found_was_put_there() {
        let mut cache = Cache::new(16);
        let mut truth = HashMap::new();
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
            if let Some(known) = truth.get(&key)
                && let Some((_, found)) = cache.get(key, Vec::len(known))
            {
                assert_eq!(known, found);
            }
            assert!(cache.get(key, 501).is_none());
            cache.insert(key, wdl, &logits);
            assert_eq!(cache.get(key, moves), Some((wdl, &logits[..])));
            truth.insert(key, logits);
        }
        let (hits, _) = cache.hits_and_misses();
        assert!(hits > 20_100);
        cache.clear();
        assert!(
            truth
                .iter()
                .all(|(&key, logits)| cache.get(key, logits.len()).is_none())
        );
    }
}

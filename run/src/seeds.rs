//! Where all randomness of a run comes from: names and numbers, never threads or clocks.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A seed for one purpose: equal arguments give equal seeds, others have nothing in common.
pub fn derive(seed: u64, purpose: &str, numbers: &[u64]) -> u64 {
    let mut hasher = blake3::Hasher::new_derive_key("garuda seed");
    hasher.update(&seed.to_le_bytes());
    hasher.update(&(purpose.len() as u64).to_le_bytes());
    hasher.update(purpose.as_bytes());
    for number in numbers {
        hasher.update(&number.to_le_bytes());
    }
    let hash = hasher.finalize();
    let bytes = hash.as_bytes()[..8].try_into().expect("a hash is longer");
    u64::from_le_bytes(bytes)
}

/// A generator whose numbers follow from the seed on every machine.
pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

//! Speed and memory of the search, and a signature that changes when its behaviour does.

use std::time::{Duration, Instant};

use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Game, GameState, Position};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::evaluators::{Material, Uniform};
use crate::{EvalError, Evaluator, Gumbel, GumbelSettings, Puct, PuctSettings, Search, Shard};

/// The cost of many searches on one core.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct SearchSpeed {
    /// Simulations of all games together.
    pub simulations_per_second: f64,
    /// Size of the largest tree among the games.
    pub bytes_per_tree: usize,
    /// Memory of one game in a shard, without the list of its past moves.
    pub bytes_per_game: usize,
}

/// Memory limit of a tree; it allocates only what it needs.
const TREE_BYTES: usize = 16 << 20;

/// Measures self-play of `games` parallel games with the uniform evaluator, which costs next to
/// nothing, for about `time`. A finished game is replaced by a new one.
pub fn speed<P: Position>(
    games: usize,
    simulations: u32,
    time: Duration,
) -> Result<SearchSpeed, EvalError> {
    let settings = GumbelSettings {
        simulations,
        ..GumbelSettings::default()
    };
    let start = GameState::<P>::start();
    let mut rngs: Vec<ChaCha8Rng> = (0..games as u64).map(ChaCha8Rng::seed_from_u64).collect();
    let searches = rngs.iter_mut().map(|rng| {
        let mut search = Gumbel::new(start.clone(), TREE_BYTES);
        search.begin(settings, rng);
        search
    });
    let mut shard = Shard::new(searches.collect(), None);
    let mut evaluator = Uniform::default();
    let mut finished_simulations = 0;
    let started = Instant::now();
    while started.elapsed() < time {
        for _ in 0..simulations {
            for (search, rng) in shard.searches_mut().iter_mut().zip(&mut rngs) {
                if !search.is_over() {
                    continue;
                }
                finished_simulations += u64::from(search.simulations());
                search.play(search.moves()[search.best()], false);
                if search.proof().is_some() {
                    search.reset(&start);
                }
                search.begin(settings, rng);
            }
            shard.step(&mut evaluator)?;
        }
    }
    let bytes = |search: &Gumbel<GameState<P>>| search.bytes();
    let bytes_per_tree = shard.searches().iter().map(bytes).max().unwrap_or(0);
    Ok(SearchSpeed {
        simulations_per_second: finished_simulations as f64 / started.elapsed().as_secs_f64(),
        bytes_per_tree,
        bytes_per_game: bytes_per_tree + size_of::<Gumbel<GameState<P>>>(),
    })
}

/// Identifies the behaviour of search, rules and the material evaluator together: a hash of the
/// trees of fixed searches in all games.
pub fn signature() -> Result<u64, EvalError> {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    add_trees::<MakrukPosition>(&mut hash)?;
    add_trees::<SittuyinPosition<false>>(&mut hash)?;
    add_trees::<SittuyinPosition<true>>(&mut hash)?;
    add_trees::<ToriPosition>(&mut hash)?;
    add_trees::<EternalPosition>(&mut hash)?;
    Ok(hash.0)
}

/// Adds the trees of both searches for the first moves of a game.
fn add_trees<P: Position>(hash: &mut Fnv) -> Result<(), EvalError> {
    let mut evaluator = Material::<P>::default();
    let mut rng = ChaCha8Rng::seed_from_u64(64);
    let start = GameState::<P>::start();
    let mut gumbel = Shard::new(vec![Gumbel::new(start.clone(), TREE_BYTES)], None);
    let mut puct = Shard::new(
        vec![Puct::new(start, TREE_BYTES, PuctSettings::default())],
        None,
    );
    for _ in 0..12 {
        let search = &mut gumbel.searches_mut()[0];
        search.begin(GumbelSettings::default(), &mut rng);
        finish(&mut gumbel, &mut evaluator)?;
        let search = &mut gumbel.searches_mut()[0];
        hash.add(&search.dump());
        let mv = search.moves()[search.best()];
        search.play(mv, true);
        puct.searches_mut()[0].begin(200);
        finish(&mut puct, &mut evaluator)?;
        let search = &mut puct.searches_mut()[0];
        hash.add(&search.dump());
        search.play(mv, true);
        if search.proof().is_some() {
            break;
        }
    }
    Ok(())
}

fn finish<G: Game, S: Search<G>>(
    shard: &mut Shard<G, S>,
    evaluator: &mut impl Evaluator<G>,
) -> Result<(), EvalError> {
    while !shard.searches().iter().all(S::is_over) {
        shard.step(evaluator)?;
    }
    Ok(())
}

/// The FNV-1a hash, which does not depend on the version of the standard library.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, text: &impl ToString) {
        for byte in text.to_string().bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signature of the present behaviour. A commit that changes it says why and ends with
    /// the line `Bench: <hex>`, the new value.
    const SIGNATURE: u64 = 0x3df5_d6ba_3c83_375c;

    #[test]
    fn signature_is_pinned() {
        let found = signature().unwrap();
        assert_eq!(
            found, SIGNATURE,
            "the search plays differently: the signature is {found:016x}, not {SIGNATURE:016x}"
        );
    }

    #[test]
    fn signature_is_reproducible() {
        assert_eq!(signature().unwrap(), signature().unwrap());
    }

    #[test]
    fn speed_and_memory_are_measured() {
        let speed = speed::<ToriPosition>(4, 16, Duration::from_millis(20)).unwrap();
        assert!(speed.simulations_per_second > 1000.0);
        assert!(speed.bytes_per_tree > 1000 && speed.bytes_per_game > speed.bytes_per_tree);
    }
}

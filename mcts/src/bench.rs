//! How fast the search is, how much memory it takes, and a number that changes when its
//! behaviour does.

use std::time::{Duration, Instant};

use garuda_rules::{Played, Position};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::evaluators::Uniform;
use crate::{EvalError, Gumbel, GumbelSettings, Search, Shard};

/// What a run of many searches on one core cost.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Speed {
    pub simulations_per_second: f64,
    /// The largest tree among the games.
    pub bytes_per_tree: usize,
    /// All that a game in a shard takes: its tree and its copies of the game.
    pub bytes_per_game: usize,
}

/// How many bytes a tree may take here; it takes what it needs.
const MEMORY: usize = 16 << 20;

/// Plays `games` games at a time against themselves, with an evaluator that costs nothing, for
/// about the given time, and starts new ones where they end.
pub fn speed<P: Position>(
    games: usize,
    simulations: u32,
    time: Duration,
) -> Result<Speed, EvalError> {
    let settings = GumbelSettings {
        simulations,
        ..GumbelSettings::default()
    };
    let start = Played::<P>::start();
    let mut streams: Vec<ChaCha8Rng> = (0..games as u64).map(ChaCha8Rng::seed_from_u64).collect();
    let searches = streams.iter_mut().map(|stream| {
        let mut search = Gumbel::new(start.clone(), MEMORY);
        search.begin(settings, stream);
        search
    });
    let mut shard = Shard::new(searches.collect(), None);
    let mut evaluator = Uniform::default();
    let mut done = 0;
    let begun = Instant::now();
    while begun.elapsed() < time {
        for _ in 0..simulations {
            for (search, stream) in shard.searches_mut().iter_mut().zip(&mut streams) {
                if !search.is_over() {
                    continue;
                }
                done += u64::from(search.simulations());
                search.play(search.moves()[search.best()], false);
                if search.proof().is_some() {
                    search.reset(&start);
                }
                search.begin(settings, stream);
            }
            shard.step(&mut evaluator)?;
        }
    }
    let bytes = |search: &Gumbel<Played<P>>| search.bytes();
    let bytes_per_tree = shard.searches().iter().map(bytes).max().unwrap_or(0);
    Ok(Speed {
        simulations_per_second: done as f64 / begun.elapsed().as_secs_f64(),
        bytes_per_tree,
        bytes_per_game: bytes_per_tree + size_of::<Gumbel<Played<P>>>(),
    })
}

//! Speed and memory of the search, and a signature that changes when its behaviour does.

use std::time::{Duration, Instant};

use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Game, GameState, Move, Position};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::evaluators::{Material, Uniform};
use crate::{
    EvalCache, EvalError, Evaluations, Evaluator, Gumbel, GumbelSettings, Puct, PuctSettings,
    Search, Shard,
};

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
    let mut games = SelfplayGames::<P>::new(games, simulations, None);
    let mut evaluator = Uniform::default();
    let started = Instant::now();
    while started.elapsed() < time {
        games.play(&mut evaluator, simulations)?;
    }
    let elapsed = started.elapsed();
    let shard = &games.shard;
    let bytes = |search: &Gumbel<GameState<P>>| search.bytes();
    let bytes_per_tree = shard.searches().iter().map(bytes).max().unwrap_or(0);
    Ok(SearchSpeed {
        simulations_per_second: games.simulations as f64 / elapsed.as_secs_f64(),
        bytes_per_tree,
        bytes_per_game: bytes_per_tree + size_of::<Gumbel<GameState<P>>>(),
    })
}

/// Measures the search of self-play by itself, in the trees that `evaluator` leads to: its evaluations
/// are recorded, and the same moves are searched again with these at hand. Takes about `time`, and
/// returns simulations per second.
pub fn replayed_speed<P: Position, E: Evaluator<GameState<P>>>(
    evaluator: &mut E,
    games: usize,
    simulations: u32,
    time: Duration,
) -> Result<f64, EvalError> {
    /// Evaluations that a shard of self-play keeps.
    const CACHED: usize = 1 << 15;
    /// Positions recorded at a time: 3 MB or so.
    const RECORDED: usize = 16_384;
    let batches = (RECORDED / games) as u32;
    let mut games = SelfplayGames::<P>::new(games, simulations, Some(EvalCache::new(CACHED)));
    let mut searching = Duration::ZERO;
    let started = Instant::now();
    while searching.is_zero() || started.elapsed() < time {
        let mut again = games.clone();
        let mut recorder = Recorder {
            evaluator: &mut *evaluator,
            recording: Recording::default(),
        };
        games.play(&mut recorder, batches)?;
        let mut recording = recorder.recording;
        let started = Instant::now();
        again.play(&mut recording, batches)?;
        searching += started.elapsed();
        assert_eq!(
            (again.simulations, recording.next),
            (games.simulations, recording.evaluations.len()),
            "the trees differ"
        );
    }
    Ok(games.simulations as f64 / searching.as_secs_f64())
}

/// Games that play on for ever, a search of each with a budget.
#[derive(Clone)]
struct SelfplayGames<P: Position> {
    shard: Shard<GameState<P>, Gumbel<GameState<P>>>,
    rngs: Vec<ChaCha8Rng>,
    settings: GumbelSettings,
    /// Simulations of finished searches.
    simulations: u64,
}

impl<P: Position> SelfplayGames<P> {
    fn new(games: usize, simulations: u32, cache: Option<EvalCache>) -> SelfplayGames<P> {
        let settings = GumbelSettings {
            simulations,
            check_win_in_one: cache.is_some(),
            ..GumbelSettings::default()
        };
        let mut rngs: Vec<ChaCha8Rng> = (0..games as u64).map(ChaCha8Rng::seed_from_u64).collect();
        let searches = rngs.iter_mut().map(|rng| {
            let mut search = Gumbel::new(GameState::start(), TREE_BYTES);
            search.begin(settings, rng);
            search
        });
        SelfplayGames {
            shard: Shard::new(searches.collect(), cache),
            rngs,
            settings,
            simulations: 0,
        }
    }

    /// Evaluates this number of batches. A finished game is replaced by a new one.
    fn play(
        &mut self,
        evaluator: &mut impl Evaluator<GameState<P>>,
        batches: u32,
    ) -> Result<(), EvalError> {
        for _ in 0..batches {
            for (search, rng) in self.shard.searches_mut().iter_mut().zip(&mut self.rngs) {
                if !search.is_over() {
                    continue;
                }
                self.simulations += u64::from(search.simulations());
                search.play(search.moves()[search.best()], false);
                if search.proof().is_some() {
                    search.reset(&GameState::start());
                }
                search.begin(self.settings, rng);
            }
            self.shard.step(evaluator)?;
        }
        Ok(())
    }
}

/// Evaluations in the order in which they were asked for.
#[derive(Default)]
struct Recording {
    evaluations: Evaluations,
    /// The first one that is not used yet.
    next: usize,
    /// Number of positions in the batch.
    pending: usize,
}

impl<G: Game> Evaluator<G> for Recording {
    fn capacity(&self) -> usize {
        usize::MAX
    }

    fn push(&mut self, _game: &G, _legal: &[Move]) {
        self.pending += 1;
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        evaluations.clear();
        for _ in 0..std::mem::take(&mut self.pending) {
            let (wdl, logits) = self.evaluations.get(self.next);
            evaluations.push(wdl, logits.iter().copied())?;
            self.next += 1;
        }
        Ok(())
    }
}

/// Records the evaluations of an evaluator.
struct Recorder<'a, E> {
    evaluator: &'a mut E,
    recording: Recording,
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Recorder<'_, E> {
    fn capacity(&self) -> usize {
        self.evaluator.capacity()
    }

    fn push(&mut self, game: &G, legal: &[Move]) {
        self.evaluator.push(game, legal);
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        self.evaluator.run(evaluations)?;
        for i in 0..evaluations.len() {
            let (wdl, logits) = evaluations.get(i);
            (self.recording.evaluations).push(wdl, logits.iter().copied())?;
        }
        Ok(())
    }
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
    fn a_recorded_search_is_repeated() {
        let mut evaluator = Material::<MakrukPosition>::default();
        let time = Duration::from_millis(20);
        let speed = replayed_speed::<MakrukPosition, _>(&mut evaluator, 4, 16, time).unwrap();
        assert!(speed > 1000.0);
    }

    #[test]
    fn speed_and_memory_are_measured() {
        let speed = speed::<ToriPosition>(4, 16, Duration::from_millis(20)).unwrap();
        assert!(speed.simulations_per_second > 1000.0);
        assert!(speed.bytes_per_tree > 1000 && speed.bytes_per_game > speed.bytes_per_tree);
    }
}

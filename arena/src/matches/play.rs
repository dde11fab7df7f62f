use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{anyhow, bail};
use garuda_rules::Position;
use garuda_run::{Tally, seeds};

use super::game::play_game;
use super::{MatchGame, openings};
use crate::players::{Forfeit, GameLine, Player};

/// How a match is played.
#[derive(Clone, Debug)]
pub struct MatchSettings<P> {
    /// Number of games; even, as they are played in pairs.
    pub games: usize,
    pub opening_plies: u32,
    pub start: P,
    /// Probability that a pair starts from a varied start instead.
    pub varied_start_prob: f64,
    pub seed: u64,
    pub threads: usize,
    /// Pairs, by number, that were played before and are left out.
    pub finished: BTreeSet<usize>,
}

/// The result of a match from the first player's side. Games that repeat another one move by move
/// count once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatchOutcome {
    pub tally: Tally,
    pub games: u64,
    pub distinct_games: u64,
    /// Number of distinct games by termination.
    pub ends: BTreeMap<String, u64>,
    /// Games that a player forfeited, in order.
    pub forfeits: Vec<ForfeitedGame>,
}

/// A game that was lost by a fault of the player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForfeitedGame {
    /// Counted from 1.
    pub game: usize,
    /// 0 for the first player, 1 for the second.
    pub loser: usize,
    pub forfeit: Forfeit,
}

/// Makes a player for one thread.
type OpenPlayer<'a, P> = &'a (dyn Fn() -> anyhow::Result<Box<dyn Player<P>>> + Sync);

/// Receives the score so far and each finished pair.
type OnPair<'a, P> = &'a (dyn Fn(&Tally, &[MatchGame<P>; 2]) -> anyhow::Result<()> + Sync);

/// Plays a match on several threads, each with players of its own. Ends early, with the pairs
/// finished by then, when `stop` is set.
pub fn play_match<P: Position>(
    first: OpenPlayer<'_, P>,
    second: OpenPlayer<'_, P>,
    settings: &MatchSettings<P>,
    stop: &AtomicBool,
    on_pair: OnPair<'_, P>,
) -> anyhow::Result<MatchOutcome> {
    let pairs = settings.games / 2;
    let openings = openings(settings);
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let so_far = Mutex::new(Tally::default());
    let work = || -> anyhow::Result<Vec<(usize, [MatchGame<P>; 2])>> {
        let mut players = [first()?, second()?];
        let mut done = Vec::new();
        while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(opening) = openings.get(number) else {
                break;
            };
            if settings.finished.contains(&number) {
                continue;
            }
            let pair = play_pair(&mut players, opening, settings.seed, number)?;
            let mut tally = so_far
                .lock()
                .map_err(|_| anyhow!("another thread panicked"))?;
            tally.add_pair(results(&pair));
            on_pair(&tally, &pair)?;
            done.push((number, pair));
        }
        Ok(done)
    };
    let mut done = std::thread::scope(|scope| -> anyhow::Result<_> {
        let workers: Vec<_> = (0..settings.threads.clamp(1, pairs.max(1)))
            .map(|_| {
                scope.spawn(|| {
                    let result = work();
                    if result.is_err() {
                        failed.store(true, Ordering::Relaxed);
                    }
                    result
                })
            })
            .collect();
        let mut done = Vec::new();
        for worker in workers {
            match worker.join() {
                Ok(result) => done.extend(result?),
                Err(_) => bail!("a player panicked"),
            }
        }
        Ok(done)
    })?;
    done.sort_by_key(|(number, _)| *number);
    Ok(summary(done.iter().map(|(_, pair)| pair)))
}

/// Results of a pair for the first player, who is White in the first game.
fn results<P: Position>(pair: &[MatchGame<P>; 2]) -> [i8; 2] {
    [pair[0].result(), pair[1].result()]
}

fn summary<'a, P: Position>(pairs: impl Iterator<Item = &'a [MatchGame<P>; 2]>) -> MatchOutcome {
    let mut outcome = MatchOutcome::default();
    let mut seen = HashSet::new();
    for pair in pairs {
        outcome.games += 2;
        let mut fresh = false;
        for game in pair {
            if let Some((loser, forfeit)) = game.forfeit() {
                outcome.forfeits.push(ForfeitedGame {
                    game: game.number,
                    loser,
                    forfeit: forfeit.clone(),
                });
            }
            let codes: Vec<_> = game.line.moves().iter().map(|mv| mv.code()).collect();
            if seen.insert((game.white, game.line.start().key(), codes)) {
                fresh = true;
                outcome.distinct_games += 1;
                *(outcome.ends)
                    .entry(game.end.termination().to_owned())
                    .or_default() += 1;
            }
        }
        if fresh {
            outcome.tally.add_pair(results(pair));
        }
    }
    outcome
}

fn play_pair<P: Position>(
    players: &mut [Box<dyn Player<P>>; 2],
    opening: &GameLine<P>,
    seed: u64,
    number: usize,
) -> anyhow::Result<[MatchGame<P>; 2]> {
    let mut game = |white: usize| {
        for (i, player) in players.iter_mut().enumerate() {
            let numbers = [number as u64, white as u64, i as u64];
            player.new_game(seeds::derive(seed, "match", &numbers));
        }
        play_game(players, white, opening, 2 * number + white + 1)
    };
    Ok([game(0)?, game(1)?])
}

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Context, anyhow, bail};
use garuda_rules::{Color, Game, Move, MoveList, Outcome, Played, Position};

use super::openings;
use crate::players::Player;
use crate::ratings::Tally;
use crate::seeds;

/// The terms of a match.
#[derive(Clone, Debug)]
pub struct MatchSettings<P> {
    /// Even, for they are played in pairs.
    pub games: usize,
    pub opening_plies: u32,
    pub start: P,
    pub seed: u64,
    pub threads: usize,
}

/// How a match went, from the first player's side. Games that repeat another one move by move
/// count once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatchOutcome {
    pub tally: Tally,
    pub games: u64,
    pub distinct_games: u64,
    /// Distinct games by the reason of their end.
    pub ends: BTreeMap<String, u64>,
}

/// A finished game of a match.
struct Finished {
    /// The key of the opening.
    opening: u64,
    moves: Vec<Move>,
    outcome: Outcome,
}

type Opener<'a, P> = &'a (dyn Fn() -> anyhow::Result<Box<dyn Player<P>>> + Sync);

/// Plays a match on several threads, each with players of its own. Ends early, with the pairs
/// finished by then, when `stop` is set. `watch` is told of each finished pair.
pub fn play_match<P: Position>(
    first: Opener<'_, P>,
    second: Opener<'_, P>,
    settings: &MatchSettings<P>,
    stop: &AtomicBool,
    watch: &(dyn Fn(&Tally) + Sync),
) -> anyhow::Result<MatchOutcome> {
    let pairs = settings.games / 2;
    let openings = openings(
        &settings.start,
        pairs,
        settings.opening_plies,
        settings.seed,
    );
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let so_far = Mutex::new(Tally::default());
    let work = || -> anyhow::Result<Vec<(usize, [Finished; 2])>> {
        let mut players = [first()?, second()?];
        let mut done = Vec::new();
        while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(opening) = openings.get(number) else {
                break;
            };
            let pair = play_pair(&mut players, opening, settings.seed, number)?;
            let mut tally = so_far
                .lock()
                .map_err(|_| anyhow!("another thread panicked"))?;
            tally.add_pair(results(&pair));
            watch(&tally);
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
fn results(pair: &[Finished; 2]) -> [i8; 2] {
    let result = |game: &Finished, color| match game.outcome.winner {
        None => 0,
        Some(winner) if winner == color => 1,
        Some(_) => -1,
    };
    [
        result(&pair[0], Color::White),
        result(&pair[1], Color::Black),
    ]
}

fn summary<'a>(pairs: impl Iterator<Item = &'a [Finished; 2]>) -> MatchOutcome {
    let mut outcome = MatchOutcome::default();
    let mut seen = HashSet::new();
    for pair in pairs {
        outcome.games += 2;
        let mut fresh = false;
        for (i, game) in pair.iter().enumerate() {
            let codes: Vec<_> = game.moves.iter().map(|mv| mv.code()).collect();
            if seen.insert((i, game.opening, codes)) {
                fresh = true;
                outcome.distinct_games += 1;
                *(outcome.ends)
                    .entry(game.outcome.reason.name().to_owned())
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
    opening: &Played<P>,
    seed: u64,
    number: usize,
) -> anyhow::Result<[Finished; 2]> {
    let mut game = |white: usize| {
        for (i, player) in players.iter_mut().enumerate() {
            let numbers = [number as u64, white as u64, i as u64];
            player.begin(seeds::derive(seed, "match", &numbers));
        }
        play_game(players, white, opening)
            .with_context(|| format!("game {} of the match", 2 * number + white + 1))
    };
    Ok([game(0)?, game(1)?])
}

fn play_game<P: Position>(
    players: &mut [Box<dyn Player<P>>; 2],
    white: usize,
    opening: &Played<P>,
) -> anyhow::Result<Finished> {
    let mut game = opening.clone();
    let mut moves = Vec::new();
    let mut legal = MoveList::new();
    loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome_given(&legal) {
            return Ok(Finished {
                opening: opening.state_key(),
                moves,
                outcome,
            });
        }
        let player = match game.turn() {
            Color::White => white,
            Color::Black => 1 - white,
        };
        let mv = players[player].choose(&game)?;
        if !legal.contains(&mv) {
            bail!(
                "a player chose {mv:?}, which is not legal in {}",
                game.position()
            );
        }
        moves.push(mv);
        game.play(mv);
    }
}

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use garuda_mcts::Evaluator;
use garuda_rules::{Color, GameState, Position};
use garuda_run::records::GameRecord;
use garuda_run::{Log, Stop, counted};
use garuda_study::experiment::{Elimination, EliminationSettings, Verdict};

use super::{Arm, ExperimentDir, StoredResult};
use crate::generate::{ArmStart, Counters, Plan, PlanSpec, generate};

/// Games per record file, and the longest time until finished games are written.
const GAMES_PER_FILE: usize = 64;
const WRITE_EVERY: Duration = Duration::from_secs(5);

/// Where and how long games are played.
#[derive(Debug)]
pub struct PlayOptions<'a> {
    /// Threads, each with an evaluator of its own. The games do not depend on their number.
    pub shards: usize,
    pub stop: &'a Stop,
    pub log: &'a Log,
}

/// What the games of some arms show.
#[derive(Debug)]
pub struct PlayedArms {
    pub elimination: Elimination,
    /// Number of games of each arm that differ from all others of the arm.
    pub distinct: Vec<u64>,
    /// Whether no more games are needed or allowed.
    pub complete: bool,
}

/// Plays arms against each other in rounds until the elimination needs no more games, or until
/// `stop` is due. Games that the directory has are not played again.
///
/// Only complete rounds count: of the games of an interrupted one the short ones are finished first,
/// and they are not like the others.
pub fn play_arms<P: Position, E: Evaluator<GameState<P>>>(
    dir: &mut ExperimentDir<P>,
    arms: &[Arm<P>],
    settings: EliminationSettings,
    open: &(dyn Fn(usize) -> anyhow::Result<E> + Sync),
    options: &PlayOptions<'_>,
) -> anyhow::Result<PlayedArms> {
    ensure!(
        settings.games <= ArmStart::<P>::MAX_GAMES,
        "an arm can have {} games at most, not {}",
        ArmStart::<P>::MAX_GAMES,
        settings.games
    );
    // The games of an arm have consecutive numbers.
    let first: Vec<_> = arms.iter().map(|arm| arm.start.game_number(0)).collect();
    let different: HashSet<_> = first.iter().collect();
    ensure!(
        different.len() == arms.len(),
        "two arms have the same games"
    );
    let terms = dir.terms();
    let spec = PlanSpec::new(terms.config()?, terms.checkpoint, &[], 0);
    let plan = Plan::of_arms(spec, arms.iter().map(|arm| arm.start.clone()));
    let mut elimination = Elimination::new(arms.len(), settings);
    let mut played = vec![0; arms.len()];
    let mut complete = false;
    for number in 1.. {
        let round = elimination.next_round();
        if round.is_empty() {
            complete = true;
            break;
        }
        let missing: Vec<_> = (round.iter())
            .flat_map(|&(arm, games)| first[arm] + played[arm]..first[arm] + games)
            .filter(|&game| dir.result(game).is_none())
            .collect();
        let name = format!("round {number}");
        play_round(dir, &plan, &missing, &name, &elimination, open, options)?;
        if missing.iter().any(|&game| dir.result(game).is_none()) {
            break;
        }
        for (arm, games) in round {
            let results: Vec<_> = (played[arm]..games)
                .filter_map(|game| dir.result(first[arm] + game))
                .map(|result| result_for(&result, arms[arm].side))
                .collect();
            elimination.add(arm, results);
            played[arm] = games;
        }
        elimination.look();
    }
    let distinct = (first.iter().zip(played))
        .map(|(first, games)| {
            let found = (0..games).filter_map(|game| dir.result(first + game));
            found
                .map(|result| result.moves)
                .collect::<HashSet<_>>()
                .len() as u64
        })
        .collect();
    Ok(PlayedArms {
        elimination,
        distinct,
        complete,
    })
}

/// 1, 0 or −1 for a side.
fn result_for(result: &StoredResult, side: Color) -> i8 {
    match result.winner {
        None => 0,
        Some(winner) if winner == side => 1,
        Some(_) => -1,
    }
}

/// Plays the games with these numbers and stores them.
fn play_round<P: Position, E: Evaluator<GameState<P>>>(
    dir: &mut ExperimentDir<P>,
    plan: &Plan<P>,
    numbers: &[u64],
    name: &str,
    so_far: &Elimination,
    open: &(dyn Fn(usize) -> anyhow::Result<E> + Sync),
    options: &PlayOptions<'_>,
) -> anyhow::Result<()> {
    if numbers.is_empty() {
        return Ok(());
    }
    let mut phase = options.log.phase(name, numbers.len() as u64);
    let message = message(so_far);
    let mut pending: Vec<GameRecord> = Vec::new();
    let (mut done, mut written) = (0, Instant::now());
    let dropped = options.stop.watch(|due| {
        let result = generate(
            plan,
            numbers,
            options.shards.max(1),
            |_| open(plan.parallel_games()),
            due,
            &Counters::default(),
            |record| {
                pending.push(record);
                done += 1;
                phase.set(done, || message.clone());
                if pending.len() >= GAMES_PER_FILE || written.elapsed() >= WRITE_EVERY {
                    dir.write(&pending)?;
                    pending.clear();
                    written = Instant::now();
                }
                Ok(())
            },
        );
        // What is finished is kept, whatever happened to the rest.
        dir.write(&pending)?;
        result
    })?;
    if let Some(game) = dropped.first() {
        bail!(
            "{} caused a panic: {}",
            counted(dropped.len() as u64, "game"),
            game.move_list_text
        );
    }
    Ok(())
}

/// How far the question is answered.
fn message(so_far: &Elimination) -> String {
    let arms = so_far.arms();
    let count = |wanted| {
        (0..arms)
            .filter(|&arm| so_far.verdict(arm) == wanted)
            .count()
    };
    format!(
        "games, {} before; {} good, {} bad, {} open",
        so_far.games(),
        count(Verdict::Good),
        count(Verdict::Bad),
        count(Verdict::Open)
    )
}

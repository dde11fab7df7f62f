use std::collections::HashMap;
use std::path::Path;

use garuda_rules::{Color, Game, GameState, Position};
use garuda_run::records::{GameRecord, ScanProgress, Scanned, scan};

use super::opening_move::OpeningMove;
use super::root::OpeningRoot;
use super::setups::{SetUpCounts, SetUps, set_up};
use crate::CheckpointRange;
use crate::GameResults;
use crate::balance::{BalanceReport, game_facts};

/// Largest number of parts of a run that results are counted for.
const MAX_RANGES: usize = 4;

/// Parts of a run, by the checkpoint that was the newest when a game started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckpointRanges {
    /// The first checkpoint of each.
    firsts: Vec<u32>,
    last: u32,
}

impl CheckpointRanges {
    /// Four parts with equal numbers of checkpoints up to the newest one; fewer where there are
    /// fewer checkpoints.
    pub fn up_to(newest: u32) -> CheckpointRanges {
        let checkpoints = u64::from(newest) + 1;
        let parts = checkpoints.min(MAX_RANGES as u64);
        CheckpointRanges {
            firsts: (0..parts)
                .map(|part| (part * checkpoints / parts) as u32)
                .collect(),
            last: newest,
        }
    }

    /// The part that a checkpoint belongs to; the last one for checkpoints newer than the newest.
    fn of(&self, checkpoint: u32) -> usize {
        self.firsts.partition_point(|&first| first <= checkpoint) - 1
    }

    pub fn all(&self) -> Vec<CheckpointRange> {
        let ends = self.firsts[1..].iter().map(|&first| first - 1);
        (self.firsts.iter().zip(ends.chain([self.last])))
            .map(|(&from, to)| CheckpointRange { from, to })
            .collect()
    }
}

/// The moves played in the positions of a run's games.
#[derive(Clone, Debug)]
pub struct GameTable {
    ranges: CheckpointRanges,
    /// The moves played in each position, by its key, in no particular order.
    positions: HashMap<u64, Vec<Edge>>,
    set_ups: Option<SetUps>,
    /// Games that started at the ordinary start (or at the root) and reached the root.
    pub counted: u64,
    /// Games left out because they started elsewhere.
    pub varied: u64,
    /// Games left out because they never reached the root.
    pub elsewhere: u64,
    /// Record files that were skipped, and why.
    pub refused: Vec<String>,
    /// The balance of all games, those left out included.
    pub balance: BalanceReport,
}

#[derive(Clone, Debug)]
struct Edge {
    mv: OpeningMove,
    /// The key of the position it leads to.
    after: u64,
    results: [GameResults; MAX_RANGES],
}

/// A move and its results in games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedMove {
    pub mv: OpeningMove,
    /// The key of the position it leads to.
    pub after: u64,
    /// For the side that made it, one for each of the ranges.
    pub by_range: Vec<GameResults>,
}

impl PlayedMove {
    pub fn results(&self) -> GameResults {
        self.by_range.iter().copied().sum()
    }
}

/// What a game adds to the table.
enum OpeningGame<P> {
    Varied,
    Elsewhere,
    Counted {
        range: usize,
        winner: Option<Color>,
        steps: Vec<PlayedStep>,
        set_up: Option<P>,
    },
}

/// A move in a game.
struct PlayedStep {
    before: u64,
    mover: Color,
    mv: OpeningMove,
    after: u64,
}

/// Reads a directory of record files and counts what was played in the first `plies` moves from the
/// root.
///
/// Games that started at the ordinary start, or at the root itself, count from where they reach the
/// root; others are left out. A game counts once at a position, when it first comes there.
pub fn count_games<P: Position>(
    dir: &Path,
    root: &OpeningRoot<P>,
    plies: u32,
    ranges: &CheckpointRanges,
    progress: impl FnMut(ScanProgress),
) -> anyhow::Result<GameTable> {
    let mut table = GameTable {
        ranges: ranges.clone(),
        positions: HashMap::new(),
        set_ups: None,
        counted: 0,
        varied: 0,
        elsewhere: 0,
        refused: Vec::new(),
        balance: BalanceReport::new::<P>(&[]),
    };
    let ordinary = root.start().to_string();
    let mut facts = Vec::new();
    let mut set_ups = SetUpCounts::<P>::new();
    let read_records = |records: &[GameRecord]| -> Vec<_> {
        let read = |record| {
            let facts = game_facts::<P>(record, &ordinary);
            (opening_game(record, root, plies, ranges), facts)
        };
        records.iter().map(read).collect()
    };
    let Scanned { refused, .. } = scan::<P, _>(
        dir,
        read_records,
        |games| {
            for (game, game_facts) in games {
                table.add(game, &mut set_ups);
                facts.extend(game_facts);
            }
        },
        progress,
    )?;
    table.refused = refused;
    table.balance = BalanceReport::new::<P>(&facts);
    table.set_ups = set_ups.finish();
    Ok(table)
}

impl GameTable {
    fn add<P: Position>(&mut self, game: OpeningGame<P>, set_ups: &mut SetUpCounts<P>) {
        let (range, winner, steps, set_up) = match game {
            OpeningGame::Varied => return self.varied += 1,
            OpeningGame::Elsewhere => return self.elsewhere += 1,
            OpeningGame::Counted {
                range,
                winner,
                steps,
                set_up,
            } => (range, winner, steps, set_up),
        };
        self.counted += 1;
        if let Some(position) = set_up {
            set_ups.add(&position, winner);
        }
        for step in steps {
            let edges = self.positions.entry(step.before).or_default();
            let place = edges.iter().position(|edge| edge.after == step.after);
            let place = place.unwrap_or_else(|| {
                edges.push(Edge {
                    mv: step.mv,
                    after: step.after,
                    results: Default::default(),
                });
                edges.len() - 1
            });
            // Of several moves to one position the least is listed, whatever the order of games.
            let edge = &mut edges[place];
            edge.mv = edge.mv.min(step.mv);
            edge.results[range] += GameResults::of(winner, step.mover);
        }
    }

    /// The moves played in the position with this key, most frequent first.
    pub fn moves_at(&self, key: u64) -> Vec<PlayedMove> {
        let edges = self.positions.get(&key).map_or(&[][..], Vec::as_slice);
        let mut moves: Vec<_> = (edges.iter())
            .map(|edge| PlayedMove {
                mv: edge.mv,
                after: edge.after,
                by_range: edge.results[..self.ranges.firsts.len()].to_vec(),
            })
            .collect();
        moves.sort_by_key(|played| (std::cmp::Reverse(played.results().games()), played.mv));
        moves
    }

    pub fn ranges(&self) -> Vec<CheckpointRange> {
        self.ranges.all()
    }

    /// Where pieces were placed, in games with a set-up phase.
    pub fn set_ups(&self) -> Option<&SetUps> {
        self.set_ups.as_ref()
    }
}

fn opening_game<P: Position>(
    record: &GameRecord,
    root: &OpeningRoot<P>,
    plies: u32,
    ranges: &CheckpointRanges,
) -> OpeningGame<P> {
    let start: P = (record.start().parse()).expect("a verified record has a valid start");
    let root_key = root.game().position().key();
    if start.key() != root.start().key() && start.key() != root_key {
        return OpeningGame::Varied;
    }
    let mut game = GameState::from_position(start);
    let mut decisions = record.moves();
    while game.position().key() != root_key {
        match decisions.next() {
            Some(decision) => game.play(decision),
            None => return OpeningGame::Elsewhere,
        }
    }
    let mut steps: Vec<PlayedStep> = Vec::with_capacity(plies as usize);
    let mut before = *game.position();
    let mut mv = OpeningMove::default();
    let mut moves = 0;
    for decision in decisions.by_ref() {
        game.play(decision);
        mv.push(decision);
        if !mv.is_complete(&before, &game) {
            continue;
        }
        if steps.iter().all(|step| step.before != before.key()) {
            steps.push(PlayedStep {
                before: before.key(),
                mover: before.turn(),
                mv,
                after: game.position().key(),
            });
        }
        before = *game.position();
        mv = OpeningMove::default();
        moves += 1;
        if moves == plies {
            break;
        }
    }
    OpeningGame::Counted {
        range: ranges.of(record.checkpoint()),
        winner: record.winner(),
        steps,
        set_up: set_up(record, start),
    }
}

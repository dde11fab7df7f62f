use std::collections::HashMap;
use std::path::Path;

use garuda_rules::{Color, Game, GameState, Position};
use garuda_run::records::{GameRecord, ScanProgress, Scanned, scan};
use serde::Serialize;

use super::opening_move::OpeningMove;
use super::results::GameResults;
use super::root::OpeningRoot;
use super::setups::{SetUpCounts, SetUps, set_up};
use crate::balance::{BalanceReport, balance, game_facts};

/// At most so many ranges of checkpoints are told apart.
const MOST_RANGES: usize = 4;

/// Parts of a run, by the checkpoint that was the newest when a game began.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckpointRanges {
    /// The first checkpoint of each.
    firsts: Vec<u32>,
    last: u32,
}

/// From one checkpoint to another, both included.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CheckpointRange {
    pub from: u32,
    pub to: u32,
}

impl CheckpointRanges {
    /// Parts of equal length, four or as many as there are checkpoints, up to the newest one.
    pub fn up_to(newest: u32) -> CheckpointRanges {
        let checkpoints = u64::from(newest) + 1;
        let parts = checkpoints.min(MOST_RANGES as u64);
        CheckpointRanges {
            firsts: (0..parts)
                .map(|part| (part * checkpoints / parts) as u32)
                .collect(),
            last: newest,
        }
    }

    /// The part that a checkpoint belongs to. Newer ones than were known belong to the last.
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

/// What was played in the positions of a run's games.
#[derive(Clone, Debug)]
pub struct GameTable {
    ranges: CheckpointRanges,
    /// By the key of a position: what was played there, in no particular order.
    positions: HashMap<u64, Vec<Edge>>,
    set_ups: Option<SetUps>,
    /// Games that began at the start (or at the position asked for) and came to that position.
    pub counted: u64,
    /// Games left out because they began elsewhere.
    pub varied: u64,
    /// Games left out because they did not come to the position asked for.
    pub elsewhere: u64,
    /// Files passed over, and why.
    pub refused: Vec<String>,
    /// How balanced all games were, whether they are counted here or not.
    pub balance: BalanceReport,
}

#[derive(Clone, Debug)]
struct Edge {
    play: OpeningMove,
    /// The key of the position it leads to.
    after: u64,
    results: [GameResults; MOST_RANGES],
}

/// What became of a play in games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedMove {
    pub play: OpeningMove,
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

/// What a game adds.
enum OpeningGame<P> {
    PerturbedSearch,
    Elsewhere,
    Counted {
        range: usize,
        winner: Option<Color>,
        steps: Vec<PlayedStep>,
        set_up: Option<P>,
    },
}

/// A play in a game.
struct PlayedStep {
    before: u64,
    mover: Color,
    play: OpeningMove,
    after: u64,
}

/// Goes over a directory of batches and counts what was played in the first `plies` plays from
/// the root on.
///
/// Games that began at the ordinary start, or at the root itself, count once they come to the
/// root; others are left out. A game counts at a position once, when it first comes there within
/// these plies.
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
        balance: balance::<P>(&[]),
    };
    let ordinary = root.start().to_string();
    let mut facts = Vec::new();
    let mut set_ups = SetUpCounts::<P>::new();
    let look = |records: &[GameRecord]| -> Vec<_> {
        let look = |record| {
            let facts = game_facts::<P>(record, &ordinary);
            (look_at(record, root, plies, ranges), facts)
        };
        records.iter().map(look).collect()
    };
    let Scanned { refused, .. } = scan::<P, _>(
        dir,
        look,
        |games| {
            for (game, game_facts) in games {
                table.add(game, &mut set_ups);
                facts.extend(game_facts);
            }
        },
        progress,
    )?;
    table.refused = refused;
    table.balance = balance::<P>(&facts);
    table.set_ups = set_ups.finish();
    Ok(table)
}

impl GameTable {
    fn add<P: Position>(&mut self, game: OpeningGame<P>, set_ups: &mut SetUpCounts<P>) {
        let (range, winner, steps, set_up) = match game {
            OpeningGame::PerturbedSearch => return self.varied += 1,
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
                    play: step.play,
                    after: step.after,
                    results: Default::default(),
                });
                edges.len() - 1
            });
            // Of several ways to one position the same is told whatever the order of games.
            let edge = &mut edges[place];
            edge.play = edge.play.min(step.play);
            edge.results[range] += GameResults::of(winner, step.mover);
        }
    }

    /// What was played in the position with this key, the most frequent first.
    pub fn plays(&self, key: u64) -> Vec<PlayedMove> {
        let edges = self.positions.get(&key).map_or(&[][..], Vec::as_slice);
        let mut plays: Vec<_> = (edges.iter())
            .map(|edge| PlayedMove {
                play: edge.play,
                after: edge.after,
                by_range: edge.results[..self.ranges.firsts.len()].to_vec(),
            })
            .collect();
        plays.sort_by_key(|play| (std::cmp::Reverse(play.results().games()), play.play));
        plays
    }

    pub fn ranges(&self) -> Vec<CheckpointRange> {
        self.ranges.all()
    }

    /// Where pieces were placed before play, in games that have such a phase.
    pub fn set_ups(&self) -> Option<&SetUps> {
        self.set_ups.as_ref()
    }
}

fn look_at<P: Position>(
    record: &GameRecord,
    root: &OpeningRoot<P>,
    plies: u32,
    ranges: &CheckpointRanges,
) -> OpeningGame<P> {
    let start: P = (record.start().parse()).expect("a verified record starts somewhere");
    let root_key = root.game().position().key();
    if start.key() != root.start().key() && start.key() != root_key {
        return OpeningGame::PerturbedSearch;
    }
    let mut game = GameState::from_position(start);
    let mut moves = record.moves();
    while game.position().key() != root_key {
        match moves.next() {
            Some(mv) => game.play(mv),
            None => return OpeningGame::Elsewhere,
        }
    }
    let mut steps: Vec<PlayedStep> = Vec::with_capacity(plies as usize);
    let mut before = *game.position();
    let mut play = OpeningMove::default();
    let mut plays = 0;
    for mv in moves.by_ref() {
        game.play(mv);
        play.push(mv);
        if !play.is_complete(&before, &game) {
            continue;
        }
        if steps.iter().all(|step| step.before != before.key()) {
            steps.push(PlayedStep {
                before: before.key(),
                mover: before.turn(),
                play,
                after: game.position().key(),
            });
        }
        before = *game.position();
        play = OpeningMove::default();
        plays += 1;
        if plays == plies {
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

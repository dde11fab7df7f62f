use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use anyhow::{anyhow, bail, ensure};
use garuda_mcts::Wdl;
use garuda_model::Network;
use garuda_model::nnue::{NnueLayout, NnuePosition};
use garuda_rules::{Color, Game, GameState, Position};
use garuda_run::labels::{Label, LabelDir, LabelSource};
use garuda_run::{Log, Stop, UciSpec};
use serde::Serialize;

use super::candidates::{Candidate, candidates, is_noisy, is_quiet, state_of};
use super::engine::{EngineLabeller, go_command};
use super::games::{GameFile, LabelGame, list_files, read_games};
use super::search::{NetworkLabeller, Opinion, PARALLEL_SEARCHES};

/// A random move often loses a piece. The captures that follow are played out, this many plies at most,
/// and what stands then is labelled.
const MAX_FOLLOWED: usize = 6;

/// What searches the positions.
#[derive(Debug)]
pub enum Labeller {
    Network { network: Network, simulations: u32 },
    Teacher(UciSpec),
}

impl Labeller {
    /// What decides the labels, in words.
    fn describe(&self) -> String {
        match self {
            Labeller::Network {
                network,
                simulations,
            } => {
                let info = network.info();
                format!(
                    "network {} after {} steps of {}, {simulations} simulations",
                    &info.hash[..12.min(info.hash.len())],
                    info.step,
                    info.run
                )
            }
            Labeller::Teacher(spec) => format!("uci:{spec}"),
        }
    }
}

/// What is to be labelled, and how.
#[derive(Debug)]
pub struct LabelOptions {
    /// Runs, directories of record files and record files.
    pub games: Vec<PathBuf>,
    pub labeller: Labeller,
    /// Random successors of each position to label too.
    pub successors: u32,
    /// Directory of the labels.
    pub out: PathBuf,
    /// Positions searched for one label file: the most that an interruption loses per thread.
    pub positions_per_file: usize,
    pub threads: usize,
    pub stop: Stop,
    pub log: Log,
}

impl LabelOptions {
    pub const POSITIONS_PER_FILE: usize = 2048;
}

/// What a call has done.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LabelSummary {
    /// Games that positions come from.
    pub games: u64,
    /// Different positions that were or are to be searched.
    pub positions: u64,
    /// Labels in the directory: positions that were searched, without those whose best move
    /// captures or promotes.
    pub labels: u64,
    /// Whether all positions have been searched.
    pub complete: bool,
}

/// Labels positions of games into a directory. Continues where an earlier call was interrupted; what
/// comes out does not depend on interruptions or on the number of threads.
pub fn label<P: Position>(options: &LabelOptions) -> anyhow::Result<LabelSummary> {
    let layout = NnueLayout::of::<P>()?;
    if let Labeller::Teacher(spec) = &options.labeller {
        go_command(spec)?;
    }
    let mut files = list_files(&options.games)?;
    if options.out.exists()
        && let Ok(dir) = LabelDir::open(&options.out)
    {
        keep_listed(&mut files, dir.source(), options)?;
    }
    let games = read_games::<P>(&files)?;
    let candidates = candidates(&layout, &games, options.successors);
    ensure!(
        !candidates.is_empty(),
        "the {} games have no position to label",
        games.len()
    );
    let source = LabelSource {
        rules: P::NAME.to_owned(),
        labeller: options.labeller.describe(),
        successors: options.successors,
        games: (files.iter())
            .map(|file| (file.name(), file.hash.clone()))
            .collect(),
        files: candidates.len().div_ceil(options.positions_per_file) as u64,
    };
    let dir = LabelDir::open_or_create(&options.out, &source)?;
    let job = LabelJob {
        options,
        layout: &layout,
        games: &games,
        parts: candidates.chunks(options.positions_per_file).collect(),
        dir: &dir,
        next: AtomicUsize::new(0),
        searched: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
    };
    job.run()?;
    let mut labels = 0;
    let numbers = dir.numbers()?;
    for &number in &numbers {
        labels += dir.read(&layout, number)?.len() as u64;
    }
    Ok(LabelSummary {
        games: games.len() as u64,
        positions: candidates.len() as u64,
        labels,
        complete: numbers.len() as u64 == source.files,
    })
}

/// Leaves only the files that a directory was started with, in its order: a run may have gone on.
fn keep_listed(
    files: &mut Vec<GameFile>,
    source: &LabelSource,
    options: &LabelOptions,
) -> anyhow::Result<()> {
    let mut kept = Vec::with_capacity(source.games.len());
    for (name, hash) in &source.games {
        match files.iter().position(|file| file.hash == *hash) {
            Some(place) => kept.push(files.remove(place)),
            None => bail!(
                "{} was started with the record file {name}, which is not among the games now: \
                 continue with the same games, or choose another --out",
                options.out.display()
            ),
        }
    }
    if !files.is_empty() {
        options.log.line(&format!(
            "{} newer record files are left out: {} was started without them",
            files.len(),
            options.out.display()
        ));
    }
    *files = kept;
    Ok(())
}

struct LabelJob<'a, P: Position> {
    options: &'a LabelOptions,
    layout: &'a NnueLayout,
    games: &'a [LabelGame<P>],
    parts: Vec<&'a [Candidate]>,
    dir: &'a LabelDir,
    /// The next part that no thread has looked at.
    next: AtomicUsize,
    /// Positions done, in earlier calls and in this one.
    searched: AtomicU64,
    /// Whether a thread has failed.
    stopped: AtomicBool,
}

impl<P: Position> LabelJob<'_, P> {
    fn run(&self) -> anyhow::Result<()> {
        let total: usize = self.parts.iter().map(|part| part.len()).sum();
        let done: usize = (0..)
            .zip(&self.parts)
            .filter(|(number, _)| self.dir.has(*number))
            .map(|(_, part)| part.len())
            .sum();
        self.searched.store(done as u64, Ordering::Relaxed);
        let phase = self.options.log.phase("label", total as u64);
        let phase = Mutex::new(phase.resumed_at(done as u64));
        self.options.stop.watch(|due| {
            let is_stopped = || due.load(Ordering::Relaxed) || self.stopped.load(Ordering::Relaxed);
            let progress = |positions: u64| {
                let now = self.searched.fetch_add(positions, Ordering::Relaxed) + positions;
                if let Ok(mut phase) = phase.try_lock() {
                    phase.set(now, || "positions".to_owned());
                }
            };
            let work = || {
                let result = self.work(&is_stopped, &progress);
                if result.is_err() {
                    self.stopped.store(true, Ordering::Relaxed);
                }
                result
            };
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..self.options.threads.max(1))
                    .map(|_| scope.spawn(work))
                    .collect();
                (threads.into_iter()).try_for_each(|thread| {
                    thread.join().map_err(|_| anyhow!("a thread panicked"))?
                })
            })
        })
    }

    fn work(&self, is_stopped: &dyn Fn() -> bool, progress: &dyn Fn(u64)) -> anyhow::Result<()> {
        let mut labeller = None;
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = self.parts.get(number) else {
                return Ok(());
            };
            let number = number as u64;
            if is_stopped() {
                return Ok(());
            }
            if self.dir.has(number) {
                continue;
            }
            let labeller = match &mut labeller {
                Some(labeller) => labeller,
                None => labeller.insert(self.open()?),
            };
            let mut states: Vec<GameState<P>> = (part.iter())
                .map(|&candidate| state_of(self.games, candidate))
                .collect();
            let Some(mut opinions) = labeller(&states, is_stopped, progress)? else {
                return Ok(());
            };
            for _ in 0..MAX_FOLLOWED {
                let followed = follow(part, &mut states, &mut opinions);
                if followed.is_empty() {
                    break;
                }
                let next: Vec<_> = followed.iter().map(|&at| states[at].clone()).collect();
                let Some(found) = labeller(&next, is_stopped, &|_| ())? else {
                    return Ok(());
                };
                for (at, opinion) in followed.into_iter().zip(found) {
                    opinions[at] = opinion;
                }
            }
            let labels: Vec<Label> = (part.iter().zip(&states).zip(opinions))
                .filter_map(|((&candidate, state), opinion)| {
                    self.label_of(candidate, state, opinion)
                })
                .collect();
            self.dir.write(self.layout, number, &labels)?;
        }
    }

    /// What labels positions on one thread.
    fn open(&self) -> anyhow::Result<Box<OpenLabeller<P>>> {
        Ok(match &self.options.labeller {
            Labeller::Network {
                network,
                simulations,
            } => {
                let evaluator = network.evaluator::<P>(PARALLEL_SEARCHES)?;
                let mut labeller = NetworkLabeller::new(evaluator, *simulations);
                Box::new(move |games, is_stopped, progress| {
                    labeller.label(games, is_stopped, progress)
                })
            }
            Labeller::Teacher(spec) => {
                let mut labeller = EngineLabeller::start(spec, P::NAME)?;
                Box::new(move |games, is_stopped, progress| {
                    labeller.label(games, is_stopped, progress)
                })
            }
        })
    }

    fn label_of(
        &self,
        candidate: Candidate,
        state: &GameState<P>,
        opinion: Opinion,
    ) -> Option<Label> {
        let (wdl, best) = opinion?;
        if is_noisy(state.position(), best) || !is_quiet(self.layout, state) {
            return None;
        }
        let winner = self.games[candidate.game as usize].winner;
        let (win, draw) = parts(wdl);
        Some(Label {
            position: NnuePosition::of(self.layout, state.position())?,
            game: candidate.game,
            win,
            draw,
            result: match candidate.successor {
                Some(_) => None,
                None => Some(result(winner, state.turn())),
            },
        })
    }
}

/// Plays the best move in those successors where it captures, promotes or answers a check, so that
/// positions in which a side has lost something are labelled too: an engine's search evaluates
/// little else. Returns the places of those that go on; their opinions are to be asked for again.
fn follow<P: Position>(
    part: &[Candidate],
    states: &mut [GameState<P>],
    opinions: &mut [Opinion],
) -> Vec<usize> {
    let mut followed = Vec::new();
    for (at, candidate) in part.iter().enumerate() {
        let Some((_, best)) = opinions[at].filter(|_| candidate.successor.is_some()) else {
            continue;
        };
        let state = &mut states[at];
        if !is_noisy(state.position(), best) && !state.position().is_check() {
            continue;
        }
        opinions[at] = None;
        state.play(best);
        if state.outcome().is_none() {
            followed.push(at);
        }
    }
    followed
}

type OpenLabeller<P> = dyn FnMut(
    &[GameState<P>],
    &dyn Fn() -> bool,
    &dyn Fn(u64),
) -> anyhow::Result<Option<Vec<Opinion>>>;

fn parts(wdl: Wdl) -> (u16, u16) {
    let part = |chance: f32| (chance * 65535.0).round().clamp(0.0, 65535.0) as u16;
    let win = part(wdl.win);
    (win, part(wdl.draw).min(u16::MAX - win))
}

fn result(winner: Option<Color>, turn: Color) -> i8 {
    match winner {
        None => 0,
        Some(winner) if winner == turn => 1,
        Some(_) => -1,
    }
}

#[cfg(test)]
mod tests {
    use garuda_rules::Move;
    use garuda_rules::makruk::MakrukPosition;

    use super::*;

    /// What becomes of a position after a search chose a move, as a random successor or a played
    /// position: whether it goes on, and what then stands on the board.
    fn followed(fen: &str, best: &str, is_successor: bool) -> (bool, String) {
        let position: MakrukPosition = fen.parse().unwrap();
        let best: Move = position.parse_uci(best).unwrap();
        let candidate = Candidate {
            game: 0,
            ply: 0,
            successor: is_successor.then_some(best),
        };
        let mut states = [GameState::from_position(position)];
        let even = Wdl {
            win: 0.0,
            draw: 1.0,
            loss: 0.0,
        };
        let mut opinions = [Some((even, best))];
        let places = follow(&[candidate], &mut states, &mut opinions);
        assert_eq!(opinions[0].is_some(), places.is_empty());
        (places == [0], states[0].position().to_string())
    }

    #[test]
    fn captures_after_a_random_move_are_played_out() {
        let hanging = "8/8/3k4/8/4r3/8/3K4/4R3 w - - 0 1";
        let (goes_on, fen) = followed(hanging, "e1e4", true);
        assert!(
            goes_on && fen.starts_with("8/8/3k4/8/4R3/8/3K4/8 b"),
            "{fen}"
        );
        // Of a game that was played the next position is there anyway.
        assert!(!followed(hanging, "e1e4", false).0);
        assert!(!followed(hanging, "e1f1", true).0);
        // A check is answered, and what is then on the board may be labelled.
        assert!(followed("8/8/3k4/8/3r4/8/3K4/4R3 w - - 0 1", "d2e2", true).0);
    }
}

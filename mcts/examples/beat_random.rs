//! Plays a search with the material evaluator against random moves, in every rule set:
//!
//!     cargo run --release -p garuda-mcts --example beat_random -- --games 100 --nodes 2000
//!
//! Half of the games with each side. Prints how they ended, and fails if a game is lost or the
//! score is below 95 %.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use garuda_mcts::evaluators::Material;
use garuda_mcts::{
    Analysis, AnalysisSettings, EvalError, SearchControl, SearchLimits, random_move,
};
use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Game, GameState, Outcome, Position};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn main() -> ExitCode {
    let (mut games, mut nodes) = (100, 2000);
    let mut only = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().unwrap_or_default();
        match argument.as_str() {
            "--games" => games = number(&value),
            "--nodes" => nodes = number(&value),
            "--game" => only = Some(value),
            _ => panic!("unknown argument {argument}: --games N, --nodes N or --game NAME"),
        }
    }
    let run = Run { games, nodes, only };
    let passed = [
        run.play::<MakrukPosition>("makruk"),
        run.play::<SittuyinPosition<false>>("sittuyin"),
        run.play::<SittuyinPosition<true>>("sittuyin-booklet"),
        run.play::<ToriPosition>("torishogi"),
        run.play::<EternalPosition>("eternal"),
    ];
    ExitCode::from(u8::from(passed.contains(&false)))
}

struct Run {
    games: u64,
    nodes: u64,
    /// Plays only this rule set.
    only: Option<String>,
}

impl Run {
    fn play<P: Position>(&self, name: &str) -> bool {
        if self.only.as_deref().is_some_and(|only| only != name) {
            return true;
        }
        print!("{name:17}");
        play_match::<P>(self.games, self.nodes)
    }
}

fn number(text: &str) -> u64 {
    text.parse()
        .unwrap_or_else(|_| panic!("not a number: {text:?}"))
}

/// Plays the games on all cores and prints a line. Returns whether the score is high enough.
fn play_match<P: Position>(games: u64, nodes: u64) -> bool {
    let next = AtomicU64::new(0);
    let results = Mutex::new(BTreeMap::new());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let game = next.fetch_add(1, Ordering::Relaxed);
                    if game >= games {
                        return;
                    }
                    let side = Color::ALL[(game % 2) as usize];
                    let outcome = play_game::<P>(game, side, nodes as u32)
                        .expect("the material evaluator is infallible");
                    let result = match outcome.winner {
                        Some(winner) if winner == side => "won",
                        Some(_) => "lost",
                        None => "drawn",
                    };
                    let mut results = results.lock().expect("no thread has panicked");
                    *results
                        .entry((result, outcome.termination))
                        .or_insert(0_u64) += 1;
                }
            });
        }
    });
    let results = results.into_inner().expect("no thread has panicked");
    let count = |result| -> u64 {
        let ends = results.iter().filter(|((r, _), _)| *r == result);
        ends.map(|(_, count)| count).sum()
    };
    let (won, drawn, lost) = (count("won"), count("drawn"), count("lost"));
    let score = (won as f64 + drawn as f64 / 2.0) / games as f64;
    print!(
        " won {won} drawn {drawn} lost {lost}, score {:.1} %:",
        100.0 * score
    );
    for ((result, termination), count) in &results {
        print!(" {count} {result} by {termination},");
    }
    println!();
    lost == 0 && score >= 0.95
}

fn play_game<P: Position>(seed: u64, side: Color, nodes: u32) -> Result<Outcome, EvalError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut material = Material::<P>::default();
    let mut analysis = Analysis::new(GameState::<P>::start(), AnalysisSettings::default());
    loop {
        let game = analysis.game();
        if let Some(outcome) = game.outcome() {
            return Ok(outcome);
        }
        let mv = if game.turn() == side {
            let limits = SearchLimits::nodes(nodes);
            let info = analysis.search(&mut material, limits, &SearchControl::new(), |_| {})?;
            info.best
        } else {
            random_move(game, &mut rng)
        };
        analysis.play(mv.expect("the game is not over"));
    }
}

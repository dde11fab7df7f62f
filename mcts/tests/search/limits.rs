//! When a search stops.

use std::time::{Duration, Instant};

use garuda_mcts::evaluators::Uniform;
use garuda_mcts::{
    Analysis, AnalysisSettings, Choice, EvalError, Evaluations, Evaluator, Gumbel, GumbelSettings,
    Limits, Proof, Puct, PuctSettings, Report, Search, Signal,
};
use garuda_rules::{Game, Move};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::runs::{gumbel, policy, puct};
use crate::toys::{Bandit, Heap, TicTacToe, numbered};

fn think(limits: Limits) -> Report {
    let mut analysis = Analysis::new(Heap::new(200), AnalysisSettings::default());
    let signal = Signal::new();
    analysis
        .think(&mut Uniform::default(), limits, &signal, |_| {})
        .unwrap()
}

#[test]
fn nodes_are_counted_exactly() {
    for nodes in [1, 2, 10, 333] {
        for leaves in [1, 2, 7, 64] {
            let settings = AnalysisSettings {
                leaves,
                ..AnalysisSettings::default()
            };
            let mut analysis = Analysis::new(Heap::new(200), settings);
            let limits = Limits::nodes(nodes);
            let report = analysis
                .think(&mut Uniform::default(), limits, &Signal::new(), |_| {})
                .unwrap();
            assert_eq!(report.visits, nodes);
            assert_eq!(report.evaluations, u64::from(nodes));
            assert!(report.best.is_some());
        }
    }
}

#[test]
fn time_ends_a_search() {
    let started = Instant::now();
    let report = think(Limits::time(Duration::from_millis(50)));
    assert!(started.elapsed() >= Duration::from_millis(50));
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(report.visits > 10);
}

#[test]
fn depth_ends_a_search() {
    for depth in [1, 3, 6] {
        let limits = Limits {
            depth: Some(depth),
            ..Limits::default()
        };
        let report = think(limits);
        assert_eq!(report.lines[0].moves.len(), depth as usize);
    }
}

#[test]
fn a_search_without_limits_runs_until_it_is_stopped() {
    let signal = Signal::new();
    let settings = AnalysisSettings {
        report_every: Duration::ZERO,
        lines: 3,
        ..AnalysisSettings::default()
    };
    let mut analysis = Analysis::new(Heap::new(200), settings);
    let mut reports = 0;
    let stop = signal.clone();
    let last = analysis
        .think(
            &mut Uniform::default(),
            Limits::default(),
            &signal,
            |report| {
                reports += 1;
                assert_eq!(report.visits, reports);
                assert!(report.lines.len() <= 3);
                if reports == 500 {
                    stop.stop();
                }
            },
        )
        .unwrap();
    assert_eq!(last.visits, 500);
    assert_eq!(last.lines.len(), 3);
}

#[test]
fn pondering_ignores_limits_until_the_clock_starts() {
    let signal = Signal::pondering();
    let settings = AnalysisSettings {
        report_every: Duration::ZERO,
        ..AnalysisSettings::default()
    };
    let mut analysis = Analysis::new(Heap::new(200), settings);
    let hit = signal.clone();
    let limits = Limits {
        nodes: Some(100),
        time: Some(Duration::from_secs(100)),
        depth: Some(1),
    };
    let report = analysis
        .think(&mut Uniform::default(), limits, &signal, |report| {
            if report.visits == 300 {
                hit.start_clock();
            }
        })
        .unwrap();
    assert_eq!(report.visits, 300);
}

#[test]
fn an_only_move_costs_nothing() {
    let mut game = Bandit::new(3);
    game.play(numbered(1));
    let mut asked = Counting::default();
    let search = gumbel(&game, GumbelSettings::default(), 1, &mut asked);
    assert_eq!((search.best(), policy(&search)), (0, vec![1.0]));
    assert_eq!((search.value(), search.simulations()), (None, 0));
    // Nor if the tree knows it already from the move before.
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut search = gumbel(
        &Bandit::new(3),
        GumbelSettings::default(),
        1,
        &mut Uniform::default(),
    );
    search.play(numbered(search.best()), true);
    search.begin(GumbelSettings::default(), &mut rng);
    assert!(search.is_over() && search.simulations() == 0);
    assert_eq!((search.best(), policy(&search)), (0, vec![1.0]));
    let mut analysis = Analysis::new(game, AnalysisSettings::default());
    let limits = Limits::nodes(1000);
    let report = analysis
        .think(&mut asked, limits, &Signal::new(), |_| {})
        .unwrap();
    assert_eq!(report.best, Some(numbered(0)));
    assert_eq!((report.evaluations, asked.positions), (0, 0));
}

#[test]
fn a_game_that_is_over_is_not_searched() {
    let game = TicTacToe::after(&[0, 3, 1, 4, 2]);
    let search = puct(&game, 100, &mut Uniform::default());
    assert_eq!(search.proof(), Some(Proof::Loss(0)));
    assert_eq!((search.visits(), search.best(Choice::default())), (0, None));
    let search = gumbel(&game, GumbelSettings::default(), 1, &mut Uniform::default());
    assert_eq!(search.proof(), Some(Proof::Loss(0)));
    assert!(search.moves().is_empty() && policy(&search).is_empty());
}

#[test]
fn a_full_tree_ends_the_search_with_the_best_move_so_far() {
    let memory = 64 << 10;
    let mut search = Puct::new(Heap::new(200), memory, PuctSettings::default());
    search.begin(1_000_000);
    let mut other = Gumbel::new(Heap::new(200), memory);
    let settings = GumbelSettings {
        simulations: 1_000_000,
        ..GumbelSettings::default()
    };
    other.begin(settings, &mut ChaCha8Rng::seed_from_u64(1));
    let logits = [0.0; 3];
    while let Some(leaf) = search.next_leaf() {
        let (id, moves) = (leaf.id, leaf.legal.len());
        search.backup(id, garuda_mcts::Wdl::UNKNOWN, &logits[..moves]);
    }
    while let Some(leaf) = other.next_leaf() {
        let (id, moves) = (leaf.id, leaf.legal.len());
        other.backup(id, garuda_mcts::Wdl::UNKNOWN, &logits[..moves]);
    }
    assert!(search.is_over() && search.is_full());
    assert!(search.bytes() <= memory && search.bytes() > memory / 2);
    assert!(search.fullness() > 0.9, "{}", search.fullness());
    assert!(search.best(Choice::default()).is_some());
    assert!(other.is_over() && other.simulations() > 500);
    assert!(other.bytes() <= memory);
    assert!(other.best() < 3);
    // What is kept of a full tree leaves room to go on.
    let best = search.best(Choice::default()).unwrap();
    search.play(best, true);
    let kept = search.visits();
    search.begin(kept + 10);
    assert!(kept > 100 && search.next_leaf().is_some());
}

/// Uniform, and counts.
#[derive(Default)]
struct Counting {
    uniform: Uniform,
    positions: u32,
}

impl<G: Game> Evaluator<G> for Counting {
    fn capacity(&self) -> usize {
        16
    }

    fn push(&mut self, game: &G, legal: &[Move]) {
        self.positions += 1;
        self.uniform.push(game, legal);
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        Evaluator::<G>::run(&mut self.uniform, evaluations)
    }
}

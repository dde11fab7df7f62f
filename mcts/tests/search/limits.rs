//! When a search ends.

use std::time::{Duration, Instant};

use garuda_mcts::evaluators::Uniform;
use garuda_mcts::{
    Analysis, AnalysisSettings, EvalError, Evaluations, Evaluator, Gumbel, GumbelSettings,
    MoveSelection, Proof, Puct, PuctSettings, Search, SearchControl, SearchInfo, SearchLimits,
};
use garuda_rules::{Game, Move};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::helpers::{gumbel, policy, puct};
use crate::toy_games::{Bandit, Heap, TicTacToe, numbered};

fn search(limits: SearchLimits) -> SearchInfo {
    let mut analysis = Analysis::new(Heap::new(200), AnalysisSettings::default());
    let control = SearchControl::new();
    analysis
        .search(&mut Uniform::default(), limits, &control, |_| {})
        .unwrap()
}

#[test]
fn node_limit_is_exact() {
    for nodes in [1, 2, 10, 333] {
        for batch_size in [1, 2, 7, 64] {
            let settings = AnalysisSettings {
                batch_size,
                ..AnalysisSettings::default()
            };
            let mut analysis = Analysis::new(Heap::new(200), settings);
            let limits = SearchLimits::nodes(nodes);
            let info = analysis
                .search(
                    &mut Uniform::default(),
                    limits,
                    &SearchControl::new(),
                    |_| {},
                )
                .unwrap();
            assert_eq!(info.visits, nodes);
            assert_eq!(info.evaluations, u64::from(nodes));
            assert!(info.best.is_some());
        }
    }
}

#[test]
fn time_limit_ends_a_search() {
    let started = Instant::now();
    let info = search(SearchLimits::time(Duration::from_millis(50)));
    assert!(started.elapsed() >= Duration::from_millis(50));
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(info.visits > 10);
}

#[test]
fn depth_limit_ends_a_search() {
    for depth in [1, 3, 6] {
        let limits = SearchLimits {
            depth: Some(depth),
            ..SearchLimits::default()
        };
        let info = search(limits);
        assert_eq!(info.lines[0].moves.len(), depth as usize);
    }
}

#[test]
fn a_search_without_limits_runs_until_it_is_stopped() {
    let control = SearchControl::new();
    let settings = AnalysisSettings {
        info_interval: Duration::ZERO,
        multi_pv: 3,
        ..AnalysisSettings::default()
    };
    let mut analysis = Analysis::new(Heap::new(200), settings);
    let mut infos = 0;
    let stop = control.clone();
    let last = analysis
        .search(
            &mut Uniform::default(),
            SearchLimits::default(),
            &control,
            |info| {
                infos += 1;
                assert_eq!(info.visits, infos);
                assert!(info.lines.len() <= 3);
                if infos == 500 {
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
    let control = SearchControl::pondering();
    let settings = AnalysisSettings {
        info_interval: Duration::ZERO,
        ..AnalysisSettings::default()
    };
    let mut analysis = Analysis::new(Heap::new(200), settings);
    let hit = control.clone();
    let limits = SearchLimits {
        nodes: Some(100),
        time: Some(Duration::from_secs(100)),
        depth: Some(1),
    };
    let info = analysis
        .search(&mut Uniform::default(), limits, &control, |info| {
            if info.visits == 300 {
                hit.start_clock();
            }
        })
        .unwrap();
    assert_eq!(info.visits, 300);
}

#[test]
fn an_only_move_is_not_searched() {
    let mut game = Bandit::new(3);
    game.play(numbered(1));
    let mut evaluator = CountingEvaluator::default();
    let search = gumbel(&game, GumbelSettings::default(), 1, &mut evaluator);
    assert_eq!((search.best(), policy(&search)), (0, vec![1.0]));
    assert_eq!((search.value(), search.simulations()), (None, 0));
    // Nor if it is already in the tree of the previous move.
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
    let limits = SearchLimits::nodes(1000);
    let info = analysis
        .search(&mut evaluator, limits, &SearchControl::new(), |_| {})
        .unwrap();
    assert_eq!(info.best, Some(numbered(0)));
    assert_eq!((info.evaluations, evaluator.positions), (0, 0));
}

#[test]
fn a_game_that_is_over_is_not_searched() {
    let game = TicTacToe::after(&[0, 3, 1, 4, 2]);
    let search = puct(&game, 100, &mut Uniform::default());
    assert_eq!(search.proof(), Some(Proof::Loss(0)));
    assert_eq!(
        (search.visits(), search.best_move(MoveSelection::default())),
        (0, None)
    );
    let search = gumbel(&game, GumbelSettings::default(), 1, &mut Uniform::default());
    assert_eq!(search.proof(), Some(Proof::Loss(0)));
    assert!(search.moves().is_empty() && policy(&search).is_empty());
}

#[test]
fn a_full_tree_ends_the_search_with_the_best_move_so_far() {
    let tree_bytes = 64 << 10;
    let mut search = Puct::new(Heap::new(200), tree_bytes, PuctSettings::default());
    search.begin(1_000_000);
    let mut gumbel_search = Gumbel::new(Heap::new(200), tree_bytes);
    let settings = GumbelSettings {
        simulations: 1_000_000,
        ..GumbelSettings::default()
    };
    gumbel_search.begin(settings, &mut ChaCha8Rng::seed_from_u64(1));
    let logits = [0.0; 3];
    while let Some(leaf) = search.next_leaf() {
        let (id, moves) = (leaf.id, leaf.legal.len());
        search.backup(id, garuda_mcts::Wdl::UNKNOWN, &logits[..moves]);
    }
    while let Some(leaf) = gumbel_search.next_leaf() {
        let (id, moves) = (leaf.id, leaf.legal.len());
        gumbel_search.backup(id, garuda_mcts::Wdl::UNKNOWN, &logits[..moves]);
    }
    assert!(search.is_over() && search.is_full());
    assert!(search.bytes() <= tree_bytes && search.bytes() > tree_bytes / 2);
    assert!(search.hashfull() > 0.9, "{}", search.hashfull());
    assert!(search.best_move(MoveSelection::default()).is_some());
    assert!(gumbel_search.is_over() && gumbel_search.simulations() > 500);
    assert!(gumbel_search.bytes() <= tree_bytes);
    assert!(gumbel_search.best() < 3);
    // The subtree kept of a full tree leaves room to continue.
    let best = search.best_move(MoveSelection::default()).unwrap();
    search.play(best, true);
    let kept = search.visits();
    search.begin(kept + 10);
    assert!(kept > 100 && search.next_leaf().is_some());
}

/// The uniform evaluator, which counts positions.
#[derive(Default)]
struct CountingEvaluator {
    uniform: Uniform,
    positions: u32,
}

impl<G: Game> Evaluator<G> for CountingEvaluator {
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

//! Searches by several threads on one tree.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use garuda_mcts::evaluators::{Material, Uniform};
use garuda_mcts::{
    Analysis, AnalysisSettings, EvalError, Evaluations, Evaluator, Proof, SearchControl,
    SearchInfo, SearchLimits,
};
use garuda_rules::{Eternal, Game, GameState, Makruk, Move, Position, ToriShogi};

use crate::brute_force::{same_result, solve};
use crate::toy_games::{Heap, TicTacToe};

const MATE_IN_THREE: &str = "7/3+Sss1/7/1S1s2c/1+FS4/C2S3/4K1k[] w - - 10 21";

fn search<G: Game + Send + Sync>(
    analysis: &mut Analysis<G>,
    threads: usize,
    nodes: u32,
) -> SearchInfo {
    let mut evaluators = vec![Uniform::default(); threads];
    let limits = SearchLimits::nodes(nodes);
    analysis
        .search_parallel(&mut evaluators, limits, &SearchControl::new(), |_| {})
        .unwrap()
}

#[test]
fn one_thread_searches_as_without_threads() {
    fn check<P: Position>(game: GameState<P>) {
        let settings = AnalysisSettings {
            cache_entries: 500,
            ..AnalysisSettings::default()
        };
        let (limits, control) = (SearchLimits::nodes(3000), SearchControl::new());
        let mut alone = Analysis::new(game.clone(), settings);
        let mut expected = alone
            .search(&mut Material::default(), limits, &control, |_| {})
            .unwrap();
        let mut analysis = Analysis::new(game, settings);
        let mut evaluators = [Material::default()];
        let info = analysis
            .search_parallel(&mut evaluators, limits, &control, |_| {})
            .unwrap();
        expected.elapsed = info.elapsed;
        // Room for pending leaves is reserved in larger steps.
        expected.hashfull = info.hashfull;
        assert_eq!(info, expected);
    }
    check(Makruk::start());
    check(ToriShogi::start());
    check(ToriShogi::from_fen(MATE_IN_THREE).unwrap());
    check(Eternal::start());
}

#[test]
fn node_limit_is_exact() {
    for nodes in [1, 2, 10, 333, 5000] {
        for threads in [1, 2, 3, 8] {
            let mut analysis = Analysis::new(Heap::new(200), AnalysisSettings::default());
            let info = search(&mut analysis, threads, nodes);
            assert_eq!(info.visits, nodes);
            assert_eq!(info.new_visits, nodes);
            assert_eq!(info.evaluations, u64::from(nodes));
            assert!(info.best.is_some());
        }
    }
}

#[test]
fn a_tree_is_reused() {
    let mut analysis = Analysis::new(Heap::new(200), AnalysisSettings::default());
    let first = search(&mut analysis, 4, 2000);
    analysis.play(first.best.unwrap());
    let second = search(&mut analysis, 3, 2000);
    assert!(second.new_visits < 2000);
    assert_eq!(second.visits, 2000);
}

#[test]
fn proofs_equal_those_of_exhaustive_search() {
    let mut solved = HashMap::new();
    for stones in 3..=14 {
        let game = Heap::new(stones);
        let mut analysis = Analysis::new(game.clone(), AnalysisSettings::default());
        let proof = search(&mut analysis, 4, 100_000).proof.unwrap();
        assert!(same_result(proof, solve(&game, &mut solved)), "{stones}");
    }
    for cells in [&[0, 1, 3], &[4, 0, 8], &[0, 4, 8]] {
        let game = TicTacToe::after(cells);
        let mut analysis = Analysis::new(game.clone(), AnalysisSettings::default());
        let proof = search(&mut analysis, 4, 100_000).proof.unwrap();
        assert!(same_result(proof, solve(&game, &mut HashMap::new())));
    }
}

#[test]
fn mates_are_found() {
    for threads in 2..=4 {
        let game = ToriShogi::from_fen(MATE_IN_THREE).unwrap();
        let mut analysis = Analysis::new(game, AnalysisSettings::default());
        let info = search(&mut analysis, threads, 1_000_000);
        assert!(matches!(info.proof, Some(Proof::Win(_))), "{info:?}");
        assert_eq!(info.wdl.unwrap().value(), 1.0);
    }
}

#[test]
fn depth_limit_ends_a_search() {
    let mut analysis = Analysis::new(Heap::new(200), AnalysisSettings::default());
    let limits = SearchLimits {
        depth: Some(6),
        ..SearchLimits::default()
    };
    let mut evaluators = vec![Uniform::default(); 2];
    let info = analysis
        .search_parallel(&mut evaluators, limits, &SearchControl::new(), |_| {})
        .unwrap();
    assert!(info.lines[0].moves.len() >= 6);
}

#[test]
fn infos_come_while_the_search_goes_on() {
    let settings = AnalysisSettings {
        info_interval: Duration::ZERO,
        ..AnalysisSettings::default()
    };
    let mut analysis = Analysis::new(Heap::new(200), settings);
    let (control, mut visits) = (SearchControl::new(), 0);
    let info = analysis
        .search_parallel(
            &mut vec![Uniform::default(); 2],
            SearchLimits::default(),
            &control,
            |info| {
                assert!(info.visits >= visits);
                visits = info.visits;
                if visits > 300 {
                    control.stop();
                }
            },
        )
        .unwrap();
    assert_eq!(info.visits, visits);
}

#[test]
fn a_full_tree_ends_the_search_and_can_be_searched_on() {
    let settings = AnalysisSettings {
        tree_bytes: 1 << 18,
        ..AnalysisSettings::default()
    };
    let mut analysis = Analysis::new(ToriShogi::start(), settings);
    for _ in 0..20 {
        let info = search(&mut analysis, 4, u32::MAX);
        assert!(info.visits > 20 && info.visits < 1 << 18);
        analysis.play(info.best.unwrap());
        let limits = SearchLimits::nodes(100);
        analysis
            .search(
                &mut Uniform::default(),
                limits,
                &SearchControl::new(),
                |_| {},
            )
            .unwrap();
    }
}

/// Fails or panics at its last evaluation, and is uniform before.
struct Fragile {
    uniform: Uniform,
    left: u32,
    panics: bool,
}

impl<G: Game> Evaluator<G> for Fragile {
    fn capacity(&self) -> usize {
        1
    }

    fn push(&mut self, game: &G, legal: &[Move]) {
        self.uniform.push(game, legal);
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        Evaluator::<G>::run(&mut self.uniform, evaluations)?;
        if self.left == 0 {
            assert!(!self.panics, "as it was told");
            return Err(EvalError::Backend("as it was told".into()));
        }
        self.left -= 1;
        Ok(())
    }
}

fn fragile(lefts: [u32; 3], panics: bool) -> [Fragile; 3] {
    lefts.map(|left| Fragile {
        uniform: Uniform::default(),
        left,
        panics,
    })
}

#[test]
fn an_error_of_any_thread_ends_the_search() {
    for lefts in [[0; 3], [20, u32::MAX, u32::MAX], [u32::MAX, 20, u32::MAX]] {
        let mut analysis = Analysis::new(Heap::new(200), AnalysisSettings::default());
        let result = analysis.search_parallel(
            &mut fragile(lefts, false),
            SearchLimits::default(),
            &SearchControl::new(),
            |_| {},
        );
        assert!(matches!(result, Err(EvalError::Backend(_))));
        // The leaves that were given up are evaluated like any other, by one thread too.
        let limits = SearchLimits::nodes(50_000);
        let info = analysis
            .search(
                &mut Uniform::default(),
                limits,
                &SearchControl::new(),
                |_| {},
            )
            .unwrap();
        assert_eq!(info.visits, 50_000);
        assert_eq!(search(&mut analysis, 3, 200_000).visits, 200_000);
    }
}

#[test]
fn a_panic_of_any_thread_ends_the_search() {
    for lefts in [[20, u32::MAX, u32::MAX], [u32::MAX, 20, u32::MAX]] {
        let mut analysis = Analysis::new(Heap::new(200), AnalysisSettings::default());
        let result = catch_unwind(AssertUnwindSafe(|| {
            analysis.search_parallel(
                &mut fragile(lefts, true),
                SearchLimits::default(),
                &SearchControl::new(),
                |_| {},
            )
        }));
        assert!(result.is_err());
    }
}

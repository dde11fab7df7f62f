//! Tree reuse from move to move.

use garuda_mcts::evaluators::{Rollout, Uniform};
use garuda_mcts::{
    Analysis, AnalysisSettings, Gumbel, GumbelSettings, Search, SearchControl, SearchLimits,
};
use garuda_rules::{Game, Move, MoveList};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::helpers::{TREE_BYTES, puct};
use crate::toy_games::Heap;

/// The part of a dump below a child of the root, with less indentation.
fn subtree(dump: &str, child: usize) -> String {
    let lines: Vec<&str> = dump.lines().collect();
    let starts: Vec<usize> = (1..lines.len())
        .filter(|&i| !lines[i].starts_with("   "))
        .collect();
    let start = starts[child];
    let end = starts.get(child + 1).copied().unwrap_or(lines.len());
    // "  move prior turn rest" becomes "turn rest".
    let head = lines[start].splitn(5, ' ').last().unwrap();
    let rest = lines[start + 1..end].iter().map(|line| &line[2..]);
    std::iter::once(head)
        .chain(rest)
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn playing_a_move_keeps_its_subtree() {
    let mut rollout = Rollout::new(1, 1, 200);
    let search = puct(&Heap::new(60), 3000, &mut rollout);
    let dump = search.dump().to_string();
    for (edge, &mv) in search.moves().iter().enumerate() {
        let mut kept = search.clone();
        kept.play(mv, true);
        assert!(kept.dump().to_string() == subtree(&dump, edge));
        // The search can continue.
        let visits = kept.visits() + 500;
        kept.begin(visits);
        while let Some(leaf) = kept.next_leaf() {
            let (id, moves) = (leaf.id, leaf.legal.len());
            kept.backup(id, garuda_mcts::Wdl::UNKNOWN, &vec![0.0; moves]);
        }
        assert_eq!(kept.visits(), visits);
        let mut dropped = search.clone();
        dropped.play(mv, false);
        assert_eq!(dropped.visits(), 0);
    }
}

fn moves(game: &Heap) -> Vec<Move> {
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    moves.to_vec()
}

#[test]
fn only_a_continued_game_keeps_its_tree() {
    let start = Heap::new(100);
    let mut analysis = Analysis::new(start.clone(), AnalysisSettings::default());
    let search = |analysis: &mut Analysis<Heap>, nodes| {
        let limits = SearchLimits::nodes(nodes);
        analysis
            .search(
                &mut Uniform::default(),
                limits,
                &SearchControl::new(),
                |_| {},
            )
            .unwrap()
    };
    let info = search(&mut analysis, 1000);
    let line = &info.lines[0].moves;
    analysis.set_position(&start, &line[..2]);
    let kept = search(&mut analysis, 1);
    assert_eq!(kept.evaluations, 0);
    assert!(kept.visits > 10);
    let info = search(&mut analysis, 1000);
    assert_eq!(info.evaluations, u64::from(1000 - kept.visits));
    let other = moves(&start).into_iter().find(|mv| *mv != line[0]).unwrap();
    analysis.set_position(&start, &[other]);
    assert_eq!(search(&mut analysis, 5).evaluations, 5);
    analysis.set_position(&Heap::new(90), &[]);
    assert_eq!(analysis.game().left, 90);
    assert_eq!(search(&mut analysis, 5).evaluations, 5);
}

#[test]
fn gumbel_spends_its_whole_budget_on_a_reused_tree() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut search = Gumbel::new(Heap::new(100), TREE_BYTES);
    let settings = GumbelSettings {
        simulations: 32,
        ..GumbelSettings::default()
    };
    for _ in 0..10 {
        search.begin(settings, &mut rng);
        let before: u32 = search.visits().sum();
        while let Some(leaf) = search.next_leaf() {
            let (id, moves) = (leaf.id, leaf.legal.len());
            search.backup(id, garuda_mcts::Wdl::UNKNOWN, &vec![0.0; moves]);
        }
        assert_eq!(search.visits().sum::<u32>(), before + 32);
        search.play(search.moves()[search.best()], true);
        assert!(search.visits().sum::<u32>() > 0);
    }
}

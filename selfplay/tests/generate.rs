//! Self-play: a game is made by its number alone.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use garuda_mcts::evaluators::Rollout;
use garuda_mcts::{EvalError, Evaluations, Evaluator, Wdl};
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Game, GameState, Move, Position, RuleSet, with_rule_set};
use garuda_run::records::{DecisionKind, GameRecord};
use garuda_run::seeds;
use garuda_selfplay::generate::{Counters, Plan, PlanSpec, generate};

use crate::common::{self, config, evaluator, games};

#[test]
fn games_depend_on_their_numbers_alone() {
    let config = config(&[]);
    let numbers: Vec<_> = (0..10).collect();
    let one = games(&config, 0, &numbers, 1);
    assert_eq!(one, games(&config, 0, &numbers, 3));
    // What is left after a crash, in another company.
    let rest = [9, 2, 7];
    let some = games(&config, 0, &rest, 2);
    assert_eq!(some, [one[2].clone(), one[7].clone(), one[9].clone()]);
    // Other numbers, nets and seeds make other games.
    assert_ne!(
        one[0].moves().collect::<Vec<_>>(),
        one[1].moves().collect::<Vec<_>>()
    );
    assert_ne!(one[0], games(&config, 1, &[0], 1)[0]);
    let other = common::config(&["run.seed=2"]);
    assert_ne!(one[0], games(&other, 0, &[0], 1)[0]);
}

#[test]
fn records_tell_how_moves_came_about() {
    let config = config(&[
        "selfplay.policy_init_prob=1",
        "selfplay.policy_init_max_plies=6",
    ]);
    let records = games(&config, 0, &[0, 1, 2, 3, 4, 5], 2);
    assert!(
        records
            .iter()
            .any(|r| r.kinds().next() == Some(DecisionKind::Unsearched))
    );
    for record in &records {
        for decision in record.decisions() {
            let searched = decision.kind != DecisionKind::Unsearched;
            assert_eq!(searched, !decision.policy.is_empty());
        }
        assert!(
            record
                .kinds()
                .skip(6)
                .any(|kind| kind != DecisionKind::Unsearched)
        );
    }
}

#[test]
fn older_checkpoints_play_one_side_of_some_games() {
    let config = config(&["selfplay.past_opponent_prob=0.5"]);
    let plan = Plan::<ToriPosition>::new(PlanSpec::new(config, 5, &[2], 0));
    let opened = AtomicUsize::new(0);
    let open = |checkpoint: u32| {
        opened.fetch_add(checkpoint as usize, Ordering::Relaxed);
        evaluator(checkpoint)
    };
    let mut records = Vec::new();
    let (stop, counters) = (AtomicBool::new(false), Counters::default());
    generate(
        &plan,
        &(0..12).collect::<Vec<_>>(),
        1,
        open,
        &stop,
        &counters,
        |record| {
            records.push(record);
            Ok(())
        },
    )
    .unwrap();
    assert_eq!(opened.into_inner(), 5 + 2);
    let sides = |record: &GameRecord| Color::ALL.map(|color| record.side(color));
    for wanted in [[5, 5], [2, 5], [5, 2]] {
        assert!(records.iter().any(|r| sides(r) == wanted), "{wanted:?}");
    }
    // What the older one thought is not learned.
    let mixed = records.iter().find(|r| sides(r) == [2, 5]).unwrap();
    let mut game = GameState::<ToriPosition>::from_fen(mixed.start()).unwrap();
    for decision in mixed.decisions() {
        if game.turn() == Color::White {
            assert_eq!(decision.kind, DecisionKind::Unsearched);
        }
        game.play(decision.mv);
    }
}

/// Panics, or fails, at one position.
struct Trap {
    inner: Rollout,
    key: u64,
    panics: bool,
    sprung: bool,
}

impl Evaluator<GameState<ToriPosition>> for Trap {
    fn capacity(&self) -> usize {
        64
    }

    fn push(&mut self, game: &GameState<ToriPosition>, legal: &[Move]) {
        if game.state_key() == self.key {
            assert!(!self.panics, "the trap has sprung");
            self.sprung = true;
        }
        self.inner.push(game, legal);
    }

    fn run(&mut self, answers: &mut Evaluations) -> Result<(), EvalError> {
        Evaluator::<GameState<ToriPosition>>::run(&mut self.inner, answers)?;
        if self.sprung {
            let wdl = Wdl {
                win: f32::NAN,
                draw: 0.0,
                loss: 0.0,
            };
            return answers.push(wdl, []);
        }
        Ok(())
    }
}

/// The state before move `ply` of a record.
fn key_at(record: &GameRecord, ply: usize) -> u64 {
    let mut game = GameState::<ToriPosition>::from_fen(record.start()).unwrap();
    for mv in record.moves().take(ply) {
        game.play(mv);
    }
    game.state_key()
}

fn with_trap(panics: bool, key: u64) -> (anyhow::Result<Vec<u64>>, Vec<GameRecord>, Vec<String>) {
    let config = config(&[]);
    let plan = Plan::<ToriPosition>::new(PlanSpec::new(config, 0, &[], 0));
    let open = |checkpoint| {
        Ok(Trap {
            inner: evaluator(checkpoint)?,
            key,
            panics,
            sprung: false,
        })
    };
    let mut records = Vec::new();
    let mut stories = Vec::new();
    let (stop, counters) = (AtomicBool::new(false), Counters::default());
    let result = generate(
        &plan,
        &(0..10).collect::<Vec<_>>(),
        2,
        open,
        &stop,
        &counters,
        |record| {
            records.push(record);
            Ok(())
        },
    )
    .map(|dropped| {
        stories.extend(dropped.iter().map(|game| game.move_list_text.clone()));
        dropped.iter().map(|game| game.number).collect()
    });
    records.sort_by_key(GameRecord::number);
    (result, records, stories)
}

#[test]
fn a_panic_costs_one_game() {
    let untroubled = games(&config(&[]), 0, &(0..10).collect::<Vec<_>>(), 2);
    let key = key_at(&untroubled[4], 30);
    let (dropped, records, stories) = with_trap(true, key);
    assert_eq!(dropped.unwrap(), [4]);
    assert!(stories[0].starts_with(untroubled[4].start()));
    assert!(stories[0].split(' ').count() > 25, "{}", stories[0]);
    let others: Vec<_> = untroubled
        .iter()
        .filter(|r| r.number() != 4)
        .cloned()
        .collect();
    assert_eq!(records, others);
}

#[test]
fn an_evaluator_that_fails_ends_the_phase_with_its_error() {
    let untroubled = games(&config(&[]), 0, &[4], 1);
    let (result, _, _) = with_trap(false, key_at(&untroubled[0], 30));
    assert!(result.unwrap_err().to_string().contains("NaN"));
}

#[test]
fn a_stop_ends_it_at_once() {
    let config = config(&[]);
    let plan = Plan::<ToriPosition>::new(PlanSpec::new(config, 0, &[], 0));
    let stop = AtomicBool::new(true);
    let numbers: Vec<_> = (0..1000).collect();
    generate(
        &plan,
        &numbers,
        2,
        evaluator,
        &stop,
        &Counters::default(),
        |_| panic!("nothing is finished"),
    )
    .unwrap();
}

#[test]
fn varied_starts_are_sound_and_varied() {
    for rule_set in RuleSet::ALL {
        with_rule_set!(rule_set, P => {
            let mut rng = seeds::rng(5);
            let start = P::start();
            let starts: Vec<_> = (0..60).map(|_| start.varied_start(&mut rng)).collect();
            assert!(starts.iter().all(|s| GameState::from_position(*s).outcome().is_none()));
            let different = starts.iter().filter(|s| **s != start).count();
            assert!(different > 50, "{rule_set}: {different} of 60");
        });
    }
}

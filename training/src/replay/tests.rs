//! What is trained on.

#[path = "../../../selfplay/tests/common/mod.rs"]
mod common;

use super::{
    Replay, ReplayGame, SampleSettings, TrainingSample, first_in_window, game_samples, ply_of,
    window_size,
};
use garuda_model::sparse::FeatureLayout;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Game, GameState};
use garuda_run::records::{DecisionKind, GameRecord};
use garuda_torch::{GameSamples, Targets};

use common::{config, games};

#[test]
fn the_window_holds_the_newest_positions_however_they_came() {
    let config = config(&[
        "replay.window_min=300",
        "replay.validation_fraction=0.3",
        "training.batch_size=8",
    ]);
    let settings = &config.replay;
    let records = games(&config, 0, &(0..24).collect::<Vec<_>>(), 2);
    let total: usize = records.iter().map(GameRecord::positions).sum();
    let mut at_once = Replay::default();
    at_once.extend(records.clone(), settings, ReplayGame::Record);
    let mut one_by_one = Replay::default();
    for record in records.clone() {
        one_by_one.extend(vec![record], settings, ReplayGame::Record);
    }
    let lengths = records.iter().map(|record| record.positions() as u64);
    let first = first_in_window(settings, lengths.clone());
    assert!(first > 0);
    let mut resumed = Replay::after(lengths.take(first).sum());
    resumed.extend(records[first..].to_vec(), settings, ReplayGame::Record);
    let window = window_size(settings, total as u64);
    let held = at_once.len() + at_once.validation_len();
    assert!(held >= window && held < window + 400, "{held} for {window}");
    assert!(at_once.validation_len() > 0 && at_once.len() > at_once.validation_len());
    assert_eq!(at_once.len(), one_by_one.len());
    assert_eq!(at_once.len(), resumed.len());
    assert_eq!(at_once.validation_len(), resumed.validation_len());
    for index in 0..at_once.len() {
        let (game, number) = at_once.position(index);
        assert_eq!((game, number), one_by_one.position(index));
        assert_eq!((game, number), resumed.position(index));
        let ReplayGame::Record(record) = game else {
            panic!("records were kept");
        };
        let kind = record.kinds().nth(ply_of(record, number));
        assert_ne!(kind, Some(DecisionKind::Unsearched));
    }
}

#[test]
fn samples_say_what_the_record_says() {
    let config = config(&["training.wdl_weight=1", "selfplay.policy_init_prob=0"]);
    let settings = SampleSettings::from(&config);
    for record in games(&config, 0, &(0..6).collect::<Vec<_>>(), 2) {
        let decisions: Vec<_> = record.decisions().collect();
        let mut game = GameState::<ToriPosition>::from_fen(record.start()).unwrap();
        for (ply, decision) in decisions.iter().enumerate() {
            let turn = game.turn();
            if decision.kind != DecisionKind::Unsearched {
                let sample = TrainingSample::<ToriPosition>::new(&record, ply, &settings);
                let (legal, policy) = sample.policy();
                assert_eq!(legal.len(), policy.len());
                let sum: f32 = policy.iter().sum();
                assert!((sum - 1.0).abs() < 1e-4);
                for (mv, share) in legal.iter().zip(policy) {
                    let recorded = decision.policy.iter().find(|(other, _)| other == mv);
                    assert_eq!(*share, recorded.map_or(0.0, |&(_, share)| share));
                }
                let expected = match record.winner() {
                    None => 0.0,
                    Some(winner) if winner == turn => 1.0,
                    Some(_) => -1.0,
                };
                assert_eq!(sample.wdl().value(), expected);
                // The sides alternate here: the reply is the next move's policy.
                let next = decisions.get(ply + 1);
                let replied = next.is_some_and(|d| d.kind != DecisionKind::Unsearched);
                assert_eq!(sample.opponent_policy().is_some(), replied);
                assert!(sample.short_term_value().iter().all(|v| v.abs() <= 1.0));
                if ply + 1 == decisions.len() {
                    assert_eq!(sample.short_term_value(), [expected; 2]);
                }
            }
            game.play(decision.mv);
        }
        assert_ne!(game.outcome(), None);
    }
}

#[test]
fn values_are_those_of_the_side_to_move() {
    let config = config(&["training.wdl_weight=0"]);
    let record = games(&config, 0, &[3], 1).remove(0);
    let settings = SampleSettings::from(&config);
    let wdls: Vec<_> = record.wdls().collect();
    for (ply, kind) in record.kinds().enumerate() {
        if kind != DecisionKind::Unsearched {
            let sample = TrainingSample::<ToriPosition>::new(&record, ply, &settings);
            assert!((sample.wdl().value() - wdls[ply].value()).abs() < 1e-6);
        }
    }
}

#[test]
fn games_that_were_replayed_once_hold_the_same_samples() {
    let config = config(&["training.wdl_weight=0.4"]);
    let settings = SampleSettings::from(&config);
    let layout = FeatureLayout::of::<ToriPosition>();
    for record in games(&config, 0, &(0..6).collect::<Vec<_>>(), 2) {
        let mut expected = GameSamples::default();
        for index in 0..record.positions() {
            let ply = ply_of(&record, index);
            let sample = TrainingSample::<ToriPosition>::new(&record, ply, &settings);
            let targets = Targets {
                opponent_policy: None,
                ..sample.targets()
            };
            expected.push(&layout, sample.game(), sample.policy().0, &targets);
        }
        assert_eq!(
            game_samples::<ToriPosition>(&record, &layout, &settings),
            expected
        );
    }
}

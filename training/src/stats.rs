//! What the games of a checkpoint were like.

use std::collections::BTreeMap;

use garuda_rules::Color;
use garuda_run::SelfplayStats;
use garuda_run::records::GameRecord;

pub(super) fn selfplay_stats(checkpoint: u32, records: &[GameRecord]) -> SelfplayStats {
    let games = records.len().max(1) as f64;
    let share = |of: &dyn Fn(&GameRecord) -> bool| {
        records.iter().filter(|record| of(record)).count() as f64 / games
    };
    let mut ends = BTreeMap::new();
    for record in records {
        *ends
            .entry(record.termination_name().to_owned())
            .or_insert(0.0) += 1.0 / games;
    }
    let plies: usize = records.iter().map(GameRecord::plies).sum();
    SelfplayStats {
        checkpoint,
        games: records.len() as u64,
        positions: positions(records),
        mean_plies: plies as f64 / games,
        white: share(&|record| record.winner() == Some(Color::White)),
        draws: share(&|record| record.winner().is_none()),
        black: share(&|record| record.winner() == Some(Color::Black)),
        ends,
        entropy: entropy(records),
        ..SelfplayStats::default()
    }
}

pub(super) fn positions(records: &[GameRecord]) -> u64 {
    records.iter().map(|record| record.positions() as u64).sum()
}

/// Mean entropy of all policies, in nats.
fn entropy(records: &[GameRecord]) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for policy in records.iter().flat_map(GameRecord::policies) {
        if !policy.is_empty() {
            count += 1.0;
            sum -= (policy.iter())
                .map(|&(_, share)| f64::from(share) * f64::from(share).ln())
                .sum::<f64>();
        }
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

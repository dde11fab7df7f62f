//! `info` lines of UCI and USI.

use std::time::{Duration, Instant};

use garuda_mcts::{Proof, PvLine, SearchInfo, Wdl};
use garuda_rules::{Game, GameState, Move, Position};

use crate::options::Options;
use crate::protocol::{Protocol, usi};

/// A legal move in the notation of the protocol.
pub(crate) fn move_text<P: Position>(protocol: Protocol, position: &P, mv: Move) -> String {
    let uci = position.uci(mv);
    match protocol {
        Protocol::Uci => uci,
        Protocol::Usi => usi::move_from_uci(P::BOARD, &uci),
    }
}

/// The `info` lines of a search of `game`, one per principal variation.
pub(crate) fn info_lines<P: Position>(
    info: &SearchInfo,
    game: &GameState<P>,
    options: &Options,
    protocol: Protocol,
) -> String {
    let time = info.elapsed.as_millis();
    let nps = f64::from(info.new_visits) / info.elapsed.as_secs_f64().max(1e-6);
    let hashfull = (1000.0 * info.hashfull).min(1000.0) as u32;
    let lines = info.lines.iter().take(options.multi_pv).enumerate();
    let text = |(i, line): (usize, &PvLine)| {
        let (pv, turns) = pv_text(game, &line.moves, protocol);
        let score = score(line, turns, protocol);
        let wdl = if options.show_wdl {
            let [win, draw, loss] = per_mille(line.wdl);
            format!(" wdl {win} {draw} {loss}")
        } else {
            String::new()
        };
        format!(
            "info depth {} multipv {} score {score}{wdl} nodes {} nps {} hashfull {hashfull} \
             time {time} pv{pv}",
            line.moves.len(),
            i + 1,
            info.visits,
            nps as u64,
        )
    };
    lines.map(text).collect::<Vec<_>>().join("\n")
}

/// The moves of a principal variation, each after a space, and the number of turns of the side to
/// move in it: a turn can consist of several moves.
fn pv_text<P: Position>(game: &GameState<P>, moves: &[Move], protocol: Protocol) -> (String, u32) {
    let side = game.turn();
    let mut game = game.clone();
    let mut text = String::new();
    let mut turns = 0;
    let mut last = None;
    for &mv in moves {
        text.push(' ');
        text.push_str(&move_text(protocol, game.position(), mv));
        if game.turn() == side && last != Some(side) {
            turns += 1;
        }
        last = Some(game.turn());
        game.play(mv);
    }
    (text, turns)
}

fn score(line: &PvLine, turns: u32, protocol: Protocol) -> String {
    // UCI counts the moves of one side to mate, USI those of both.
    let mate = |distance: u16| match protocol {
        Protocol::Usi => u32::from(distance),
        Protocol::Uci if line.moves.len() == usize::from(distance) => turns.max(1),
        Protocol::Uci => u32::from(distance).div_ceil(2).max(1),
    };
    match line.proof {
        Some(Proof::Win(distance)) => format!("mate {}", mate(distance)),
        Some(Proof::Loss(distance)) => format!("mate -{}", mate(distance)),
        Some(Proof::Draw) => "cp 0".to_owned(),
        None => format!("cp {}", centipawns(line.wdl)),
    }
}

/// The expected result as a score on the Elo scale: 100 for an expected result of 64 %, and every
/// further 400 multiply the odds by ten.
pub(crate) fn centipawns(wdl: Wdl) -> i32 {
    const MAX: f32 = 9999.0;
    let value = wdl.value();
    // The score of the side that stands better, so that both sides see the same one.
    let expected = f32::midpoint(1.0, value.abs());
    let score = 400.0 * (expected / (1.0 - expected)).log10();
    // Rounding can leave probabilities slightly out of range.
    if score.is_nan() {
        return 0;
    }
    score.min(MAX).round().copysign(value) as i32
}

/// Win, draw and loss per mille, with the sum 1000.
pub(crate) fn per_mille(wdl: Wdl) -> [u32; 3] {
    let round = |probability: f32| (1000.0 * probability).round().clamp(0.0, 1000.0) as u32;
    let win = round(wdl.win);
    let loss = round(wdl.loss).min(1000 - win);
    [win, 1000 - win - loss, loss]
}

/// Limits the rate of `info` lines.
#[derive(Default)]
pub(crate) struct InfoThrottle {
    last: Option<LastInfo>,
}

struct LastInfo {
    time: Instant,
    best: Option<Move>,
}

/// Minimum time between two outputs if the best move changed…
const CHANGE_INTERVAL: Duration = Duration::from_millis(100);
/// …and if it did not.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

impl InfoThrottle {
    /// Whether to send `info` now.
    pub(crate) fn is_due(&mut self, info: &SearchInfo) -> bool {
        let due = self.last.as_ref().is_none_or(|last| {
            let age = last.time.elapsed();
            age >= PROGRESS_INTERVAL || age >= CHANGE_INTERVAL && last.best != info.best
        });
        if due {
            self.last = Some(LastInfo {
                time: Instant::now(),
                best: info.best,
            });
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn wdl_sums_to_a_thousand_and_scores_are_symmetric(
            win in 0.0f32..=1.0,
            share in 0.0f32..=1.0,
        ) {
            let loss = (1.0 - win) * share;
            let wdl = Wdl { win, draw: 1.0 - win - loss, loss };
            prop_assert_eq!(per_mille(wdl).iter().sum::<u32>(), 1000);
            prop_assert_eq!(centipawns(wdl), -centipawns(wdl.reversed()));
            prop_assert!(centipawns(wdl).abs() <= 9999);
            if win > loss + 0.01 {
                prop_assert!(centipawns(wdl) > 0);
            }
        }
    }

    #[test]
    fn scores_of_certain_results() {
        let wdl = |win, draw, loss| Wdl { win, draw, loss };
        assert_eq!(centipawns(wdl(1.0, 0.0, 0.0)), 9999);
        assert_eq!(centipawns(wdl(0.0, 0.0, 1.0)), -9999);
        assert_eq!(centipawns(wdl(0.0, 1.0, 0.0)), 0);
        assert_eq!(centipawns(wdl(0.64, 0.0, 0.36)), 100);
        // Halfway between two scores: rounding must not favour a side.
        let halfway = wdl(0.890_055_9, 0.026_827_4, 0.083_116_7);
        assert_eq!(centipawns(halfway), -centipawns(halfway.reversed()));
        assert_eq!(per_mille(wdl(1.0, 0.0, 0.0)), [1000, 0, 0]);
        assert_eq!(
            per_mille(wdl(0.5005, 0.0, 0.4995)).iter().sum::<u32>(),
            1000
        );
    }

    #[test]
    fn the_first_info_is_sent_at_once_and_an_unchanged_one_later() {
        let info = SearchInfo {
            best: None,
            lines: vec![],
            wdl: None,
            proof: None,
            visits: 1,
            new_visits: 1,
            runner_up_visits: 0,
            evaluations: 1,
            elapsed: Duration::from_millis(1),
            hashfull: 0.0,
        };
        let mut throttle = InfoThrottle::default();
        assert!(throttle.is_due(&info));
        assert!(!throttle.is_due(&info));
    }
}

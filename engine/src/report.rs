//! What a search has found, in the words of the protocols.

use garuda_mcts::{Line, Proof, Report, Wdl};
use garuda_rules::{Game, GameState, Move, Position};

use crate::options::Options;
use crate::protocol::{Protocol, usi};

/// A move as the protocol writes it. It must be legal in the position.
pub(crate) fn move_text<P: Position>(protocol: Protocol, position: &P, mv: Move) -> String {
    let uci = position.uci(mv);
    match protocol {
        Protocol::Uci => uci,
        Protocol::Usi => usi::move_from_uci(P::BOARD, &uci),
    }
}

/// The `info` lines of a search of `game`, a line for each of the best moves.
pub(crate) fn info<P: Position>(
    report: &Report,
    game: &GameState<P>,
    options: &Options,
    protocol: Protocol,
) -> String {
    let time = report.elapsed.as_millis();
    let speed = f64::from(report.new_visits) / report.elapsed.as_secs_f64().max(1e-6);
    let hashfull = (1000.0 * report.fullness).min(1000.0) as u32;
    let lines = report.lines.iter().take(options.multi_pv).enumerate();
    let text = |(i, line): (usize, &Line)| {
        let (pv, turns) = variation(game, &line.moves, protocol);
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
            report.visits,
            speed as u64,
        )
    };
    lines.map(text).collect::<Vec<_>>().join("\n")
}

/// The moves of a line, each after a space, and how many turns in it are the mover's: a turn can
/// take several moves.
fn variation<P: Position>(
    game: &GameState<P>,
    moves: &[Move],
    protocol: Protocol,
) -> (String, u32) {
    let mover = game.turn();
    let mut game = game.clone();
    let mut text = String::new();
    let mut turns = 0;
    let mut last = None;
    for &mv in moves {
        text.push(' ');
        text.push_str(&move_text(protocol, game.position(), mv));
        if game.turn() == mover && last != Some(mover) {
            turns += 1;
        }
        last = Some(game.turn());
        game.play(mv);
    }
    (text, turns)
}

fn score(line: &Line, turns: u32, protocol: Protocol) -> String {
    // UCI counts the mover's moves to the mate, USI those of both.
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

/// The chances as a score: 100 is an expected result of 64 %, and every further 400 multiplies
/// the odds by ten, as with Elo.
pub(crate) fn centipawns(wdl: Wdl) -> i32 {
    const MOST: f32 = 9999.0;
    let expected = f32::midpoint(1.0, wdl.value());
    let score = 400.0 * (expected / (1.0 - expected)).log10();
    // Rounding may leave chances a little beyond their bounds.
    if score.is_nan() {
        return 0;
    }
    score.clamp(-MOST, MOST).round() as i32
}

/// Chances in thousandths, which sum to 1000.
pub(crate) fn per_mille(wdl: Wdl) -> [u32; 3] {
    let round = |chance: f32| (1000.0 * chance).round().clamp(0.0, 1000.0) as u32;
    let win = round(wdl.win);
    let loss = round(wdl.loss).min(1000 - win);
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn chances_sum_to_a_thousand_and_scores_follow_them(
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
    fn certain_results_have_scores() {
        let wdl = |win, draw, loss| Wdl { win, draw, loss };
        assert_eq!(centipawns(wdl(1.0, 0.0, 0.0)), 9999);
        assert_eq!(centipawns(wdl(0.0, 0.0, 1.0)), -9999);
        assert_eq!(centipawns(wdl(0.0, 1.0, 0.0)), 0);
        assert_eq!(centipawns(wdl(0.64, 0.0, 0.36)), 100);
        assert_eq!(per_mille(wdl(1.0, 0.0, 0.0)), [1000, 0, 0]);
        assert_eq!(
            per_mille(wdl(0.5005, 0.0, 0.4995)).iter().sum::<u32>(),
            1000
        );
    }
}

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use garuda_arena::uci::{Score, UciClient};
use garuda_mcts::Wdl;
use garuda_rules::{GameState, Position};
use garuda_run::{Limit, UciSpec};

use super::search::Opinion;

/// How long an engine may take for one position.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The engine's units in a hundredth of a pawn, and in what makes a win e times as likely as a loss:
/// the scale on which networks are trained.
const INTERNAL_PER_CENTIPAWN: f32 = 2.08;
const INTERNAL_PER_LOGIT: f32 = 361.0;

/// Lets another engine search positions.
#[derive(Debug)]
pub(super) struct EngineLabeller {
    client: UciClient,
    go: String,
}

impl EngineLabeller {
    pub(super) fn start(spec: &UciSpec, rules: &'static str) -> anyhow::Result<EngineLabeller> {
        let go = go_command(spec)?;
        Ok(EngineLabeller {
            client: UciClient::launch(spec, rules, TIMEOUT)?,
            go,
        })
    }

    /// Labels positions, in their order. Stops early, with nothing, when `is_stopped` says so.
    pub(super) fn label<P: Position>(
        &mut self,
        games: &[GameState<P>],
        is_stopped: &dyn Fn() -> bool,
        progress: &dyn Fn(u64),
    ) -> anyhow::Result<Option<Vec<Opinion>>> {
        // What the engine remembers of other positions changes its scores. After this it does not
        // depend on what was labelled before.
        let until = || Instant::now() + TIMEOUT;
        self.client.send("ucinewgame")?;
        self.client.sync(until())?;
        let mut opinions = Vec::with_capacity(games.len());
        for game in games {
            if is_stopped() {
                return Ok(None);
            }
            let position = game.position();
            let fen = position.to_string();
            let (score, mv) = (self.client.analyse(&fen, &self.go, until()))
                .with_context(|| format!("the teacher failed in {fen}"))?;
            let mv = position.parse_uci(&mv);
            let mv = mv.with_context(|| format!("the teacher's move in {fen}"))?;
            opinions.push(score.map(|score| (chances(score), mv)));
            progress(1);
        }
        Ok(Some(opinions))
    }
}

/// The command that limits a search. A limit of time would give other labels every time.
pub(super) fn go_command(spec: &UciSpec) -> anyhow::Result<String> {
    match spec.limit {
        Some(Limit::Depth(plies)) => Ok(format!("go depth {plies}")),
        Some(Limit::Nodes(nodes)) => Ok(format!("go nodes {nodes}")),
        Some(limit @ (Limit::MoveTime(_) | Limit::Clock(_))) => {
            bail!("a teacher is limited by depth or nodes, not by {limit}")
        }
        None => bail!("the teacher {spec} needs a limit, as in uci:{spec}?depth=5"),
    }
}

fn chances(score: Score) -> Wdl {
    let win = match score {
        Score::Mate(moves) => f32::from(u8::from(moves > 0)),
        Score::Centipawns(cp) => {
            1.0 / (1.0 + (-(cp as f32) * INTERNAL_PER_CENTIPAWN / INTERNAL_PER_LOGIT).exp())
        }
    };
    Wdl {
        win,
        draw: 0.0,
        loss: 1.0 - win,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_score_of_an_engine_is_a_chance() {
        for cp in [i32::MIN, -100, 0, 100, i32::MAX] {
            let Wdl { win, draw, loss } = chances(Score::Centipawns(cp));
            assert!((0.0..=1.0).contains(&win), "{cp}: {win}");
            assert_eq!(win > 0.5, cp > 0);
            assert_eq!((draw, win + loss), (0.0, 1.0));
        }
        assert_eq!(chances(Score::Mate(i32::MIN)).win, 0.0);
    }
}

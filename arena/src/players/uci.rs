use std::time::{Duration, Instant};

use garuda_rules::{Color, Game, Move, Position};
use garuda_run::{GameClock, Limit, UciSpec};

use super::{Fault, Forfeit, GameLine, NoMove, Player};
use crate::uci::{EngineGone, UciClient};

/// How late an answer to `go movetime` may be: engines check their clocks now and then.
const MOVETIME_TOLERANCE: Duration = Duration::from_millis(100);

/// A UCI engine. A fault loses the game, and the engine is restarted for its next move.
#[derive(Debug)]
pub struct UciPlayer {
    spec: UciSpec,
    /// The name of the game.
    rules: &'static str,
    limit: Limit,
    /// For answers that no clock limits.
    timeout: Duration,
    /// `None` after a fault.
    client: Option<UciClient>,
    /// Whether `ucinewgame` is still to be sent.
    is_new_game: bool,
    clock: Option<GameClock>,
}

impl UciPlayer {
    /// Starts the engine and makes sure that it knows the rules and its options.
    pub fn start(
        spec: &UciSpec,
        rules: &'static str,
        limit: Limit,
        timeout: Duration,
    ) -> anyhow::Result<UciPlayer> {
        Ok(UciPlayer {
            spec: spec.clone(),
            rules,
            limit,
            timeout,
            client: Some(UciClient::launch(spec, rules, timeout)?),
            is_new_game: true,
            clock: None,
        })
    }

    /// The engine's `bestmove` line for a position.
    fn ask<P: Position>(
        &mut self,
        line: &GameLine<P>,
        opponent: Option<GameClock>,
    ) -> Result<String, Forfeit> {
        let go = self.go_command(line.game().turn(), opponent);
        let client = match &mut self.client {
            Some(client) => client,
            None => {
                let client = UciClient::launch(&self.spec, self.rules, self.timeout);
                let client = client.map_err(|e| {
                    Forfeit::new(Fault::Crash, format!("it cannot be restarted: {e:#}"))
                })?;
                self.client.insert(client)
            }
        };
        if self.is_new_game {
            let synced = client
                .send("ucinewgame")
                .and_then(|()| client.sync(Instant::now() + self.timeout));
            synced.map_err(|gone| forfeit(&gone, Fault::Hang))?;
            self.is_new_game = false;
        }
        let position = position_command(line);
        let sent = client.send(&position).and_then(|()| client.send(&go));
        let started = Instant::now();
        let (allowed, fault) = match self.limit {
            Limit::Nodes(_) | Limit::Depth(_) => (self.timeout, Fault::Hang),
            Limit::MoveTime(time) => (time + MOVETIME_TOLERANCE, Fault::TimeLoss),
            Limit::Clock(full) => (self.clock.unwrap_or(full).left, Fault::TimeLoss),
        };
        let answer = sent.and_then(|()| client.wait_for("bestmove", started + allowed));
        let (came, answer) = answer.map_err(|gone| match gone {
            EngineGone::Late => {
                let seconds = allowed.as_secs_f64();
                Forfeit::new(fault, format!("no move within {seconds:.3} s"))
            }
            EngineGone::Ended(_) => forfeit(&gone, fault),
        })?;
        if let Some(clock) = &mut self.clock {
            let used = came.saturating_duration_since(started);
            clock.left = clock.left.saturating_sub(used) + clock.increment;
        }
        Ok(answer)
    }

    fn go_command(&self, turn: Color, opponent: Option<GameClock>) -> String {
        let full = match self.limit {
            Limit::Nodes(nodes) => return format!("go nodes {nodes}"),
            Limit::Depth(plies) => return format!("go depth {plies}"),
            Limit::MoveTime(time) => return format!("go movetime {}", time.as_millis()),
            Limit::Clock(full) => full,
        };
        let own = self.clock.unwrap_or(full);
        // A player without a clock never runs out of time.
        let other = opponent.unwrap_or(full);
        let (white, black) = match turn {
            Color::White => (own, other),
            Color::Black => (other, own),
        };
        format!(
            "go wtime {} btime {} winc {} binc {}",
            white.left.as_millis(),
            black.left.as_millis(),
            white.increment.as_millis(),
            black.increment.as_millis()
        )
    }
}

impl<P: Position> Player<P> for UciPlayer {
    fn new_game(&mut self, _seed: u64) {
        self.is_new_game = true;
        self.clock = match self.limit {
            Limit::Clock(clock) => Some(clock),
            Limit::Nodes(_) | Limit::Depth(_) | Limit::MoveTime(_) => None,
        };
    }

    fn clock(&self) -> Option<GameClock> {
        self.clock
    }

    fn choose(&mut self, line: &GameLine<P>, opponent: Option<GameClock>) -> Result<Move, NoMove> {
        let chosen = self
            .ask(line, opponent)
            .and_then(|answer| read_move(line.position(), &answer));
        chosen.map_err(|forfeit| {
            if let Some(client) = self.client.take() {
                client.kill();
            }
            forfeit.into()
        })
    }
}

fn position_command<P: Position>(line: &GameLine<P>) -> String {
    let moves = line.uci_moves();
    let start = line.start();
    match moves.is_empty() {
        true => format!("position fen {start}"),
        false => format!("position fen {start} moves {}", moves.join(" ")),
    }
}

/// The move of a `bestmove` line.
fn read_move<P: Position>(position: &P, answer: &str) -> Result<Move, Forfeit> {
    let text = answer.split_whitespace().nth(1).unwrap_or_default();
    if ["(none)", "none", "0000", "resign"].contains(&text) {
        let message = format!(
            "it says {answer:?} where {} moves are legal, in {position}",
            position.count_legal_moves()
        );
        return Err(Forfeit::new(Fault::NoMove, message));
    }
    position
        .parse_uci(text)
        .map_err(|e| Forfeit::new(Fault::IllegalMove, e.to_string()))
}

fn forfeit(gone: &EngineGone, late: Fault) -> Forfeit {
    let fault = match gone {
        EngineGone::Late => late,
        EngineGone::Ended(_) => Fault::Crash,
    };
    Forfeit::new(fault, gone.to_string())
}

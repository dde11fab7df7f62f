use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use garuda_rules::{Color, Game, Move, Position, RuleSet};
use garuda_run::{Clock, Limit, UciSpec};

use super::process::{EngineGone, Process};
use crate::players::{Fault, Forfeit, Line, NoMove, Player};

/// How late an answer to `go movetime` may be, for programs look at their clocks now and then.
const GRACE: Duration = Duration::from_millis(100);

/// Another program that plays. A fault loses it the game; the program is started anew for the
/// next move.
#[derive(Debug)]
pub struct Uci {
    spec: UciSpec,
    rules: RuleSet,
    limit: Limit,
    /// For answers that no clock limits.
    timeout: Duration,
    process: Option<Process>,
    /// Whether the program has still to be told that a game begins.
    begins: bool,
    clock: Option<Clock>,
}

/// An option that an engine offers.
struct Offer {
    name: String,
    /// What it can be, if it is one of a few.
    variants: Option<Vec<String>>,
}

impl Uci {
    /// Starts the program and makes sure that it knows the rules and its options.
    pub fn start(
        spec: &UciSpec,
        rules: RuleSet,
        limit: Limit,
        timeout: Duration,
    ) -> anyhow::Result<Uci> {
        Ok(Uci {
            spec: spec.clone(),
            rules,
            limit,
            timeout,
            process: Some(launch(spec, rules, timeout)?),
            begins: true,
            clock: None,
        })
    }

    /// The engine's answer to a position, in its own words.
    fn ask<P: Position>(
        &mut self,
        line: &Line<P>,
        opponent: Option<Clock>,
    ) -> Result<String, Forfeit> {
        let process = match &mut self.process {
            Some(process) => process,
            None => {
                let process = launch(&self.spec, self.rules, self.timeout).map_err(|e| {
                    Forfeit::new(Fault::Crash, format!("it cannot be started again: {e:#}"))
                })?;
                self.process.insert(process)
            }
        };
        if self.begins {
            let ready = process
                .send("ucinewgame")
                .and_then(|()| ready(process, Instant::now() + self.timeout));
            ready.map_err(|gone| forfeit(&gone, Fault::Hang))?;
            self.begins = false;
        }
        let turn = line.game().turn();
        let go = match (self.limit, self.clock) {
            (Limit::Nodes(nodes), _) => format!("go nodes {nodes}"),
            (Limit::MoveTime(time), _) => format!("go movetime {}", time.as_millis()),
            (Limit::Clock(full), own) => {
                let own = own.unwrap_or(full);
                // Who plays without a clock never runs out of time.
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
        };
        let position = position_command(line);
        let said = process.send(&position).and_then(|()| process.send(&go));
        let started = Instant::now();
        let (allowed, fault) = match (self.limit, self.clock) {
            (Limit::Nodes(_), _) => (self.timeout, Fault::Hang),
            (Limit::MoveTime(time), _) => (time + GRACE, Fault::TimeLoss),
            (Limit::Clock(full), own) => (own.unwrap_or(full).left, Fault::TimeLoss),
        };
        let heard = said.and_then(|()| await_word(process, "bestmove", started + allowed));
        let (came, answer) = heard.map_err(|gone| {
            let mut forfeit = forfeit(&gone, fault);
            if gone == EngineGone::Late {
                forfeit.words = format!("no move within {:.3} s", allowed.as_secs_f64());
            }
            forfeit
        })?;
        if let Some(clock) = &mut self.clock {
            let used = came.saturating_duration_since(started);
            clock.left = clock.left.saturating_sub(used) + clock.increment;
        }
        Ok(answer)
    }
}

impl<P: Position> Player<P> for Uci {
    fn begin(&mut self, _seed: u64) {
        self.begins = true;
        self.clock = match self.limit {
            Limit::Clock(clock) => Some(clock),
            Limit::Nodes(_) | Limit::MoveTime(_) => None,
        };
    }

    fn clock(&self) -> Option<Clock> {
        self.clock
    }

    fn choose(&mut self, line: &Line<P>, opponent: Option<Clock>) -> Result<Move, NoMove> {
        let decided = self
            .ask(line, opponent)
            .and_then(|answer| read_move(line.position(), &answer));
        decided.map_err(|forfeit| {
            if let Some(process) = self.process.take() {
                process.kill();
            }
            forfeit.into()
        })
    }
}

fn position_command<P: Position>(line: &Line<P>) -> String {
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
        let words = format!(
            "it says {answer:?} where {} moves are legal, in {position}",
            position.count_legal_moves()
        );
        return Err(Forfeit::new(Fault::NoMove, words));
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

/// Starts the program and has it ready to play.
fn launch(spec: &UciSpec, rules: RuleSet, timeout: Duration) -> anyhow::Result<Process> {
    let command = &spec.command;
    let until = Instant::now() + timeout;
    let mut process = Process::start(command)?;
    let unheard = || format!("{command} does not talk UCI");
    process.send("uci").with_context(unheard)?;
    let mut offers = Vec::new();
    loop {
        let (_, line) = process.recv(until).with_context(unheard)?;
        match line.split_whitespace().next() {
            Some("uciok") => break,
            Some("option") => offers.extend(read_offer(&line)),
            _ => {}
        }
    }
    let find = |name: &str| offers.iter().find(|o| o.name.eq_ignore_ascii_case(name));
    let Some(variant) = find("UCI_Variant") else {
        bail!("{command} cannot be told to play {rules}: it has no option UCI_Variant");
    };
    if let Some(variants) = &variant.variants {
        ensure!(
            variants.iter().any(|v| v == rules.name()),
            "{command} does not play {rules}: its UCI_Variant knows {} others",
            variants.len()
        );
    }
    let variant = ("UCI_Variant".to_owned(), rules.name().to_owned());
    for (name, value) in std::iter::once(&variant).chain(&spec.options) {
        if find(name).is_none() {
            let names: Vec<_> = offers.iter().map(|offer| offer.name.as_str()).collect();
            bail!(
                "{command} has no option {name:?}; it has {}",
                names.join(", ")
            );
        }
        process
            .send(&format!("setoption name {name} value {value}"))
            .with_context(unheard)?;
    }
    let unready = || format!("{command} did not get ready");
    process.send("isready").with_context(unready)?;
    loop {
        let (_, line) = process.recv(until).with_context(unready)?;
        match line.split_once("info string ") {
            // A file that cannot be used, mostly; whoever named it does not want to play without.
            Some((_, words)) if words.to_ascii_lowercase().contains("error") => {
                bail!("{command} says: {words}");
            }
            _ if line == "readyok" => return Ok(process),
            _ => {}
        }
    }
}

/// Reads `option name Some Name type combo default a var a var b`.
fn read_offer(line: &str) -> Option<Offer> {
    let rest = line.split_once("name ")?.1;
    let (name, rest) = rest.split_once(" type ")?;
    let variants = rest.starts_with("combo").then(|| {
        (rest.split(" var ").skip(1))
            .map(|variant| variant.trim().to_owned())
            .collect()
    });
    Some(Offer {
        name: name.trim().to_owned(),
        variants,
    })
}

/// Waits until the program has done all it was told.
fn ready(process: &mut Process, until: Instant) -> Result<(), EngineGone> {
    process.send("isready")?;
    await_word(process, "readyok", until).map(drop)
}

/// The next line that begins with a word; what comes before is not for us.
fn await_word(
    process: &mut Process,
    word: &str,
    until: Instant,
) -> Result<(Instant, String), EngineGone> {
    loop {
        let (came, line) = process.recv(until)?;
        if line.split_whitespace().next() == Some(word) {
            return Ok((came, line));
        }
    }
}

use std::time::Duration;

use anyhow::{Context, ensure};
use garuda_mcts::evaluators::{Material, PieceValues};
use garuda_mcts::{Analysis, AnalysisSettings, Evaluations, Evaluator, Limits, Report, Signal};
use garuda_model::{Encode, Network};
use garuda_rules::{Color, Game, GameState, Move, MoveList};

use crate::display;
use crate::options::Options;
use crate::output::Output;
use crate::parallel_evaluator::ParallelEvaluator;
use crate::protocol::{Go, Protocol, Start, usi};
use crate::report::{info, move_text};
use crate::rooted::{Judge, Rooted};
use crate::watch::Watch;
use crate::{Budget, Clock};

/// How often a search is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// A batch holds no more than this share of all the positions that may be searched: choices made
/// before anything is known are bad ones.
const BATCH_SHARE: u32 = 16;

/// How a thinker speaks.
pub(crate) struct OutputContext<'a> {
    pub(crate) options: &'a Options,
    pub(crate) protocol: Protocol,
    pub(crate) out: &'a Output,
}

/// The outcome of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    Play {
        best: String,
        /// What the opponent is expected to answer.
        ponder: Option<String>,
    },
    /// There is no move, and the game is won.
    Won,
    /// There is no move.
    Nothing,
}

/// Plays one of the rule sets.
pub(crate) trait Think: Send {
    /// Turns to a position; refuses it in words and keeps the last one if it makes no sense.
    fn set_position(
        &mut self,
        start: &Start,
        moves: &[String],
        protocol: Protocol,
    ) -> anyhow::Result<()>;

    /// Forgets all there was.
    fn new_game(&mut self);

    /// Makes the search anew, by the options, for the same position.
    fn renew(&mut self, options: &Options);

    fn use_material(&mut self);

    fn use_network(&mut self, network: &Network, threads: usize) -> anyhow::Result<()>;

    fn go(
        &mut self,
        go: &Go,
        signal: &Signal,
        context: &OutputContext<'_>,
    ) -> anyhow::Result<Choice>;

    /// Any legal move, for when searching failed.
    fn any_move(&self, protocol: Protocol) -> Choice;

    fn display(&self) -> String;

    fn eval(&mut self, protocol: Protocol) -> anyhow::Result<String>;

    fn perft(&self, depth: u32, signal: &Signal, context: &OutputContext<'_>);
}

pub(crate) struct Thinker<P> {
    start: GameState<P>,
    moves: Vec<Move>,
    /// The game after those moves.
    game: GameState<P>,
    analysis: Analysis<Rooted<P>>,
    judge: Judge<P>,
    /// The positions that are judged at a time.
    leaves: usize,
}

impl<P: Encode + PieceValues> Thinker<P> {
    pub(crate) fn new(options: &Options) -> Thinker<P> {
        let start = GameState::start();
        Thinker {
            analysis: analysis(&start, options),
            judge: Judge::new(Material::default()),
            leaves: 1,
            moves: Vec::new(),
            game: start.clone(),
            start,
        }
    }

    /// Thinks with another evaluator from now on.
    pub(crate) fn use_judge(&mut self, judge: Judge<P>, leaves: usize) {
        self.judge = judge;
        self.leaves = leaves;
        self.analysis.forget();
    }

    fn legal_moves(&self) -> MoveList {
        let mut legal = MoveList::new();
        self.game.legal_moves(&mut legal);
        legal
    }

    /// The position for the search: of `searchmoves` those that are legal, or else everything.
    fn prepare(&mut self, searchmoves: &[String], context: &OutputContext<'_>) {
        let read = |text: &String| {
            let read = parse_move(&self.game, text, context.protocol);
            read.map_err(|error| context.out.error(error)).ok()
        };
        let only: Vec<_> = searchmoves.iter().filter_map(read).collect();
        if only.is_empty() {
            let start = Rooted::new(self.start.clone());
            self.analysis.set_game(&start, &self.moves);
        } else {
            let game = Rooted::only(self.game.clone(), &only);
            self.analysis.reset(&game);
        }
    }

    fn clock(&self, go: &Go, protocol: Protocol) -> Option<Clock> {
        let clocks = go.clocks;
        let white = (self.game.turn() == Color::White) == (protocol == Protocol::Uci);
        let (left, increment) = if white {
            (clocks.wtime, clocks.winc)
        } else {
            (clocks.btime, clocks.binc)
        };
        let clock = Clock {
            left: left.unwrap_or_default(),
            increment,
            byoyomi: clocks.byoyomi,
            moves_to_go: clocks.movestogo,
        };
        (left.is_some() || !clocks.byoyomi.is_zero()).then_some(clock)
    }

    fn think(
        &mut self,
        limits: Limits,
        budget: Option<Budget>,
        signal: &Signal,
        context: &OutputContext<'_>,
    ) -> anyhow::Result<Report> {
        let leaves = limits.nodes.map_or(u32::MAX, |nodes| nodes / BATCH_SHARE);
        let leaves = self.leaves.min(leaves.max(1) as usize);
        self.analysis.adjust(leaves, context.options.multi_pv);
        let mut watch = Watch::new(budget);
        let mut report = self
            .analysis
            .think(&mut self.judge, limits, signal, |report| {
                if watch.is_enough(report, signal) {
                    signal.stop();
                } else if watch.is_news(report) && !report.lines.is_empty() {
                    let OutputContext {
                        options,
                        protocol,
                        out,
                    } = context;
                    out.line(info(report, &self.game, options, *protocol));
                }
            })?;
        if report.visits == 0 && report.lines.is_empty() {
            // There was no time at all; still no move is made without a look.
            let look = Limits::nodes(1);
            report = (self.analysis).think(&mut self.judge, look, &Signal::new(), |_| ())?;
        }
        Ok(report)
    }

    /// The answer the opponent is expected to give to the best move.
    fn ponder_move(&self, best: Move, report: &Report, protocol: Protocol) -> Option<String> {
        let line = report.lines.first().filter(|line| line.moves[0] == best)?;
        let &answer = line.moves.get(1)?;
        let mut next = self.game.clone();
        next.play(best);
        let turn_passed = next.turn() != self.game.turn();
        turn_passed.then(|| move_text(protocol, next.position(), answer))
    }
}

impl<P: Encode + PieceValues> Think for Thinker<P> {
    fn set_position(
        &mut self,
        start: &Start,
        moves: &[String],
        protocol: Protocol,
    ) -> anyhow::Result<()> {
        let start = match start {
            Start::Own => GameState::start(),
            Start::Fen(fen) => GameState::from_fen(fen)?,
            Start::Sfen(sfen) => {
                let fen = usi::fen_of_sfen(sfen).map_err(anyhow::Error::msg)?;
                GameState::from_fen(&fen)?
            }
        };
        let mut game = start.clone();
        let mut played = Vec::with_capacity(moves.len());
        for text in moves {
            let mv = parse_move(&game, text, protocol)?;
            game.play(mv);
            played.push(mv);
        }
        self.start = start;
        self.moves = played;
        self.game = game;
        Ok(())
    }

    fn new_game(&mut self) {
        self.start = GameState::start();
        self.game = self.start.clone();
        self.moves.clear();
        self.analysis.forget();
    }

    fn renew(&mut self, options: &Options) {
        self.analysis = analysis(&self.start, options);
    }

    fn use_material(&mut self) {
        self.use_judge(Judge::new(Material::default()), 1);
    }

    fn use_network(&mut self, network: &Network, threads: usize) -> anyhow::Result<()> {
        let mut pool = ParallelEvaluator::new(network, threads)?;
        let leaves = pool.capacity();
        // What takes long only the first time must not be on the clock.
        let start = GameState::start();
        let mut legal = MoveList::new();
        start.legal_moves(&mut legal);
        for _ in 0..leaves {
            pool.push(&start, &legal);
        }
        pool.run(&mut Evaluations::default())?;
        self.use_judge(Judge::new(pool), leaves);
        Ok(())
    }

    fn go(
        &mut self,
        go: &Go,
        signal: &Signal,
        context: &OutputContext<'_>,
    ) -> anyhow::Result<Choice> {
        let OutputContext {
            options,
            protocol,
            out,
        } = *context;
        if let Some(outcome) = self.game.outcome() {
            out.send(display::over(outcome));
            return Ok(self.any_move(protocol));
        }
        self.prepare(&go.searchmoves, context);
        let clock = self.clock(go, protocol);
        let budget = clock.map(|clock| clock.budget(options.overhead));
        let movetime = go.movetime.map(|time| within(time, options.overhead));
        let limits = Limits {
            nodes: go.nodes.map(|nodes| nodes.max(1)),
            time: budget
                .map(|budget| budget.hard)
                .into_iter()
                .chain(movetime)
                .min(),
            depth: go.depth,
        };
        let limits = if go.infinite {
            Limits::default()
        } else {
            limits
        };
        let report = self.think(limits, budget, signal, context)?;
        if !report.lines.is_empty() {
            out.line(info(&report, &self.game, options, protocol));
        }
        let best = report.best.context("the search found no move")?;
        Ok(Choice::Play {
            best: move_text(protocol, self.game.position(), best),
            ponder: self.ponder_move(best, &report, protocol),
        })
    }

    fn any_move(&self, protocol: Protocol) -> Choice {
        let legal = self.legal_moves();
        match (legal.first(), self.game.outcome_given(&legal)) {
            (_, Some(outcome)) if outcome.winner == Some(self.game.turn()) => Choice::Won,
            (Some(&mv), _) => Choice::Play {
                best: move_text(protocol, self.game.position(), mv),
                ponder: None,
            },
            (None, _) => Choice::Nothing,
        }
    }

    fn display(&self) -> String {
        display::position(&self.game)
    }

    fn eval(&mut self, protocol: Protocol) -> anyhow::Result<String> {
        let legal = self.legal_moves();
        let outcome = self.game.outcome_given(&legal);
        ensure!(
            outcome.is_none(),
            outcome.map(display::over).unwrap_or_default()
        );
        let mut evaluations = Evaluations::default();
        self.judge.push(&Rooted::new(self.game.clone()), &legal);
        self.judge.run(&mut evaluations)?;
        Ok(display::evaluation(
            &self.game,
            &legal,
            &evaluations,
            protocol,
        ))
    }

    fn perft(&self, depth: u32, signal: &Signal, context: &OutputContext<'_>) {
        let tell = |line| context.out.line(line);
        display::divide(self.game.position(), depth, context.protocol, signal, tell);
    }
}

fn analysis<P: Encode>(start: &GameState<P>, options: &Options) -> Analysis<Rooted<P>> {
    let settings = AnalysisSettings {
        report_every: LOOK_EVERY,
        memory: options.tree_bytes(),
        cache: options.cached_evaluations(),
        ..AnalysisSettings::default()
    };
    Analysis::new(Rooted::new(start.clone()), settings)
}

/// The time for a move that may take `time` in all.
fn within(time: Duration, overhead: Duration) -> Duration {
    time.saturating_sub(overhead).max(time / 2)
}

fn parse_move<P: Encode>(
    game: &GameState<P>,
    text: &str,
    protocol: Protocol,
) -> anyhow::Result<Move> {
    let mv = match protocol {
        Protocol::Uci => game.position().parse_uci(text),
        Protocol::Usi => {
            let uci = usi::move_to_uci(P::BOARD, text);
            game.position().parse_uci(&uci)
        }
    };
    Ok(mv?)
}

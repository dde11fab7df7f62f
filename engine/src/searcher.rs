use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use anyhow::{Context, ensure};
use garuda_mcts::evaluators::Material;
use garuda_mcts::{Analysis, AnalysisSettings, SearchControl, SearchInfo, SearchLimits};
use garuda_model::Network;
use garuda_rules::{Color, Game, GameState, Move, MoveList, OpeningBook, Position};

use crate::display;
use crate::evaluators::Evaluators;
use crate::info::{InfoThrottle, info_lines, move_text};
use crate::options::Options;
use crate::output::Output;
use crate::protocol::{Go, Protocol, StartPosition, usi};
use crate::searchmoves::{BoxedEvaluator, RestrictedGame};
use crate::time_management::{PlayerClock, TimeManager};

/// Time between two checks of the time management.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// Memory limit of the tree until the size of the hash is set, or if there is not enough memory.
const SMALL_TREE_BYTES: usize = 1 << 20;
/// A batch has at most this fraction of the node limit: leaves that are selected before the first
/// evaluations are bad ones.
const MIN_BATCHES: u32 = 16;

/// Where and how a search writes its output.
pub(crate) struct OutputContext<'a> {
    pub(crate) options: &'a Options,
    pub(crate) protocol: Protocol,
    pub(crate) out: &'a Output,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum BestMove {
    Move {
        best: String,
        /// The expected reply.
        ponder: Option<String>,
    },
    /// The game is over and won by the side to move.
    Won,
    /// The game is over otherwise.
    None,
}

/// Position, search and evaluator of one rule set.
pub(crate) trait Searcher: Send {
    /// Sets the position. On an error the last position remains.
    fn set_position(
        &mut self,
        start: &StartPosition,
        moves: &[String],
        protocol: Protocol,
    ) -> anyhow::Result<()>;

    /// Clears the tree and returns to the start position.
    fn new_game(&mut self);

    /// Replaces tree and cache by empty ones of the size in the options. On an error they remain.
    fn resize_hash(&mut self, options: &Options) -> anyhow::Result<()>;

    /// Replaces tree and cache by a small empty tree.
    fn reset_hash(&mut self);

    fn use_material(&mut self);

    fn use_network(&mut self, network: &Network, threads: usize) -> anyhow::Result<()>;

    /// Plays from a book, given as text. On an error the last book remains.
    fn use_book(&mut self, text: &str) -> anyhow::Result<()>;

    /// A move of the book for the position, if it has one.
    fn book_move(&self, protocol: Protocol) -> Option<BestMove>;

    fn go(
        &mut self,
        go: &Go,
        control: &SearchControl,
        context: &OutputContext<'_>,
    ) -> anyhow::Result<BestMove>;

    /// Any legal move, for when the search failed.
    fn fallback_move(&self, protocol: Protocol) -> BestMove;

    fn display(&self) -> String;

    fn eval(&mut self, protocol: Protocol) -> anyhow::Result<String>;

    fn perft(&self, depth: u32, control: &SearchControl, context: &OutputContext<'_>);
}

pub(crate) struct GameSearcher<P> {
    start: GameState<P>,
    moves: Vec<Move>,
    /// The game after those moves.
    game: GameState<P>,
    analysis: Analysis<RestrictedGame<P>>,
    evaluators: Evaluators<P>,
    book: OpeningBook<P>,
}

impl<P: Position> GameSearcher<P> {
    /// A searcher with a small tree and no cache: see [`Searcher::resize_hash`].
    pub(crate) fn new() -> GameSearcher<P> {
        let start = GameState::start();
        GameSearcher {
            analysis: small_analysis(&start),
            evaluators: Evaluators::single(BoxedEvaluator::new(Material::default())),
            book: OpeningBook::default(),
            moves: Vec::new(),
            game: start.clone(),
            start,
        }
    }

    pub(crate) fn set_evaluators(&mut self, evaluators: Evaluators<P>) {
        self.evaluators = evaluators;
        self.analysis.clear();
    }

    fn legal_moves(&self) -> MoveList {
        let mut legal = MoveList::new();
        self.game.legal_moves(&mut legal);
        legal
    }

    /// Sets the position of the search. Illegal `searchmoves` are reported and ignored; if none is
    /// legal all moves are searched.
    fn set_root(&mut self, searchmoves: &[String], context: &OutputContext<'_>) {
        let parse = |text: &String| {
            parse_move(&self.game, text, context.protocol)
                .map_err(|error| context.out.error(error))
                .ok()
        };
        let searchmoves: Vec<_> = searchmoves.iter().filter_map(parse).collect();
        if searchmoves.is_empty() {
            let start = RestrictedGame::unrestricted(self.start.clone());
            self.analysis.set_position(&start, &self.moves);
        } else {
            let game = RestrictedGame::restricted(self.game.clone(), &searchmoves);
            self.analysis.reset(&game);
        }
    }

    /// The clock of the side to move, if there is one.
    fn clock(&self, go: &Go, protocol: Protocol) -> Option<PlayerClock> {
        let clocks = go.clocks;
        let white = (self.game.turn() == Color::White) == (protocol == Protocol::Uci);
        let (remaining, increment) = if white {
            (clocks.wtime, clocks.winc)
        } else {
            (clocks.btime, clocks.binc)
        };
        let clock = PlayerClock {
            remaining: remaining.unwrap_or_default(),
            increment,
            byoyomi: clocks.byoyomi,
            moves_to_go: clocks.movestogo,
        };
        (remaining.is_some() || !clocks.byoyomi.is_zero()).then_some(clock)
    }

    fn search(
        &mut self,
        time: &TimeManager,
        control: &SearchControl,
        context: &OutputContext<'_>,
    ) -> anyhow::Result<SearchInfo> {
        let limits = time.limits();
        let max_batch = limits.nodes.map_or(u32::MAX, |nodes| nodes / MIN_BATCHES);
        let batch_size = self.evaluators.batch_size().min(max_batch.max(1) as usize);
        self.analysis.set_batch_size(batch_size);
        self.analysis.set_multi_pv(context.options.multi_pv);
        let mut throttle = InfoThrottle::default();
        let on_info = |info: &SearchInfo| {
            if time.should_stop(info, control) {
                control.stop();
            } else if throttle.is_due(info) && !info.lines.is_empty() {
                let OutputContext {
                    options,
                    protocol,
                    out,
                } = context;
                out.line(info_lines(info, &self.game, options, *protocol));
            }
        };
        let mut info = (self.evaluators).search(&mut self.analysis, limits, control, on_info)?;
        if info.visits == 0 && info.lines.is_empty() {
            // There was no time at all: evaluate the root, so that the move follows its policy.
            let limits = SearchLimits::nodes(1);
            let control = SearchControl::new();
            info = (self.evaluators).search(&mut self.analysis, limits, &control, |_| ())?;
        }
        Ok(info)
    }

    /// The expected reply to the best move.
    fn ponder_move(&self, best: Move, info: &SearchInfo, protocol: Protocol) -> Option<String> {
        let line = info.lines.first().filter(|line| line.moves[0] == best)?;
        let &reply = line.moves.get(1)?;
        let mut next = self.game.clone();
        next.play(best);
        let turn_passed = next.turn() != self.game.turn();
        turn_passed.then(|| move_text(protocol, next.position(), reply))
    }
}

impl<P: Position> Searcher for GameSearcher<P> {
    fn set_position(
        &mut self,
        start: &StartPosition,
        moves: &[String],
        protocol: Protocol,
    ) -> anyhow::Result<()> {
        let start = match start {
            StartPosition::Default => GameState::start(),
            StartPosition::Fen(fen) => GameState::from_fen(fen)?,
            StartPosition::Sfen(sfen) => {
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
        self.analysis.clear();
    }

    fn resize_hash(&mut self, options: &Options) -> anyhow::Result<()> {
        let settings = AnalysisSettings {
            puct: options.puct,
            info_interval: CHECK_INTERVAL,
            tree_bytes: options.tree_bytes(),
            cache_entries: options.cache_entries(),
            ..AnalysisSettings::default()
        };
        let start = RestrictedGame::unrestricted(self.start.clone());
        self.analysis = Analysis::try_new(start, settings)
            .with_context(|| format!("cannot allocate a Hash of {} MiB", options.hash_mib))?;
        Ok(())
    }

    fn reset_hash(&mut self) {
        self.analysis = small_analysis(&self.start);
    }

    fn use_material(&mut self) {
        let material = BoxedEvaluator::new(Material::default());
        self.set_evaluators(Evaluators::single(material));
    }

    fn use_network(&mut self, network: &Network, threads: usize) -> anyhow::Result<()> {
        let mut evaluators = Evaluators::of_network(network, threads)?;
        evaluators.warm_up()?;
        self.set_evaluators(evaluators);
        Ok(())
    }

    fn use_book(&mut self, text: &str) -> anyhow::Result<()> {
        self.book = text.parse()?;
        Ok(())
    }

    fn book_move(&self, protocol: Protocol) -> Option<BestMove> {
        if self.game.outcome().is_some() {
            return None;
        }
        // Different games are wanted from one book, so nothing seeds this.
        let random = RandomState::new().hash_one(());
        let mv = self.book.choose(self.game.position(), random)?;
        Some(BestMove::Move {
            best: move_text(protocol, self.game.position(), mv),
            ponder: None,
        })
    }

    fn go(
        &mut self,
        go: &Go,
        control: &SearchControl,
        context: &OutputContext<'_>,
    ) -> anyhow::Result<BestMove> {
        let OutputContext {
            options,
            protocol,
            out,
        } = *context;
        if let Some(outcome) = self.game.outcome() {
            out.info_string(display::game_over(outcome));
            return Ok(self.fallback_move(protocol));
        }
        self.set_root(&go.searchmoves, context);
        let time = TimeManager::new(go, self.clock(go, protocol), options.move_overhead);
        let info = self.search(&time, control, context)?;
        if !info.lines.is_empty() {
            out.line(info_lines(&info, &self.game, options, protocol));
        }
        let best = info.best.context("the search found no move")?;
        Ok(BestMove::Move {
            best: move_text(protocol, self.game.position(), best),
            ponder: self.ponder_move(best, &info, protocol),
        })
    }

    fn fallback_move(&self, protocol: Protocol) -> BestMove {
        let legal = self.legal_moves();
        match (legal.first(), self.game.outcome_given(&legal)) {
            (_, Some(outcome)) if outcome.winner == Some(self.game.turn()) => BestMove::Won,
            (Some(&mv), _) => BestMove::Move {
                best: move_text(protocol, self.game.position(), mv),
                ponder: None,
            },
            (None, _) => BestMove::None,
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
            outcome.map(display::game_over).unwrap_or_default()
        );
        let game = RestrictedGame::unrestricted(self.game.clone());
        let evaluations = self.evaluators.evaluate(&game, &legal)?;
        Ok(display::evaluation(
            &self.game,
            &legal,
            &evaluations,
            protocol,
        ))
    }

    fn perft(&self, depth: u32, control: &SearchControl, context: &OutputContext<'_>) {
        let emit = |line| context.out.line(line);
        display::divide(self.game.position(), depth, context.protocol, control, emit);
    }
}

fn small_analysis<P: Position>(start: &GameState<P>) -> Analysis<RestrictedGame<P>> {
    let settings = AnalysisSettings {
        info_interval: CHECK_INTERVAL,
        tree_bytes: SMALL_TREE_BYTES,
        ..AnalysisSettings::default()
    };
    Analysis::new(RestrictedGame::unrestricted(start.clone()), settings)
}

fn parse_move<P: Position>(
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

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use garuda_mcts::{EvalCache, Evaluator, Gumbel, Search, Shard};
use garuda_rules::{GameState, Position};
use garuda_run::LiveGame;
use garuda_run::records::GameRecord;
use tracing::error;

use super::game::GameInProgress;
use super::plan::Plan;

/// A tree of one decision is small; this is only a bound.
const TREE_BYTES: usize = 64 << 20;
/// Evaluations that the cache of a shard holds.
const CACHED: usize = 1 << 15;
/// How often a shard shows a game that it plays.
const LIVE_INTERVAL: Duration = Duration::from_secs(1);

/// What has been done so far, for display.
#[derive(Default, Debug)]
pub struct Counters {
    pub games: AtomicU64,
    pub positions: AtomicU64,
    pub evaluations: AtomicU64,
    /// Simulations of finished searches.
    pub simulations: AtomicU64,
    /// A game of each shard as it stood a moment ago.
    pub live: Mutex<Vec<LiveGame>>,
}

/// A game that was given up because the code panicked in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DroppedGame {
    pub number: u64,
    /// Start and moves.
    pub move_list_text: String,
}

/// Where shards get the numbers of the games they play next.
pub trait NumberSupply: Sync {
    fn next(&self) -> NextNumber;

    /// Called when a game could not be played.
    fn gave_up(&self, _game: &DroppedGame) {}
}

/// What a [`NumberSupply`] has for a place that is free.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NextNumber {
    Number(u64),
    /// Nothing at the moment: to be asked again.
    Later,
    /// Nothing any more.
    End,
}

/// How long a shard without any game waits before it asks for numbers again.
const IDLE_WAIT: Duration = Duration::from_millis(20);

/// The numbers of a list, each once.
struct ListedNumbers<'a> {
    numbers: &'a [u64],
    next: AtomicUsize,
}

impl NumberSupply for ListedNumbers<'_> {
    fn next(&self) -> NextNumber {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        match self.numbers.get(index) {
            Some(&number) => NextNumber::Number(number),
            None => NextNumber::End,
        }
    }
}

enum ShardMessage {
    Finished(Box<GameRecord>),
    Dropped(DroppedGame),
}

/// Plays the games with these numbers on a number of shards, each a thread with evaluators of its
/// own, and hands each record over as it is finished, in no particular order. Ends early, without
/// the games in progress, when `stop` is set.
///
/// What a game is depends on the plan and its number alone. A game in which the code panics is
/// given up and returned; the others continue.
pub fn generate<P, E>(
    plan: &Plan<P>,
    numbers: &[u64],
    shards: usize,
    open: impl Fn(u32) -> anyhow::Result<E> + Sync,
    stop: &AtomicBool,
    counters: &Counters,
    finished: impl FnMut(GameRecord) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<DroppedGame>>
where
    P: Position,
    E: Evaluator<GameState<P>>,
{
    let numbers = ListedNumbers {
        numbers,
        next: AtomicUsize::new(0),
    };
    generate_from(plan, &numbers, shards, open, stop, counters, finished)
}

/// The same with numbers that become known only while others are played.
pub fn generate_from<P, E>(
    plan: &Plan<P>,
    numbers: &dyn NumberSupply,
    shards: usize,
    open: impl Fn(u32) -> anyhow::Result<E> + Sync,
    stop: &AtomicBool,
    counters: &Counters,
    mut finished: impl FnMut(GameRecord) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<DroppedGame>>
where
    P: Position,
    E: Evaluator<GameState<P>>,
{
    let failed = AtomicBool::new(false);
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..shards)
            .map(|shard| {
                let sender = sender.clone();
                let (failed, open) = (&failed, &open);
                scope.spawn(move || {
                    let queue = Queue {
                        numbers,
                        stops: [stop, failed],
                    };
                    let result = GameShard::run(shard, plan, queue, open, &sender, counters);
                    if result.is_err() {
                        failed.store(true, Ordering::Relaxed);
                    }
                    result
                })
            })
            .collect();
        drop(sender);
        let mut dropped = Vec::new();
        let mut outcome = Ok(());
        for message in receiver {
            match message {
                ShardMessage::Dropped(game) => {
                    numbers.gave_up(&game);
                    dropped.push(game);
                }
                ShardMessage::Finished(record) if outcome.is_ok() => {
                    outcome = finished(*record);
                    if outcome.is_err() {
                        failed.store(true, Ordering::Relaxed);
                    }
                }
                ShardMessage::Finished(_) => {}
            }
        }
        for thread in threads {
            match thread.join() {
                Ok(result) => result?,
                Err(_) => bail!("a shard panicked outside of its games"),
            }
        }
        outcome.map(|()| dropped)
    })
}

/// The numbers of games that no shard has started.
#[derive(Copy, Clone)]
struct Queue<'a> {
    numbers: &'a dyn NumberSupply,
    stops: [&'a AtomicBool; 2],
}

impl Queue<'_> {
    fn is_stopped(&self) -> bool {
        self.stops.iter().any(|stop| stop.load(Ordering::Relaxed))
    }
}

/// The evaluator of one checkpoint and a search for every place of a shard.
struct SearchPool<P: Position, E> {
    evaluator: E,
    shard: Shard<GameState<P>, Gumbel<GameState<P>>>,
    counted: u64,
}

impl<P: Position, E: Evaluator<GameState<P>>> SearchPool<P, E> {
    fn new(evaluator: E, places: usize) -> SearchPool<P, E> {
        let search = Gumbel::new(GameState::start(), TREE_BYTES);
        SearchPool {
            evaluator,
            shard: Shard::new(vec![search; places], Some(EvalCache::new(CACHED))),
            counted: 0,
        }
    }

    fn search(&mut self, place: usize) -> &mut Gumbel<GameState<P>> {
        &mut self.shard.searches_mut()[place]
    }

    fn step(&mut self, counters: &Counters) -> anyhow::Result<()> {
        self.shard.step(&mut self.evaluator)?;
        let made = self.shard.evaluations();
        counters
            .evaluations
            .fetch_add(made - self.counted, Ordering::Relaxed);
        self.counted = made;
        Ok(())
    }
}

/// Whether a place of a shard needs the evaluator.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum PlaceState {
    /// There is no game left for it.
    Ended,
    /// There is no game for it at the moment.
    Idle,
    Searching,
}

/// The games that one thread plays at a time.
struct GameShard<'a, P: Position, E> {
    /// Its number among the shards.
    number: usize,
    plan: &'a Plan<P>,
    places: Vec<Option<GameInProgress<P>>>,
    newest: SearchPool<P, E>,
    past_opponent: Option<SearchPool<P, E>>,
    sender: &'a Sender<ShardMessage>,
    counters: &'a Counters,
    /// When one of its games was last shown.
    shown: Instant,
}

impl<'a, P: Position, E: Evaluator<GameState<P>>> GameShard<'a, P, E> {
    fn open(
        number: usize,
        plan: &'a Plan<P>,
        places: usize,
        open: &impl Fn(u32) -> anyhow::Result<E>,
        sender: &'a Sender<ShardMessage>,
        counters: &'a Counters,
    ) -> anyhow::Result<Self> {
        let player = |checkpoint: u32| -> anyhow::Result<_> {
            let evaluator = open(checkpoint)
                .with_context(|| format!("cannot open the model of checkpoint {checkpoint}"))?;
            Ok(SearchPool::new(evaluator, places))
        };
        Ok(GameShard {
            number,
            plan,
            places: (0..places).map(|_| None).collect(),
            newest: player(plan.checkpoint())?,
            past_opponent: plan.past_opponent().map(player).transpose()?,
            sender,
            counters,
            shown: Instant::now(),
        })
    }

    fn run(
        number: usize,
        plan: &'a Plan<P>,
        queue: Queue<'_>,
        open: &impl Fn(u32) -> anyhow::Result<E>,
        sender: &'a Sender<ShardMessage>,
        counters: &'a Counters,
    ) -> anyhow::Result<()> {
        let places = plan.parallel_games();
        let reopen = |places| GameShard::open(number, plan, places, open, sender, counters);
        let mut shard = reopen(places)?;
        loop {
            let mut next = || queue.numbers.next();
            let work = || shard.work(&mut next, queue);
            if let Ok(result) = catch_unwind(AssertUnwindSafe(work)) {
                return result;
            }
            // A game of this shard panicked, and the state of the others may be half-written. A game
            // follows from its number, so each is played again by itself.
            let numbers: Vec<_> = (shard.places.iter().flatten())
                .map(GameInProgress::number)
                .collect();
            for number in numbers {
                let mut alone = reopen(1)?;
                let mut once = Some(number);
                let mut next = || once.take().map_or(NextNumber::End, NextNumber::Number);
                let work = || alone.work(&mut next, queue);
                match catch_unwind(AssertUnwindSafe(work)) {
                    Ok(result) => result?,
                    Err(_) => alone.give_up(number),
                }
            }
            shard = reopen(places)?;
        }
    }

    /// Plays until there is nothing left to play.
    fn work(
        &mut self,
        next: &mut impl FnMut() -> NextNumber,
        queue: Queue<'_>,
    ) -> anyhow::Result<()> {
        while !queue.is_stopped() {
            let mut busiest = PlaceState::Ended;
            for place in 0..self.places.len() {
                busiest = busiest.max(self.advance(place, next));
            }
            match busiest {
                PlaceState::Ended => break,
                PlaceState::Idle => {
                    thread::sleep(IDLE_WAIT);
                    continue;
                }
                PlaceState::Searching => {}
            }
            self.newest.step(self.counters)?;
            if let Some(past_opponent) = &mut self.past_opponent {
                past_opponent.step(self.counters)?;
            }
        }
        Ok(())
    }

    /// Advances a place to where its search needs the evaluator.
    fn advance(&mut self, place: usize, next: &mut impl FnMut() -> NextNumber) -> PlaceState {
        if self.places[place].is_none() {
            let state = self.start_game(place, next);
            if state != PlaceState::Searching {
                return state;
            }
        }
        loop {
            let Some(game) = &mut self.places[place] else {
                return PlaceState::Idle;
            };
            let pool = match &mut self.past_opponent {
                Some(past_opponent) if game.is_past_opponent_to_move() => past_opponent,
                _ => &mut self.newest,
            };
            let search = pool.search(place);
            if !search.is_over() {
                return PlaceState::Searching;
            }
            let simulations = u64::from(search.simulations());
            (self.counters.simulations).fetch_add(simulations, Ordering::Relaxed);
            match game.decide(self.plan, search) {
                Some(record) => {
                    self.finish(record);
                    let state = self.start_game(place, next);
                    if state != PlaceState::Searching {
                        return state;
                    }
                }
                None => {
                    if place == 0 && self.shown.elapsed() >= LIVE_INTERVAL {
                        self.show(place);
                    }
                    self.start_search(place);
                }
            }
        }
    }

    /// Shows how the game of a place stands.
    fn show(&mut self, place: usize) {
        self.shown = Instant::now();
        if let Some(game) = &self.places[place] {
            let mut live = (self.counters.live.lock()).unwrap_or_else(PoisonError::into_inner);
            if live.len() <= self.number {
                live.resize_with(self.number + 1, LiveGame::default);
            }
            live[self.number] = game.live();
        }
    }

    /// Starts the next game at a place, if there is one.
    fn start_game(&mut self, place: usize, next: &mut impl FnMut() -> NextNumber) -> PlaceState {
        self.places[place] = None;
        let number = match next() {
            NextNumber::Number(number) => number,
            NextNumber::Later => return PlaceState::Idle,
            NextNumber::End => return PlaceState::Ended,
        };
        self.places[place] = Some(GameInProgress::start(self.plan, number));
        self.start_search(place);
        PlaceState::Searching
    }

    fn start_search(&mut self, place: usize) {
        let Some(game) = &mut self.places[place] else {
            return;
        };
        let pool = match &mut self.past_opponent {
            Some(past_opponent) if game.is_past_opponent_to_move() => past_opponent,
            _ => &mut self.newest,
        };
        let search = pool.search(place);
        search.reset(game.game());
        game.start_search(self.plan, search);
    }

    fn finish(&self, record: GameRecord) {
        let counters = self.counters;
        counters.games.fetch_add(1, Ordering::Relaxed);
        counters
            .positions
            .fetch_add(record.positions() as u64, Ordering::Relaxed);
        // The receiver is gone only when the phase has failed, and then the record is not wanted.
        let _ = self.sender.send(ShardMessage::Finished(Box::new(record)));
    }

    fn give_up(&self, number: u64) {
        let move_list_text = (self.places.iter().flatten())
            .find(|game| game.number() == number)
            .map(GameInProgress::move_list_text)
            .unwrap_or_default();
        error!("game {number} caused a panic and is dropped: {move_list_text}");
        let _ = self.sender.send(ShardMessage::Dropped(DroppedGame {
            number,
            move_list_text,
        }));
    }
}

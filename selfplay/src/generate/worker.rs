use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use anyhow::{Context, bail};
use garuda_mcts::{EvalCache, Evaluator, Gumbel, Search, Shard};
use garuda_rules::{GameState, Position};
use garuda_run::records::GameRecord;
use tracing::error;

use super::game::GameInProgress;
use super::plan::Plan;

/// A tree of one decision is small; this is only a bound.
const TREE_BYTES: usize = 64 << 20;
/// Evaluations that a shard remembers.
const CACHED: usize = 1 << 15;

/// What shards have done so far, for whoever watches.
#[derive(Default, Debug)]
pub struct Counters {
    pub games: AtomicU64,
    pub positions: AtomicU64,
    pub evaluations: AtomicU64,
}

/// A game that was given up because a shard panicked in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dropped {
    pub number: u64,
    /// Start and moves.
    pub move_list_text: String,
}

enum Message {
    Finished(Box<GameRecord>),
    Dropped(Dropped),
}

/// Plays the games with these numbers on so many shards, each a thread with evaluators of its
/// own, and hands each record over as it is finished, in no particular order. Ends early, with
/// the games in progress lost, when `stop` is set.
///
/// What a game is depends on the plan and its number alone. A game in which the code panics is
/// given up and returned; the others go on.
pub fn generate<P, E>(
    plan: &Plan<P>,
    numbers: &[u64],
    shards: usize,
    open: impl Fn(u32) -> anyhow::Result<E> + Sync,
    stop: &AtomicBool,
    counters: &Counters,
    mut finished: impl FnMut(GameRecord) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<Dropped>>
where
    P: Position,
    E: Evaluator<GameState<P>>,
{
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..shards)
            .map(|_| {
                let sender = sender.clone();
                let (next, failed, open) = (&next, &failed, &open);
                scope.spawn(move || {
                    let queue = Queue {
                        numbers,
                        next,
                        stops: [stop, failed],
                    };
                    let result = Worker::run(plan, queue, open, &sender, counters);
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
                Message::Dropped(game) => dropped.push(game),
                Message::Finished(record) if outcome.is_ok() => {
                    outcome = finished(*record);
                    if outcome.is_err() {
                        failed.store(true, Ordering::Relaxed);
                    }
                }
                Message::Finished(_) => {}
            }
        }
        for worker in workers {
            match worker.join() {
                Ok(result) => result?,
                Err(_) => bail!("a shard panicked outside of its games"),
            }
        }
        outcome.map(|()| dropped)
    })
}

/// The numbers of games that nobody has begun.
#[derive(Copy, Clone)]
struct Queue<'a> {
    numbers: &'a [u64],
    next: &'a AtomicUsize,
    stops: [&'a AtomicBool; 2],
}

impl Queue<'_> {
    fn next(&self) -> Option<u64> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        self.numbers.get(index).copied()
    }

    fn is_stopped(&self) -> bool {
        self.stops.iter().any(|stop| stop.load(Ordering::Relaxed))
    }
}

/// One net's evaluator and a search for every place.
struct Player<P: Position, E> {
    evaluator: E,
    shard: Shard<GameState<P>, Gumbel<GameState<P>>>,
    counted: u64,
}

impl<P: Position, E: Evaluator<GameState<P>>> Player<P, E> {
    fn new(evaluator: E, places: usize) -> Player<P, E> {
        let search = Gumbel::new(GameState::start(), TREE_BYTES);
        Player {
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

/// A shard of games at work.
struct Worker<'a, P: Position, E> {
    plan: &'a Plan<P>,
    places: Vec<Option<GameInProgress<P>>>,
    newest: Player<P, E>,
    older: Option<Player<P, E>>,
    sender: &'a Sender<Message>,
    counters: &'a Counters,
}

impl<'a, P: Position, E: Evaluator<GameState<P>>> Worker<'a, P, E> {
    fn open(
        plan: &'a Plan<P>,
        places: usize,
        open: &impl Fn(u32) -> anyhow::Result<E>,
        sender: &'a Sender<Message>,
        counters: &'a Counters,
    ) -> anyhow::Result<Self> {
        let player = |checkpoint: u32| -> anyhow::Result<_> {
            let evaluator = open(checkpoint)
                .with_context(|| format!("cannot open the model of checkpoint {checkpoint}"))?;
            Ok(Player::new(evaluator, places))
        };
        Ok(Worker {
            plan,
            places: (0..places).map(|_| None).collect(),
            newest: player(plan.checkpoint())?,
            older: plan.older().map(player).transpose()?,
            sender,
            counters,
        })
    }

    fn run(
        plan: &'a Plan<P>,
        queue: Queue<'_>,
        open: &impl Fn(u32) -> anyhow::Result<E>,
        sender: &'a Sender<Message>,
        counters: &'a Counters,
    ) -> anyhow::Result<()> {
        let places = plan.settings.parallel_games as usize;
        let reopen = |places| Worker::open(plan, places, open, sender, counters);
        let mut worker = reopen(places)?;
        loop {
            let mut next = || queue.next();
            let work = || worker.work(&mut next, queue);
            if let Ok(result) = catch_unwind(AssertUnwindSafe(work)) {
                return result;
            }
            // Someone in this shard panicked, and what its neighbours know may be half-written.
            // A game is made by its number, so each is played again by itself.
            let numbers: Vec<_> = (worker.places.iter().flatten())
                .map(GameInProgress::number)
                .collect();
            for number in numbers {
                let mut alone = reopen(1)?;
                let mut once = Some(number);
                let mut next = || once.take();
                let work = || alone.work(&mut next, queue);
                match catch_unwind(AssertUnwindSafe(work)) {
                    Ok(result) => result?,
                    Err(_) => alone.give_up(number),
                }
            }
            worker = reopen(places)?;
        }
    }

    /// Plays until there is nothing left to play.
    fn work(
        &mut self,
        next: &mut impl FnMut() -> Option<u64>,
        queue: Queue<'_>,
    ) -> anyhow::Result<()> {
        while !queue.is_stopped() {
            let mut busy = false;
            for place in 0..self.places.len() {
                busy |= self.advance(place, next);
            }
            if !busy {
                break;
            }
            self.newest.step(self.counters)?;
            if let Some(older) = &mut self.older {
                older.step(self.counters)?;
            }
        }
        Ok(())
    }

    /// Brings a place to where its search needs the evaluator. False if it has nothing to do.
    fn advance(&mut self, place: usize, next: &mut impl FnMut() -> Option<u64>) -> bool {
        if self.places[place].is_none() && !self.begin(place, next) {
            return false;
        }
        loop {
            let Some(game) = &mut self.places[place] else {
                return false;
            };
            let player = match &mut self.older {
                Some(older) if game.is_older_to_move() => older,
                _ => &mut self.newest,
            };
            let search = player.search(place);
            if !search.is_over() {
                return true;
            }
            match game.decide(self.plan, search) {
                Some(record) => {
                    self.finish(record);
                    if !self.begin(place, next) {
                        return false;
                    }
                }
                None => self.begin_search(place),
            }
        }
    }

    /// Begins the next game at a place, unless there is none.
    fn begin(&mut self, place: usize, next: &mut impl FnMut() -> Option<u64>) -> bool {
        self.places[place] = next().map(|number| GameInProgress::begin(self.plan, number));
        if self.places[place].is_none() {
            return false;
        }
        self.begin_search(place);
        true
    }

    fn begin_search(&mut self, place: usize) {
        let Some(game) = &mut self.places[place] else {
            return;
        };
        let player = match &mut self.older {
            Some(older) if game.is_older_to_move() => older,
            _ => &mut self.newest,
        };
        let search = player.search(place);
        search.reset(game.game());
        game.begin_search(self.plan, search);
    }

    fn finish(&self, record: GameRecord) {
        let counters = self.counters;
        counters.games.fetch_add(1, Ordering::Relaxed);
        counters
            .positions
            .fetch_add(record.positions() as u64, Ordering::Relaxed);
        // The receiver is gone only when the run has failed, and then nobody asks for records.
        let _ = self.sender.send(Message::Finished(Box::new(record)));
    }

    fn give_up(&self, number: u64) {
        let move_list_text = (self.places.iter().flatten())
            .find(|game| game.number() == number)
            .map(GameInProgress::move_list_text)
            .unwrap_or_default();
        error!("game {number} made its shard panic and is dropped: {move_list_text}");
        let _ = self.sender.send(Message::Dropped(Dropped {
            number,
            move_list_text,
        }));
    }
}

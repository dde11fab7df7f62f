use garuda_mcts::{EvalCache, Evaluator, Gumbel, GumbelSettings, Search, Shard, Wdl};
use garuda_rules::{GameState, Move, Position};
use garuda_run::seeds;

/// Searches that a thread runs in parallel, and its largest batch.
pub(super) const PARALLEL_SEARCHES: usize = 32;
const CACHED: usize = 1 << 15;
const TREE_BYTES: usize = 64 << 20;

/// What a search says of a position: its chances for the side to move, and its move.
pub(super) type Opinion = Option<(Wdl, Move)>;

/// Searches positions with a network.
#[derive(Debug)]
pub(super) struct NetworkLabeller<P: Position, E> {
    evaluator: E,
    shard: Shard<GameState<P>, Gumbel<GameState<P>>>,
    settings: GumbelSettings,
}

impl<P: Position, E: Evaluator<GameState<P>>> NetworkLabeller<P, E> {
    pub(super) fn new(evaluator: E, simulations: u32) -> NetworkLabeller<P, E> {
        let search = Gumbel::new(GameState::start(), TREE_BYTES);
        NetworkLabeller {
            evaluator,
            shard: Shard::new(
                vec![search; PARALLEL_SEARCHES],
                Some(EvalCache::new(CACHED)),
            ),
            // Without noise: labels are to be what the network believes, and the same every time.
            settings: GumbelSettings {
                simulations,
                gumbel_scale: 0.0,
                check_win_in_one: true,
                ..GumbelSettings::default()
            },
        }
    }

    /// Labels positions, in their order. Stops early, with nothing, when `is_stopped` says so.
    pub(super) fn label(
        &mut self,
        games: &[GameState<P>],
        is_stopped: &dyn Fn() -> bool,
        progress: &dyn Fn(u64),
    ) -> anyhow::Result<Option<Vec<Opinion>>> {
        let mut opinions: Vec<Opinion> = vec![None; games.len()];
        let mut next = 0;
        let mut running: Vec<Option<usize>> = vec![None; PARALLEL_SEARCHES];
        loop {
            for (place, current) in running.iter_mut().enumerate() {
                loop {
                    let search = &mut self.shard.searches_mut()[place];
                    if let Some(index) = *current {
                        if !search.is_over() {
                            break;
                        }
                        opinions[index] =
                            (search.value()).map(|wdl| (wdl, search.moves()[search.best()]));
                        progress(1);
                        *current = None;
                    }
                    if next == games.len() {
                        break;
                    }
                    *current = Some(next);
                    search.reset(&games[next]);
                    search.begin(self.settings, &mut seeds::rng(0));
                    next += 1;
                }
            }
            if running.iter().all(Option::is_none) {
                return Ok(Some(opinions));
            }
            if is_stopped() {
                return Ok(None);
            }
            self.shard.step(&mut self.evaluator)?;
        }
    }
}

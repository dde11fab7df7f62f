use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Limits of a search of one position. The first one reached ends it; without any it continues
/// until it is stopped, the root is proven, or the memory is full.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct SearchLimits {
    /// Visits of the root, including those of a reused tree.
    pub nodes: Option<u32>,
    /// Time for the search.
    pub time: Option<Duration>,
    /// Length of the principal variation.
    pub depth: Option<u32>,
}

impl SearchLimits {
    /// A number of nodes, and nothing else.
    pub fn nodes(nodes: u32) -> SearchLimits {
        SearchLimits {
            nodes: Some(nodes),
            ..SearchLimits::default()
        }
    }

    /// A time, and nothing else.
    pub fn time(time: Duration) -> SearchLimits {
        SearchLimits {
            time: Some(time),
            ..SearchLimits::default()
        }
    }

    /// Whether nothing but a signal ends the search.
    pub fn is_unlimited(&self) -> bool {
        *self == SearchLimits::default()
    }
}

/// Controls a running search from another thread: stops it, or starts its clock on `ponderhit`.
#[derive(Clone, Debug)]
pub struct SearchControl(Arc<ControlState>);

#[derive(Debug)]
struct ControlState {
    stopped: AtomicBool,
    /// When the clock was started; empty while pondering.
    clock: OnceLock<Instant>,
}

impl SearchControl {
    /// For a search whose clock starts now.
    pub fn new() -> SearchControl {
        let control = SearchControl::pondering();
        control.start_clock();
        control
    }

    /// For a search on the opponent's time: no limit ends it before
    /// [`start_clock`](SearchControl::start_clock).
    pub fn pondering() -> SearchControl {
        SearchControl(Arc::new(ControlState {
            stopped: AtomicBool::new(false),
            clock: OnceLock::new(),
        }))
    }

    /// Ends the search as soon as possible.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the search was told to end.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// Ends pondering: the limits apply from now on. Has no effect on a running clock.
    pub fn start_clock(&self) {
        self.0.clock.get_or_init(Instant::now);
    }

    /// Time since the clock was started; `None` while pondering.
    pub fn elapsed(&self) -> Option<Duration> {
        self.elapsed_at(Instant::now())
    }

    /// The same at another moment.
    pub(crate) fn elapsed_at(&self, now: Instant) -> Option<Duration> {
        let clock = self.0.clock.get();
        clock.map(|&started| now.saturating_duration_since(started))
    }

    /// Whether the clock was started.
    pub(crate) fn has_started(&self) -> bool {
        self.0.clock.get().is_some()
    }
}

impl Default for SearchControl {
    fn default() -> Self {
        SearchControl::new()
    }
}

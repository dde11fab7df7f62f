use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// When a search of one position ends by itself. The first limit that is reached counts; with
/// none it goes on until it is stopped, has a proof, or has filled its memory.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// Visits of the root, those of a reused tree included.
    pub nodes: Option<u32>,
    pub time: Option<Duration>,
    /// Length of the principal variation.
    pub depth: Option<u32>,
}

impl Limits {
    pub fn nodes(nodes: u32) -> Limits {
        Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }
    }

    pub fn time(time: Duration) -> Limits {
        Limits {
            time: Some(time),
            ..Limits::default()
        }
    }

    pub fn is_unlimited(&self) -> bool {
        *self == Limits::default()
    }
}

/// Tells a running search, from another thread, to stop, or that its time has started to count.
#[derive(Clone, Debug)]
pub struct Signal(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    stopped: AtomicBool,
    /// When the clock started; empty while pondering.
    clock: OnceLock<Instant>,
}

impl Signal {
    /// For a search whose clock starts now.
    pub fn new() -> Signal {
        let signal = Signal::pondering();
        signal.start_clock();
        signal
    }

    /// For a search in the opponent's time: no limit ends it before
    /// [`start_clock`](Signal::start_clock).
    pub fn pondering() -> Signal {
        Signal(Arc::new(Shared {
            stopped: AtomicBool::new(false),
            clock: OnceLock::new(),
        }))
    }

    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// Ends pondering: from now on the limits count. Has no effect on a clock that runs.
    pub fn start_clock(&self) {
        self.0.clock.get_or_init(Instant::now);
    }

    /// How long the clock has been running; `None` while pondering.
    pub fn elapsed(&self) -> Option<Duration> {
        self.0.clock.get().map(Instant::elapsed)
    }
}

impl Default for Signal {
    fn default() -> Self {
        Signal::new()
    }
}

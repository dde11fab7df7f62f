use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// When a run is to end.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    signalled: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Stop {
    /// Ends on SIGINT and SIGTERM (a second one ends the process at once), and after a time if
    /// one is given.
    pub fn on_signals(time: Option<Duration>) -> anyhow::Result<Stop> {
        let stop = Stop::after(time);
        for signal in [SIGINT, SIGTERM] {
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop.signalled))?;
            flag::register(signal, Arc::clone(&stop.signalled))?;
        }
        Ok(stop)
    }

    /// Ends after a time, or not by itself.
    pub fn after(time: Option<Duration>) -> Stop {
        Stop {
            signalled: Arc::default(),
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
        }
    }

    /// Asks for the end, as a signal does.
    pub fn signal(&self) {
        self.signalled.store(true, Ordering::Relaxed);
    }

    /// Whether to end as soon as nothing would be torn.
    pub fn is_signalled(&self) -> bool {
        self.signalled.load(Ordering::Relaxed)
    }

    /// Whether to end when the phase at hand allows it.
    pub fn is_due(&self) -> bool {
        self.is_signalled()
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Runs `work` with a flag that is set when the end is due.
    pub fn watch<T>(&self, work: impl FnOnce(&AtomicBool) -> T) -> T {
        let due = AtomicBool::new(self.is_due());
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    if self.is_due() {
                        due.store(true, Ordering::Relaxed);
                    }
                    std::thread::park_timeout(Duration::from_millis(50));
                }
            });
            let result = work(&due);
            done.store(true, Ordering::Relaxed);
            result
        })
    }
}

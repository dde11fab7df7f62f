use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use crate::child_group::kill_all_and_exit;

/// When a run is to end.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    signalled: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Stop {
    /// Ends on SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal was closed), and after a time if one
    /// is given. A second SIGINT or SIGTERM ends the process at once, with all programs it
    /// started.
    pub fn on_signals(time: Option<Duration>) -> anyhow::Result<Stop> {
        let stop = Stop::after(time);
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            flag::register(signal, Arc::clone(&stop.signalled))?;
            // A signal's handler may do next to nothing, but a thread that it wakes can.
            let (mut wakes, writer) = UnixStream::pair()?;
            pipe::register(signal, writer)?;
            let asked = Arc::clone(&asked);
            thread::spawn(move || {
                while wakes.read_exact(&mut [0]).is_ok() {
                    if asked.swap(true, Ordering::Relaxed) {
                        kill_all_and_exit(128 + signal);
                    }
                }
            });
        }
        // A terminal that closes may send it several times: by the kernel and by the shell. Under
        // `nohup` the run is meant to outlive the terminal.
        if !is_ignored(SIGHUP) {
            flag::register(SIGHUP, Arc::clone(&stop.signalled))?;
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

/// Whether the process was started with a signal ignored, where the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    (status.lines())
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

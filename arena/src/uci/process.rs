use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use garuda_run::{ChildGroup, EngineCommand};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use thiserror::Error;

/// Longer lines are cut.
const MAX_LINE_BYTES: u64 = 1 << 16;
/// Lines waiting to be read; an engine that writes more is blocked.
const MAX_LINES: usize = 1 << 10;
/// Last lines of standard error that are quoted when an engine ends.
const QUOTED_LINES: usize = 3;
/// How long an engine may take to end after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long its standard error is waited for after that.
const STDERR_TIMEOUT: Duration = Duration::from_millis(100);

/// A program that reads and writes lines, in a process group of its own. Dropping it ends the
/// program and all processes it started.
#[derive(Debug)]
pub(super) struct EngineProcess {
    child: Child,
    /// Until the child is waited for.
    group: Option<ChildGroup>,
    state: ChildState,
    input: Option<ChildStdin>,
    /// Lines of standard output with the time of their arrival.
    output: Receiver<(Instant, String)>,
    /// Last lines of standard error.
    errors: Arc<Mutex<VecDeque<String>>>,
    error_reader: JoinHandle<()>,
}

#[derive(Copy, Clone, Debug)]
enum ChildState {
    Running,
    /// Waited for; its process id may belong to another process by now. The status is `None` if
    /// the program did not end by itself.
    Reaped(Option<ExitStatus>),
}

/// Why no line came.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EngineGone {
    #[error("it did not answer in time")]
    Late,
    /// With its exit status and the last lines of its standard error.
    #[error("its program {0}")]
    Ended(String),
}

impl EngineProcess {
    /// Executes the command; no shell is involved.
    pub(super) fn start(command: &EngineCommand) -> anyhow::Result<EngineProcess> {
        let mut child = Command::new(command.program())
            .args(command.arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is for us: engines end when the games in progress have ended.
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {:?}", command.program()))?;
        let (sender, output) = sync_channel(MAX_LINES);
        let stdout = child.stdout.take().expect("standard output is piped");
        thread::spawn(move || forward_lines(stdout, &sender));
        let errors = Arc::<Mutex<VecDeque<String>>>::default();
        let stderr = child.stderr.take().expect("standard error is piped");
        let kept = Arc::clone(&errors);
        let error_reader = thread::spawn(move || keep_last_lines(stderr, &kept));
        Ok(EngineProcess {
            input: child.stdin.take(),
            group: Some(ChildGroup::of(&child)),
            child,
            state: ChildState::Running,
            output,
            errors,
            error_reader,
        })
    }

    pub(super) fn send(&mut self, line: &str) -> Result<(), EngineGone> {
        let sent = match &mut self.input {
            Some(input) => writeln!(input, "{line}").and_then(|()| input.flush()),
            None => return Err(self.gone()),
        };
        sent.map_err(|_| self.gone())
    }

    /// The next line and when it came.
    pub(super) fn recv(&mut self, until: Instant) -> Result<(Instant, String), EngineGone> {
        let left = until.saturating_duration_since(Instant::now());
        match self.output.recv_timeout(left) {
            // An engine that never stops writing has not answered either.
            Ok((came, _)) if came > until => Err(EngineGone::Late),
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(EngineGone::Late),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
        }
    }

    /// Kills the program and all processes it started.
    pub(super) fn kill(mut self) {
        self.end(Duration::ZERO);
    }

    /// Why nothing more can be read or written.
    fn gone(&mut self) -> EngineGone {
        self.input = None;
        let status = match self.end(QUIT_TIMEOUT) {
            Some(status) => format!("ended ({status})"),
            None => "closed its output".to_owned(),
        };
        wait_until(STDERR_TIMEOUT, || self.error_reader.is_finished());
        let errors = self.errors.lock().map_or_else(
            |_| String::new(),
            |lines| {
                lines
                    .iter()
                    .fold(String::new(), |all, line| all + "; " + line)
            },
        );
        EngineGone::Ended(status + &errors)
    }

    /// Waits for the program to end by itself, then kills what is left of its process group.
    /// Returns the exit status of a program that ended by itself.
    fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        if let ChildState::Reaped(status) = self.state {
            return status;
        }
        let group = Pid::from_child(&self.child);
        let exited = wait_until(patience, || has_exited(group));
        // The child has not been reaped, so its id still names this group and no other. There may
        // be nobody left to kill.
        let _ = kill_process_group(group, Signal::KILL);
        self.group = None;
        let status = self.child.wait().ok().filter(|_| exited);
        self.state = ChildState::Reaped(status);
        status
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        if matches!(self.state, ChildState::Running) {
            // Some programs end at the command, others at the end of their input.
            let _ = self.send("quit");
            self.input = None;
            self.end(QUIT_TIMEOUT);
        }
    }
}

/// Whether a child has ended; it is left to be waited for.
fn has_exited(child: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(child), options), Ok(None))
}

/// Waits for a condition, but not for ever. Returns whether it holds.
fn wait_until(patience: Duration, condition: impl Fn() -> bool) -> bool {
    let until = Instant::now() + patience;
    loop {
        if condition() {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Sends each line with the time it came, until the source or the receiver ends.
fn forward_lines(source: impl Read, sender: &SyncSender<(Instant, String)>) {
    for_each_line(source, |line| match sender.send((Instant::now(), line)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    });
}

fn keep_last_lines(source: impl Read, kept: &Mutex<VecDeque<String>>) {
    for_each_line(source, |line| {
        let Ok(mut kept) = kept.lock() else {
            return ControlFlow::Break(());
        };
        if !line.is_empty() {
            kept.push_back(line);
        }
        while kept.len() > QUOTED_LINES {
            kept.pop_front();
        }
        ControlFlow::Continue(())
    });
}

/// Calls `f` with each line, trimmed, whatever bytes it consists of, until `f` breaks.
fn for_each_line(source: impl Read, mut f: impl FnMut(String) -> ControlFlow<()>) {
    let mut source = BufReader::new(source);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = (&mut source)
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut bytes);
        match read {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let line = String::from_utf8_lossy(&bytes).trim().to_owned();
                if f(line).is_break() {
                    return;
                }
            }
        }
    }
}

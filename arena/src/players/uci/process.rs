use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use thiserror::Error;

/// Longer lines are cut.
const LINE_BYTES: u64 = 1 << 16;
/// Lines that wait to be read; a program that writes more has to wait too.
const LINES: usize = 1 << 10;
/// Last lines of its standard error that are quoted when a program ends.
const QUOTED: usize = 3;
/// How long a program may take to end when it is told to.
const FAREWELL: Duration = Duration::from_secs(1);
/// How long its complaints are waited for after that.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// A program that is talked to line by line. It is ended with this value.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<(Instant, String)>,
    complaints: Arc<Mutex<VecDeque<String>>>,
    /// Gathers the complaints.
    listener: JoinHandle<()>,
}

/// Why no line came.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum EngineGone {
    #[error("it did not answer in time")]
    Late,
    #[error("its program ended{0}")]
    Ended(String),
}

impl Process {
    /// Has the shell start a command.
    pub(super) fn start(command: &str) -> anyhow::Result<Process> {
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(format!("exec {command}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is for us: engines are ended when the games at hand are.
            .process_group(0)
            .spawn()
            .context("cannot start a shell")?;
        let (sender, output) = sync_channel(LINES);
        let stdout = child.stdout.take().expect("standard output is piped");
        thread::spawn(move || forward(stdout, &sender));
        let complaints = Arc::<Mutex<VecDeque<String>>>::default();
        let stderr = child.stderr.take().expect("standard error is piped");
        let kept = Arc::clone(&complaints);
        let listener = thread::spawn(move || keep_last(stderr, &kept));
        Ok(Process {
            input: child.stdin.take(),
            child,
            output,
            complaints,
            listener,
        })
    }

    pub(super) fn send(&mut self, line: &str) -> Result<(), EngineGone> {
        let said = match &mut self.input {
            Some(input) => writeln!(input, "{line}").and_then(|()| input.flush()),
            None => return Err(self.ended()),
        };
        said.map_err(|_| self.ended())
    }

    /// The next line and when it came.
    pub(super) fn recv(&mut self, until: Instant) -> Result<(Instant, String), EngineGone> {
        let left = until.saturating_duration_since(Instant::now());
        match self.output.recv_timeout(left) {
            // Whoever never stops talking has not answered either.
            Ok((came, _)) if came > until => Err(EngineGone::Late),
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(EngineGone::Late),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    /// Ends the program at once.
    pub(super) fn kill(mut self) {
        // It may have ended by itself, and whatever is left is found out when it is waited for.
        let _ = self.child.kill();
    }

    /// Why nothing more is to be heard.
    fn ended(&mut self) -> EngineGone {
        self.input = None;
        let status = match self.wait(FAREWELL) {
            Some(status) => format!(" ({status})"),
            None => " its output".to_owned(),
        };
        wait_until(LAST_WORDS, || self.listener.is_finished().then_some(()));
        let complaints = self.complaints.lock().map_or_else(
            |_| String::new(),
            |lines| {
                lines
                    .iter()
                    .fold(String::new(), |all, line| all + "; " + line)
            },
        );
        EngineGone::Ended(status + &complaints)
    }

    fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        wait_until(patience, || self.child.try_wait().ok().flatten())
    }
}

/// Waits for something to be there, but not for ever.
fn wait_until<T>(patience: Duration, mut there: impl FnMut() -> Option<T>) -> Option<T> {
    let until = Instant::now() + patience;
    loop {
        match there() {
            None if Instant::now() < until => thread::sleep(Duration::from_millis(2)),
            found => return found,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Some programs listen to the word, others to the end of their input.
        let _ = self.send("quit");
        self.input = None;
        if self.wait(FAREWELL).is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Sends each line with the time it came, until it ends or nobody listens.
fn forward(source: impl Read, sender: &SyncSender<(Instant, String)>) {
    for_each_line(source, |line| sender.send((Instant::now(), line)).is_ok());
}

fn keep_last(source: impl Read, kept: &Mutex<VecDeque<String>>) {
    for_each_line(source, |line| {
        let Ok(mut kept) = kept.lock() else {
            return false;
        };
        if !line.is_empty() {
            kept.push_back(line);
        }
        while kept.len() > QUOTED {
            kept.pop_front();
        }
        true
    });
}

/// Calls `f` with each line, whatever bytes it is made of, until `f` has enough.
fn for_each_line(source: impl Read, mut f: impl FnMut(String) -> bool) {
    let mut source = BufReader::new(source);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match (&mut source).take(LINE_BYTES).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                if !f(String::from_utf8_lossy(&bytes).trim().to_owned()) {
                    return;
                }
            }
        }
    }
}

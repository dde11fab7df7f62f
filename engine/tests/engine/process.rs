use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// An engine that sends nothing for this time hangs: far more than any test takes on a busy
/// machine.
const TIMEOUT: Duration = Duration::from_secs(60);

const PROGRAM: &str = env!("CARGO_BIN_EXE_garuda-engine");

/// A running engine. Dropping it closes its input and checks that it exits.
pub(crate) struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
}

impl Engine {
    pub(crate) fn start() -> Engine {
        Engine::spawn(Command::new(PROGRAM))
    }

    /// An engine with a limit of its address space.
    #[cfg(target_os = "linux")]
    pub(crate) fn with_memory_limit(kib: u64) -> Engine {
        let mut command = Command::new("sh");
        let script = format!("ulimit -v {kib} && exec \"$0\"");
        command.args(["-c", &script, PROGRAM]);
        Engine::spawn(command)
    }

    fn spawn(mut command: Command) -> Engine {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (lines, output) = channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                if lines.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Engine {
            input: child.stdin.take(),
            child,
            output,
        }
    }

    /// An engine that has been set to a variant.
    pub(crate) fn with_variant(variant: &str) -> Engine {
        let mut engine = Engine::start();
        engine.send("uci");
        engine.recv_until("uciok");
        engine.send(&format!("setoption name UCI_Variant value {variant}"));
        engine
    }

    /// Sends one or several lines.
    pub(crate) fn send(&mut self, lines: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{lines}").unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn recv(&mut self) -> String {
        self.output
            .recv_timeout(TIMEOUT)
            .expect("the engine hangs or has ended")
    }

    /// All lines up to and including the first that starts with `word`.
    pub(crate) fn recv_until(&mut self, word: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.recv();
            let found = line.split_whitespace().next() == Some(word);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Sends lines that end with a `go` command; returns its output and the best move.
    pub(crate) fn search(&mut self, lines: &str) -> (Vec<String>, String) {
        self.send(lines);
        let output = self.recv_until("bestmove");
        let best = output.last().unwrap().split_whitespace().nth(1).unwrap();
        let best = best.to_owned();
        (output, best)
    }

    /// Sends `isready` and returns the output before `readyok`.
    pub(crate) fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.recv_until("readyok");
        lines.pop();
        lines
    }

    /// Size of the address space in KiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn virtual_memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmSize:"));
        number(line.unwrap(), "VmSize:").unwrap() as u64
    }

    /// Closes the input and returns the remaining output.
    pub(crate) fn close(mut self) -> Vec<String> {
        self.input = None;
        let mut rest = Vec::new();
        while let Ok(line) = self.output.recv_timeout(TIMEOUT) {
            rest.push(line);
        }
        rest
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.input = None;
        let deadline = Instant::now() + TIMEOUT;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                if !thread::panicking() {
                    assert!(status.success(), "the engine ended with {status}");
                }
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        if !thread::panicking() {
            panic!("the engine did not exit at the end of its input");
        }
    }
}

/// The number that follows a word in a line.
pub(crate) fn number(line: &str, word: &str) -> Option<i64> {
    let mut words = line.split_whitespace();
    words.find(|&other| other == word)?;
    words.next()?.parse().ok()
}

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Far more than anything here takes on a busy machine: an engine that is silent for so long
/// hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running engine. Dropping it checks that it ends by itself.
pub(crate) struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
}

impl Engine {
    pub(crate) fn start() -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_garuda-engine"))
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

    /// An engine that plays a variant.
    pub(crate) fn of(variant: &str) -> Engine {
        let mut engine = Engine::start();
        engine.send("uci");
        engine.hear_until("uciok");
        engine.send(&format!("setoption name UCI_Variant value {variant}"));
        engine
    }

    /// Sends one or several lines.
    pub(crate) fn send(&mut self, lines: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{lines}").unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn say_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn recv(&mut self) -> String {
        self.output
            .recv_timeout(PATIENCE)
            .expect("the engine hangs or has ended")
    }

    /// All lines up to the first that begins with a word.
    pub(crate) fn hear_until(&mut self, word: &str) -> Vec<String> {
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

    /// Sends lines and returns what is said up to the best move, and that move.
    pub(crate) fn ask(&mut self, lines: &str) -> (Vec<String>, String) {
        self.send(lines);
        let heard = self.hear_until("bestmove");
        let best = heard.last().unwrap().split_whitespace().nth(1).unwrap();
        let best = best.to_owned();
        (heard, best)
    }

    /// Everything said before `readyok`: the engine has done all it was told.
    pub(crate) fn settle(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.hear_until("readyok");
        lines.pop();
        lines
    }

    /// Ends the input and returns what is still said.
    pub(crate) fn close(mut self) -> Vec<String> {
        self.input = None;
        let mut rest = Vec::new();
        while let Ok(line) = self.output.recv_timeout(PATIENCE) {
            rest.push(line);
        }
        rest
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.input = None;
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
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
            panic!("the engine did not end with its input");
        }
    }
}

/// The number after a word of a line.
pub(crate) fn number(line: &str, word: &str) -> Option<i64> {
    let mut words = line.split_whitespace();
    words.find(|&other| other == word)?;
    words.next()?.parse().ok()
}

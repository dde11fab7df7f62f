use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use garuda_mcts::SearchControl;

use crate::output::Output;
use crate::protocol::Command;
use crate::search_thread::{CommandHandle, QueuedCommand, SearchThread};

/// Longer lines are refused.
const MAX_LINE_LENGTH: u64 = 1 << 20;
/// Time that the search thread has after `quit` to finish what it is doing.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs a UCI or USI session until `quit` or the end of the input. No input makes it panic.
pub fn run(mut input: impl BufRead, output: impl Write + Send + 'static) -> io::Result<()> {
    let out = Output::new(output);
    let (commands, queue) = mpsc::channel::<QueuedCommand>();
    let (ended, end) = mpsc::channel::<()>();
    let mut reader = CommandReader {
        out: out.clone(),
        commands,
        last: None,
        stoppable: VecDeque::new(),
        endless: None,
    };
    thread::Builder::new()
        .name("search".to_owned())
        .spawn(move || {
            let _ended = ended;
            let mut search_thread = SearchThread::new(out);
            for command in queue {
                search_thread.execute(&command);
            }
        })?;
    let mut line = Vec::new();
    let result = loop {
        match read_line(&mut input, &mut line) {
            Ok(InputLine::End) => break Ok(false),
            Ok(InputLine::TooLong) => reader.out.error("the line is too long"),
            Ok(InputLine::Whole) => {
                if reader.handle_line(&String::from_utf8_lossy(&line)) {
                    break Ok(true);
                }
            }
            Err(error) => break Err(error),
        }
    };
    // Searches are stopped and queued commands are still answered, but `quit` does not wait long
    // for them.
    let quit = matches!(result, Ok(true));
    reader.stop(|handle| quit || handle.is_search);
    drop(reader);
    if quit {
        let _ = end.recv_timeout(SHUTDOWN_TIMEOUT);
    } else {
        let _ = end.recv();
    }
    result.map(|_| ())
}

enum InputLine {
    Whole,
    TooLong,
    End,
}

fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<InputLine> {
    line.clear();
    let length = input
        .by_ref()
        .take(MAX_LINE_LENGTH)
        .read_until(b'\n', line)?;
    if length == 0 {
        return Ok(InputLine::End);
    }
    if length as u64 == MAX_LINE_LENGTH && line.last() != Some(&b'\n') {
        while !input.fill_buf()?.is_empty() {
            let buffer = input.fill_buf()?;
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let used = end.map_or(buffer.len(), |end| end + 1);
            input.consume(used);
            if end.is_some() {
                break;
            }
        }
        return Ok(InputLine::TooLong);
    }
    Ok(InputLine::Whole)
}

/// Queues commands for the search thread and handles those that cannot wait for it.
struct CommandReader {
    out: Output,
    commands: Sender<QueuedCommand>,
    /// The last command in the queue. Commands are executed in order: if it is done, all are.
    last: Option<Arc<CommandHandle>>,
    /// Searches and perfts that have been neither stopped nor found done, oldest first. Other
    /// commands are not kept, so that the cost of a line does not depend on the length of the
    /// queue.
    stoppable: VecDeque<Arc<CommandHandle>>,
    /// The endless one among them. There is at most one: the next command stops it.
    endless: Option<Arc<CommandHandle>>,
}

impl CommandReader {
    /// Handles a line; returns whether it was `quit`.
    fn handle_line(&mut self, line: &str) -> bool {
        let command = match Command::parse(line) {
            Ok(Some(command)) => command,
            Ok(None) => return false,
            Err(error) => {
                self.out.error(error);
                return false;
            }
        };
        while self.stoppable.front().is_some_and(is_done) {
            self.stoppable.pop_front();
        }
        match command {
            Command::Quit => return true,
            Command::Stop => self.stop(|_| true),
            Command::PonderHit => {
                if let Some(handle) = &self.endless {
                    handle.control.start_clock();
                }
            }
            Command::IsReady if self.is_searching() => self.out.line("readyok"),
            command => self.enqueue(command),
        }
        false
    }

    /// Whether all queued commands are done except a search.
    fn is_searching(&self) -> bool {
        let last = self.last.as_ref().filter(|handle| !is_done(handle));
        last.is_some_and(|handle| handle.is_search)
    }

    fn enqueue(&mut self, command: Command) {
        // The command would never be executed after an endless search.
        if let Some(handle) = self.endless.take() {
            handle.control.stop();
        }
        let (control, endless, is_search) = match &command {
            Command::Go(go) if go.ponder => (SearchControl::pondering(), true, true),
            Command::Go(go) => (SearchControl::new(), go.is_endless(), true),
            _ => (SearchControl::new(), false, false),
        };
        let handle = Arc::new(CommandHandle {
            control,
            is_search,
            done: AtomicBool::new(false),
        });
        if is_search || matches!(command, Command::Perft(_)) {
            self.stoppable.push_back(Arc::clone(&handle));
        }
        if endless {
            self.endless = Some(Arc::clone(&handle));
        }
        self.last = Some(Arc::clone(&handle));
        if self
            .commands
            .send(QueuedCommand { command, handle })
            .is_err()
        {
            self.out.error("the search thread has ended");
        }
    }

    /// Stops the commands that match.
    fn stop(&mut self, which: impl Fn(&CommandHandle) -> bool) {
        self.stoppable.retain(|handle| {
            let matches = which(handle);
            if matches {
                handle.control.stop();
            }
            !matches
        });
    }
}

fn is_done(handle: &Arc<CommandHandle>) -> bool {
    handle.done.load(Ordering::Acquire)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;

    use super::*;

    /// A reader whose commands are queued and never executed.
    fn reader() -> (CommandReader, Receiver<QueuedCommand>) {
        let (commands, queue) = mpsc::channel();
        let reader = CommandReader {
            out: Output::new(io::sink()),
            commands,
            last: None,
            stoppable: VecDeque::new(),
            endless: None,
        };
        (reader, queue)
    }

    /// Every line visits the commands that are kept: if their number grew with the queue, the time
    /// for the queue would be quadratic.
    #[test]
    fn the_cost_of_a_line_does_not_grow_with_the_queue() {
        const LINES: usize = 100_000;
        let (mut reader, queue) = reader();
        reader.handle_line("go movetime 60000");
        for _ in 0..LINES {
            reader.handle_line("setoption name MultiPV value 2");
        }
        assert_eq!(reader.stoppable.len(), 1);
        for _ in 0..LINES {
            reader.handle_line("go nodes 1");
            reader.handle_line("stop");
        }
        assert_eq!(reader.stoppable.len(), 0);
        drop(reader);
        assert_eq!(queue.into_iter().count(), 1 + 2 * LINES);
    }

    #[test]
    fn the_next_command_stops_an_endless_search_only() {
        let (mut reader, queue) = reader();
        for line in ["go infinite", "go movetime 60000", "go ponder", "isready"] {
            reader.handle_line(line);
        }
        reader.handle_line("ponderhit");
        // `isready` is answered at once while a search runs.
        let handles: Vec<_> = queue.try_iter().map(|queued| queued.handle).collect();
        let stopped: Vec<_> = handles.iter().map(|h| h.control.is_stopped()).collect();
        assert_eq!(stopped, [true, false, false]);
        assert!(handles[2].control.elapsed().is_some());
        reader.handle_line("position startpos");
        assert!(handles[2].control.is_stopped() && !handles[1].control.is_stopped());
        reader.handle_line("stop");
        assert!(handles[1].control.is_stopped());
    }
}

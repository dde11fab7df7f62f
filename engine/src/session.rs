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
        handles: Vec::new(),
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
    /// The commands that were not done when last checked.
    handles: Vec<Arc<CommandHandle>>,
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
        self.handles
            .retain(|handle| !handle.done.load(Ordering::Acquire));
        match command {
            Command::Quit => return true,
            Command::Stop => self.stop(|_| true),
            Command::PonderHit => {
                for handle in &mut self.handles {
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
        self.handles.last().is_some_and(|handle| handle.is_search)
    }

    fn enqueue(&mut self, command: Command) {
        // The command would never be executed after an endless search.
        self.stop(|handle| handle.endless);
        let (control, endless, is_search) = match &command {
            Command::Go(go) if go.ponder => (SearchControl::pondering(), true, true),
            Command::Go(go) => (SearchControl::new(), go.is_endless(), true),
            _ => (SearchControl::new(), false, false),
        };
        let handle = Arc::new(CommandHandle {
            control,
            endless,
            is_search,
            done: AtomicBool::new(false),
        });
        self.handles.push(Arc::clone(&handle));
        if self
            .commands
            .send(QueuedCommand { command, handle })
            .is_err()
        {
            self.out.error("the search thread has ended");
        }
    }

    fn stop(&self, which: impl Fn(&CommandHandle) -> bool) {
        for handle in self.handles.iter().filter(|handle| which(handle)) {
            handle.control.stop();
        }
    }
}

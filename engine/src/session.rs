use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use garuda_mcts::Signal;

use crate::output::Output;
use crate::protocol::Command;
use crate::worker::{Job, Ticket, Worker};

/// A line that is longer is no command of anybody's.
const LONGEST_LINE: u64 = 1 << 20;
/// How long a worker that was told to end may take to finish what it is doing.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Speaks UCI or USI until `quit` or the end of the input. Whatever is read, it does not panic.
pub fn run(mut input: impl BufRead, output: impl Write + Send + 'static) -> io::Result<()> {
    let out = Output::new(output);
    let (jobs, queue) = mpsc::channel::<Job>();
    let (ended, end) = mpsc::channel::<()>();
    let mut reader = Reader {
        out: out.clone(),
        jobs,
        tickets: Vec::new(),
    };
    thread::Builder::new()
        .name("search".to_owned())
        .spawn(move || {
            let _ended = ended;
            let mut worker = Worker::new(out);
            for job in queue {
                worker.work(&job);
            }
        })?;
    let mut line = Vec::new();
    let result = loop {
        match read_line(&mut input, &mut line) {
            Ok(Line::End) => break Ok(false),
            Ok(Line::TooLong) => reader.out.error("a line is too long"),
            Ok(Line::Whole) => {
                if reader.recv(&String::from_utf8_lossy(&line)) {
                    break Ok(true);
                }
            }
            Err(error) => break Err(error),
        }
    };
    // Searches stop, and what was asked before is still answered; but who says `quit` does not
    // wait for anything else that takes long.
    let quit = matches!(result, Ok(true));
    reader.stop(|ticket| quit || ticket.is_search);
    drop(reader);
    if quit {
        let _ = end.recv_timeout(LAST_WORDS);
    } else {
        let _ = end.recv();
    }
    result.map(|_| ())
}

enum Line {
    Whole,
    TooLong,
    End,
}

fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let length = input.by_ref().take(LONGEST_LINE).read_until(b'\n', line)?;
    if length == 0 {
        return Ok(Line::End);
    }
    if length as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
        while !input.fill_buf()?.is_empty() {
            let buffer = input.fill_buf()?;
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let used = end.map_or(buffer.len(), |end| end + 1);
            input.consume(used);
            if end.is_some() {
                break;
            }
        }
        return Ok(Line::TooLong);
    }
    Ok(Line::Whole)
}

/// Reads what is asked, and sees to what cannot wait for the worker.
struct Reader {
    out: Output,
    jobs: Sender<Job>,
    /// What has been asked for and may still be going on.
    tickets: Vec<Arc<Ticket>>,
}

impl Reader {
    /// Deals with a line; returns whether it was the last.
    fn recv(&mut self, line: &str) -> bool {
        let command = match Command::parse(line) {
            Ok(Some(command)) => command,
            Ok(None) => return false,
            Err(error) => {
                self.out.error(error);
                return false;
            }
        };
        self.tickets
            .retain(|ticket| !ticket.done.load(Ordering::Acquire));
        match command {
            Command::Quit => return true,
            Command::Stop => self.stop(|_| true),
            Command::PonderHit => {
                for ticket in &mut self.tickets {
                    ticket.signal.start_clock();
                }
            }
            Command::IsReady if self.only_searches() => self.out.line("readyok"),
            command => self.pass_on(command),
        }
        false
    }

    /// Whether all that was asked for is done but a search that goes on.
    fn only_searches(&self) -> bool {
        self.tickets.last().is_some_and(|ticket| ticket.is_search)
    }

    fn pass_on(&mut self, command: Command) {
        // A search for ever would keep the worker from ever hearing of it.
        self.stop(|ticket| ticket.endless);
        let (signal, endless, is_search) = match &command {
            Command::Go(go) if go.ponder => (Signal::pondering(), true, true),
            Command::Go(go) => (Signal::new(), go.is_endless(), true),
            _ => (Signal::new(), false, false),
        };
        let ticket = Arc::new(Ticket {
            signal,
            endless,
            is_search,
            done: AtomicBool::new(false),
        });
        self.tickets.push(Arc::clone(&ticket));
        if self.jobs.send(Job { command, ticket }).is_err() {
            self.out.error("the engine has ended");
        }
    }

    fn stop(&self, which: impl Fn(&Ticket) -> bool) {
        for ticket in self.tickets.iter().filter(|ticket| which(ticket)) {
            ticket.signal.stop();
        }
    }
}

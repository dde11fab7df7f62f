//! What a person sees of a run: bars on a terminal, plain lines elsewhere, never torn.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::printable;

/// How often a phase is reported where there is no terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(30);

/// Where bars, lines and log messages meet without disturbing each other.
#[derive(Clone, Debug)]
pub struct Log {
    bars: MultiProgress,
    /// Whether permanent lines go to standard output, which is otherwise left to JSON.
    to_stdout: bool,
}

impl Log {
    /// Prints nothing.
    pub fn silent() -> Log {
        Log {
            bars: MultiProgress::with_draw_target(ProgressDrawTarget::hidden()),
            to_stdout: false,
        }
    }

    /// A permanent line, or several. Control characters in names are escaped.
    pub fn line(&self, text: &str) {
        let text = printable(text);
        self.bars.suspend(|| {
            // Output that is closed or on a full disk must not end the run.
            let _ = if self.to_stdout {
                writeln!(io::stdout(), "{text}")
            } else {
                writeln!(io::stderr(), "{text}")
            };
        });
    }

    /// A line for work without an end.
    pub fn status(&self, name: &str) -> StatusLine {
        let bar = self.bars.add(ProgressBar::new_spinner());
        let style = ProgressStyle::with_template("{prefix:<12} {msg}");
        bar.set_style(style.expect("the template is valid"));
        bar.set_prefix(name.to_owned());
        StatusLine {
            bar,
            name: name.to_owned(),
            plain: self
                .bars
                .is_hidden()
                .then(|| (self.clone(), Instant::now())),
        }
    }

    /// A phase of `length` steps.
    pub fn phase(&self, name: &str, length: u64) -> ProgressPhase {
        let bar = self.bars.add(ProgressBar::new(length));
        let style = ProgressStyle::with_template("{prefix:<12} [{bar:30}] {pos}/{len}  {msg}")
            .expect("the template is valid")
            .progress_chars("=> ");
        bar.set_style(style);
        bar.set_prefix(name.to_owned());
        ProgressPhase {
            bar,
            name: name.to_owned(),
            started: Instant::now(),
            from: 0,
            goal: None,
            plain: self
                .bars
                .is_hidden()
                .then(|| (self.clone(), Instant::now())),
        }
    }
}

/// A line on the terminal that changes, for work without an end, until the value is dropped.
#[derive(Debug)]
pub struct StatusLine {
    bar: ProgressBar,
    name: String,
    /// Without a terminal: when the last line was written.
    plain: Option<(Log, Instant)>,
}

impl StatusLine {
    /// Shows a few words.
    pub fn set(&mut self, words: impl FnOnce() -> String) {
        match &mut self.plain {
            None => self.bar.set_message(words()),
            Some((log, last)) if last.elapsed() >= PLAIN_EVERY => {
                *last = Instant::now();
                log.line(&format!("{}: {}", self.name, words()));
            }
            Some(_) => {}
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The progress of a phase on the terminal, until the value is dropped.
#[derive(Debug)]
pub struct ProgressPhase {
    bar: ProgressBar,
    name: String,
    started: Instant,
    /// Steps that were done before it started.
    from: u64,
    /// What the phase leads to, and how long that takes after the phase.
    goal: Option<(String, Duration)>,
    /// Without a terminal: when the last line was written.
    plain: Option<(Log, Instant)>,
}

impl ProgressPhase {
    /// The same phase with a number of steps done already.
    pub fn resumed_at(mut self, position: u64) -> ProgressPhase {
        self.from = position;
        self
    }

    /// The same phase, with the time until `goal`, which takes the time `then` after it.
    pub fn towards(mut self, goal: String, then: Duration) -> ProgressPhase {
        self.goal = Some((goal, then));
        self
    }

    /// The time that is left, at the speed so far.
    fn left(&self, position: u64) -> String {
        let length = self.bar.length().unwrap_or(position);
        let done = position.saturating_sub(self.from).max(1) as f64;
        let share = length.saturating_sub(position) as f64 / done;
        let rest = self.started.elapsed().mul_f64(share);
        match &self.goal {
            Some((goal, then)) => format!("{goal} in {}", HumanDuration(rest + *then)),
            None => format!("{} left", HumanDuration(rest)),
        }
    }

    /// Shows the position in the phase, with a few words.
    pub fn set(&mut self, position: u64, words: impl FnOnce() -> String) {
        let left = self.left(position);
        match &mut self.plain {
            None => {
                self.bar.set_message(format!("{} · {left}", words()));
                self.bar.set_position(position);
            }
            Some((log, last)) if last.elapsed() >= PLAIN_EVERY => {
                *last = Instant::now();
                let (name, words) = (&self.name, words());
                let length = self.bar.length().unwrap_or(0);
                log.line(&format!("{name}: {position} of {length}  {words} · {left}"));
            }
            Some(_) => {}
        }
    }
}

impl Drop for ProgressPhase {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Sends log messages to standard error, around the bars. `GARUDA_LOG` sets what is logged.
pub fn init_logging(lines_to_stdout: bool) -> Log {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let log = Log {
        bars: MultiProgress::with_draw_target(target),
        to_stdout: lines_to_stdout,
    };
    let filter = EnvFilter::try_from_env("GARUDA_LOG")
        .unwrap_or_else(|_| EnvFilter::new("warn,garuda=info,garuda_run=info,garuda_selfplay=info,garuda_training=info,garuda_fleet=info,garuda_arena=info,garuda_study=info"));
    // A second subscriber in one process is refused, and the first one stays.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(AroundBars(log.bars.clone()))
        .try_init();
    log
}

struct AroundBars(MultiProgress);

impl<'a> MakeWriter<'a> for AroundBars {
    type Writer = LogMessage<'a>;

    fn make_writer(&'a self) -> LogMessage<'a> {
        LogMessage {
            bars: &self.0,
            text: Vec::new(),
        }
    }
}

/// Gathers a message and writes it in one piece.
struct LogMessage<'a> {
    bars: &'a MultiProgress,
    text: Vec<u8>,
}

impl Write for LogMessage<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for LogMessage<'_> {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.text);
        let message = escape_line_breaks(text.trim_end_matches('\n'));
        self.bars.suspend(|| {
            let _ = writeln!(io::stderr(), "{message}");
        });
    }
}

/// A message is one line, whatever the names in it are. Other control characters are escaped before
/// the colours of a terminal are added.
fn escape_line_breaks(message: &str) -> String {
    message.replace('\n', "\\n").replace('\r', "\\r")
}

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
    /// For code that is watched by nobody.
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
            // Whoever has closed our output does not want the lines; the run goes on.
            let _ = if self.to_stdout {
                writeln!(io::stdout(), "{text}")
            } else {
                writeln!(io::stderr(), "{text}")
            };
        });
    }

    /// A phase of `length` steps.
    pub fn phase(&self, name: &str, length: u64) -> Phase {
        let bar = self.bars.add(ProgressBar::new(length));
        let style = ProgressStyle::with_template("{prefix:<12} [{bar:30}] {pos}/{len}  {msg}")
            .expect("the template is valid")
            .progress_chars("=> ");
        bar.set_style(style);
        bar.set_prefix(name.to_owned());
        Phase {
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

/// A phase that is being shown; the end of this value ends it.
#[derive(Debug)]
pub struct Phase {
    bar: ProgressBar,
    name: String,
    started: Instant,
    /// Steps that were done before it began.
    from: u64,
    /// What comes of it, and after how long once the phase is over.
    goal: Option<(String, Duration)>,
    /// Where there is no terminal: when the last line was written.
    plain: Option<(Log, Instant)>,
}

impl Phase {
    /// The same phase with so many steps done already.
    pub fn resumed_at(mut self, position: u64) -> Phase {
        self.from = position;
        self
    }

    /// The same phase, telling when it leads to `goal`, which takes the time `then` after it.
    pub fn towards(mut self, goal: String, then: Duration) -> Phase {
        self.goal = Some((goal, then));
        self
    }

    /// The time that is left, as it went so far.
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

    /// Shows how far the phase is, with a few words.
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

impl Drop for Phase {
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
        .unwrap_or_else(|_| EnvFilter::new("warn,garuda=info,garuda_run=info,garuda_selfplay=info,garuda_arena=info,garuda_study=info"));
    // A second subscriber in one process is refused, and the first one goes on.
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
    type Writer = Message<'a>;

    fn make_writer(&'a self) -> Message<'a> {
        Message {
            bars: &self.0,
            text: Vec::new(),
        }
    }
}

/// Gathers a message and writes it in one piece.
struct Message<'a> {
    bars: &'a MultiProgress,
    text: Vec<u8>,
}

impl Write for Message<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Message<'_> {
    fn drop(&mut self) {
        self.bars.suspend(|| {
            let _ = io::stderr().write_all(&self.text);
        });
    }
}

/// `1,234,567`
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1.5 MiB`
pub fn bytes(n: u64) -> String {
    let mut value = n as f64;
    let mut units = ["bytes", "KiB", "MiB", "GiB", "TiB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    match unit {
        "bytes" => format!("{n} bytes"),
        _ => format!("{value:.1} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(bytes(1000), "1000 bytes");
        assert_eq!(bytes(3 << 19), "1.5 MiB");
    }
}

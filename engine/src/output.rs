use std::fmt::Display;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// The output of the engine, shared by its threads. Lines are written and flushed as a whole.
#[derive(Clone)]
pub(crate) struct Output(Arc<Mutex<dyn Write + Send>>);

impl Output {
    pub(crate) fn new(sink: impl Write + Send + 'static) -> Output {
        Output(Arc::new(Mutex::new(sink)))
    }

    /// Writes one or more lines; a newline is added to the last.
    pub(crate) fn line(&self, text: impl Display) {
        let text = format!("{text}\n");
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // If the GUI has closed the pipe, there is nowhere to report it.
        let _ = sink.write_all(text.as_bytes()).and_then(|()| sink.flush());
    }

    /// Writes an `info string` line.
    pub(crate) fn info_string(&self, message: impl Display) {
        let message = message.to_string().replace(['\n', '\r'], " ");
        self.line(format_args!("info string {message}"));
    }

    pub(crate) fn error(&self, message: impl Display) {
        self.info_string(format_args!("error: {message}"));
    }
}

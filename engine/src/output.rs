use std::fmt::Display;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Where answers go. Whole lines, each sent at once, never torn by another thread's.
#[derive(Clone)]
pub(crate) struct Output(Arc<Mutex<dyn Write + Send>>);

impl Output {
    pub(crate) fn new(sink: impl Write + Send + 'static) -> Output {
        Output(Arc::new(Mutex::new(sink)))
    }

    /// Writes one or several lines; the last needs no end.
    pub(crate) fn line(&self, text: impl Display) {
        let text = format!("{text}\n");
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Who does not listen any more cannot be told either.
        let _ = sink.write_all(text.as_bytes()).and_then(|()| sink.flush());
    }

    /// Words for a person.
    pub(crate) fn send(&self, words: impl Display) {
        let words = words.to_string().replace(['\n', '\r'], " ");
        self.line(format_args!("info string {words}"));
    }

    pub(crate) fn error(&self, words: impl Display) {
        self.send(format_args!("error: {words}"));
    }
}

//! Labelled positions for networks of Fairy-Stockfish: the files they are kept in, and a directory
//! of them.

mod label_dir;
mod label_file;

pub use label_dir::{LabelDir, LabelSource};
pub use label_file::{Label, LabelFileError, decode_label_file, encode_label_file};

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};

/// Larger files are refused.
const MAX_BYTES: u64 = 64 << 20;

/// The text of an opening book.
pub(crate) fn read_book(path: &Path) -> anyhow::Result<String> {
    let cannot = || format!("cannot read {}", path.display());
    let data = fs::metadata(path).with_context(cannot)?;
    ensure!(
        data.is_file() && data.len() <= MAX_BYTES,
        "{} is not a file of at most {} MiB",
        path.display(),
        MAX_BYTES >> 20
    );
    fs::read_to_string(path).with_context(cannot)
}

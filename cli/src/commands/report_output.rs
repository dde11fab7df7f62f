//! Printing a report and writing its files.

use std::io::{self, Write, stdout};
use std::path::PathBuf;

use anyhow::bail;
use garuda_run::{shown_path, write_atomically};

/// A file of a report: where it goes and what it contains.
pub(super) type ReportFile = (PathBuf, String);

/// Prints a report, then writes its files and, with `list_files`, prints their paths.
///
/// A report can take hours to compute, so a failure stops nothing that can still be done: all text
/// is printed before the first file is written, and all files are tried. The error names every
/// file that could not be written.
pub(super) fn print_and_write(
    text: &str,
    files: &[ReportFile],
    list_files: bool,
) -> anyhow::Result<()> {
    let printed = print(text);
    let mut paths = String::new();
    let mut failures = Vec::new();
    for (path, content) in files {
        match write_atomically(path, content.as_bytes()) {
            Ok(()) => paths += &format!("{}\n", shown_path(path)),
            Err(error) => failures.push(format!("{error:#}")),
        }
    }
    let listed = if list_files && printed.is_ok() {
        print(&paths)
    } else {
        Ok(())
    };
    if !failures.is_empty() {
        bail!("{}", failures.join("; "));
    }
    Ok(printed.and(listed)?)
}

fn print(text: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

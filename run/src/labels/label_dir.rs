use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use garuda_model::files::read_bounded;
use garuda_model::nnue::NnueLayout;
use serde::{Deserialize, Serialize};

use super::label_file::{Label, MAX_BYTES, decode_label_file, encode_label_file};
use crate::files::{create_dir, sweep, write_atomically};

const SOURCE: &str = "labels.json";
const EXTENSION: &str = "labels";
const MAX_SOURCE: u64 = 64 << 20;

/// Where the labels of a directory come from. It decides them all: a directory continues only with
/// the same.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelSource {
    /// The rule set's name.
    pub rules: String,
    /// What evaluated the positions: a network by its hash and simulations, or an engine.
    pub labeller: String,
    /// Random successors of each position that were labelled too.
    pub successors: u32,
    /// Record files, each with the BLAKE3 hash of its contents, in order.
    pub games: Vec<(String, String)>,
    /// Number of label files when all is labelled.
    pub files: u64,
}

/// A directory of label files `00000042.labels`, each complete or absent, and `labels.json`.
#[derive(Debug)]
pub struct LabelDir {
    path: PathBuf,
    source: LabelSource,
}

impl LabelDir {
    /// Opens a directory to read it.
    pub fn open(path: &Path) -> anyhow::Result<LabelDir> {
        let file = path.join(SOURCE);
        let bytes = read_bounded(&file, MAX_SOURCE).with_context(|| {
            format!(
                "{} is no directory of labels: cannot read {SOURCE}",
                path.display()
            )
        })?;
        let source = serde_json::from_slice(&bytes)
            .with_context(|| format!("{} is damaged", file.display()))?;
        Ok(LabelDir {
            path: path.to_owned(),
            source,
        })
    }

    /// Opens a directory to continue labelling in it, or creates it.
    pub fn open_or_create(path: &Path, source: &LabelSource) -> anyhow::Result<LabelDir> {
        if path.join(SOURCE).exists() {
            let dir = LabelDir::open(path)?;
            dir.check_same(source)?;
            sweep(path, |name| file_number(name).is_some())?;
            return Ok(dir);
        }
        let has_others = fs::read_dir(path).is_ok_and(|mut entries| {
            entries.any(|entry| !entry.is_ok_and(|entry| is_unfinished(&entry)))
        });
        ensure!(
            !has_others,
            "{} is not empty and no directory of labels; labels need a directory of their own",
            path.display()
        );
        create_dir(path)?;
        let text = serde_json::to_string_pretty(source)? + "\n";
        write_atomically(&path.join(SOURCE), text.as_bytes())?;
        Ok(LabelDir {
            path: path.to_owned(),
            source: source.clone(),
        })
    }

    fn check_same(&self, wanted: &LabelSource) -> anyhow::Result<()> {
        let (found, path) = (&self.source, self.path.display());
        let advice = "continue with the same settings, or choose another --out";
        let pairs = [
            ("rules", found.rules.clone(), wanted.rules.clone()),
            ("labeller", found.labeller.clone(), wanted.labeller.clone()),
            (
                "successors",
                found.successors.to_string(),
                wanted.successors.to_string(),
            ),
        ];
        for (what, found, wanted) in pairs {
            ensure!(
                found == wanted,
                "{path} was started with {what} {found}, not {wanted}: {advice}"
            );
        }
        let hashes = |source: &LabelSource| -> Vec<String> {
            (source.games.iter())
                .map(|(_, hash)| hash.clone())
                .collect()
        };
        if hashes(found) != hashes(wanted) || found.files != wanted.files {
            bail!(
                "{path} was started with other games ({} record files, now {}): {advice}",
                found.games.len(),
                wanted.games.len()
            );
        }
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn source(&self) -> &LabelSource {
        &self.source
    }

    /// Whether a label file is there.
    pub fn has(&self, number: u64) -> bool {
        self.file(number).exists()
    }

    fn file(&self, number: u64) -> PathBuf {
        self.path.join(format!("{number:08}.{EXTENSION}"))
    }

    /// Writes a label file, which survives a crash once this returns.
    pub fn write(&self, layout: &NnueLayout, number: u64, labels: &[Label]) -> anyhow::Result<()> {
        write_atomically(&self.file(number), &encode_label_file(layout, labels)?)
    }

    /// The labels of a file.
    pub fn read(&self, layout: &NnueLayout, number: u64) -> anyhow::Result<Vec<Label>> {
        let path = self.file(number);
        let read = || -> anyhow::Result<Vec<Label>> {
            Ok(decode_label_file(layout, &read_bounded(&path, MAX_BYTES)?)?)
        };
        read().with_context(|| {
            let path = path.display();
            format!("cannot use {path}; delete it and run garuda label again to make it again")
        })
    }

    /// The numbers of the label files that are there, ascending.
    pub fn numbers(&self) -> anyhow::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        let entries = fs::read_dir(&self.path)
            .with_context(|| format!("cannot list {}", self.path.display()))?;
        for entry in entries {
            numbers.extend(entry?.file_name().to_str().and_then(file_number));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }
}

fn file_number(name: &str) -> Option<u64> {
    let number = name.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    let digits = number.len() >= 8 && number.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| number.parse().ok())?
}

/// What a crash can leave of a directory that was being created.
fn is_unfinished(entry: &fs::DirEntry) -> bool {
    entry.file_name() == format!("{SOURCE}.tmp").as_str()
}

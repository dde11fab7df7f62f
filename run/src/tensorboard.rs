//! Event files for TensorBoard: length-framed records with masked CRC-32C, each holding an
//! `Event` message, of whose fields only a few are needed.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;

use super::metrics::{Event, LossStats};
use crate::files::create_dir;

/// A file that events are appended to.
#[derive(Debug)]
pub struct TensorBoard {
    file: File,
}

impl TensorBoard {
    /// Begins a file of this process in a directory.
    pub fn create(dir: &Path) -> anyhow::Result<TensorBoard> {
        create_dir(dir)?;
        let name = format!(
            "events.out.tfevents.{:.0}.{}.garuda",
            now(),
            std::process::id()
        );
        let path = dir.join(name);
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        let mut board = TensorBoard { file };
        let mut message = Vec::new();
        put_double(&mut message, 1, now());
        put_bytes(&mut message, 3, b"brain.Event:2");
        board.write(&message)?;
        Ok(board)
    }

    pub fn add(&mut self, event: &Event) -> anyhow::Result<()> {
        for (step, tag, value) in scalars(event) {
            let mut scalar = Vec::new();
            put_bytes(&mut scalar, 1, tag.as_bytes());
            put_float(&mut scalar, 2, value as f32);
            let mut summary = Vec::new();
            put_bytes(&mut summary, 1, &scalar);
            let mut message = Vec::new();
            put_double(&mut message, 1, now());
            put_tag(&mut message, 2, 0);
            put_varint(&mut message, step);
            put_bytes(&mut message, 5, &summary);
            self.write(&message)?;
        }
        Ok(())
    }

    fn write(&mut self, message: &[u8]) -> anyhow::Result<()> {
        let length = (message.len() as u64).to_le_bytes();
        let mut record = length.to_vec();
        record.extend(masked_crc(&length).to_le_bytes());
        record.extend(message);
        record.extend(masked_crc(message).to_le_bytes());
        let written: io::Result<()> = self.file.write_all(&record);
        written.context("cannot append to the TensorBoard file")
    }
}

/// The numbers of an event: step, name, value. Steps are checkpoints.
fn scalars(event: &Event) -> Vec<(u64, String, f64)> {
    let losses = |kind: &str, losses: &LossStats| {
        [
            (format!("{kind}/total"), losses.total),
            (format!("{kind}/policy"), losses.policy),
            (format!("{kind}/value"), losses.value),
        ]
    };
    let (checkpoint, values) = match event {
        Event::Selfplay(stats) => {
            let shares = [
                ("plies", stats.mean_plies),
                ("white", stats.white),
                ("draws", stats.draws),
                ("black", stats.black),
                ("entropy", stats.entropy),
            ];
            let values = shares.map(|(name, value)| (format!("selfplay/{name}"), value));
            (stats.checkpoint, values.to_vec())
        }
        Event::Training(stats) => {
            let mut values = losses("loss", &stats.losses).to_vec();
            values.extend(stats.validation.iter().flat_map(|l| losses("held-out", l)));
            values.push(("training/rate".to_owned(), stats.rate));
            (stats.checkpoint, values)
        }
        Event::Match(stats) => {
            let values = [
                (format!("score/{}", stats.opponent), stats.score),
                ("rating".to_owned(), stats.rating),
            ];
            (stats.checkpoint, values.to_vec())
        }
        Event::Warning { checkpoint, .. } => (*checkpoint, Vec::new()),
    };
    (values.into_iter())
        .map(|(name, value)| (checkpoint.into(), name, value))
        .collect()
}

fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |time| time.as_secs_f64())
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_tag(out: &mut Vec<u8>, field: u64, wire: u64) {
    put_varint(out, field << 3 | wire);
}

fn put_double(out: &mut Vec<u8>, field: u64, value: f64) {
    put_tag(out, field, 1);
    out.extend(value.to_le_bytes());
}

fn put_float(out: &mut Vec<u8>, field: u64, value: f32) {
    put_tag(out, field, 5);
    out.extend(value.to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    put_tag(out, field, 2);
    put_varint(out, value.len() as u64);
    out.extend(value);
}

/// CRC-32C (Castagnoli), bit by bit: a few hundred bytes at a time need no table.
fn crc(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            let carry = crc & 1;
            crc >>= 1;
            if carry != 0 {
                crc ^= 0x82f6_3b78;
            }
        }
    }
    !crc
}

/// As the format wants it, so that a checksum of checksums is no special case.
fn masked_crc(bytes: &[u8]) -> u32 {
    crc(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_the_standard_text() {
        assert_eq!(crc(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn records_are_framed() {
        let dir = tempfile::tempdir().unwrap();
        let mut board = TensorBoard::create(dir.path()).unwrap();
        let event = Event::Training(super::super::TrainingStats {
            checkpoint: 300,
            ..Default::default()
        });
        board.add(&event).unwrap();
        let path = std::fs::read_dir(dir.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let mut rest = &std::fs::read(path).unwrap()[..];
        let mut count = 0;
        while !rest.is_empty() {
            let (length, after) = rest.split_at(8);
            let size = u64::from_le_bytes(length.try_into().unwrap()) as usize;
            assert_eq!(after[..4], masked_crc(length).to_le_bytes());
            let message = &after[4..4 + size];
            assert_eq!(after[4 + size..8 + size], masked_crc(message).to_le_bytes());
            rest = &after[8 + size..];
            count += 1;
        }
        assert_eq!(count, 1 + 4);
    }
}

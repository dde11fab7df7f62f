//! Event files for TensorBoard: length-framed messages with masked CRC-32C checksums.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use prost::Message;

use super::metrics::{Event, LossStats};
use crate::files::create_dir;

/// The fields of TensorFlow's `Event` message that are needed.
#[derive(Clone, PartialEq, Message)]
struct EventMessage {
    /// Seconds since 1970.
    #[prost(double, tag = "1")]
    wall_time: f64,
    #[prost(int64, tag = "2")]
    step: i64,
    #[prost(string, optional, tag = "3")]
    file_version: Option<String>,
    #[prost(message, optional, tag = "5")]
    summary: Option<SummaryMessage>,
}

#[derive(Clone, PartialEq, Message)]
struct SummaryMessage {
    #[prost(message, repeated, tag = "1")]
    values: Vec<ScalarMessage>,
}

#[derive(Clone, PartialEq, Message)]
struct ScalarMessage {
    #[prost(string, tag = "1")]
    tag: String,
    #[prost(float, tag = "2")]
    simple_value: f32,
}

/// A file that events are appended to.
#[derive(Debug)]
pub struct TensorBoard {
    file: File,
}

impl TensorBoard {
    /// Starts a file of this process in a directory.
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
        board.write(&EventMessage {
            wall_time: now(),
            file_version: Some("brain.Event:2".to_owned()),
            ..EventMessage::default()
        })?;
        Ok(board)
    }

    pub fn add(&mut self, event: &Event) -> anyhow::Result<()> {
        for (step, tag, value) in scalars(event) {
            let value = ScalarMessage {
                tag,
                simple_value: value as f32,
            };
            self.write(&EventMessage {
                wall_time: now(),
                step,
                file_version: None,
                summary: Some(SummaryMessage {
                    values: vec![value],
                }),
            })?;
        }
        Ok(())
    }

    fn write(&mut self, message: &EventMessage) -> anyhow::Result<()> {
        let message = message.encode_to_vec();
        let length = (message.len() as u64).to_le_bytes();
        let mut frame = length.to_vec();
        frame.extend(masked_crc(&length).to_le_bytes());
        frame.extend(&message);
        frame.extend(masked_crc(&message).to_le_bytes());
        (self.file.write_all(&frame)).context("cannot append to the TensorBoard file")
    }
}

/// The numbers of an event: step, name, value. Steps are checkpoints.
fn scalars(event: &Event) -> Vec<(i64, String, f64)> {
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
            values.extend(
                stats
                    .validation
                    .iter()
                    .flat_map(|l| losses("validation", l)),
            );
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

/// As the format requires, so that a checksum of data that contains checksums is no special case.
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
    fn messages_are_framed() {
        let dir = tempfile::tempdir().unwrap();
        let mut board = TensorBoard::create(dir.path()).unwrap();
        let event = Event::Training(super::super::TrainingStats {
            checkpoint: 300,
            losses: LossStats {
                total: 0.5,
                ..LossStats::default()
            },
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
        let mut messages = Vec::new();
        while !rest.is_empty() {
            let (length, after) = rest.split_at(8);
            let size = u64::from_le_bytes(length.try_into().unwrap()) as usize;
            assert_eq!(after[..4], masked_crc(length).to_le_bytes());
            let message = &after[4..4 + size];
            assert_eq!(after[4 + size..8 + size], masked_crc(message).to_le_bytes());
            rest = &after[8 + size..];
            messages.push(EventMessage::decode(message).unwrap());
        }
        assert_eq!(messages.len(), 1 + 4);
        assert_eq!(messages[0].file_version.as_deref(), Some("brain.Event:2"));
        let scalars: Vec<_> = (messages[1..].iter())
            .map(|message| {
                let value = &message.summary.as_ref().unwrap().values[0];
                (message.step, value.tag.as_str(), value.simple_value)
            })
            .collect();
        assert_eq!(scalars[0], (300, "loss/total", 0.5));
        assert_eq!(scalars[3], (300, "training/rate", 0.0));
    }

    /// As TensorFlow writes it: tags and wire types by hand.
    #[test]
    fn messages_have_the_fields_of_the_format() {
        let message = EventMessage {
            wall_time: 1.0,
            step: 300,
            file_version: None,
            summary: Some(SummaryMessage {
                values: vec![ScalarMessage {
                    tag: "a".to_owned(),
                    simple_value: 0.5,
                }],
            }),
        };
        let expected = [
            &[0x09][..],
            &1.0f64.to_le_bytes(),
            &[0x10, 0xac, 0x02],
            &[0x2a, 10, 0x0a, 8, 0x0a, 1, b'a', 0x15],
            &0.5f32.to_le_bytes(),
        ]
        .concat();
        assert_eq!(message.encode_to_vec(), expected);
    }
}

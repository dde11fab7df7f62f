//! A message with games: the bytes of a record file, signed by the worker that played them. The same
//! bytes lie in a worker's spool.

use nkeys::KeyPair;
use thiserror::Error;

use crate::names::{MAX_MESSAGE, Name};
use crate::plan::PlanHash;

const MAGIC: [u8; 8] = *b"garfleet";
const SIGNATURE: usize = 64;
const HEADER: usize = MAGIC.len() + 32 + 8 + SIGNATURE;

/// What a message with games says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Envelope<'a> {
    /// The plan that the games follow from.
    pub plan: PlanHash,
    /// The lease that they were played for.
    pub lease: u64,
    signature: [u8; SIGNATURE],
    /// A record file.
    pub records: &'a [u8],
}

/// Why bytes are not a message with games.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EnvelopeError {
    #[error("{0} bytes are more than a message may have")]
    TooLarge(usize),
    #[error("it is not a message with games of this version")]
    Format,
}

impl<'a> Envelope<'a> {
    pub fn decode(bytes: &'a [u8]) -> Result<Envelope<'a>, EnvelopeError> {
        if bytes.len() > MAX_MESSAGE {
            return Err(EnvelopeError::TooLarge(bytes.len()));
        }
        let rest = (bytes.strip_prefix(&MAGIC)).ok_or(EnvelopeError::Format)?;
        let (plan, rest) = rest.split_first_chunk().ok_or(EnvelopeError::Format)?;
        let (lease, rest) = rest.split_first_chunk().ok_or(EnvelopeError::Format)?;
        let (signature, records) = rest.split_first_chunk().ok_or(EnvelopeError::Format)?;
        Ok(Envelope {
            plan: PlanHash::from_bytes(*plan),
            lease: u64::from_le_bytes(*lease),
            signature: *signature,
            records,
        })
    }

    /// Whether the holder of a key sent it, as this worker of this run.
    pub fn is_signed_by(&self, key: &KeyPair, run: &Name, worker: &Name) -> bool {
        let signed = signed_bytes(run, worker, self.plan, self.lease, self.records);
        key.verify(&signed, &self.signature).is_ok()
    }
}

/// The bytes of a message. Fails where the key has no secret half.
pub fn seal(
    key: &KeyPair,
    run: &Name,
    worker: &Name,
    plan: PlanHash,
    lease: u64,
    records: &[u8],
) -> Result<Vec<u8>, nkeys::error::Error> {
    let signature = key.sign(&signed_bytes(run, worker, plan, lease, records))?;
    let mut bytes = Vec::with_capacity(HEADER + records.len());
    bytes.extend(MAGIC);
    bytes.extend(plan.as_bytes());
    bytes.extend(lease.to_le_bytes());
    bytes.extend(signature);
    bytes.extend(records);
    Ok(bytes)
}

/// The same key answers the broker's challenge, which is a text the broker chooses. The first byte
/// occurs in no text, so that no challenge is ever a message.
fn signed_bytes(run: &Name, worker: &Name, plan: PlanHash, lease: u64, records: &[u8]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new_derive_key("garuda fleet games");
    for text in [run.as_str(), worker.as_str()] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.update(plan.as_bytes());
    hasher.update(&lease.to_le_bytes());
    hasher.update(records);
    let mut bytes = vec![0xff];
    bytes.extend(hasher.finalize().as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_signed_is_accepted() {
        let (key, other) = (KeyPair::new_user(), KeyPair::new_user());
        let name = |text: &str| text.parse::<Name>().unwrap();
        let (run, worker) = (name("run"), name("worker"));
        let plan = PlanHash::of(b"plan");
        let bytes = seal(&key, &run, &worker, plan, 7, b"records").unwrap();
        let envelope = Envelope::decode(&bytes).unwrap();
        assert_eq!((envelope.plan, envelope.lease), (plan, 7));
        assert_eq!(envelope.records, b"records");
        assert!(envelope.is_signed_by(&key, &run, &worker));
        assert!(!envelope.is_signed_by(&other, &run, &worker));
        assert!(!envelope.is_signed_by(&key, &worker, &run));
        // Every bit counts.
        for i in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[i] ^= 1 << (i % 8);
            let is_valid = Envelope::decode(&flipped)
                .is_ok_and(|envelope| envelope.is_signed_by(&key, &run, &worker));
            assert!(!is_valid, "byte {i}");
        }
        for length in 0..HEADER {
            assert_eq!(
                Envelope::decode(&bytes[..length]),
                Err(EnvelopeError::Format)
            );
        }
        let large = vec![0; MAX_MESSAGE + 1];
        assert_eq!(
            Envelope::decode(&large),
            Err(EnvelopeError::TooLarge(MAX_MESSAGE + 1))
        );
    }
}

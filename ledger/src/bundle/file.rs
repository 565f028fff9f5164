//! A bundle as a file: a magic line, then the message. Only the one canonical encoding is read.

use divelog_proto::v1 as pb;
use prost::Message;

use crate::tlog::{MAX_CHECKPOINT_BYTES, MAX_PROOF_HASHES};

/// How a bundle's file begins.
pub const MAGIC: &[u8] = b"DLBUNDLE1\n";
/// The largest bundle that is read.
pub const MAX_BUNDLE_BYTES: usize = 64 << 20;
/// The most records of a bundle; draws and digests are not more than records. The longest games have some thousand.
pub const MAX_BUNDLE_RECORDS: usize = 100_000;
/// The largest record. The store takes no larger ones.
pub const MAX_RECORD_BYTES: usize = 32 << 10;

/// Field numbers of [`pb::Bundle`] that hold messages with lists in them.
const MESSAGES: [usize; 2] = [5, 7];

/// Why a file is not a bundle.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BundleError {
    /// It is larger than any bundle.
    #[error("the file is larger than a bundle can be ({MAX_BUNDLE_BYTES} bytes)")]
    TooLarge,
    /// It does not begin as a bundle does.
    #[error("the file is not a bundle: it does not begin with DLBUNDLE1")]
    NotABundle,
    /// The message in it cannot be read.
    #[error("the bundle is damaged or cut: {0}")]
    Unreadable(String),
    /// There are bytes that belong to nothing.
    #[error("the bundle holds bytes that belong to no known field, or is not encoded in the one canonical way")]
    NotCanonical,
    /// A list has more entries than it may.
    #[error("the bundle has too many {0}")]
    TooMany(&'static str),
    /// There are no records.
    #[error("the bundle holds no records")]
    Empty,
}

/// The file of a bundle.
pub fn to_file(bundle: &pb::Bundle) -> Vec<u8> {
    let mut file = Vec::with_capacity(MAGIC.len() + bundle.encoded_len());
    file.extend_from_slice(MAGIC);
    bundle.encode_raw(&mut file);
    file
}

/// The bundle in a file.
pub fn from_file(file: &[u8]) -> Result<pb::Bundle, BundleError> {
    if file.len() > MAX_BUNDLE_BYTES {
        return Err(BundleError::TooLarge);
    }
    let message = file.strip_prefix(MAGIC).ok_or(BundleError::NotABundle)?;
    // Counted before anything is decoded: a list of empty entries would take many times the file's size in memory.
    check_entries(message, &MESSAGES)?;
    let bundle = pb::Bundle::decode(message).map_err(|error| BundleError::Unreadable(error.to_string()))?;
    if bundle.encode_to_vec() != message {
        return Err(BundleError::NotCanonical);
    }
    check_counts(&bundle)?;
    Ok(bundle)
}

/// Refuses a message with more entries than the largest bundle needs: three lists, and a few single fields.
fn check_entries(mut message: &[u8], messages: &[usize]) -> Result<(), BundleError> {
    let unreadable = |what: &str| BundleError::Unreadable(what.to_owned());
    let mut entries = 0;
    while !message.is_empty() {
        entries += 1;
        if entries > 2 * MAX_BUNDLE_RECORDS + MAX_PROOF_HASHES {
            return Err(BundleError::TooMany("entries"));
        }
        let number = |message: &mut &[u8]| {
            prost::decode_length_delimiter(message).map_err(|error| BundleError::Unreadable(error.to_string()))
        };
        let key = number(&mut message)?;
        let length = match key & 7 {
            0 => number(&mut message).map(|_| 0)?,
            1 => 8,
            2 => number(&mut message)?,
            5 => 4,
            _ => return Err(unreadable("a field has no known type")),
        };
        let (field, rest) = message.split_at_checked(length).ok_or(unreadable("it ends in the middle of a field"))?;
        if key & 7 == 2 && messages.contains(&(key >> 3)) {
            check_entries(field, &[])?;
        }
        message = rest;
    }
    Ok(())
}

/// Refuses lists that are too long and records that are too large.
pub(super) fn check_counts(bundle: &pb::Bundle) -> Result<(), BundleError> {
    let records = bundle.records.len();
    if records == 0 {
        return Err(BundleError::Empty);
    }
    if records > MAX_BUNDLE_RECORDS {
        return Err(BundleError::TooMany("records"));
    }
    if bundle.records.iter().any(|record| record.len() > MAX_RECORD_BYTES) {
        return Err(BundleError::TooMany("bytes in a record"));
    }
    if bundle.opened_draws.len() > records {
        return Err(BundleError::TooMany("opened draws"));
    }
    if bundle.claims.as_ref().is_some_and(|claims| claims.legal_digests.len() > records) {
        return Err(BundleError::TooMany("digests of legal actions"));
    }
    if bundle.inclusion.as_ref().is_some_and(|proof| proof.hashes.len() > MAX_PROOF_HASHES) {
        return Err(BundleError::TooMany("hashes in the proof"));
    }
    if bundle.checkpoint.len() > MAX_CHECKPOINT_BYTES {
        return Err(BundleError::TooMany("bytes in the checkpoint"));
    }
    Ok(())
}

//! The log before this one: after a restore that could not go on with it, the new log names it to everybody.

use std::fs;
use std::io;
use std::path::Path;

use divelog_ledger::tlog::{PreviousLog, SigningKey};

use super::SealError;
use crate::files::advice;

/// The note, in the data folder and in the published one.
pub(crate) const PREVIOUS_LOG: &str = "previous-log";

/// The note that is to be published with the log of this key; none if no log was before it. It is an error to sign with
/// the key of the log before.
pub(super) fn read(data: &Path, key: &SigningKey) -> Result<Option<Vec<u8>>, SealError> {
    let path = data.join(PREVIOUS_LOG);
    let note = match fs::read(&path) {
        Ok(note) => note,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(SealError::Failing(format!("{}: {error}{}", path.display(), advice(&error)).into())),
    };
    let previous = PreviousLog::open(&note).map_err(|error| {
        let path = path.display();
        SealError::broken(format!(
            "{path} cannot be used ({error}): restore it from a backup, or from the published folder"
        ))
    })?;
    if previous.previous == *key.verifier_key() {
        return Err(SealError::broken(format!(
            "the key {} was given up when this store was restored, because it may have signed more than the store holds: give \
             the key {} instead; signing with the old one would be caught by everybody who kept a checkpoint",
            previous.previous, previous.log
        )));
    }
    if previous.log != *key.verifier_key() {
        return Ok(None);
    }
    let known = previous.known.map_or(0, |(size, _)| size);
    tracing::warn!(
        previous = %previous.previous, known_leaves = known, log = %previous.log,
        "this log has taken the place of another one when the store was restored; the published folder names it"
    );
    Ok(Some(note))
}

//! Whether a data folder's journal can be used: the newest acknowledged records may be in it alone, and a file that is not
//! there shows in no block.

use std::path::Path;

use memchr::memmem;

use super::RecoveryError;
use super::raw::RawFile;
use crate::store::{JOURNALS, inspect_journal};

/// How the database's file holds the name of the key under which the store keeps its id, in an update or in a whole page; a
/// store of format 1, which had no journal, has none.
const ID_KEY: &[u8] = b"\x05store";
/// What follows it in an update: the length of the id.
const ID_BYTES: u8 = 16;
/// What precedes it in a page, with at most a few short keys between.
const FORMAT_KEY: &[u8] = b"\x06format";
const BETWEEN: usize = 64;

/// Sentences about journal files that are missing, damaged or another store's. `database` is the folder's main file.
pub(super) fn problems(dir: &Path, database: Option<&RawFile>) -> Result<Vec<String>, RecoveryError> {
    let found = (0..JOURNALS).map(|which| inspect_journal(dir, which)).collect::<Result<Vec<_>, _>>()?;
    if found.iter().all(|file| file.is_missing) && !database.is_some_and(|database| database.any(names_an_id)) {
        return Ok(Vec::new());
    }
    let mut problems = Vec::new();
    for file in found {
        let problem = match (file.problem, file.store) {
            (Some(problem), _) => problem,
            (None, Some(id)) if database.is_some_and(|database| !database.any(|bytes| holds(bytes, &id))) => {
                "it belongs to another store"
            }
            _ => continue,
        };
        problems.push(format!(
            "the journal {} cannot be used: {problem}; acknowledged records may have been in it alone",
            file.path.display()
        ));
    }
    Ok(problems)
}

fn holds(bytes: &[u8], id: &[u8; 16]) -> bool {
    memmem::find(bytes, id).is_some()
}

fn names_an_id(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, ID_KEY).any(|at| {
        let before = &bytes[at.saturating_sub(BETWEEN)..at];
        bytes.get(at + ID_KEY.len()) == Some(&ID_BYTES) || memmem::find(before, FORMAT_KEY).is_some()
    })
}

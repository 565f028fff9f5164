//! The note by which a log names the one before it, whose place it has taken.
//!
//! A log's place is taken where its key must not sign any more: after a restore from a backup alone nobody knows what the
//! lost server had signed last, and another tree of the same size would be a second history under one key. The note is
//! signed by both keys, so that whoever trusts the old one finds the new one.

use base64::{Engine, prelude::BASE64_STANDARD};
use signed_note::{Note, NoteError, VerifierList};

use super::{MAX_CHECKPOINT_BYTES, MAX_TREE_SIZE, SigningKey, TlogError, VerifierKey};
use crate::Hash;

/// The first line. No checkpoint begins so: its first line is a name, and names have no space.
const HEAD: &str = "divelog previous log";

/// Which log was before this one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreviousLog {
    /// The key of this log.
    pub log: VerifierKey,
    /// The key of the log before it.
    pub previous: VerifierKey,
    /// Size and root of the newest tree that is known to be signed by that key; it may have signed more.
    pub known: Option<(u64, Hash)>,
}

impl PreviousLog {
    /// Signs the note with both keys.
    pub fn sign(&self, log: &SigningKey, previous: &SigningKey) -> Result<Vec<u8>, TlogError> {
        if *log.verifier_key() != self.log || *previous.verifier_key() != self.previous {
            return Err(TlogError::Key("the note is signed with the keys that it names"));
        }
        let mut text = format!("{HEAD}\nlog {}\nprevious {}\n", self.log, self.previous);
        if let Some((size, root)) = &self.known {
            text += &format!("size {size}\nroot {}\n", BASE64_STANDARD.encode(root));
        }
        let unsigned = |error: NoteError| TlogError::Signature {
            origin: self.log.origin().to_owned(),
            message: error.to_string(),
        };
        let mut note = Note::new(text.as_bytes(), &[]).map_err(unsigned)?;
        note.add_sigs(&[log.signer(), previous.signer()]).map_err(unsigned)?;
        Ok(note.to_bytes())
    }

    /// Reads a note. Both keys that it names must have signed it.
    pub fn open(note: &[u8]) -> Result<PreviousLog, TlogError> {
        const WRONG: TlogError = TlogError::Previous("they name no previous log");
        if note.len() > MAX_CHECKPOINT_BYTES {
            return Err(TlogError::Previous("they are too many"));
        }
        let note = Note::from_bytes(note).map_err(|_| TlogError::Previous("this is not a signed note"))?;
        let text = str::from_utf8(note.text()).map_err(|_| WRONG)?;
        let previous = parse(text).ok_or(WRONG)?;
        for key in [&previous.log, &previous.previous] {
            let list = VerifierList::new(vec![Box::new(key.verifier().clone())]);
            note.verify(&list).map_err(|error| TlogError::Signature {
                origin: key.origin().to_owned(),
                message: error.to_string(),
            })?;
        }
        Ok(previous)
    }
}

fn parse(text: &str) -> Option<PreviousLog> {
    let mut lines = text.strip_suffix('\n')?.split('\n').peekable();
    if lines.next()? != HEAD {
        return None;
    }
    let mut word = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
    let (log, previous) = (word("log")?.parse().ok()?, word("previous")?.parse().ok()?);
    if lines.peek().is_none() {
        return Some(PreviousLog { log, previous, known: None });
    }
    let mut word = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
    let size = word("size")?.parse().ok().filter(|size| *size <= MAX_TREE_SIZE)?;
    let root = BASE64_STANDARD.decode(word("root")?).ok()?.try_into().ok()?;
    lines.next().is_none().then_some(PreviousLog { log, previous, known: Some((size, root)) })
}

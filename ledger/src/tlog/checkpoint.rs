//! A checkpoint: how large the tree is and what its root is, as a signed note.

use signed_note::{Note, NoteError, VerifierList};
use tlog_tiles::Checkpoint as Text;

use super::{MAX_TREE_SIZE, SigningKey, TlogError, VerifierKey};
use crate::Hash;

/// The longest checkpoint that is read: room for the signatures of a hundred witnesses.
pub const MAX_CHECKPOINT_BYTES: usize = 64 << 10;

/// The whole log at one moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    /// The log's name.
    pub origin: String,
    /// The number of leaves.
    pub size: u64,
    /// The root of the tree over them.
    pub root: Hash,
}

impl Checkpoint {
    /// Signs the checkpoint: a C2SP signed note, ready to be published. The key must be the log's own.
    pub fn sign(&self, key: &SigningKey) -> Result<Vec<u8>, TlogError> {
        if self.origin != key.origin() {
            return Err(TlogError::Key("the key belongs to a log of another name"));
        }
        let text = Text::new(&self.origin, self.size, tlog_tiles::Hash(self.root), "")
            .map_err(|_| TlogError::Checkpoint("a log has a name"))?;
        let unsigned =
            |error: NoteError| TlogError::Signature { origin: self.origin.clone(), message: error.to_string() };
        let mut note = Note::new(&text.to_bytes(), &[]).map_err(unsigned)?;
        note.add_sigs(&[key.signer()]).map_err(unsigned)?;
        Ok(note.to_bytes())
    }

    /// Reads a signed note that this key must have signed. Other signatures, such as witnesses', may be there too.
    pub fn open(note: &[u8], key: &VerifierKey) -> Result<Checkpoint, TlogError> {
        let (note, checkpoint) = read(note)?;
        let unsigned = |message: String| TlogError::Signature { origin: key.origin().to_owned(), message };
        note.verify(&VerifierList::new(vec![Box::new(key.verifier().clone())])).map_err(|error| {
            unsigned(match error {
                NoteError::InvalidSignature { .. } => "the signature does not fit the text".to_owned(),
                NoteError::UnverifiedNote => "it has no signature by this key".to_owned(),
                other => other.to_string(),
            })
        })?;
        if checkpoint.origin != key.origin() {
            return Err(unsigned(format!("it is a checkpoint of the log {}", checkpoint.origin)));
        }
        Ok(checkpoint)
    }

    /// Reads a signed note without checking any signature.
    pub fn read_unverified(note: &[u8]) -> Result<Checkpoint, TlogError> {
        read(note).map(|(_, checkpoint)| checkpoint)
    }
}

fn read(note: &[u8]) -> Result<(Note, Checkpoint), TlogError> {
    if note.len() > MAX_CHECKPOINT_BYTES {
        return Err(TlogError::Checkpoint("they are too many"));
    }
    let note = Note::from_bytes(note).map_err(|_| TlogError::Checkpoint("this is not a signed note"))?;
    let text = Text::from_bytes(note.text())
        .map_err(|_| TlogError::Checkpoint("the note's text is not a name, a size and a root"))?;
    if text.size() > MAX_TREE_SIZE {
        return Err(TlogError::Checkpoint("no log is that large"));
    }
    let checkpoint = Checkpoint { origin: text.origin().to_owned(), size: text.size(), root: text.hash().0 };
    Ok((note, checkpoint))
}

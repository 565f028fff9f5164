//! Where games may be: data folders, backups, bundles, and folders of these.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use divelog_ledger::bundle;
use divelog_ledger::tlog::{Checkpoint, PreviousLog, SigningKey, VerifierKey};
use divelog_ledger::{GameId, Sequence};
use rustix::fs::{FlockOperation, flock};

use super::backup::file::{self as backup_file, Facts};
use super::catalog::{Catalog, Proof, RecordRef};
use super::raw::RawFile;
use super::{Progress, RecoveryError, journals};
use crate::store::block::{NO_BLOCK, SecretPair};
use crate::store::watermark::{self, Watermark};
use crate::transparency::PREVIOUS_LOG;
use crate::transparency::state::{self, State};

/// The database's file in a data folder.
pub(super) const DATABASE_FILE: &str = "db";
/// Files of a data folder that hold blocks.
const BLOCK_FILES: [&str; 3] = [DATABASE_FILE, "journal-0", "journal-1"];
/// Files by which a data folder is known, even one that has lost its most important file.
const MARKS: [&str; 5] = [DATABASE_FILE, "journal-0", "journal-1", "watermark", "conf"];
/// The server's signing key in a data folder.
pub(super) const SIGNING_KEY: &str = "signing-key";
/// The transparency log in a data folder.
pub(super) const TLOG: &str = "tlog";
/// The longest file that is taken for a signing key.
const MAX_KEY_BYTES: u64 = 4096;

/// How long to wait for the lock of a folder: the database's own threads may hold it for a moment after a server has gone.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);
const LOCK_RETRY: Duration = Duration::from_millis(10);

/// What the sources are, before anything in them is checked.
#[derive(Default)]
pub(super) struct Sources {
    pub names: Vec<PathBuf>,
    files: Vec<RawFile>,
    bundles: Vec<PathBuf>,
    pub backups: Vec<Facts>,
    /// What each data folder's watermark says; an error is a sentence.
    pub watermarks: Vec<(PathBuf, Result<Watermark, String>)>,
    /// Data folders without a watermark.
    pub unmarked: Vec<PathBuf>,
    /// Signing keys, by where they were found.
    pub signing_keys: Vec<String>,
    pub tlogs: Vec<PathBuf>,
    /// How far each data folder was sealed.
    pub sealed: Vec<State>,
    /// What data folders say of logs before theirs, with the signed notes.
    pub previous: Vec<(PreviousLog, Vec<u8>)>,
    /// Sentences about sources that are not as they should be.
    pub remarks: Vec<String>,
}

impl Sources {
    /// Adds what is at a path.
    pub fn add(&mut self, path: &Path, progress: &Progress) -> Result<(), RecoveryError> {
        let found = std::fs::metadata(path).map_err(RecoveryError::io("reading", path))?;
        self.names.push(path.to_path_buf());
        if !found.is_dir() {
            return self.add_file(path, progress);
        }
        if is_data(path) {
            return self.add_data(path);
        }
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(path).map_err(RecoveryError::io("reading", path))? {
            entries.push(entry.map_err(RecoveryError::io("reading", path))?.path());
        }
        entries.sort();
        let before = self.files.len() + self.bundles.len();
        for entry in entries {
            if entry.is_dir() && is_data(&entry) {
                self.add_data(&entry)?;
            } else if entry.is_file() && (kind(&entry)? != Kind::Other || is_named_as_ours(&entry)) {
                self.add_file(&entry, progress)?;
            }
        }
        if self.files.len() + self.bundles.len() == before {
            return Err(RecoveryError::NoSource { path: path.to_path_buf() });
        }
        Ok(())
    }

    fn add_file(&mut self, path: &Path, progress: &Progress) -> Result<(), RecoveryError> {
        match kind(path)? {
            Kind::Bundle => self.bundles.push(path.to_path_buf()),
            Kind::Backup => {
                let facts = backup_file::inspect(path, progress)?;
                self.signing_keys.extend(facts.signing_key.clone());
                self.check_backed_up(&facts);
                self.files.push(RawFile::open(path)?);
                self.backups.push(facts);
            }
            // Perhaps a copy of a database's file, or a backup that has lost its beginning: what is in it will show.
            Kind::Other => {
                if is_named_as_ours(path) {
                    let path = path.display();
                    self.remarks
                        .push(format!("{path} does not begin as its name says; only whole blocks in it are used"));
                }
                self.files.push(RawFile::open(path)?);
            }
        }
        Ok(())
    }

    fn add_data(&mut self, dir: &Path) -> Result<(), RecoveryError> {
        let mut database = None;
        for name in BLOCK_FILES {
            let path = dir.join(name);
            if path.exists() {
                let file = RawFile::open(&path)?;
                if name == DATABASE_FILE {
                    // Held as long as the file is open, so that no server starts on it meanwhile.
                    lock(dir, file.handle())?;
                    database = Some(self.files.len());
                }
                self.files.push(file);
            } else if name == DATABASE_FILE {
                self.remarks.push(format!("the file {} is missing", path.display()));
            }
        }
        self.remarks.extend(journals::problems(dir, database.and_then(|at| self.files.get(at)))?);
        match watermark::read(dir) {
            Ok(Some(mark)) => self.watermarks.push((dir.to_path_buf(), Ok(mark))),
            Ok(None) => self.unmarked.push(dir.to_path_buf()),
            Err(error) => self.watermarks.push((dir.to_path_buf(), Err(error.to_string()))),
        }
        self.add_log(dir);
        Ok(())
    }

    /// Adds what a data folder knows of its transparency log.
    fn add_log(&mut self, dir: &Path) {
        let path = dir.join(SIGNING_KEY);
        let key = read_key(&path).and_then(|text| SigningKey::parse(&text).ok().map(|key| (text, key)));
        match &key {
            Some((text, _)) => self.signing_keys.push(text.clone()),
            None if !path.exists() => {}
            None => self.remarks.push(format!("the signing key {} cannot be read", path.display())),
        }
        if let Ok(note) = std::fs::read(dir.join(PREVIOUS_LOG)) {
            match PreviousLog::open(&note) {
                Ok(previous) => self.previous.push((previous, note)),
                Err(error) => self.remarks.push(format!("{}: {error}", dir.join(PREVIOUS_LOG).display())),
            }
        }
        match state::read(dir) {
            Ok(state) => {
                // The log went on under the key that the state names, which may be kept elsewhere. What lies here is another
                // one then: the server would not sign with it, and must not.
                if let (Some(state), Some((_, key))) = (&state, &key)
                    && key.verifier_key().to_string() != state.key
                {
                    self.remarks.push(format!(
                        "the signing key {} is of the log {}, but the folder's log is signed by {}",
                        path.display(),
                        key.verifier_key(),
                        state.key
                    ));
                }
                self.sealed.extend(state);
            }
            Err(detail) => self.remarks.push(format!("the file {}: {detail}", state::path(dir).display())),
        }
        let tlog = dir.join(TLOG);
        if tlog.is_dir() {
            self.tlogs.push(tlog);
        }
    }

    /// The checkpoint of a backup must be signed by the key beside it.
    fn check_backed_up(&mut self, facts: &Facts) {
        let key = facts.signing_key.as_ref().and_then(|key| SigningKey::parse(key).ok());
        let signed = key.is_some_and(|key| Checkpoint::open(&facts.checkpoint, key.verifier_key()).is_ok());
        if !facts.checkpoint.is_empty() && !signed {
            let path = facts.path.display();
            self.remarks.push(format!("the checkpoint in the backup {path} is not signed by the key in it"));
        }
    }

    /// The keys that a published log of these sources may be signed with.
    pub fn verifier_keys(&self) -> Vec<VerifierKey> {
        let signing = self.signing_keys.iter().filter_map(|key| SigningKey::parse(key).ok());
        let mut keys: Vec<VerifierKey> = signing.map(|key| key.verifier_key().clone()).collect();
        keys.extend(self.sealed.iter().filter_map(|state| state.key.parse().ok()));
        keys.extend(self.previous.iter().map(|(previous, _)| previous.previous.clone()));
        keys
    }

    /// Looks through everything. The secrets that bundles carry come with it.
    pub fn catalogue(&mut self, progress: &Progress) -> Result<(Catalog, Vec<SecretPair>), RecoveryError> {
        let mut catalog = Catalog::default();
        for file in std::mem::take(&mut self.files) {
            catalog.add_file(file, progress);
        }
        let outliers = catalog.drop_outliers();
        if outliers > 0 {
            self.remarks.push(format!("{outliers} blocks have numbers far from all others and were left out"));
        }
        for file in catalog.files.iter().filter(|file| file.is_partly_unreadable()) {
            self.remarks.push(format!("parts of {} cannot be read from the disk", file.path.display()));
        }
        let mut secrets = Vec::new();
        for path in &self.bundles {
            if let Err(problem) = add_bundle(&mut catalog, &mut secrets, path)? {
                self.remarks.push(format!("{} was left out: {problem}", path.display()));
            }
        }
        Ok((catalog, secrets))
    }
}

#[derive(PartialEq, Eq)]
enum Kind {
    Backup,
    Bundle,
    Other,
}

fn kind(path: &Path) -> Result<Kind, RecoveryError> {
    let mut start = Vec::new();
    let longest = backup_file::MAGIC.len().max(bundle::MAGIC.len()) as u64;
    File::open(path)
        .and_then(|file| file.take(longest).read_to_end(&mut start))
        .map_err(RecoveryError::io("reading", path))?;
    Ok(match start {
        start if start.starts_with(backup_file::MAGIC) => Kind::Backup,
        start if start.starts_with(bundle::MAGIC) => Kind::Bundle,
        _ => Kind::Other,
    })
}

/// Whether a file's name says that it is a backup or a bundle.
fn is_named_as_ours(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "dlbackup" || extension == "dlbundle")
}

/// Whether a folder has a file that may hold blocks.
pub(super) fn may_have_blocks(dir: &Path) -> bool {
    BLOCK_FILES.iter().any(|name| dir.join(name).is_file())
}

fn is_data(dir: &Path) -> bool {
    MARKS.iter().any(|name| dir.join(name).is_file())
}

fn read_key(path: &Path) -> Option<String> {
    let found = std::fs::metadata(path).ok()?;
    if found.len() > MAX_KEY_BYTES {
        return None;
    }
    std::fs::read_to_string(path).ok()
}

/// Takes the lock that a server has on the database's file, together with others who only read.
pub(super) fn lock(dir: &Path, file: &File) -> Result<(), RecoveryError> {
    let give_up = Instant::now() + LOCK_TIMEOUT;
    loop {
        match flock(file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < give_up => std::thread::sleep(LOCK_RETRY),
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(RecoveryError::InUse { dir: dir.to_path_buf() }),
            Err(error) => return Err(RecoveryError::io("locking", dir)(error.into())),
        }
    }
}

/// Adds a bundle's records, as places in its file. The inner error says why it cannot be used.
fn add_bundle(
    catalog: &mut Catalog,
    secrets: &mut Vec<SecretPair>,
    path: &Path,
) -> Result<Result<(), String>, RecoveryError> {
    let file = RawFile::open(path)?;
    if file.bytes > bundle::MAX_BUNDLE_BYTES as u64 {
        return Ok(Err("it is larger than a bundle can be".into()));
    }
    let bytes = file.read(0, bundle::MAX_BUNDLE_BYTES);
    let bundle = match bundle::from_file(&bytes) {
        Ok(bundle) => bundle,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let Ok(game) = bundle.game_id.parse::<GameId>() else {
        return Ok(Err(format!("{:?} is not a game id", bundle.game_id)));
    };
    if let Ok(secret) = bundle.secret[..].try_into() {
        secrets.push((game, secret));
    }
    let number = u32::try_from(catalog.files.len()).expect("fewer files than 2^32");
    let mut from = 0;
    for (sequence, record) in Sequence::SETUP.onward().zip(&bundle.records) {
        // The file holds them in order, each in one piece.
        let Some(at) = memchr::memmem::find(&bytes[from..], record).map(|at| from + at) else {
            return Ok(Err(format!("record {sequence} is not in one piece")));
        };
        from = at + record.len();
        catalog.games.entry(game).or_default().push(RecordRef {
            sequence,
            length: u32::try_from(record.len()).expect("a bundle has at most 64 MiB"),
            file: number,
            offset: at as u64,
            block: NO_BLOCK,
            variant: 0,
            previous_block: NO_BLOCK,
            status: None,
            proof: Proof::Bundle,
        });
    }
    catalog.files.push(file);
    Ok(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> SigningKey {
        SigningKey::generate("example.com/log", [number; 32]).unwrap()
    }

    /// The remarks on a data folder whose log is signed by a key, and in which this lies as the signing key.
    fn remarks(file: Option<&[u8]>) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        if let Some(bytes) = file {
            std::fs::write(dir.path().join(SIGNING_KEY), bytes).unwrap();
        }
        let root = divelog_ledger::tlog::Tree::empty().root();
        let empty = state::Point { size: 0, root };
        let log = key(1).verifier_key().to_string();
        let state = State { key: log, tree: empty, next_block: 0, last_block: Default::default(), promised: empty };
        state::write(dir.path(), &state).unwrap();
        let mut sources = Sources::default();
        sources.add_log(dir.path());
        assert_eq!(sources.sealed.len(), 1);
        sources.remarks
    }

    #[test]
    fn a_signing_key_that_is_damaged_anywhere_or_another_ones_is_named() {
        let sound = format!("{}\n", key(1).to_text()).into_bytes();
        assert_eq!(remarks(Some(&sound)), Vec::<String>::new());
        assert_eq!(remarks(None), Vec::<String>::new(), "the operator keeps it elsewhere");
        let named = |bytes: &[u8], what: &str| {
            let remarks = remarks(Some(bytes));
            assert!(remarks.len() == 1 && remarks[0].contains("signing key"), "{what}: {remarks:?}");
        };
        named(&[0; 5_000], "zeros");
        named(format!("{}\n", key(2).to_text()).as_bytes(), "another log's");
        // The line's end is no part of it.
        for length in 0..sound.len() - 1 {
            named(&sound[..length], &format!("cut to {length} bytes"));
        }
        let mut same = Vec::new();
        for bit in 0..8 * sound.len() {
            let mut bytes = sound.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // Another letter case of the hash, another white space at the end: it is read as the same key.
            let read = std::str::from_utf8(&bytes).ok().and_then(|text| SigningKey::parse(text).ok());
            match read.is_some_and(|read| read.verifier_key().to_string() == key(1).verifier_key().to_string()) {
                true => same.push(bit),
                false => named(&bytes, &format!("bit {bit} of byte {}", bit / 8)),
            }
        }
        assert!(same.len() < 16, "{same:?}");
    }
}

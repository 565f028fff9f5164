//! What becomes of the transparency log when a store is restored.
//!
//! Of one key there must never be two trees of one size. A server that is restored from a backup alone lacks what the lost
//! one wrote and signed after the backup: under the same key it would sign other trees of the same sizes. So the log goes
//! on under its key only if something shows what was signed last, and then nothing is signed before the restored records
//! have grown through it. Otherwise a new log begins, under a new key and another name, with a note about the one before.

use std::fs;
use std::path::{Path, PathBuf};

use divelog_ledger::hash_record;
use divelog_ledger::tlog::{Checkpoint, MAX_CHECKPOINT_BYTES, PreviousLog, SigningKey, Tree, VerifierKey};

use super::RecoveryError;
use super::inventory::Inventory;
use super::report::LogReport;
use super::source::{SIGNING_KEY, Sources, TLOG};
use crate::files::{self, Readers};
use crate::store::Store;
use crate::store::sync_dir;
use crate::transparency::state::{self, Point, State};
use crate::transparency::{self, PREVIOUS_LOG};

/// What the operator says about the log.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogOptions<'a> {
    /// A file with the newest checkpoint that was published.
    pub checkpoint: Option<&'a Path>,
    /// The operator asserts that the backup's checkpoint is the last one that was signed.
    pub nothing_signed_since: bool,
    /// Begin a new log in any case.
    pub new_log: bool,
    /// The name of a new log; a random one if none is given.
    pub origin: Option<&'a str>,
}

/// What becomes of the log.
pub(super) enum Decision {
    /// No source knows of one: the server begins one at its first start.
    None,
    /// It goes on under its key.
    Kept(Box<Kept>),
    /// A new one begins.
    New { previous: Box<SigningKey>, known: Option<Point>, why: String },
}

pub(super) struct Kept {
    key: VerifierKey,
    /// Absent if the operator keeps it elsewhere.
    signing_key: Option<SigningKey>,
    /// The tree that the restored log must grow through before anything is signed.
    promised: Point,
    /// How far a data folder was sealed: the new store goes on from there.
    sealed: Option<State>,
}

/// Decides, from what the sources hold and what the operator says.
pub(super) fn decide(inventory: &Inventory, options: LogOptions<'_>) -> Result<Decision, RecoveryError> {
    let sources = &inventory.sources;
    let logs = Logs::of(sources);
    let Some(key) = logs.chosen(inventory, options)? else {
        return match options.checkpoint.is_some() || options.nothing_signed_since {
            true => Err(refused("no source has the signing key of a transparency log")),
            false => Ok(Decision::None),
        };
    };
    let signing_key = logs.signing.iter().find(|signing| *signing.verifier_key() == key).cloned();
    let mut shown = shown(inventory, &key);
    if let Some(path) = options.checkpoint {
        shown.push(read_checkpoint(path, &key)?);
    }
    let backed_up: Vec<Point> = sources.backups.iter().filter_map(|backup| open(&backup.checkpoint, &key)).collect();
    let newest = |points: &[Point]| points.iter().copied().max_by_key(|point| point.size);
    let (last_shown, last_backed_up) = (newest(&shown), newest(&backed_up));
    let known: Vec<Point> = shown.iter().chain(&backed_up).copied().collect();
    let last_known = newest(&known);
    // What is older than a backup's checkpoint does not show what was signed last.
    let is_last = last_shown.is_some_and(|shown| last_backed_up.is_none_or(|backup| backup.size <= shown.size));
    let forked = known.iter().find(|one| known.iter().any(|other| one.size == other.size && one.root != other.root));
    let why = match (forked, last_known) {
        _ if options.new_log => "it was asked for".to_owned(),
        (Some(point), _) => format!("two different trees of {} leaves are signed with the old key", point.size),
        (None, Some(promised)) if is_last || options.nothing_signed_since => {
            let sealed = sources.sealed.iter().filter(|state| state.key == key.to_string());
            let sealed = sealed.max_by_key(|state| state.next_block).cloned();
            return Ok(Decision::Kept(Box::new(Kept { key, signing_key, promised, sealed })));
        }
        (None, None) if options.nothing_signed_since => {
            return Err(refused("no source has a checkpoint, so nothing shows since when nothing was signed"));
        }
        _ if options.checkpoint.is_some() => {
            return Err(refused(
                "a backup has a later checkpoint than the one given, which is therefore not the newest",
            ));
        }
        (None, _) if last_shown.is_some() => {
            "a backup has a later checkpoint than the published log, so nothing shows what was signed last".to_owned()
        }
        (None, _) => "nothing shows what was signed after the backup".to_owned(),
    };
    match signing_key {
        Some(previous) if options.origin == Some(previous.origin()) => {
            Err(refused("a new log needs another name than the one before: choose another --origin"))
        }
        Some(previous) => Ok(Decision::New { previous: Box::new(previous), known: last_known, why }),
        None => Err(refused(&format!(
            "a new log must begin because {why}, and its note about the one before takes that one's signing key: put the \
             key into the data folder among the sources"
        ))),
    }
}

fn refused(problem: &str) -> RecoveryError {
    RecoveryError::Log { problem: problem.to_owned() }
}

/// The logs of the sources.
struct Logs {
    signing: Vec<SigningKey>,
    /// Their public keys and those that only a state names, without those whose place another log has taken.
    keys: Vec<VerifierKey>,
}

impl Logs {
    fn of(sources: &Sources) -> Logs {
        let signing: Vec<SigningKey> =
            sources.signing_keys.iter().filter_map(|text| SigningKey::parse(text).ok()).collect();
        let mut keys: Vec<VerifierKey> = signing.iter().map(|key| key.verifier_key().clone()).collect();
        keys.extend(sources.sealed.iter().filter_map(|state| state.key.parse().ok()));
        keys.retain(|key| !sources.previous.iter().any(|(previous, _)| previous.previous == *key));
        Logs { signing, keys }
    }

    /// The log that goes on or ends: the one that the given checkpoint is of, or of which something shows how far it
    /// was signed, or that of the newest backup. Backups of one server may hold the keys of several logs, of which the
    /// earlier ones have ended: what an operator says cannot be true of all of them.
    fn chosen(&self, inventory: &Inventory, options: LogOptions<'_>) -> Result<Option<VerifierKey>, RecoveryError> {
        let of_checkpoint = options.checkpoint.and_then(|path| {
            let note = fs::read(path).ok()?;
            self.keys.iter().find(|key| open(&note, key).is_some())
        });
        let is_shown = |key: &&VerifierKey| !shown(inventory, key).is_empty();
        if let Some(key) = of_checkpoint.or_else(|| self.keys.iter().find(is_shown)) {
            return Ok(Some(key.clone()));
        }
        if options.nothing_signed_since && self.keys.iter().any(|key| Some(key) != self.keys.first()) {
            return Err(refused(
                "the sources hold the keys of several logs, so it is not clear of which one nothing was signed since: give the \
                 newest backup only, or the newest checkpoint",
            ));
        }
        let newest = inventory.sources.backups.iter().max_by_key(|backup| backup.end_block);
        let newest = newest.and_then(|backup| SigningKey::parse(backup.signing_key.as_deref()?).ok());
        let newest = newest.map(|key| key.verifier_key().clone()).filter(|key| self.keys.contains(key));
        Ok(newest.or_else(|| self.keys.first().cloned()))
    }
}

/// Trees that the data folders and the published log show to be signed.
fn shown(inventory: &Inventory, key: &VerifierKey) -> Vec<Point> {
    let sealed = inventory.sources.sealed.iter().filter(|state| state.key == key.to_string());
    let mut shown: Vec<Point> = sealed.map(|state| state.promised).collect();
    // Also where the tiles are damaged: the checkpoint speaks for itself.
    let notes = inventory.sources.tlogs.iter().filter_map(|dir| fs::read(dir.join(transparency::CHECKPOINT)).ok());
    shown.extend(notes.filter_map(|note| open(&note, key)));
    let published = inventory.published.as_ref().filter(|log| log.key.as_ref() == Some(key));
    shown.extend(published.map(|log| Point { size: log.size, root: log.root }));
    shown
}

/// A checkpoint, if it is signed by the key.
fn open(note: &[u8], key: &VerifierKey) -> Option<Point> {
    Checkpoint::open(note, key).ok().map(|checkpoint| Point { size: checkpoint.size, root: checkpoint.root })
}

fn read_checkpoint(path: &Path, key: &VerifierKey) -> Result<Point, RecoveryError> {
    let note = fs::read(path).map_err(RecoveryError::io("reading", path))?;
    let checkpoint = Checkpoint::open(&note[..note.len().min(MAX_CHECKPOINT_BYTES + 1)], key);
    let checkpoint = checkpoint.map_err(|error| refused(&format!("{}: {error}", path.display())))?;
    Ok(Point { size: checkpoint.size, root: checkpoint.root })
}

impl Decision {
    /// Writes keys, notes and files of the log to the new data folder. Answers with what is to be said about it, and the
    /// state that goes with the store.
    pub fn apply(
        &self,
        inventory: &Inventory,
        options: LogOptions<'_>,
        to: &Path,
    ) -> Result<(Option<LogReport>, Option<State>), RecoveryError> {
        match self {
            Decision::None => {
                // Perhaps the key lies elsewhere: then the log goes on where it was published.
                copy_published(inventory, None, to)?;
                Ok((None, None))
            }
            Decision::Kept(kept) => {
                if let Some(key) = &kept.signing_key {
                    write_private(&to.join(SIGNING_KEY), format!("{}\n", key.to_text()).as_bytes())?;
                }
                let note = inventory.sources.previous.iter().find(|(previous, _)| previous.log == kept.key);
                if let Some((_, note)) = note {
                    write_private(&to.join(PREVIOUS_LOG), note)?;
                }
                copy_published(inventory, Some(&kept.key), to)?;
                let sentence = format!(
                    "goes on under the key {}; nothing is signed before it has grown through the {} leaves that were signed",
                    kept.key, kept.promised.size
                );
                let report = LogReport {
                    key: kept.key.to_string(),
                    new: false,
                    previous: None,
                    known: Some(kept.promised.size),
                    sentence,
                };
                let mut state = kept.sealed.clone().unwrap_or_else(|| unsealed(&kept.key, kept.promised));
                state.promised = kept.promised;
                Ok((Some(report), Some(state)))
            }
            Decision::New { previous, known, why } => {
                let key = transparency::make_key(&to.join(SIGNING_KEY), options.origin)
                    .map_err(|error| refused(&error.to_string()))?;
                let (log, old) = (key.verifier_key(), previous.verifier_key());
                let note = PreviousLog {
                    log: log.clone(),
                    previous: old.clone(),
                    known: known.map(|point| (point.size, point.root)),
                };
                let note = note.sign(&key, previous).map_err(|error| refused(&error.to_string()))?;
                write_private(&to.join(PREVIOUS_LOG), &note)?;
                let size = known.map(|point| point.size);
                let sentence = format!(
                    "a new log begins under the key {log}, because {why}; the log before it, {old}, {} and must not be \
                     signed any more: inform those who follow it",
                    match size {
                        Some(size) => format!("had at least {size} leaves"),
                        None => "has no checkpoint that is known".to_owned(),
                    }
                );
                let report = LogReport {
                    key: log.to_string(),
                    new: true,
                    previous: Some(old.to_string()),
                    known: size,
                    sentence,
                };
                Ok((Some(report), Some(unsealed(log, empty()))))
            }
        }
    }

    /// The tree that the restored records must make, leaf by leaf from the first: no data folder says how far they are
    /// sealed.
    pub fn required_tree(&self) -> Option<Point> {
        match self {
            Decision::Kept(kept) if kept.sealed.is_none() => Some(kept.promised),
            _ => None,
        }
    }
}

fn empty() -> Point {
    Point { size: 0, root: Tree::empty().root() }
}

/// The state of a log none of whose blocks are sealed here.
fn unsealed(key: &VerifierKey, promised: Point) -> State {
    State { key: key.to_string(), tree: empty(), next_block: 0, last_block: Default::default(), promised }
}

/// Writes the state, whatever became of the block that was sealed last.
pub(super) fn write_state(state: State, store: &Store, dir: &Path) -> Result<(), RecoveryError> {
    let last = match state.next_block.checked_sub(1) {
        Some(last) => store.read_block(last)?.map(|block| hash_record(&block.block)),
        None => None,
    };
    // Where that block had to be written again it is another one now: then the state says that it is not known.
    let last_block = last.filter(|hash| *hash == state.last_block).unwrap_or_default();
    state::write(dir, &State { last_block, ..state }).map_err(RecoveryError::State)
}

/// Copies the published log, if it is the one of this key, or if nobody knows whose it is.
fn copy_published(inventory: &Inventory, key: Option<&VerifierKey>, to: &Path) -> Result<(), RecoveryError> {
    match &inventory.published {
        Some(log) if log.key.is_none() || log.key.as_ref() == key => copy_folder(&log.dir, &to.join(TLOG)),
        _ => Ok(()),
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), RecoveryError> {
    files::create_folder(to, Readers::Everybody).map_err(RecoveryError::io("creating", to))?;
    for entry in fs::read_dir(from).map_err(RecoveryError::io("reading", from))? {
        let path: PathBuf = entry.map_err(RecoveryError::io("reading", from))?.path();
        let Some(name) = path.file_name() else { continue };
        let target = to.join(name);
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else if path.is_file() {
            let copied = files::copy(&path, &target, Readers::Everybody);
            let copied = copied.map_err(RecoveryError::io("copying", &path))?;
            copied.sync_all().map_err(RecoveryError::io("syncing", &target))?;
        }
    }
    Ok(sync_dir(to)?)
}

/// A file that only its owner may read.
fn write_private(path: &Path, bytes: &[u8]) -> Result<(), RecoveryError> {
    files::write(path, bytes, Readers::Owner).map_err(RecoveryError::io("writing", path))
}

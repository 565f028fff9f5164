//! Opening sled's file, and looking at it before anything of ours is written.
//!
//! Where a checksum of its newest segment fails, sled discards what follows as it opens its file: whoever opens it has made
//! sure before that there is nothing to discard (see [`crate::store::open_check`]).

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use sled::{Db, Tree};

use super::blocks::Blocks;
use super::index::KEY_THROUGH;
use super::sled_file::{self, SledFile};
use super::{
    Database, FORMAT, KEY_ACCEPTED, KEY_FORMAT, KEY_STORE_ID, READING_SETTINGS, TREE_BLOCKS, TREE_CREATIONS,
    TREE_GAMES, TREE_META, TREE_SECRETS, clean_shutdown, failed, get_u64, put, shared,
};
use crate::files::{self, Readers};
use crate::store::Options;
use crate::store::error::StoreError;
use crate::store::log::files::StoreId;
use crate::store::sync_dir;

/// Sled's segment size. Items over a quarter of it go to separate files
/// that sled never syncs: a power cut would lose them. An item can be a
/// whole leaf page, which is split at more than 16 values whatever their size:
/// 17 blocks of 60 KiB are just over 1 MiB, so a quarter must be well above that.
pub(super) const SEGMENT_BYTES: usize = 8 * 1024 * 1024;
const _: () = assert!(18 * crate::store::block::MAX_BLOCK_BYTES < SEGMENT_BYTES / 4);

/// How long to wait for the folder's lock: sled's own threads may hold it
/// for some milliseconds after a store was closed.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_millis(500);
pub(super) const LOCK_RETRY: Duration = Duration::from_millis(10);

const OPENING_TREE: &str = "opening a tree of the store";

/// The length of sled's file; 0 if there is none.
pub(in crate::store) fn file_bytes(dir: &Path) -> u64 {
    fs::metadata(dir.join("db")).map_or(0, |file| file.len())
}

/// An open database of which nothing is believed yet, and to which nothing is written.
pub(in crate::store) struct Unchecked {
    db: Db,
    /// Last, so that it is dropped when sled is: see [`SledFile`].
    file: SledFile,
}

impl Unchecked {
    pub fn open(options: &Options) -> Result<Unchecked, StoreError> {
        let dir = options.dir.as_path();
        clean_shutdown::remove(dir)?;
        // Before sled touches it, and held while it does: an error that only sled had learned of would be forgotten.
        let file = dir.join("db").exists().then(|| SledFile::open(dir)).transpose()?;
        let db = open_sled(options).inspect_err(|_| {
            // Says itself what it finds.
            file.as_ref().map(SledFile::sync_file);
        })?;
        // Once more under the lock: a server that was still going may have written these meanwhile.
        sled_file::check_note(dir)?;
        clean_shutdown::remove(dir)?;
        let file = file.map_or_else(|| SledFile::open(dir), Ok)?;
        Ok(Unchecked { db, file })
    }

    /// Whether sled has found something, rather than made something new.
    pub fn was_recovered(&self) -> bool {
        self.db.was_recovered()
    }

    /// Refuses a folder of a later version.
    pub fn check_format(&self, dir: &Path) -> Result<(), StoreError> {
        let Some(meta) = self.existing(TREE_META)? else {
            return Ok(());
        };
        let stored = meta.get(KEY_FORMAT).map_err(failed("reading the format"))?;
        match stored.and_then(|bytes| Some(u32::from_be_bytes(bytes.as_ref().try_into().ok()?))) {
            Some(found) if found > FORMAT => {
                Err(StoreError::NewerFormat { dir: dir.to_path_buf(), found, supported: FORMAT })
            }
            _ => Ok(()),
        }
    }

    pub fn store_id(&self) -> Result<Option<StoreId>, StoreError> {
        let Some(meta) = self.existing(TREE_META)? else {
            return Ok(None);
        };
        let stored = meta.get(KEY_STORE_ID).map_err(failed(READING_SETTINGS))?;
        Ok(stored.and_then(|bytes| bytes.as_ref().try_into().ok()))
    }

    /// The newest block's number.
    pub fn last_block(&self) -> Result<Option<u64>, StoreError> {
        self.blocks()?.map_or(Ok(None), |blocks| blocks.last())
    }

    pub fn block(&self, number: u64) -> Result<Option<Bytes>, StoreError> {
        let block = self.blocks()?.map_or(Ok(None), |blocks| blocks.get(number))?;
        Ok(block.map(shared))
    }

    /// Whether a block is missing, or its secrets, if it `has_secrets`.
    pub fn lacks(&self, number: u64, has_secrets: bool) -> Result<bool, StoreError> {
        let Some(blocks) = self.blocks()? else { return Ok(true) };
        if blocks.get(number)?.is_none() {
            return Ok(true);
        }
        let Some(secrets) = self.existing(TREE_SECRETS)? else { return Ok(has_secrets) };
        let stored = secrets.contains_key(number.to_be_bytes()).map_err(failed("reading secrets"))?;
        Ok(!stored && has_secrets)
    }

    /// All blocks up to this one are reflected in the index.
    pub fn through(&self) -> Result<Option<u64>, StoreError> {
        self.existing(TREE_GAMES)?.map_or(Ok(None), |games| get_u64(&games, KEY_THROUGH))
    }

    /// See [`Database::accepted`].
    pub fn accepted(&self) -> Result<Option<u64>, StoreError> {
        self.existing(TREE_META)?.map_or(Ok(None), |meta| get_u64(&meta, KEY_ACCEPTED))
    }

    /// Reads every value of every tree. Sled says with an error or a panic what it cannot read.
    pub fn read_everything(&self) -> Result<(), StoreError> {
        for name in self.db.tree_names() {
            let tree = self.db.open_tree(&name).map_err(failed(OPENING_TREE))?;
            for item in &tree {
                item.map_err(failed("reading the store"))?;
            }
        }
        Ok(())
    }

    /// All checks have passed: makes what is missing, and writes the format.
    pub fn into_checked(self) -> Result<Database, StoreError> {
        let Unchecked { db, file } = self;
        let tree = |name: &str| db.open_tree(name).map_err(failed(OPENING_TREE));
        let (meta, blocks, games) = (tree(TREE_META)?, Blocks::open(tree(TREE_BLOCKS)?)?, tree(TREE_GAMES)?);
        let (secrets, creations) = (tree(TREE_SECRETS)?, tree(TREE_CREATIONS)?);
        put(&meta, KEY_FORMAT, &FORMAT.to_be_bytes())?;
        Ok(Database { meta, blocks, secrets, games, creations, db, file })
    }

    /// A tree that exists; opening one that does not would create it.
    fn existing(&self, name: &str) -> Result<Option<Tree>, StoreError> {
        if !self.db.tree_names().iter().any(|tree| tree == name.as_bytes()) {
            return Ok(None);
        }
        self.db.open_tree(name).map(Some).map_err(failed(OPENING_TREE))
    }

    fn blocks(&self) -> Result<Option<Blocks>, StoreError> {
        self.existing(TREE_BLOCKS)?.map(Blocks::open).transpose()
    }
}

/// The blocks and the secrets of a new database: everything else is made when it is opened.
pub(in crate::store) struct BlocksOnly {
    blocks: Blocks,
    secrets: Tree,
    db: Db,
    file: SledFile,
}

impl BlocksOnly {
    pub fn create(options: &Options) -> Result<BlocksOnly, StoreError> {
        let db = open_sled(options)?;
        let tree = |name: &str| db.open_tree(name).map_err(failed(OPENING_TREE));
        let (blocks, secrets) = (Blocks::open(tree(TREE_BLOCKS)?)?, tree(TREE_SECRETS)?);
        let file = SledFile::open(&options.dir)?;
        Ok(BlocksOnly { blocks, secrets, db, file })
    }

    /// As [`Database::put_block`].
    pub fn put_block(&self, number: u64, block: &[u8], secrets: &[u8]) -> Result<(), StoreError> {
        if !secrets.is_empty() {
            self.secrets.insert(number.to_be_bytes(), secrets).map_err(failed("writing secrets"))?;
        }
        self.blocks.put(number, block)?;
        self.file.wrote(&self.db, 2, block.len() + secrets.len())
    }

    /// Syncs everything and lets go of it.
    pub fn finish(self) -> Result<(), StoreError> {
        let BlocksOnly { blocks, secrets, db, file } = self;
        file.sync(&db)?;
        drop((blocks, secrets, db));
        file.sync_file()
    }
}

/// Copies everything that sled opens in a folder: the log, its settings, its newest summary of the log, and the values that
/// did not fit into the log.
pub(in crate::store) fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if path.is_file() && (name == "db" || name == "conf" || name.starts_with("snap.")) {
            files::copy(&path, &to.join(name), Readers::Owner)?;
        }
    }
    let (blobs, copied) = (from.join("blobs"), to.join("blobs"));
    if blobs.is_dir() {
        files::create_folder(&copied, Readers::Owner)?;
        for blob in fs::read_dir(&blobs)? {
            let blob = blob?;
            files::copy(&blob.path(), &copied.join(blob.file_name()), Readers::Owner)?;
        }
    }
    Ok(())
}

/// Takes sled's lock on its file; none if there is no file.
pub(in crate::store) fn lock_file(dir: &Path) -> Result<Option<File>, StoreError> {
    let path = dir.join("db");
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io("opening", &path)(error)),
    };
    let give_up = Instant::now() + LOCK_TIMEOUT;
    loop {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Some(file)),
            Err(Errno::WOULDBLOCK) if Instant::now() < give_up => std::thread::sleep(LOCK_RETRY),
            Err(Errno::WOULDBLOCK) => return Err(StoreError::InUse { dir: dir.to_path_buf() }),
            Err(error) => return Err(StoreError::io("locking", &path)(error.into())),
        }
    }
}

/// Opens sled's file, or makes it.
pub fn open_sled(options: &Options) -> Result<Db, StoreError> {
    let config = sled::Config::new()
        .path(&options.dir)
        .segment_size(SEGMENT_BYTES)
        .cache_capacity(options.cache_bytes)
        .mode(sled::Mode::HighThroughput)
        // The housekeeper syncs it.
        .flush_every_ms(None);
    let give_up = Instant::now() + LOCK_TIMEOUT;
    loop {
        return match config.open() {
            Ok(db) => Ok(db),
            // Sled wraps the failure of its flock in a text.
            Err(sled::Error::Io(error)) if error.to_string().contains("acquire lock") => {
                if Instant::now() < give_up {
                    std::thread::sleep(LOCK_RETRY);
                    continue;
                }
                let dir = options.dir.clone();
                Err(StoreError::InUse { dir })
            }
            Err(error @ sled::Error::Io(_)) => Err(failed("opening the store")(error)),
            Err(other) => Err(StoreError::Unopenable { dir: options.dir.clone(), detail: other.to_string() }),
        };
    }
}

/// Makes the files' names survive a power cut; sled does not.
pub(in crate::store) fn sync_names(dir: &Path) -> Result<(), StoreError> {
    for name in ["db", "conf"] {
        let path = dir.join(name);
        File::open(&path).and_then(|file| file.sync_all()).map_err(StoreError::io("syncing", &path))?;
    }
    sync_dir(dir)?;
    let absolute = fs::canonicalize(dir).map_err(StoreError::io("resolving", dir))?;
    absolute.parent().map_or(Ok(()), sync_dir)
}

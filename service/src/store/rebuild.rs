//! Writing a store anew from blocks that were found elsewhere, under the numbers that they had.
//!
//! Only the blocks and their secrets are written, and the watermark that names the last of them: the index follows when
//! the store is opened, as it does after a crash.

use std::fs;
use std::path::{Path, PathBuf};

use super::block::{Builder, Secrets};
use super::database::blocks::Blocks;
use super::database::sled_file::SledFile;
use super::error::{StoreError, catch_panic};
use super::open::{self, open_engine};
use super::watermark::{self, Watermark};
use super::{GameId, Options};

/// The engine's cache while it only takes things in.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;

/// A store in the making.
pub(crate) struct Rebuild {
    dir: PathBuf,
    db: sled::Db,
    blocks: Blocks,
    secrets: sled::Tree,
    next: u64,
    last: Option<Watermark>,
    file: SledFile,
}

impl Rebuild {
    /// Begins a store in a folder that holds none.
    pub fn create(dir: &Path) -> Result<Rebuild, StoreError> {
        catch_panic("creating the store", || {
            fs::create_dir_all(dir).map_err(StoreError::io("creating the folder", dir))?;
            let options = Options {
                dir: dir.to_path_buf(),
                describe: |_| Err("a store in the making describes nothing".to_owned()),
                queue: 1,
                sled_cache_bytes: CACHE_BYTES,
                accept_loss: false,
                journal_bytes: 0,
            };
            let db = open_engine(&options)?;
            let tree = |name: &str| db.open_tree(name).map_err(StoreError::engine("opening a tree of the store"));
            let (blocks, secrets) = (Blocks::open(tree(open::TREE_BLOCKS)?)?, tree(open::TREE_SECRETS)?);
            let file = SledFile::open(dir)?;
            Ok(Rebuild { dir: dir.to_path_buf(), db, blocks, secrets, next: 0, last: None, file })
        })
    }

    /// Writes the next block. A number that was passed over becomes a block without records, so that the store knows of
    /// every number: one that is missing later has been lost later.
    pub fn put(&mut self, number: u64, value: &[u8], secrets: &[(GameId, [u8; 32])]) -> Result<(), StoreError> {
        self.fill_up_to(number)?;
        let mut kept = Secrets::default();
        for (game, secret) in secrets {
            kept.push(*game, secret);
        }
        self.insert(number, value, kept.finish(number))
    }

    /// Writes blocks without records for all numbers that are missing before this one.
    pub fn fill_up_to(&mut self, number: u64) -> Result<(), StoreError> {
        while self.next < number {
            let empty = Builder::new(self.next).finish();
            self.insert(self.next, &empty, Vec::new())?;
        }
        Ok(())
    }

    fn insert(&mut self, number: u64, value: &[u8], secrets: Vec<u8>) -> Result<(), StoreError> {
        catch_panic("writing a block", || {
            let key = number.to_be_bytes();
            let bytes = value.len() + secrets.len();
            if !secrets.is_empty() {
                self.secrets.insert(key, secrets).map_err(StoreError::engine("writing secrets"))?;
            }
            self.blocks.put(number, value)?;
            self.file.wrote(&self.db, 2, bytes)?;
            self.last = Some(Watermark::of(number, value));
            self.next = number.saturating_add(1);
            Ok(())
        })
    }

    /// Syncs everything and closes the store.
    pub fn finish(self) -> Result<(), StoreError> {
        catch_panic("closing the new store", || {
            self.file.sync(&self.db)?;
            drop((self.blocks, self.secrets, self.db));
            self.file.sync_file()?;
            match self.last {
                Some(mark) => watermark::write(&self.dir, mark),
                None => watermark::sync_dir(&self.dir),
            }
        })
    }
}

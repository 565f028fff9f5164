//! Writing a store again from blocks that were found elsewhere, under the numbers that they had.
//!
//! Only the blocks and their secrets are written, and the watermark that names the last of them: the index follows when
//! the store is opened, as it does after a crash.

use std::path::{Path, PathBuf};

use super::Options;
use super::block::{self, SecretPair};
use super::database::{BlocksOnly, catch_panic};
use super::error::StoreError;
use super::watermark::{self, Watermark};
use crate::files::{self, Readers};

/// The database's cache while it only takes things in.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;

/// A store in the making.
pub(crate) struct Rebuild {
    dir: PathBuf,
    database: BlocksOnly,
    next: u64,
    last: Option<Watermark>,
}

impl Rebuild {
    /// Begins a store in a folder that holds none.
    pub fn create(dir: &Path) -> Result<Rebuild, StoreError> {
        catch_panic("creating the store", || {
            files::create_folder(dir, Readers::Owner).map_err(StoreError::io("creating the folder", dir))?;
            let options = Options {
                dir: dir.to_path_buf(),
                describe: |_| Err("a store in the making describes nothing".to_owned()),
                queue: 1,
                cache_bytes: CACHE_BYTES,
                accept_loss: false,
                journal_bytes: 0,
            };
            let database = BlocksOnly::create(&options)?;
            Ok(Rebuild { dir: dir.to_path_buf(), database, next: 0, last: None })
        })
        .map_err(|error| error.within(dir))
    }

    /// Writes the next block. A number that was passed over becomes a block without records, so that the store knows of
    /// every number: one that is missing later has been lost later.
    pub fn put(&mut self, number: u64, value: &[u8], secrets: &[SecretPair]) -> Result<(), StoreError> {
        self.fill_up_to(number)?;
        self.insert(number, value, &block::encode_secrets(number, secrets))
    }

    /// Writes blocks without records for all numbers that are missing before this one.
    pub fn fill_up_to(&mut self, number: u64) -> Result<(), StoreError> {
        while self.next < number {
            let empty = block::encode::<&[u8]>(self.next, &[]);
            self.insert(self.next, &empty, &[])?;
        }
        Ok(())
    }

    fn insert(&mut self, number: u64, value: &[u8], secrets: &[u8]) -> Result<(), StoreError> {
        catch_panic("writing a block", || {
            self.database.put_block(number, value, secrets)?;
            self.last = Some(Watermark::of(number, value));
            self.next = number.saturating_add(1);
            Ok(())
        })
        .map_err(|error| error.within(&self.dir))
    }

    /// Syncs everything and closes the store.
    pub fn finish(self) -> Result<(), StoreError> {
        let Rebuild { dir, database, last, .. } = self;
        let finished = catch_panic("closing the new store", || {
            database.finish()?;
            match last {
                Some(mark) => watermark::write(&dir, mark),
                None => super::sync_dir(&dir),
            }
        });
        finished.map_err(|error| error.within(&dir))
    }
}

//! The log's files: tiles of hashes and bundles of entries, in the tlog-tiles layout.

use std::{cell::RefCell, collections::HashMap};

use tlog_tiles::{Error, HASH_SIZE, Hash, HashReader, Tile, stored_hash_index};

use super::{LEAF_BYTES, Leaf, TlogError};

/// The height of a tile in the tlog-tiles layout.
pub(super) const HEIGHT: u8 = 8;
/// How many hashes or entries a full tile holds.
pub const ENTRIES_PER_FILE: u32 = 1 << HEIGHT;

/// Where the log's files are read from.
pub trait ReadTile {
    /// A file's bytes, or why there are none. The path is relative to the log's folder, such as `tile/0/000.p/7`.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
}

/// Where a tile of hashes is. `tlog_tiles` writes Go's paths, which have the height in them; C2SP's have not.
pub(super) fn hashes_path(tile: Tile) -> String {
    tile.path().replacen("tile/8/", "tile/", 1)
}

/// Where the entries under a tile of level 0 are: C2SP says `entries` for Go's `data`.
pub(super) fn entries_path(mut tile: Tile) -> String {
    tile.set_is_data();
    tile.path().replacen("tile/8/data/", "tile/entries/", 1)
}

/// The full tile in whose place a partial one may have been taken away.
fn full(tile: Tile) -> Tile {
    Tile::new(HEIGHT, tile.level(), tile.level_index(), ENTRIES_PER_FILE, false)
}

/// The stored tiles of a tree of one size, each read once.
pub(super) struct Stored<'a, R> {
    size: u64,
    files: &'a R,
    tiles: RefCell<HashMap<Tile, Vec<u8>>>,
    /// Why a tile could not be read: `tlog_tiles` has no error for it.
    fault: RefCell<Option<TlogError>>,
}

impl<'a, R: ReadTile> Stored<'a, R> {
    pub(super) fn new(size: u64, files: &'a R) -> Stored<'a, R> {
        Stored { size, files, tiles: RefCell::default(), fault: RefCell::default() }
    }

    /// The result of `tlog_tiles`' work on these tiles, with the true cause of an error.
    pub(super) fn cause<T>(&self, result: Result<T, Error>) -> Result<T, TlogError> {
        result.map_err(|error| {
            self.fault
                .borrow_mut()
                .take()
                .unwrap_or_else(|| TlogError::OutOfRange(format!("the tree has no such place: {error}")))
        })
    }

    /// One hash of the tree.
    pub(super) fn hash(&self, index: u64) -> Result<Hash, Error> {
        let tile = Tile::from_index(HEIGHT, index).parent(0, self.size).ok_or(Error::IndexesNotInTree)?;
        if let Some(hashes) = self.tiles.borrow().get(&tile) {
            return tile.hash_at_index(hashes, index);
        }
        let hashes =
            self.read(tile, hashes_path, |bytes, width| bytes.len() == width * HASH_SIZE).map_err(|fault| {
                *self.fault.borrow_mut() = Some(fault);
                Error::InvalidTile
            })?;
        let hash = tile.hash_at_index(&hashes, index);
        self.tiles.borrow_mut().insert(tile, hashes);
        hash
    }

    /// The tile that holds a leaf.
    pub(super) fn tile_of_leaf(&self, index: u64) -> Result<Tile, TlogError> {
        let tile = Tile::from_index(HEIGHT, stored_hash_index(0, index)).parent(0, self.size);
        tile.ok_or_else(|| TlogError::OutOfRange(format!("a tree of {} leaves has no leaf {index}", self.size)))
    }

    /// The entries under a tile of level 0, which must be those that the tile has the hashes of.
    pub(super) fn entries(&self, tile: Tile) -> Result<Vec<Leaf>, TlogError> {
        let bytes = self.read(tile, entries_path, |bytes, width| bytes.len() == width * ENTRY_BYTES)?;
        let damaged = |message| TlogError::Damaged { path: entries_path(tile), message };
        let first = tile.level_index() << HEIGHT;
        let entries = bytes.chunks_exact(ENTRY_BYTES).take(tile.width() as usize);
        let leaves = entries.zip(first..).map(|(entry, index)| {
            let leaf =
                entry.strip_prefix(&ENTRY_PREFIX).ok_or_else(|| damaged("an entry has another length than a leaf"))?;
            let leaf = Leaf::decode(leaf).map_err(|_| damaged("an entry is not a leaf"))?;
            let hash = self.cause(self.hash(stored_hash_index(0, index)))?;
            if leaf.hash() == hash.0 {
                Ok(leaf)
            } else {
                Err(damaged("an entry is not the leaf that the tree holds there"))
            }
        });
        leaves.collect()
    }

    /// A tile's file; the full tile's where the partial one is gone, as the layout allows.
    fn read(&self, tile: Tile, path: fn(Tile) -> String, fits: fn(&[u8], usize) -> bool) -> Result<Vec<u8>, TlogError> {
        let (mut found, mut bytes) = (tile, self.files.read(&path(tile)));
        if bytes.is_err() && tile.width() < ENTRIES_PER_FILE {
            let wider = self.files.read(&path(full(tile)));
            if wider.is_ok() {
                (found, bytes) = (full(tile), wider);
            }
        }
        let bytes = bytes.map_err(|message| TlogError::Unreadable { path: path(found), message })?;
        if !fits(&bytes, found.width() as usize) {
            return Err(TlogError::Damaged {
                path: path(found),
                message: "the file has not the length that it must have",
            });
        }
        Ok(bytes)
    }
}

impl<R: ReadTile> HashReader for Stored<'_, R> {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Error> {
        indexes.iter().map(|index| self.hash(*index)).collect()
    }
}

/// Where a log's file of entries lies that begins with leaf 256 × `number` and holds `width` of them. A file that is full
/// may have taken the place of a partial one: both are named, the likelier one first.
pub fn entries_paths(number: u64, width: u32) -> Vec<String> {
    let tile = Tile::new(HEIGHT, 0, number, width, false);
    let mut paths = vec![entries_path(tile)];
    if width < ENTRIES_PER_FILE {
        paths.push(entries_path(full(tile)));
    }
    paths
}

/// The first leaves of a file of entries, by themselves: nothing says yet that they are the tree's. None if they are not
/// all there.
pub fn read_entries(bytes: &[u8], width: u32) -> Option<Vec<Leaf>> {
    let entries = bytes.chunks_exact(ENTRY_BYTES).take(width as usize);
    let leaves: Vec<Leaf> =
        entries.map(|entry| Leaf::decode(entry.strip_prefix(&ENTRY_PREFIX)?).ok()).collect::<Option<_>>()?;
    (leaves.len() == width as usize).then_some(leaves)
}

/// An entry: its length, then the leaf.
const ENTRY_BYTES: usize = ENTRY_PREFIX.len() + LEAF_BYTES;
const ENTRY_PREFIX: [u8; 2] = (LEAF_BYTES as u16).to_be_bytes();

/// The bytes of a bundle of entries.
pub(super) fn encode_entries<'a>(leaves: impl Iterator<Item = &'a Leaf>) -> Vec<u8> {
    leaves.flat_map(|leaf| ENTRY_PREFIX.into_iter().chain(leaf.encode())).collect()
}

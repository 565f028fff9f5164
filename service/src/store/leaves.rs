//! What the sealer of the transparency log remembers here, and how it finds the blocks.

use super::database::{LeafPlace, Sealed, catch_panic};
use super::error::StoreError;
use super::{GameId, Revision, Store};

const READING: &str = "reading the index of leaves";
const READING_SETTINGS: &str = "reading the store's settings";

impl Store {
    /// Notes where leaves are; from now on all below `through` are known.
    pub fn put_leaves(&self, leaves: &[LeafPlace], through: u64) -> Result<(), StoreError> {
        catch_panic("writing the index of leaves", || self.0.shared.database.put_leaves(leaves, through))
    }

    /// How many leaves are in the index.
    pub fn leaves_through(&self) -> Result<u64, StoreError> {
        catch_panic(READING, || self.0.shared.database.leaves_through())
    }

    /// Forgets all leaves: the log is built again.
    pub fn clear_leaves(&self) -> Result<(), StoreError> {
        catch_panic("clearing the index of leaves", || self.0.shared.database.clear_leaves())
    }

    /// The game's first leaf at or after a revision.
    pub fn leaf_from(&self, game: GameId, revision: Revision) -> Result<Option<LeafPlace>, StoreError> {
        catch_panic(READING, || self.0.shared.database.leaf_from(game, revision))
    }

    /// The game's last leaf up to a revision.
    pub fn leaf_up_to(&self, game: GameId, revision: Revision) -> Result<Option<LeafPlace>, StoreError> {
        catch_panic(READING, || self.0.shared.database.leaf_up_to(game, revision))
    }

    /// The newest tree that was published, as the store remembers it.
    pub fn sealed(&self) -> Result<Option<Sealed>, StoreError> {
        catch_panic(READING_SETTINGS, || self.0.shared.database.sealed())
    }

    /// Remembers a published tree.
    pub fn put_sealed(&self, sealed: Sealed) -> Result<(), StoreError> {
        catch_panic("writing the store's settings", || self.0.shared.database.put_sealed(sealed))
    }

    /// The number of the first synced block from this one on.
    pub fn block_from(&self, number: u64) -> Result<Option<u64>, StoreError> {
        catch_panic("finding a block", || self.0.shared.block_from(number))
    }

    /// Blocks up to this one may be damaged or missing: the operator has accepted it.
    pub fn accepted_block(&self) -> Result<Option<u64>, StoreError> {
        catch_panic(READING_SETTINGS, || self.0.shared.database.accepted())
    }
}

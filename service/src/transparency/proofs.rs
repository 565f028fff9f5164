//! Proofs from the published tiles.

use std::sync::Arc;

use bytes::Bytes;
use divelog_ledger::tlog::Tree;
use divelog_ledger::{GameId, Hash, Revision};
use divelog_proto::v1 as pb;

use super::sealer::damaged;
use super::{SealError, Signed, Transparency};
use crate::session::Error;
use crate::store::LeafPlace;

impl Transparency {
    /// That the game's first leaf at or after a revision, or its newest if none is named, is in a checkpoint's tree.
    /// Reads files: not for the runtime's thread.
    pub fn prove_inclusion(
        &self,
        signed: &Arc<Signed>,
        game: GameId,
        revision: Option<Revision>,
    ) -> Result<pb::InclusionProof, Error> {
        let entry = self.store().entry(game).map_err(Error::reading)?.ok_or(Error::NotFound(game))?;
        let actual = entry.revision;
        let place = match revision {
            None => self.store().leaf_up_to(game, Revision::MAX),
            Some(given) if given > actual => return Err(Error::Ahead { given, actual }),
            Some(revision) => self.store().leaf_from(game, revision),
        };
        let mut place = place.map_err(Error::reading)?;
        // The index may be ahead of the checkpoint by a moment.
        while revision.is_none()
            && let Some(newer) = place.filter(|place| place.index >= signed.size)
        {
            let before = newer.revision.previous();
            place = self.store().leaf_up_to(game, before).map_err(Error::reading)?;
        }
        match place.filter(|place| place.index < signed.size) {
            Some(place) => self.prove(signed, place),
            None => Err(Error::NoLeaf { game, revision: revision.unwrap_or(Revision::BEGUN) }),
        }
    }

    /// That the game's last leaf up to a revision is in a checkpoint's tree; none if it has no leaf there yet.
    pub fn prove_up_to(
        &self,
        signed: &Arc<Signed>,
        game: GameId,
        revision: Revision,
    ) -> Result<Option<pb::InclusionProof>, Error> {
        let place = self.store().leaf_up_to(game, revision).map_err(Error::reading)?;
        place.filter(|place| place.index < signed.size).map(|place| self.prove(signed, place)).transpose()
    }

    /// That the tree of the new size continues the one of the old size.
    pub fn prove_consistency(&self, old_size: u64, new_size: u64) -> Result<Vec<Hash>, Error> {
        Tree::prove_consistency(old_size, new_size, self.folder()).map_err(|error| self.broken(&error))
    }

    fn prove(&self, signed: &Signed, place: LeafPlace) -> Result<pb::InclusionProof, Error> {
        let LeafPlace { game, revision, index } = place;
        let leaf = Tree::leaf(index, signed.size, self.folder()).map_err(|error| self.broken(&error))?;
        if (leaf.game, leaf.revision) != (game, revision) {
            return Err(self.broken(&format!("leaf {index} is not of game {game} at revision {revision}")));
        }
        let hashes = Tree::prove_inclusion(signed.size, index, self.folder()).map_err(|error| self.broken(&error))?;
        Ok(pb::InclusionProof {
            leaf: Bytes::copy_from_slice(&leaf.encode()),
            leaf_index: index,
            tree_size: signed.size,
            hashes: hashes.iter().map(|hash| Bytes::copy_from_slice(hash)).collect(),
        })
    }

    /// A file of the log that was good when this run began is not any more.
    fn broken(&self, detail: &dyn std::fmt::Display) -> Error {
        match damaged(self.folder(), detail) {
            SealError::Broken(message) | SealError::Failing(message) => {
                tracing::error!(%message, "a proof cannot be given");
                Error::LogBroken(message)
            }
        }
    }
}

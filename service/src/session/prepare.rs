//! Promises of games to come: an id and the commitment to its secret, given away before the players add to the seed.
//!
//! Nothing is kept of a promise. The secret derives from the id under a key that this run of the server drew at random, so
//! it is there again when the game is created, and promises cost no memory however many are asked for. A restart forgets the
//! key: then a new promise must be asked for.

use divelog_ledger::{GameId, Hash, Secret};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::Error;

const TAG: &[u8] = b"divelog/prepare/v1";

/// A game to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// Its id.
    pub game_id: GameId,
    /// The commitment to its secret.
    pub seed_commitment: Hash,
}

/// The key of this run's promises.
pub(super) struct PreparedGames(Secret);

impl PreparedGames {
    /// Promises under this key, which nobody else may know.
    pub fn new(key: Secret) -> PreparedGames {
        PreparedGames(key)
    }

    /// Promises a game.
    pub fn promise(&self, game_id: GameId) -> Prepared {
        Prepared { game_id, seed_commitment: self.secret_of(game_id).commitment(game_id) }
    }

    /// The secret of a game that was promised.
    pub fn keep(&self, prepared: &Prepared) -> Result<Secret, Error> {
        let secret = self.secret_of(prepared.game_id);
        match secret.commitment(prepared.game_id) == prepared.seed_commitment {
            true => Ok(secret),
            false => Err(Error::NotPrepared(prepared.game_id)),
        }
    }

    fn secret_of(&self, game_id: GameId) -> Secret {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0.0).expect("HMAC takes keys of any length");
        mac.update(TAG);
        mac.update(&game_id.0);
        Secret(mac.finalize().into_bytes().into())
    }
}

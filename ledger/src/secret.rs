//! Where a game's luck comes from, and how the log commits to it.
//!
//! One secret per game gives the seed (together with what the seats added) and the nonces. Each record's chance has a key
//! of its own, so that one draw can be opened in a dispute without opening the others.

use divelog_engine::ChanceKey;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::{GameId, Hash};

/// The length of a game's secret.
pub const SECRET_BYTES: usize = 32;
/// The length of a record's nonce.
pub const NONCE_BYTES: usize = 16;

const COMMITMENT_TAG: &[u8] = b"divelog/commitment/v1";
const SEED_TAG: &[u8] = b"divelog/seed/v1";
const NONCE_TAG: &[u8] = b"divelog/nonce/v1";
const CHANCE_TAG: &[u8] = b"divelog/chance/v1";
const FORK_TAG: &[u8] = b"divelog/fork/v1";

type HmacSha256 = Hmac<Sha256>;

/// The server's part of a game's luck: random bytes, shown only to auditors until the game is over.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub [u8; SECRET_BYTES]);

/// A secret must not reach a log line by accident.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Secret {
    /// What record 0 says of the secret before anybody may know it.
    pub fn commitment(&self, game: GameId) -> Hash {
        let mut sha = Sha256::new();
        sha.update(COMMITMENT_TAG);
        sha.update(game.0);
        sha.update(self.0);
        sha.finalize().into()
    }

    /// Hides the secret of a fork's source under this one, the fork's own; the same again opens it.
    pub(crate) fn seal_source(&self, fork: GameId, source: &[u8; SECRET_BYTES]) -> [u8; SECRET_BYTES] {
        let mut pad = keyed(&self.0);
        pad.update(FORK_TAG);
        pad.update(&fork.0);
        let mut sealed: [u8; SECRET_BYTES] = pad.finalize().into_bytes().into();
        sealed.iter_mut().zip(source).for_each(|(byte, source)| *byte ^= source);
        sealed
    }
}

/// A game's derived keys. Clones of the keyed MACs spare two of every four hash rounds.
#[derive(Clone)]
pub struct Keys {
    chance: HmacSha256,
    nonce: HmacSha256,
    /// A fork's past, or all of it, has the luck of its source.
    borrowed: Option<Borrowed>,
}

/// The source's chance, for the records before `until`.
#[derive(Clone)]
struct Borrowed {
    chance: HmacSha256,
    until: u64,
}

/// Keys must not reach a log line by accident.
impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(..)")
    }
}

impl Keys {
    /// Derives a game's keys from its secret and what each seat added, seat 0 first.
    pub fn derive<'a>(secret: &Secret, game: GameId, entropy: impl ExactSizeIterator<Item = &'a [u8]>) -> Keys {
        let mut seed = keyed(&secret.0);
        seed.update(SEED_TAG);
        seed.update(&game.0);
        seed.update(&[entropy.len() as u8]);
        for part in entropy {
            // The length before each part: no two different lists give the same bytes.
            seed.update(&[part.len() as u8]);
            seed.update(part);
        }
        let mut nonce = keyed(&secret.0);
        nonce.update(NONCE_TAG);
        nonce.update(&game.0);
        let mut chance = keyed(&seed.finalize().into_bytes());
        chance.update(CHANCE_TAG);
        Keys { chance, nonce: keyed(&nonce.finalize().into_bytes()), borrowed: None }
    }

    /// These keys, with the chance of the records before `until` from a fork's source.
    pub(crate) fn borrowing(self, source: Keys, until: u64) -> Keys {
        Keys { borrowed: Some(Borrowed { chance: source.chance, until }), ..self }
    }

    /// The key of one record's chance.
    pub fn chance_key(&self, sequence: u64) -> ChanceKey {
        let borrowed = self.borrowed.as_ref().filter(|borrowed| sequence < borrowed.until);
        let chance = borrowed.map_or(&self.chance, |borrowed| &borrowed.chance);
        chance.clone().chain_update(sequence.to_be_bytes()).finalize().into_bytes().into()
    }

    /// One record's blinding nonce.
    pub fn nonce(&self, sequence: u64) -> [u8; NONCE_BYTES] {
        let mac: Hash = self.nonce.clone().chain_update(sequence.to_be_bytes()).finalize().into_bytes().into();
        let mut nonce = [0; NONCE_BYTES];
        nonce.copy_from_slice(&mac[..NONCE_BYTES]);
        nonce
    }
}

/// What a record says of the next record's chance before the next action is known.
pub(crate) fn chance_commitment(key: &ChanceKey) -> Hash {
    Sha256::digest(key).into()
}

fn keyed(key: &[u8]) -> HmacSha256 {
    HmacSha256::new_from_slice(key).expect("HMAC takes keys of any length")
}

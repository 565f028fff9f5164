//! Where a game's luck comes from, and how the log commits to it.
//!
//! One secret per game gives the seed (together with what the seats added) and the nonces. Each record's chance has a key
//! of its own, so that one draw can be opened in a dispute without opening the others.

use divelog_engine::ChanceKey;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::hash::{Keyed, sha256};
use crate::{GameId, Hash, Revision, Sequence};

/// The length of a game's secret.
pub const SECRET_BYTES: usize = 32;
/// The length of a record's nonce.
pub const NONCE_BYTES: usize = 16;

const COMMITMENT_TAG: &[u8] = b"divelog/commitment/v1";
const SEED_TAG: &[u8] = b"divelog/seed/v1";
const NONCE_TAG: &[u8] = b"divelog/nonce/v1";
const CHANCE_TAG: &[u8; 17] = b"divelog/chance/v1";
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

    /// Hides a seed that a fork borrows under this secret, the fork's own; the same again opens it. `place` is that of
    /// the seed among all that it borrows: no two are hidden by the same bytes.
    pub(crate) fn seal_seed(&self, fork: GameId, place: u32, seed: &Seed) -> Seed {
        let mut pad = keyed(&self.0);
        pad.update(FORK_TAG);
        pad.update(&fork.0);
        pad.update(&place.to_be_bytes());
        let mut sealed: Seed = pad.finalize().into_bytes().into();
        sealed.iter_mut().zip(seed).for_each(|(byte, seed)| *byte ^= seed);
        sealed
    }
}

/// What all of a game's luck derives from.
pub(crate) type Seed = [u8; 32];

/// A seed of another game: the luck of the records up to a revision that no earlier entry covers.
#[derive(Clone)]
pub(crate) struct BorrowedSeed {
    pub(crate) until: Revision,
    pub(crate) seed: Seed,
}

/// A seed must not reach a log line by accident.
impl std::fmt::Debug for BorrowedSeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BorrowedSeed").field("until", &self.until).finish_non_exhaustive()
    }
}

/// A game's derived keys.
#[derive(Clone)]
pub struct Keys {
    seed: Seed,
    chance: Keyed,
    nonce: Keyed,
    /// A fork's past, or all of it, has the luck of other games; by ascending `until`.
    borrowed: Vec<(BorrowedSeed, Keyed)>,
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
        let [seed, nonce]: [Seed; 2] = [seed, nonce].map(|key| key.finalize().into_bytes().into());
        Keys { seed, chance: Keyed::new(&seed), nonce: Keyed::new(&nonce), borrowed: Vec::new() }
    }

    /// These keys, with luck borrowed from other games, by ascending `until`.
    pub(crate) fn borrowing(self, luck: Vec<BorrowedSeed>) -> Keys {
        let borrowed = luck.into_iter().map(|luck| (luck.clone(), Keyed::new(&luck.seed))).collect();
        Keys { borrowed, ..self }
    }

    /// The luck of the records up to a revision, for a fork: what these keys have borrowed themselves, then their own.
    pub(crate) fn seeds_until(&self, until: Revision) -> Vec<BorrowedSeed> {
        let mut seeds: Vec<BorrowedSeed> = Vec::new();
        for luck in
            self.borrowed.iter().map(|(luck, _)| luck).chain([&BorrowedSeed { until: Revision::MAX, seed: self.seed }])
        {
            if seeds.last().is_some_and(|last| last.until >= until) {
                break;
            }
            seeds.push(BorrowedSeed { until: luck.until.min(until), seed: luck.seed });
        }
        seeds
    }

    /// The key of one record's chance.
    pub fn chance_key(&self, sequence: Sequence) -> ChanceKey {
        self.chance_of(sequence).mac(&chance_message(sequence))
    }

    /// One record's blinding nonce.
    pub fn nonce(&self, sequence: Sequence) -> [u8; NONCE_BYTES] {
        nonce_of(&self.nonce.mac(&sequence.get().to_be_bytes()))
    }

    /// A record's nonce and the next one's chance: what writing or checking it takes.
    pub(crate) fn nonce_and_next_chance(&self, sequence: Sequence) -> ([u8; NONCE_BYTES], ChanceKey) {
        let next = sequence.next();
        let nonce = (&self.nonce, &sequence.get().to_be_bytes());
        let [nonce, chance] = Keyed::mac_both(nonce, (self.chance_of(next), &chance_message(next)));
        (nonce_of(&nonce), chance)
    }

    /// The key that a record's luck derives from.
    fn chance_of(&self, sequence: Sequence) -> &Keyed {
        let borrowed = self.borrowed.iter().find(|(luck, _)| luck.until.includes(sequence));
        borrowed.map_or(&self.chance, |(_, chance)| chance)
    }
}

fn chance_message(sequence: Sequence) -> [u8; 25] {
    let mut message = [0; 25];
    let (tag, number) = message.split_at_mut(CHANCE_TAG.len());
    tag.copy_from_slice(CHANCE_TAG);
    number.copy_from_slice(&sequence.get().to_be_bytes());
    message
}

fn nonce_of(mac: &Hash) -> [u8; NONCE_BYTES] {
    let mut nonce = [0; NONCE_BYTES];
    nonce.copy_from_slice(&mac[..NONCE_BYTES]);
    nonce
}

/// What a record says of the next record's chance before the next action is known.
pub(crate) fn chance_commitment(key: &ChanceKey) -> Hash {
    sha256(key)
}

fn keyed(key: &[u8]) -> HmacSha256 {
    HmacSha256::new_from_slice(key).expect("HMAC takes keys of any length")
}

//! A short digest of everything that can be done in a position, to notice when other rules allow something else.

use prost::Message;
use sha2::{Digest, Sha256};

use crate::{Hash, Position, convert};

/// The length of a legal digest.
pub const LEGAL_DIGEST_BYTES: usize = 8;

/// The first bytes of the SHA-256 over what each seat that is asked can do, ascending: `u32(seat) ‖ u32(count)` and for
/// each legal action `u32(length)` and its message. Nobody is asked once a game is over: then it is the hash of nothing.
pub fn legal_digest(position: &Position) -> [u8; LEGAL_DIGEST_BYTES] {
    let mut bytes = Vec::new();
    for seat in position.to_act().iter() {
        let offers = position.game().legal_actions(seat);
        bytes.extend(u32::from(seat.0).to_be_bytes());
        bytes.extend((offers.len() as u32).to_be_bytes());
        for offer in &offers {
            let message = convert::offer_to_proto(offer).encode_to_vec();
            bytes.extend((message.len() as u32).to_be_bytes());
            bytes.extend(message);
        }
    }
    let hash: Hash = Sha256::digest(&bytes).into();
    let mut digest = [0; LEGAL_DIGEST_BYTES];
    digest.copy_from_slice(&hash[..LEGAL_DIGEST_BYTES]);
    digest
}

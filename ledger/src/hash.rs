//! SHA-256 and HMAC-SHA-256 straight on the compression function.
//!
//! Every record takes five hashes of one to three blocks. For so little the streaming interfaces of `sha2` and `hmac` cost
//! as much as the hashing itself: they copy into a buffer, copy their state and clear both. Only the padding is done here;
//! the compression is `sha2`'s, with its choice of the processor's own instructions. The tests compare both.

use sha2::block_api::compress256;

use crate::Hash;

const BLOCK: usize = 64;
/// What padding adds at least: a marker byte and the length in bits.
const PADDING: usize = 9;

type State = [u32; 8];

/// The first 32 bits of the fractional parts of the square roots of the first 8 primes (FIPS 180-4, 5.3.3).
const START: State = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// SHA-256.
pub(crate) fn sha256(message: &[u8]) -> Hash {
    let mut hashing = Hashing::of(message);
    (0..hashing.blocks()).for_each(|number| hashing.take(number));
    to_bytes(&hashing.state)
}

/// SHA-256 of several messages, block by block in turn. Each block of a message waits for the one before, but not for those
/// of the other messages: a processor that looks ahead works on several at a time.
pub(crate) fn sha256_each<const N: usize>(messages: [&[u8]; N]) -> [Hash; N] {
    let mut each = messages.map(Hashing::of);
    let most = each.iter().map(Hashing::blocks).max().unwrap_or(0);
    for number in 0..most {
        for hashing in &mut each {
            hashing.take(number);
        }
    }
    each.map(|hashing| to_bytes(&hashing.state))
}

/// A message on its way through the compression function.
struct Hashing<'a> {
    state: State,
    whole: &'a [[u8; BLOCK]],
    /// The last block or two: the rest of the message and the padding.
    tail: [[u8; BLOCK]; 2],
    tail_blocks: usize,
}

impl Hashing<'_> {
    fn of(message: &[u8]) -> Hashing<'_> {
        let (whole, rest) = message.as_chunks::<BLOCK>();
        let tail_blocks = if rest.len() + PADDING <= BLOCK { 1 } else { 2 };
        let mut tail = [[0; BLOCK]; 2];
        tail[0][..rest.len()].copy_from_slice(rest);
        tail[0][rest.len()] = 0x80;
        tail[tail_blocks - 1][BLOCK - 8..].copy_from_slice(&(message.len() as u64 * 8).to_be_bytes());
        Hashing { state: START, whole, tail, tail_blocks }
    }

    fn blocks(&self) -> usize {
        self.whole.len() + self.tail_blocks
    }

    /// Takes the block with this number, if there is one.
    fn take(&mut self, number: usize) {
        let tail = &self.tail[..self.tail_blocks];
        let block = self.whole.get(number).or_else(|| tail.get(number - self.whole.len()));
        if let Some(block) = block {
            compress256(&mut self.state, std::slice::from_ref(block));
        }
    }
}

/// HMAC-SHA-256 under a key, which is worked in once.
#[derive(Clone)]
pub(crate) struct Keyed {
    inner: State,
    outer: State,
}

impl Keyed {
    pub(crate) fn new(key: &[u8; 32]) -> Keyed {
        let worked_in = |pad: u8| {
            let mut block = [pad; BLOCK];
            block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
            let mut state = START;
            compress256(&mut state, &[block]);
            state
        };
        Keyed { inner: worked_in(0x36), outer: worked_in(0x5c) }
    }

    /// The MAC of a message that fits into one block.
    pub(crate) fn mac<const N: usize>(&self, message: &[u8; N]) -> Hash {
        const { assert!(N + PADDING <= BLOCK, "the message fits into one block") };
        to_bytes(&after_block(self.outer, &to_bytes(&after_block(self.inner, message))))
    }

    /// Two MACs in turn, for the same reason as [`sha256_each`].
    pub(crate) fn mac_both<const N: usize, const M: usize>(
        one: (&Keyed, &[u8; N]),
        other: (&Keyed, &[u8; M]),
    ) -> [Hash; 2] {
        const { assert!(N + PADDING <= BLOCK && M + PADDING <= BLOCK, "both messages fit into one block") };
        let inner = [after_block(one.0.inner, one.1), after_block(other.0.inner, other.1)];
        let one = after_block(one.0.outer, &to_bytes(&inner[0]));
        let other = after_block(other.0.outer, &to_bytes(&inner[1]));
        [to_bytes(&one), to_bytes(&other)]
    }
}

/// The state after a last block, where one block went before.
fn after_block<const N: usize>(mut state: State, message: &[u8; N]) -> State {
    let mut block = [0; BLOCK];
    block[..N].copy_from_slice(message);
    block[N] = 0x80;
    block[BLOCK - 8..].copy_from_slice(&((BLOCK + N) as u64 * 8).to_be_bytes());
    compress256(&mut state, &[block]);
    state
}

fn to_bytes(state: &State) -> Hash {
    let mut bytes = [0; 32];
    let (words, _) = bytes.as_chunks_mut::<4>();
    words.iter_mut().zip(state).for_each(|(bytes, word)| *bytes = word.to_be_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use hmac::{Hmac, KeyInit, Mac};
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn hashes_of_every_length_are_those_of_the_library() {
        let message: Vec<u8> = (0..400u32).map(|number| (number * 7) as u8).collect();
        for length in 0..message.len() {
            assert_eq!(sha256(&message[..length])[..], Sha256::digest(&message[..length])[..], "{length} bytes");
        }
        for (one, other) in [(0, 0), (1, 300), (300, 1), (55, 56), (64, 63), (128, 128)] {
            let (one, other) = (&message[..one], &message[5..5 + other]);
            assert_eq!(sha256_each([one, other, b"third"]), [sha256(one), sha256(other), sha256(b"third")]);
        }
    }

    fn compare<const N: usize>() {
        let (key, message) = ([N as u8 + 1; 32], [N as u8 * 3; N]);
        let library = Hmac::<Sha256>::new_from_slice(&key).unwrap().chain_update(message).finalize();
        assert_eq!(Keyed::new(&key).mac(&message)[..], library.into_bytes()[..], "{N} bytes");
    }

    #[test]
    fn macs_are_those_of_the_library() {
        compare::<0>();
        compare::<8>();
        compare::<25>();
        compare::<32>();
        compare::<55>();
        let (one, other) = (Keyed::new(&[1; 32]), Keyed::new(&[2; 32]));
        let both = Keyed::mac_both((&one, &[3; 8]), (&other, &[4; 25]));
        assert_eq!(both, [one.mac(&[3; 8]), other.mac(&[4; 25])]);
    }
}

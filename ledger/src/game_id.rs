//! A game's id.

use std::{fmt, str::FromStr};

/// 16 bytes, written as a UUID in lower-case text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub [u8; 16]);

/// Where the text of an id has its hyphens.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut text = [b'-'; 36];
        let mut at = 0;
        for byte in self.0 {
            if HYPHENS.contains(&at) {
                at += 1;
            }
            text[at] = HEX[usize::from(byte >> 4)];
            text[at + 1] = HEX[usize::from(byte & 15)];
            at += 2;
        }
        f.write_str(std::str::from_utf8(&text).expect("hex digits and hyphens are ASCII"))
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not a game id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a game id is a UUID in lower-case text, such as 0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f")]
pub struct NotAGameId;

impl FromStr for GameId {
    type Err = NotAGameId;

    /// Only the one canonical text is read, so that a game has one name.
    fn from_str(text: &str) -> Result<GameId, NotAGameId> {
        let text = text.as_bytes();
        if text.len() != 36 {
            return Err(NotAGameId);
        }
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(NotAGameId),
        };
        let mut id = [0; 16];
        let mut at = 0;
        for byte in &mut id {
            if HYPHENS.contains(&at) {
                if text[at] != b'-' {
                    return Err(NotAGameId);
                }
                at += 1;
            }
            *byte = digit(text[at])? << 4 | digit(text[at + 1])?;
            at += 2;
        }
        Ok(GameId(id))
    }
}

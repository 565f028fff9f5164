//! A game's id.

use std::{fmt, str::FromStr};

use uuid::{Uuid, fmt::Hyphenated};

/// 16 bytes, written as a UUID in lower-case text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub [u8; 16]);

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(Uuid::from_bytes_ref(&self.0).as_hyphenated(), f)
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
        match text.parse::<Hyphenated>() {
            Ok(id) if !text.bytes().any(|byte| byte.is_ascii_uppercase()) => Ok(GameId(id.into_uuid().into_bytes())),
            _ => Err(NotAGameId),
        }
    }
}

//! Why typed words are not an action.

use thiserror::Error;

/// Why typed words are not an action.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The words mean nothing in this game.
    #[error("{message}")]
    Words {
        /// What is wrong.
        message: String,
        /// What can be typed instead.
        hint: String,
    },
    /// The kind of game is newer than this crate.
    #[error("this kind of game is unknown")]
    UnknownKind,
}

impl ParseError {
    /// Words that mean nothing, and what can be typed instead.
    pub(crate) fn words(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Words { message: message.into(), hint: hint.into() }
    }
}

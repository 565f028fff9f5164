//! divelog's log, as pure functions on bytes: record encoding, the hash chain, seeds and nonces, replay, verification,
//! and the conversion between the wire's messages and the engine's types.
//!
//! `docs/log-format.md` describes every byte. Nothing here does I/O, so the server, the command-line client and tests
//! all run exactly the same checks.
#![warn(missing_docs)]

pub mod bundle;
pub mod convert;
mod draw;
mod fault;
mod fork;
mod game_id;
pub mod impact;
mod legal;
mod position;
mod record;
mod request_ids;
mod secret;
pub mod tlog;
mod verify;
mod wire;

pub use draw::check_draw;
pub use fault::{FaultKind, LogFault};
pub use fork::{ForkOrigin, ForkPoint};
pub use game_id::{GameId, NotAGameId};
pub use legal::{LEGAL_DIGEST_BYTES, legal_digest};
pub use position::{Advance, Header, NewGame, Position, Replayed, Stamp, Status};
pub use record::{Hash, hash_record};
pub use request_ids::RequestIds;
pub use secret::{Keys, NONCE_BYTES, SECRET_BYTES, Secret};
pub use verify::{Expectation, Verified, verify};

#[cfg(test)]
mod tests;

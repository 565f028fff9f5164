//! divelog's log, as pure functions on bytes: record encoding, the hash chain, seeds and nonces, replay, verification,
//! and the conversion between the wire's messages and the engine's types.
//!
//! `docs/log-format.md` describes every byte. Nothing here does I/O, so the server, the command-line client and tests
//! all run exactly the same checks.
//!
//! What is written replays, and what was changed does not:
//!
//! ```
//! use divelog_engine::{Kind, SeededChance};
//! use divelog_ledger::{Expectation, GameId, NewGame, Position, SECRET_BYTES, Secret, Stamp, verify};
//!
//! let (game_id, secret, kind) = (GameId([7; 16]), Secret([42; SECRET_BYTES]), Kind::DeepSeaAdventure);
//! let new = NewGame {
//!     game_id,
//!     rules_version: kind.rules_version(),
//!     options: kind.default_options(),
//!     players: vec![Default::default(); 3],
//!     labels: Default::default(),
//!     fork: None,
//!     request: None,
//! };
//! let stamp = Stamp { time_ms: 1_000, request_id: "" };
//! let first = Position::create(new, &secret, stamp)?;
//! let (mut records, mut position) = (vec![first.record], first.position);
//! let mut choices = SeededChance::new([1; 32]);
//! while let Some((seat, action)) = position.game().any_choice(&mut choices) {
//!     let advance = position.act(seat, &action, stamp)?;
//!     records.push(advance.record);
//!     position = advance.position;
//! }
//! let verified = verify(game_id, &secret, &records, Expectation::default()).expect("the log is whole");
//! assert_eq!(verified.head_hash, position.head_hash());
//!
//! records.remove(1);
//! assert!(verify(game_id, &secret, &records, Expectation::default()).is_err());
//! # Ok::<(), divelog_engine::Violation>(())
//! ```
#![warn(missing_docs)]

pub mod bundle;
pub mod convert;
mod draw;
mod fault;
mod fork;
mod game_id;
mod hash;
pub mod impact;
mod legal;
mod position;
mod record;
mod request_ids;
mod revision;
mod secret;
pub mod tlog;
mod verify;
mod wire;

pub use draw::{check_draw, committing_record};
pub use fault::{FaultKind, LogFault};
pub use fork::{ForkOrigin, ForkPoint, MAX_BORROWED_SEEDS};
pub use game_id::{GameId, NotAGameId};
pub use legal::{LEGAL_DIGEST_BYTES, legal_digest};
pub use position::{Advance, Header, NewGame, Position, Replayed, Stamp, Status};
pub use record::{Hash, hash_record};
pub use request_ids::RequestIds;
pub use revision::{Revision, Sequence};
pub use secret::{Keys, NONCE_BYTES, SECRET_BYTES, Secret};
pub use verify::{Expectation, Verified, verify};

#[cfg(test)]
mod tests;

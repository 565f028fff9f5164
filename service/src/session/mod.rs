//! Games in play: which are live, what is on its way to disk, and who is told when it is there.
//!
//! The order of a move is: check, compute on a copy, append and sync, swap, publish, reply. Nobody is shown anything that
//! is not on disk; an action may be judged against records that are still on their way, but its answer waits for them.
//!
//! | file | what it holds |
//! |---|---|
//! | `games` | the entry point: load, act, read, list |
//! | `claims` | who is alone in making a promised game or a fork |
//! | `creation` | new games, one at a time under a request id |
//! | `fork` | a new game with another game's past |
//! | `live` | one game: its durable position, its tip, what is between |
//! | `request` | what is asked, and what is judged before the rules |
//! | `refusal` | what is kept of a refused request |
//! | `cache` | the bounded set of live games |
//! | `commit` | from the writer's thread back to those who wait |
//! | `prepare` | promises of games to come |
//! | `step` | one record's effect, fresh or replayed from the log |
//! | `error` | everything that can be answered instead |

mod cache;
mod claims;
mod commit;
mod creation;
mod error;
mod fork;
mod games;
mod live;
mod prepare;
mod refusal;
mod request;
mod step;

#[cfg(test)]
mod tests;

pub use creation::CreateRequest;
pub use error::{Error, Refused};
pub use fork::ForkRequest;
pub use games::{Games, ListFilter, MAX_LABELS, Settings, describe};
pub use live::{LiveGame, Reply, Submitted, WatchNext};
pub use prepare::Prepared;
pub use refusal::RefusedRequest;
pub use request::{AbandonRequest, ActRequest};
pub use step::{Replay, Step, replay_stored};

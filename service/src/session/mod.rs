//! Games in play: which are live, what is on its way to disk, and who is answered when it is there.
//!
//! The order of a move is: check, compute on a copy, append and sync, swap, publish, reply. Nobody is shown anything that
//! is not on disk; an action may be judged against records that are still on their way, but its answer waits for them.
//!
//! | file | what it holds |
//! |---|---|
//! | `games` | the entry point: act, abandon, refuse, promise |
//! | `loading` | games come into memory |
//! | `replay` | what happened, read back from the log |
//! | `listing` | lists of games and of refused requests |
//! | `blocking`, `share` | the bounded pools of work that waits for the disk: play, audits; callers take turns |
//! | `followers` | those who watch a game, woken a few at a time |
//! | `reader` | what is read of the store |
//! | `runtime` | tasks, threads, time and chance: tokio's, or the simulation's |
//! | `claims` | who is alone in making a promised game or a fork |
//! | `creation` | new games, one at a time under a request id |
//! | `fork` | a new game with another game's past |
//! | `live` | one game: its durable position, its tip, what is between |
//! | `request` | what is asked, and what is judged before the rules |
//! | `accepted` | what is answered to a request that was not refused, also when it comes again |
//! | `refusal` | what is kept of a refused request |
//! | `cache` | the bounded set of live games |
//! | `commit` | from the writer's thread back to those who wait |
//! | `prepare` | promises of games to come |
//! | `step` | one record's effect, fresh or replayed from the log |
//! | `error` | everything that can be answered instead |

mod accepted;
mod blocking;
mod cache;
mod claims;
mod commit;
mod creation;
mod error;
mod followers;
mod fork;
mod games;
mod listing;
mod live;
mod loading;
mod prepare;
mod reader;
mod refusal;
mod replay;
mod request;
mod runtime;
mod share;
mod step;

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

pub use accepted::Accepted;
pub use blocking::BLOCKING_THREADS;
pub use creation::{CreateRequest, MAX_LABELS};
pub use error::{Error, REQUEST_SECONDS, Refused, Which};
pub use followers::Follower;
pub use fork::ForkRequest;
pub use games::{Games, GamesOptions};
pub use listing::{ListFilter, MAX_PAGE_BYTES, describe};
pub use live::{LiveGame, Reply, Submitted, WatchNext};
pub use prepare::Prepared;
pub use refusal::RefusedCall;
pub(crate) use refusal::cut;
pub use request::{AbandonRequest, ActRequest};
#[cfg(test)]
pub use step::replayed;
pub use step::{Replay, Step, replay_stored};

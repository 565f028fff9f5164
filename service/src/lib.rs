//! divelogd: hosts divelog's games behind gRPC, on an append-only log.
//!
//! | module | what it is for |
//! |---|---|
//! | `config` | flags, environment and file, into one checked set of settings |
//! | `access` | who calls |
//! | `address` | the server's own, taken before anything is made |
//! | `api` | gRPC in, domain out: the door, handlers that only convert, and the table of errors |
//! | `session` | games in play, and the way of a move to disk and back |
//! | `store` | records on disk |
//! | `transparency` | one signed Merkle tree over the heads of all games |
//! | `recovery` | backup, check and restore |
//! | `telemetry` | logs |
//! | `first_start` | a folder without a store: a first start, or a store that has gone? |
//! | `files`, `lock` | files that are whole or not there, and who may read them; locks that outlive a panic |
//! | `permissions` | what of a data folder others than its owner may read |
//! | `signals` | what stops the server, and what does not |
//! | `scheduler` | which task has the processor next |
//! | `transport` | connections: how many, what each may hold, how fast they are read |
//! | `server` | one server from start to drained end |

pub mod access;
mod address;
pub mod api;
pub mod config;
pub mod files;
pub mod first_start;
mod lock;
pub mod permissions;
mod processors;
pub mod recovery;
pub mod scheduler;
pub mod server;
pub mod session;
pub mod signals;
pub mod store;
mod sync;
pub mod telemetry;
#[cfg(test)]
mod test_rng;
#[cfg(test)]
mod test_waker;
pub mod transparency;
pub mod transport;

//! Connections: how they are accepted, what each may hold, and how fast its frames are read.
//!
//! | module | what it is for |
//! |---|---|
//! | `accept` | from the listener to connections that speak HTTP/2, never more of them than there are descriptors for |
//! | `descriptors` | how many that is |
//! | `socket` | a connection as h2 reads it: in turns, and control frames at a bounded rate |
//! | `serve` | from a connection to the calls on it, and to its end |
//! | `frames` | which frames those are |
//! | `budget` | bytes that wait for the other side, by connection and in all |
//! | `progress` | whether the other side takes what it is sent |
//!
//! What is counted against the budgets is decided at the door (`api/door`), which knows a call's method.

mod accept;
mod budget;
mod descriptors;
mod frames;
mod progress;
mod serve;
mod socket;

use std::net::SocketAddr;
use std::sync::Arc;

pub use accept::incoming;
pub use budget::{Held, Pool, Share, WaitTicket};
pub use descriptors::{RESERVED, TooFew, max_connections};
pub use progress::{OpenOnConnection, Progress, Unread};
pub use serve::serve;
pub use socket::Socket;

/// Requests that have begun to come, or that wait until their connection has room for their answers: of one connection.
const REQUEST_BYTES: usize = 32 << 20;
/// The same in all.
const ALL_REQUEST_BYTES: usize = 64 << 20;
/// Answers of calls with one answer, from the time their call begins until the socket has taken them: of one connection.
const ANSWER_BYTES: usize = 8 << 20;
/// The same in all.
const ALL_ANSWER_BYTES: usize = 64 << 20;
/// Answers of calls with a stream of answers that the socket has not taken: of one connection. They are counted apart, so
/// that a client which leaves streams unread can still act.
const STREAM_BYTES: usize = 8 << 20;
/// The same in all.
const ALL_STREAM_BYTES: usize = 64 << 20;
/// What each connection may hold of each of these whatever the others do.
const FIRST_BYTES: usize = 64 << 10;
/// Calls with a stream of requests that may be open on one connection: each may have its window full of them unread.
const ACTION_STREAMS: usize = 512;
/// The same in all: 64 MiB with full windows.
const ALL_ACTION_STREAMS: usize = 1_024;
/// Of these, so many are kept for each connection.
const FIRST_ACTION_STREAMS: usize = 1;
/// Watches of the server's health that may be open on one connection.
const HEALTH_WATCHES: usize = 16;
/// The same in all.
const ALL_HEALTH_WATCHES: usize = 1_024;
/// Of these, so many are kept for each connection.
const FIRST_HEALTH_WATCHES: usize = 1;

/// Calls that wait to be told that there is no room for them: of one connection.
const REFUSALS: usize = 64;
/// The same in all.
const ALL_REFUSALS: usize = 4_096;
/// Of these, so many are kept for each connection.
const FIRST_REFUSALS: usize = 1;

/// The bounds of all connections together.
#[derive(Clone, Debug)]
pub struct Budgets {
    requests: Arc<Pool>,
    answers: Arc<Pool>,
    streams: Arc<Pool>,
    action_streams: Arc<Pool>,
    health_watches: Arc<Pool>,
    refusals: Arc<Pool>,
}

impl Budgets {
    /// With nothing held.
    #[expect(clippy::new_without_default, reason = "there is one for a server, and it is not a value")]
    pub fn new() -> Budgets {
        Budgets {
            requests: Pool::new(ALL_REQUEST_BYTES),
            answers: Pool::new(ALL_ANSWER_BYTES),
            streams: Pool::new(ALL_STREAM_BYTES),
            action_streams: Pool::new(ALL_ACTION_STREAMS),
            health_watches: Pool::new(ALL_HEALTH_WATCHES),
            refusals: Pool::new(ALL_REFUSALS),
        }
    }

    /// A connection that begins.
    pub fn connection(&self, address: Option<SocketAddr>) -> Peer {
        Peer(Arc::new(Connection {
            address,
            requests: Share::new(&self.requests, REQUEST_BYTES, FIRST_BYTES),
            answers: Share::new(&self.answers, ANSWER_BYTES, FIRST_BYTES),
            streams: Share::new(&self.streams, STREAM_BYTES, FIRST_BYTES),
            action_streams: Share::new(&self.action_streams, ACTION_STREAMS, FIRST_ACTION_STREAMS),
            health_watches: Share::new(&self.health_watches, HEALTH_WATCHES, FIRST_HEALTH_WATCHES),
            refusals: Share::new(&self.refusals, REFUSALS, FIRST_REFUSALS),
            progress: Progress::default(),
        }))
    }
}

/// A connection, as every request on it knows it.
#[derive(Clone, Debug)]
pub struct Peer(Arc<Connection>);

/// What a connection holds.
#[derive(Debug)]
pub struct Connection {
    /// Its other end, where the transport names it.
    pub address: Option<SocketAddr>,
    /// Bytes of requests.
    pub requests: Arc<Share>,
    /// Bytes of single answers.
    pub answers: Arc<Share>,
    /// Bytes of streams of answers.
    pub streams: Arc<Share>,
    /// Calls with a stream of requests.
    pub action_streams: Arc<Share>,
    /// Watches of the server's health.
    pub health_watches: Arc<Share>,
    /// Calls that wait to be refused.
    pub refusals: Arc<Share>,
    /// Whether its other end takes what it is sent.
    pub progress: Progress,
}

impl std::ops::Deref for Peer {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

//! From the listener to connections that speak HTTP/2.
//!
//! A connection takes a place when it is accepted, and keeps it to its end. Until it has sent the HTTP/2 preface it is kept
//! here, for a limited time; TLS belongs before that, under the same limit. When all places are taken, the oldest of those
//! that have not sent the preface makes room for the newest: a flood of silent connections pushes itself out, and whoever
//! sends the preface at once comes through it. When all places belong to connections that speak HTTP/2, the newest is closed
//! at once, so that its client can say so instead of waiting.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::unfold;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use tokio_stream::Stream;

use super::Budgets;
use super::socket::{PREFACE, Socket};

/// How long a connection may take to say that it speaks HTTP/2.
const PREFACE_DEADLINE: Duration = Duration::from_secs(10);
/// How long nothing is accepted after the system had no descriptor or memory for a connection.
const PAUSE: Duration = Duration::from_millis(100);
/// How often the log says that connections are turned away.
const SAY_EVERY: Duration = Duration::from_secs(60);

/// The connections of a listener, at most so many at a time. It is closed when the stream is dropped.
pub fn incoming(
    listener: TcpListener,
    max_connections: usize,
    budgets: Budgets,
) -> impl Stream<Item = Socket<TcpStream>> {
    let accepting = Accepting {
        listener,
        places: Arc::new(Semaphore::new(max_connections.min(Semaphore::MAX_PERMITS))),
        max_connections,
        budgets,
        beginning: JoinSet::new(),
        oldest_first: VecDeque::new(),
        begun: VecDeque::new(),
        said: None,
    };
    unfold(accepting, async |mut accepting| Some((accepting.next().await, accepting)))
}

struct Accepting {
    listener: TcpListener,
    places: Arc<Semaphore>,
    max_connections: usize,
    budgets: Budgets,
    /// Connections that have not sent the preface.
    beginning: JoinSet<Option<Socket<TcpStream>>>,
    oldest_first: VecDeque<AbortHandle>,
    /// Connections that speak HTTP/2 and have not been handed on.
    begun: VecDeque<Socket<TcpStream>>,
    /// When the log last said that connections are turned away.
    said: Option<Instant>,
}

impl Accepting {
    /// The next connection that speaks HTTP/2.
    async fn next(&mut self) -> Socket<TcpStream> {
        loop {
            if let Some(socket) = self.begun.pop_front() {
                return socket;
            }
            tokio::select! {
                Some(begun) = self.beginning.join_next() => {
                    self.forget_ended();
                    if let Ok(Some(socket)) = begun {
                        return socket;
                    }
                }
                accepted = self.listener.accept() => match accepted {
                    Ok((socket, _)) => self.begin(socket).await,
                    Err(error) => self.pause(&error).await,
                }
            }
        }
    }

    async fn begin(&mut self, socket: TcpStream) {
        let Some(place) = self.place().await else {
            self.say("all connections are in use: a new one is closed at once");
            return;
        };
        let budgets = self.budgets.clone();
        let begun = self.beginning.spawn(begin(socket, place, budgets));
        self.oldest_first.push_back(begun);
    }

    /// A free place, or that of the oldest connection that has not said anything yet.
    async fn place(&mut self) -> Option<OwnedSemaphorePermit> {
        loop {
            if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
                return Some(place);
            }
            let oldest = self.oldest_first.pop_front()?;
            if oldest.is_finished() {
                continue;
            }
            oldest.abort();
            // Its place is free as soon as the runtime has dropped it, unless it has just sent the preface: then it keeps
            // its place, and the next one makes room.
            let place = Arc::clone(&self.places).acquire_owned();
            tokio::pin!(place);
            while !oldest.is_finished() {
                tokio::select! {
                    place = &mut place => return place.ok(),
                    Some(begun) = self.beginning.join_next() => self.begun.extend(begun.ok().flatten()),
                }
            }
        }
    }

    fn forget_ended(&mut self) {
        if self.oldest_first.len() > 2 * self.beginning.len() + 64 {
            self.oldest_first.retain(|begun| !begun.is_finished());
        }
    }

    /// After an error of `accept`: of the one connection, or of a process that has no descriptors or memory left. Waiting is
    /// right for both, and a loop that does not wait would take a whole core for the latter.
    async fn pause(&mut self, error: &std::io::Error) {
        self.say(&format!("a connection cannot be accepted: {error}"));
        if let Some(oldest) = self.oldest_first.pop_front() {
            oldest.abort();
        }
        tokio::time::sleep(PAUSE).await;
    }

    fn say(&mut self, what: &str) {
        if self.said.is_none_or(|said| said.elapsed() >= SAY_EVERY) {
            self.said = Some(Instant::now());
            tracing::warn!(max_connections = self.max_connections, "{what}");
        }
    }
}

/// Waits for the preface. A connection that does not send it is closed.
async fn begin(mut socket: TcpStream, place: OwnedSemaphorePermit, budgets: Budgets) -> Option<Socket<TcpStream>> {
    let address = socket.peer_addr().ok();
    // Answers are small and shall not wait for more of them; a socket that is gone already says so at the first read.
    drop(socket.set_nodelay(true));
    match tokio::time::timeout(PREFACE_DEADLINE, read_preface(&mut socket)).await {
        Ok(Ok(true)) => Some(Socket::new(socket, budgets.connection(address), place)),
        Ok(Ok(false) | Err(_)) | Err(_) => None,
    }
}

/// Whether the first bytes are those of HTTP/2.
async fn read_preface(socket: &mut TcpStream) -> std::io::Result<bool> {
    let (mut bytes, mut read) = ([0; PREFACE.len()], 0);
    while read < PREFACE.len() {
        match socket.read(&mut bytes[read..]).await? {
            0 => return Ok(false),
            more => read += more,
        }
        if bytes[..read] != PREFACE[..read] {
            return Ok(false);
        }
    }
    Ok(true)
}

//! From a connection to the calls on it, and to its end.
//!
//! hyper speaks HTTP/2. tonic's own server, which is made of the same parts, would leave it to the runtime which task has its
//! turn; here the tasks of a connection are a flow of the scheduler.

use std::convert::Infallible;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as HttpBody;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio_stream::{Stream, StreamExt};
use tonic::body::Body;
use tower_service::Service;

use super::{Progress, Socket};
use crate::access::Origin;
use crate::scheduler::{Flow, Scheduler};

/// How many calls one connection may have open.
const MAX_CALLS_PER_CONNECTION: u32 = 10_000;
/// What a call may send before the server has read it: what is unread of one call takes no more than that.
const CALL_WINDOW_BYTES: u32 = 64 * 1024;
/// What all calls of a connection may send before the server has read it. It is the windows of its calls that hold a client
/// back, and never this one: h2 counts every unread frame that is smaller than 256 bytes at what it lacks of that, and closes
/// the connection (GOAWAY `too_many_data_frames`) when they come to half of this window. A frame with an action has about 60
/// bytes or more, so a full window of such frames counts (65,536 / 60) * (256 - 60), about 210 KiB: with a half of 32 MiB,
/// 150 streams of one connection can be full of them at once. It is also what h2 holds for such frames beside their bytes.
const CONNECTION_WINDOW_BYTES: u32 = 64 * 1024 * 1024;
/// How many calls of one connection may be taken back by the client before the server has looked at them. A client that
/// gives up many calls at once is not cut off for it (h2 does so at 20); one that does nothing else costs its own share.
const MAX_PENDING_RESETS: usize = 1_000;
/// How many frames of calls that the server has ended already a connection may bring in its life, before it must connect
/// anew: each is answered by a reset.
const MAX_LATE_FRAMES: usize = 10_000;
/// How large the head of a request may be: the name and value of each field, and 32 bytes for each.
const MAX_HEAD_BYTES: u32 = 8 * 1024;
/// How long a connection may be silent before it is asked whether it is alive.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// How often a server that stops looks whether its clients take what they are sent.
const STOP_CHECK: Duration = Duration::from_millis(100);
/// So many times in a row there is nothing to do on the connection and the client does not close it, or the client gives no
/// room for what it has not read: then it is closed.
const IDLE_CHECKS: u32 = 10;
/// Within so many checks a client that has not read everything takes some of it. A socket that was full takes more only when a
/// third of what it holds was read, which may be a megabyte.
const READING_CHECKS: u32 = 50;
/// So much at least.
const READ_BYTES: u64 = 16 * 1024;

/// Serves the calls of all connections. When it is to stop it takes no more connections, tells those that there are to send
/// no more calls, and is done when all have ended.
pub async fn serve<S, B>(
    incoming: impl Stream<Item = Socket<TcpStream>>,
    services: S,
    scheduler: &Scheduler,
    stop: watch::Receiver<bool>,
) where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    // Each connection holds one end.
    let (open, mut ended) = mpsc::channel::<Infallible>(1);
    {
        let mut incoming = pin!(incoming);
        let mut stopping = pin!(stopped(stop.clone()));
        loop {
            let socket = tokio::select! {
                () = &mut stopping => break,
                socket = incoming.next() => socket,
            };
            let Some(socket) = socket else { break };
            let origin = Origin::of(socket.peer().address);
            let (flow, open) = (scheduler.flow(origin), open.clone());
            let connection = connection(socket, services.clone(), flow.clone(), stop.clone());
            flow.spawn(async move {
                connection.await;
                drop(open);
            });
        }
        // The listener is closed here: whoever comes now learns that at once.
    }
    drop(open);
    ended.recv().await;
}

/// Serves one connection to its end.
async fn connection<S, B>(socket: Socket<TcpStream>, services: S, flow: Flow, stop: watch::Receiver<bool>)
where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let peer = socket.peer().clone();
    let progress = peer.progress.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer.clone());
        // The door, and tonic's routes behind it, are always ready.
        services.clone().call(request.map(Body::new))
    });
    let mut connection = pin!(http2(flow).serve_connection(TokioIo::new(socket), service));
    // How a connection ends is its client's business: a call that was cut off by it has been logged by the door.
    tokio::select! {
        biased;
        _ = &mut connection => return,
        () = stopped(stop) => connection.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        biased;
        _ = connection => {}
        // Its calls are cut off: it could stay like that for ever.
        () = nothing_is_read(&progress) => {}
    }
}

/// Done when a connection would stay although nobody works on it: its answers lie unread, or there are none and no calls.
async fn nothing_is_read(progress: &Progress) {
    let mut checks = StopChecks::begin(progress);
    while !checks.is_left(progress) {
        tokio::time::sleep(STOP_CHECK).await;
    }
}

/// What a server that stops has seen of a connection, at checks in the same distance.
struct StopChecks {
    /// How much the socket had taken at the last check, and so many times in a row nothing was going on.
    written: u64,
    idle: u32,
    /// How much it had taken when the client was last known to read, and the checks since.
    read: u64,
    unread: u32,
}

impl StopChecks {
    fn begin(progress: &Progress) -> StopChecks {
        let written = progress.written();
        StopChecks { written, idle: 0, read: written, unread: 0 }
    }

    /// Checks once more; whether the connection is to be closed.
    fn is_left(&mut self, progress: &Progress) -> bool {
        // The ends of answers are not counted: where the socket is full there may be some.
        let (is_full, written) = (progress.is_blocked(), progress.written());
        let has_unread = progress.has_unread() || is_full;
        let is_idle = written == self.written && !is_full && (has_unread || !progress.has_calls());
        self.idle = if is_idle { self.idle + 1 } else { 0 };
        self.written = written;
        self.unread = if has_unread { self.unread + 1 } else { 0 };
        if self.unread == 0 || written - self.read >= READ_BYTES {
            (self.read, self.unread) = (written, 0);
        }
        self.idle > IDLE_CHECKS || self.unread > READING_CHECKS
    }
}

fn http2(flow: Flow) -> http2::Builder<Flow> {
    let mut http2 = http2::Builder::new(flow);
    http2
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEPALIVE)
        .max_concurrent_streams(MAX_CALLS_PER_CONNECTION)
        .initial_stream_window_size(CALL_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_header_list_size(MAX_HEAD_BYTES)
        .max_pending_accept_reset_streams(MAX_PENDING_RESETS)
        .max_local_error_reset_streams(MAX_LATE_FRAMES);
    http2
}

async fn stopped(mut stop: watch::Receiver<bool>) {
    // A server that is gone has stopped too.
    drop(stop.wait_for(|stop| *stop).await);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many checks until the connection is closed, if so many bytes are taken at each `every`th check, and the socket is
    /// full or not in between.
    fn checks(bytes: usize, every: u32, blocked: bool) -> Option<u32> {
        let progress = Progress::default();
        let _unread = progress.unread();
        let mut checks = StopChecks::begin(&progress);
        (1..=6_000).find(|check| {
            if check % every == 0 {
                progress.note_written(bytes);
            }
            if blocked {
                progress.note_blocked();
            }
            checks.is_left(&progress)
        })
    }

    #[test]
    fn a_stop_waits_for_whoever_reads_and_for_nobody_else() {
        assert_eq!(checks(0, 1, false), Some(IDLE_CHECKS + 1), "the client gives no window");
        assert_eq!(checks(0, 1, true), Some(READING_CHECKS + 1), "the socket is full");
        assert_eq!(checks(1, 1, false), Some(READING_CHECKS + 1), "a byte at a time");
        assert_eq!(checks(4_096, 3, false), None, "13 KiB a second");
        assert_eq!(checks(800_000, 30, true), None, "through a large buffer");
        assert_eq!(checks(800_000, 70, true), Some(READING_CHECKS + 1), "too slow to be told from nobody");
    }

    #[test]
    fn a_stop_waits_for_calls() {
        let progress = Progress::default();
        let call = progress.call();
        let mut checks = StopChecks::begin(&progress);
        assert!((0..1_000).all(|_| !checks.is_left(&progress)));
        drop(call);
        assert_eq!((1..100).find(|_| checks.is_left(&progress)), Some(IDLE_CHECKS + 1));
    }

    #[test]
    fn a_stop_waits_for_the_ends_of_answers() {
        let progress = Progress::default();
        let mut checks = StopChecks::begin(&progress);
        let ends = |check| match check % 20 {
            0 => progress.note_written(100_000),
            _ => progress.note_blocked(),
        };
        assert!((1..1_000).all(|check| !(ends(check), checks.is_left(&progress)).1));
        let left = (1..1_000).find(|_| checks.is_left(&progress)).expect("nothing is taken any more");
        assert!((READING_CHECKS - 20..=READING_CHECKS + 1).contains(&left), "{left}");
    }
}

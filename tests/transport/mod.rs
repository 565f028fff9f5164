//! What connections may hold, and how that is enforced: descriptors, bytes of requests and answers that wait for the other
//! side, frames; and that a client that is merely fast is not cut off.
//!
//! The other side is played by h2 itself, a level below gRPC clients: none of them would do what these tests do.

mod connections;
mod floods;
mod memory;
mod pipelines;
mod requests;
mod stopping;

use std::net::SocketAddr;

use bytes::{BufMut, Bytes, BytesMut};
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_tests::Server;
use h2::client::{Builder, ResponseFuture, SendRequest};
use h2::{PingPong, RecvStream, SendStream};
use prost::Message;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tonic::transport::Channel;

/// What a client can hold of answers before it must say that it has read some.
const WINDOW: u32 = 1 << 20;

/// A client that plays on a connection.
pub fn games(channel: Channel) -> GameServiceClient<Channel> {
    GameServiceClient::new(channel)
}

/// Where the server listens.
pub fn address(server: &Server) -> SocketAddr {
    server.url().strip_prefix("http://").unwrap().parse().unwrap()
}

/// A connection of a client that reads whatever comes; `Builder` says with which windows.
pub async fn connect(server: &Server, builder: &Builder) -> SendRequest<Bytes> {
    let socket = TcpStream::connect(address(server)).await.unwrap();
    socket.set_nodelay(true).unwrap();
    let (requests, connection) = builder.handshake(socket).await.unwrap();
    // Ends when the test drops its requests.
    tokio::spawn(connection);
    requests.ready().await.unwrap()
}

/// A connection whose calls have no room for answers until the sender knows how much they get; and its pings: whatever was
/// sent before one that is answered has been read.
pub async fn connect_unread(server: &Server) -> (SendRequest<Bytes>, oneshot::Sender<u32>, PingPong) {
    let socket = TcpStream::connect(address(server)).await.unwrap();
    socket.set_nodelay(true).unwrap();
    let mut builder = Builder::new();
    builder.initial_window_size(0).initial_connection_window_size(256 * WINDOW);
    let (requests, mut connection) = builder.handshake(socket).await.unwrap();
    let pings = connection.ping_pong().unwrap();
    let (widen, widened) = oneshot::channel();
    tokio::spawn(async move {
        tokio::select! {
            ended = &mut connection => return ended,
            window = widened => if let Ok(window) = window {
                connection.set_initial_window_size(window)?;
            }
        }
        connection.await
    });
    (requests.ready().await.unwrap(), widen, pings)
}

/// What a server holds in memory, now and at most so far, in MiB.
pub fn memory(server: &Server) -> (u64, u64) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let field = |name: &str| -> u64 {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    (field("VmRSS:") / 1024, field("VmHWM:") / 1024)
}

/// How a call that has no messages to answer ended, as `grpc-status`.
pub async fn status(response: ResponseFuture) -> Result<String, h2::Error> {
    let response = response.await?;
    match response.headers().get("grpc-status") {
        Some(code) => Ok(code.to_str().unwrap().to_owned()),
        None => Ok(read(response.into_body()).await?.1),
    }
}

/// A client with room for answers.
pub fn with_large_windows() -> Builder {
    let mut builder = Builder::new();
    builder.initial_window_size(WINDOW).initial_connection_window_size(256 * WINDOW);
    builder
}

/// Begins a call.
pub fn call(
    requests: &mut SendRequest<Bytes>,
    service: &str,
    method: &str,
) -> Result<(ResponseFuture, SendStream<Bytes>), h2::Error> {
    let request = http::Request::post(format!("http://localhost/divelog.v1.{service}/{method}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(())
        .unwrap();
    requests.send_request(request, false)
}

/// A message as gRPC frames it.
pub fn framed(message: &impl Message) -> Bytes {
    let mut bytes = BytesMut::new();
    bytes.put_u8(0);
    bytes.put_u32(message.encoded_len() as u32);
    message.encode(&mut bytes).unwrap();
    bytes.freeze()
}

/// Sends bytes when the server has room for them, as a frame of their own if they fit into one.
pub async fn send(stream: &mut SendStream<Bytes>, bytes: Bytes, end: bool) -> Result<(), h2::Error> {
    stream.reserve_capacity(bytes.len());
    while stream.capacity() < bytes.len() {
        match std::future::poll_fn(|context| stream.poll_capacity(context)).await {
            Some(room) => drop(room?),
            None => return stream.send_data(bytes, end),
        }
    }
    stream.send_data(bytes, end)
}

/// Reads a stream to its end: how many messages came, and the status.
pub async fn read(mut body: RecvStream) -> Result<(usize, String), h2::Error> {
    let (mut pending, mut messages) = (BytesMut::new(), 0);
    while let Some(data) = body.data().await {
        let data = data?;
        body.flow_control().release_capacity(data.len())?;
        pending.extend_from_slice(&data);
        while let Some(length) = pending.get(1..5) {
            let length = 5 + u32::from_be_bytes(length.try_into().unwrap()) as usize;
            if pending.len() < length {
                break;
            }
            drop(pending.split_to(length));
            messages += 1;
        }
    }
    let trailers = body.trailers().await?.unwrap_or_default();
    Ok((messages, trailers.get("grpc-status").map(|code| code.to_str().unwrap().to_owned()).unwrap_or_default()))
}

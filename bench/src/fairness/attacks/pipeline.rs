//! An attack by actions: streams of `SubmitActions` that send small messages as fast as the server takes them, each in a
//! frame of its own. gRPC clients in some languages do just that.

use bytes::Bytes;
use divelog_proto::{games::deep_sea_adventure::v1 as dsa, v1};
use h2::{RecvStream, SendStream};
use tokio::{net::TcpStream, task::JoinSet};
use tonic::transport::Channel;

use super::{
    AttackContext,
    repeat::{Setback, keep_doing},
    unread::{framed, head, refusal, send},
};
use crate::fairness::{data, long_game::LongGame};

/// Streams, each on a connection of its own.
const STREAMS: usize = 6;
/// What the server may send before it is read; the answers are read at once.
const WINDOW: u32 = 1 << 20;
/// The bytes of a gRPC message's header.
const GRPC_HEADER: usize = 5;

/// Sends on every stream without end.
pub fn streams(context: &AttackContext, tasks: &mut JoinSet<()>) {
    for _ in 0..STREAMS {
        keep_doing(tasks, context, stream);
    }
}

/// One stream until it ends, which it never should.
async fn stream(context: &AttackContext) -> Result<(), Setback> {
    let channel: Channel = data::connect(context.address).await.map_err(Setback::CutOff)?;
    let mut games = v1::game_service_client::GameServiceClient::new(channel);
    let game = games.create_game(LongGame::create()).await?.into_inner().game.unwrap_or_default();
    let socket = TcpStream::connect(context.address).await?;
    socket.set_nodelay(true)?;
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(WINDOW).initial_connection_window_size(WINDOW);
    // This side does not protect itself against small frames.
    builder.data_frame_budget(usize::MAX);
    let (sender, connection) = builder.handshake::<_, Bytes>(socket).await?;
    let calling = async {
        let mut sender = sender.ready().await?;
        let (answer, sending) = sender.send_request(head(context, "/divelog.v1.GameService/SubmitActions")?, false)?;
        let receiving = async {
            let answer = answer.await?;
            refusal(answer.headers())?;
            read(context, answer.into_body()).await
        };
        tokio::select! {
            ended = receiving => ended,
            ended = write(context, sending, &game.game_id) => ended,
        }
    };
    tokio::select! {
        ended = calling => ended,
        ended = connection => {
            ended?;
            Err(Setback::CutOff("the server ended the connection".to_owned()))
        }
    }
}

/// Sends actions, most of which it is nobody's turn for: the sender need not know the game for the server to check and refuse them.
async fn write(context: &AttackContext, mut stream: SendStream<Bytes>, game_id: &str) -> Result<(), Setback> {
    let messages = [
        action(game_id, dsa::action::Action::Dive(dsa::Dive { turn_back: false })),
        action(game_id, dsa::action::Action::Leave(dsa::Leave {})),
    ];
    for message in messages.iter().cycle() {
        send(&mut stream, message.clone(), false).await?;
        context.counts.begin(1);
    }
    Ok(())
}

fn action(game_id: &str, action: dsa::action::Action) -> Bytes {
    let action = dsa::Action { action: Some(action) };
    framed(&v1::SubmitActionsRequest {
        tag: 1,
        action: Some(v1::SubmitActionRequest {
            game_id: game_id.to_owned(),
            action: Some(v1::GameAction { action: Some(v1::game_action::Action::DeepSeaAdventure(action)) }),
            ..Default::default()
        }),
    })
}

/// Reads answers and counts them.
async fn read(context: &AttackContext, mut body: RecvStream) -> Result<(), Setback> {
    let mut messages = Messages::default();
    while let Some(bytes) = body.data().await {
        let bytes = bytes?;
        body.flow_control().release_capacity(bytes.len())?;
        context.counts.answer(messages.count(&bytes));
    }
    let trailers = body.trailers().await?;
    refusal(&trailers.unwrap_or_default())?;
    Err(Setback::Refused("the server ended the stream".to_owned()))
}

/// Counts gRPC messages that arrive in chunks.
#[derive(Default)]
struct Messages {
    header: Vec<u8>,
    /// Bytes of the current message that have not arrived.
    missing: usize,
}

impl Messages {
    /// Takes the next chunk, and returns how many messages began in it.
    fn count(&mut self, mut bytes: &[u8]) -> u64 {
        let mut count = 0;
        while !bytes.is_empty() {
            let skipped = self.missing.min(bytes.len());
            self.missing -= skipped;
            bytes = &bytes[skipped..];
            let taken = (GRPC_HEADER - self.header.len()).min(bytes.len());
            self.header.extend_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if let [_, a, b, c, d] = self.header[..] {
                self.missing = u32::from_be_bytes([a, b, c, d]) as usize;
                self.header.clear();
                count += 1;
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted_in_chunks_of_any_size() {
        let one = framed(&v1::SubmitActionsResponse { tag: 7, ..Default::default() });
        let empty = framed(&v1::SubmitActionsResponse::default());
        let all = [one.clone(), empty, one].concat();
        for size in 1..=all.len() {
            let mut messages = Messages::default();
            let count: u64 = all.chunks(size).map(|piece| messages.count(piece)).sum();
            assert_eq!(count, 3, "in chunks of {size}");
        }
    }
}

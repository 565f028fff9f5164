//! Connections that live for one call: whoever is always new must not always be first.

use bytes::BytesMut;
use divelog_proto::v1 as pb;
use rustix::net::sockopt::set_socket_linger;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

use super::{
    AttackContext, frames,
    repeat::{Setback, keep_doing},
    unread::framed,
};

/// Connections at a time.
const AT_A_TIME: usize = 32;

/// Opens them, and others in their place.
pub fn connections(context: &AttackContext, tasks: &mut JoinSet<()>) {
    for _ in 0..AT_A_TIME {
        keep_doing(tasks, context, one_call);
    }
}

/// A connection with one call, which is cut off at the first byte that comes back.
async fn one_call(context: &AttackContext) -> Result<(), Setback> {
    context.counts.begin(1);
    let mut socket = TcpStream::connect(context.address).await?;
    socket.set_nodelay(true)?;
    // Closed by a reset, which leaves nothing behind on this side.
    set_socket_linger(&socket, Some(std::time::Duration::ZERO)).map_err(std::io::Error::from)?;
    let headers = frames::grpc_headers(&context.address.to_string(), "/divelog.v1.GameService/GetGame");
    let message = framed(&pb::GetGameRequest { game_id: context.finished.clone(), viewer: None });
    let mut out = BytesMut::from(&frames::greeting()[..]);
    frames::call(&mut out, 1, &headers, &message);
    socket.write_all(&out).await?;
    if socket.read(&mut [0; 256]).await? == 0 {
        return Err(Setback::CutOff("the server ended the connection".to_owned()));
    }
    context.counts.answer(1);
    Ok(())
}

//! An attack by doing nothing: connections that are opened and left alone. Half of them send the HTTP/2 preface, half send nothing.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

use super::{
    AttackContext,
    frames::greeting,
    repeat::{Setback, keep_doing},
};

/// Connections in all.
const CONNECTIONS: usize = 2_000;

/// Opens them, and again when the server has ended one.
pub fn connections(context: &AttackContext, tasks: &mut JoinSet<()>) {
    for number in 0..CONNECTIONS {
        keep_doing(tasks, context, async move |context| hold(context, number % 2 == 0).await);
    }
}

/// Holds one connection until the server ends it.
async fn hold(context: &AttackContext, sends_preface: bool) -> Result<(), Setback> {
    context.counts.begin(1);
    let mut socket = TcpStream::connect(context.address).await?;
    if sends_preface {
        socket.write_all(&greeting()).await?;
    }
    let mut ignored = [0; 256];
    while socket.read(&mut ignored).await? > 0 {}
    Err(Setback::CutOff("the server ended the connection".to_owned()))
}

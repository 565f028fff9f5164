//! An attack by doing nothing: connections that are opened and left alone. Half of them have greeted, half are silent.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

use super::{
    Scene,
    frames::greeting,
    repeat::{Setback, keep_doing},
};

/// Connections in all.
const CONNECTIONS: usize = 2_000;

/// Opens them, and again when the server has ended one.
pub fn connections(scene: &Scene, tasks: &mut JoinSet<()>) {
    for number in 0..CONNECTIONS {
        keep_doing(tasks, scene, async move |scene| hold(scene, number % 2 == 0).await);
    }
}

/// Holds one connection until the server ends it.
async fn hold(scene: &Scene, greets: bool) -> Result<(), Setback> {
    scene.counts.begin(1);
    let mut socket = TcpStream::connect(scene.address).await?;
    if greets {
        socket.write_all(&greeting()).await?;
    }
    let mut ignored = [0; 256];
    while socket.read(&mut ignored).await? > 0 {}
    Err(Setback::CutOff("the server ended the connection".to_owned()))
}

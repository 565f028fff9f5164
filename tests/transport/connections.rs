//! However many connections there are: the store has the descriptors it needs, play goes on, and whoever says at once what
//! they want gets a connection.

use std::time::Duration;

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{address, connect, with_large_windows};
use crate::faults::TIMEOUT;

const OPEN_FILES: u32 = 256;
/// Descriptors that the server keeps for its store (`RESERVED` in the service).
const RESERVED: usize = 64;
const SILENT: usize = 600;

/// How many descriptors a server has open.
fn descriptors(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count()
}

/// Connections that say nothing. The server may close them at any time.
async fn silent(server: &Server, count: usize) -> Vec<TcpStream> {
    let mut sockets = Vec::new();
    for _ in 0..count {
        sockets.push(TcpStream::connect(address(server)).await.unwrap());
    }
    sockets
}

async fn assert_healthy(server: &Server, player: &mut Player) {
    player.play(20).await;
    let request = pb::VerifyGameRequest { game_id: player.game_id.clone() };
    let verified = server.audit().await.verify_game(request).await.unwrap().into_inner();
    assert!(verified.verified, "{verified:?}");
    assert!(!server.log().contains("ERROR"), "{}", server.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_push_each_other_out_and_play_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with_open_files(&dir.path().join("data"), OPEN_FILES);
    let mut player = Player::create(server.games().await, 3, 1).await;
    let mut sockets = silent(&server, SILENT).await;
    // Those who come after them get a connection at once, again and again, and so does the store.
    for _ in 0..5 {
        let mut late = Player::create(server.games().await, 2, 2).await;
        late.play(10).await;
        assert_healthy(&server, &mut player).await;
    }
    assert!(descriptors(&server) <= OPEN_FILES as usize, "{}", descriptors(&server));
    // Silence ends every one of them, those that found a place too.
    for socket in &mut sockets {
        let end = tokio::time::timeout(TIMEOUT, socket.read(&mut [0; 1])).await.expect("the server closes it");
        assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
    }
    player.play(usize::MAX).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_leave_the_store_its_descriptors() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with_open_files(&dir.path().join("data"), OPEN_FILES);
    let mut player = Player::create(server.games().await, 3, 1).await;
    // They speak HTTP/2 and ask for nothing, so all places are taken for good, and the rest is closed.
    let (mut idle, mut turned_away) = (Vec::new(), 0);
    for _ in 0..SILENT {
        let socket = TcpStream::connect(address(&server)).await.unwrap();
        let begun = tokio::time::timeout(TIMEOUT, begin(socket)).await.expect("an answer or an end");
        match begun {
            Ok(socket) => idle.push(socket),
            Err(_) => turned_away += 1,
        }
    }
    // One is the player's.
    assert_eq!(idle.len(), OPEN_FILES as usize - RESERVED - 1);
    assert_eq!(turned_away, SILENT - idle.len());
    // Watermark, index and tiles are written meanwhile.
    for _ in 0..10 {
        player.play(5).await;
        tokio::time::timeout(TIMEOUT, player.game()).await.unwrap();
    }
    // A place is free as soon as one of them goes.
    idle.truncate(idle.len() - 2);
    let again = async {
        loop {
            let socket = TcpStream::connect(address(&server)).await.unwrap();
            if begin(socket).await.is_ok() {
                return;
            }
        }
    };
    tokio::time::timeout(TIMEOUT, again).await.expect("a place that is free");
    assert!(!server.log().contains("ERROR"), "{}", server.log());
    drop(idle);
    let mut client = tokio::time::timeout(TIMEOUT, async {
        loop {
            let endpoint = tonic::transport::Endpoint::from_shared(server.url().to_owned()).unwrap();
            match endpoint.connect().await {
                Ok(channel) => return Player::create(super::games(channel), 2, 3).await,
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    })
    .await
    .expect("a connection");
    assert_healthy(&server, &mut client).await;
    server.stop();
}

/// Begins HTTP/2, and waits until the server has answered.
async fn begin(mut socket: TcpStream) -> std::io::Result<TcpStream> {
    // The preface, and a SETTINGS frame with nothing in it.
    socket.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await?;
    socket.read_exact(&mut [0; 9]).await?;
    Ok(socket)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_preface_may_come_in_parts_and_anything_else_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut slow = TcpStream::connect(address(&server)).await.unwrap();
    slow.set_nodelay(true).unwrap();
    for byte in b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0" {
        slow.write_all(&[*byte]).await.unwrap();
        tokio::task::yield_now().await;
    }
    tokio::time::timeout(TIMEOUT, slow.read_exact(&mut [0; 9])).await.unwrap().unwrap();
    for nonsense in
        [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".as_slice(), b"\x16\x03\x01", b"PRI * HTTP/2.0\r\n\r\nXX"]
    {
        let mut socket = TcpStream::connect(address(&server)).await.unwrap();
        socket.write_all(nonsense).await.unwrap();
        let end = tokio::time::timeout(TIMEOUT, socket.read(&mut [0; 1])).await.expect("the server closes it");
        assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
    }
    drop(connect(&server, &with_large_windows()).await);
    server.stop();
}

#[test]
fn a_setting_beyond_the_descriptors_is_refused_with_the_number_that_would_do() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let (status, log) = Server::try_start_with_open_files(&data, 256, &["--max-connections", "193"]).err().unwrap();
    assert_eq!(status.code(), Some(1));
    assert!(log.contains("192 or less"), "{log}");
    let (_, log) = Server::try_start_with_open_files(&data, 64, &[]).err().unwrap();
    assert!(log.contains("the limit of open files is 64"), "{log}");
    Server::try_start_with_open_files(&data, 256, &["--max-connections", "192"]).unwrap_or_else(|_| panic!()).stop();
}

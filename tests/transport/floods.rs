//! Frames that carry no call are read at a bounded rate; the connection stays, and nobody else notices.

use std::time::{Duration, Instant};

use divelog_tests::{Player, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::address;
use crate::faults::TIMEOUT;

const PINGS: usize = 41_000;
/// `CONTROL_FRAMES` and `CONTROL_FRAMES_PER_SECOND` in the service.
const AT_ONCE: usize = 1_000;
const PER_SECOND: usize = 10_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_pings_is_answered_at_a_bounded_rate_and_play_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 3, 1).await;
    let (from, mut to) = TcpStream::connect(address(&server)).await.unwrap().into_split();
    let began = Instant::now();
    let sending = tokio::spawn(async move {
        to.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
        let pings = b"\0\0\x08\x06\0\0\0\0\0eightly!".repeat(100);
        for _ in 0..PINGS / 100 {
            to.write_all(&pings).await.unwrap();
        }
        to
    });
    let reading = tokio::spawn(async move {
        let (mut from, mut answered) = (BufReader::new(from), 0);
        while answered < PINGS {
            let mut header = [0; 9];
            from.read_exact(&mut header).await.unwrap();
            let [_, high, low, kind, flags, ..] = header;
            let mut payload = vec![0; usize::from(u16::from_be_bytes([high, low]))];
            from.read_exact(&mut payload).await.unwrap();
            assert_ne!(kind, 7, "GOAWAY");
            answered += usize::from(kind == 6 && flags == 1);
        }
        Instant::now()
    });
    tokio::time::timeout(TIMEOUT, player.play(usize::MAX)).await.expect("play goes on");
    let ended = tokio::time::timeout(TIMEOUT, reading).await.expect("every ping is answered").unwrap();
    let least = Duration::from_secs_f64((PINGS - AT_ONCE) as f64 / PER_SECOND as f64);
    assert!(ended - began >= least * 9 / 10, "{PINGS} pings were answered in {:?}", ended - began);
    drop(sending.await.unwrap());
    server.stop();
}

//! A server that is stopped in the middle of a backup says so: a backup that ends well holds every block that its header
//! has announced.

use std::time::Duration;

use divelog_client::ErrorDetails;
use divelog_proto::v1 as pb;
use divelog_proto::v1::admin_service_client::AdminServiceClient;
use divelog_tests::Server;
use divelog_tests::player::new_game;
use pb::backup_response::Message;
use rustix::process::Signal;
use tonic::Code;
use tonic::transport::Endpoint;

/// So few bytes may be on their way to the reader that most of a backup waits in the server.
const WINDOW_BYTES: u32 = 1024;
/// Each gives a block of about 2 KiB.
const GAMES: usize = 60;

/// Games whose first record is large.
async fn create_games(server: &Server) {
    let mut client = server.games().await;
    for _ in 0..GAMES {
        let labels = (0..16).map(|label| (format!("{label:064}"), "x".repeat(64))).collect();
        client.create_game(pb::CreateGameRequest { labels, ..new_game(3) }).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_is_cut_short_by_a_stop_does_not_end_well() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    create_games(&server).await;
    let endpoint = Endpoint::from_shared(server.url().to_owned()).unwrap().initial_stream_window_size(WINDOW_BYTES);
    let mut client = AdminServiceClient::new(endpoint.connect().await.unwrap());
    let mut backup = client.backup(pb::BackupRequest { from_block: 0 }).await.unwrap().into_inner();
    let Some(Message::Header(header)) = backup.message().await.unwrap().unwrap().message else { panic!("no header") };
    assert!(header.end_block >= GAMES as u64, "{header:?}");
    server.signal(Signal::TERM);
    // The reader does not read until the server has begun to drain: it takes no connections any more.
    let address = server.url().strip_prefix("http://").unwrap().to_owned();
    while tokio::net::TcpStream::connect(&address).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut blocks = 0;
    let ended = loop {
        match backup.message().await {
            Ok(Some(_)) => blocks += 1,
            Ok(None) => break None,
            Err(status) => break Some(status),
        }
    };
    let status = ended.unwrap_or_else(|| panic!("ended well with {blocks} of {} blocks", header.end_block));
    assert!(blocks < header.end_block, "all blocks came, so nothing was cut short");
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
    assert_eq!(ErrorDetails::of(&status).reason.as_deref(), Some("SHUTTING_DOWN"), "{status:?}");
    assert!(server.wait().success());
}

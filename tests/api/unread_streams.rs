//! Streams that nobody reads hold up nobody, however few threads the server has.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use divelog_proto::v1 as pb;
use divelog_proto::v1::admin_service_client::AdminServiceClient;
use divelog_proto::v1::audit_service_client::AuditServiceClient;
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_service::config::Settings;
use divelog_service::server;
use divelog_service::telemetry::LogFormat;
use divelog_tests::Player;
use divelog_tests::player::new_game;
use tokio::sync::oneshot;
use tonic::Code;
use tonic::transport::{Channel, Endpoint};

use super::details_of;
use crate::faults::TIMEOUT;

/// More than the server ever had threads for work that blocks.
const UNREAD: usize = 40;
/// As many as the server opens (`MAX_STREAMS` in the service).
const MAX_STREAMS: usize = 256;
/// Far less than what any of the streams has to send.
const WINDOW: u32 = 1_024;

/// A server in this process, with one thread for calls and one for all work that blocks.
struct TwoThreads {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl TwoThreads {
    fn start(data: &Path) -> TwoThreads {
        let settings = Settings {
            data: data.to_path_buf(),
            listen: "127.0.0.1:0".parse().unwrap(),
            log: "info".into(),
            log_format: LogFormat::Text,
            // One, so that other games must be loaded.
            cache_games: 1,
            queue: 1_000,
            max_connections: None,
            max_watchers: 100,
            drain: Duration::from_secs(30),
            store_cache_bytes: 16 << 20,
            threads: 1,
            serve_after_failure: false,
            existing: false,
            repair: false,
            accept_loss: false,
            publish: data.join("tlog"),
            publish_games: false,
            signing_key: None,
            origin: None,
            seal_interval: Duration::from_secs(1),
        };
        let (listening, address) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().max_blocking_threads(1).build().unwrap();
            let stopped = async { drop(stopped.await) };
            runtime.block_on(server::run(&settings, |address| listening.send(address).unwrap(), stopped)).unwrap();
        });
        TwoThreads { address: address.recv().unwrap(), stop, thread }
    }

    fn endpoint(&self) -> Endpoint {
        Endpoint::from_shared(format!("http://{}", self.address)).unwrap()
    }

    /// A connection on which a stream gets stuck when it is not read, and only that stream.
    async fn small_windows(&self) -> Channel {
        let endpoint = self.endpoint().initial_stream_window_size(WINDOW).initial_connection_window_size(1 << 24);
        endpoint.connect().await.unwrap()
    }

    async fn games(&self) -> GameServiceClient<Channel> {
        GameServiceClient::new(self.endpoint().connect().await.unwrap())
    }
}

async fn in_time<T>(what: &str, call: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, call).await.unwrap_or_else(|_| panic!("{what} is held up"))
}

/// A replay of far more bytes than the server makes ready at a time.
fn everything(game_id: &str) -> pb::ReplayGameRequest {
    pb::ReplayGameRequest {
        game_id: game_id.into(),
        viewer: Some(pb::Viewer { role: pb::viewer::Role::Auditor.into(), seat: 0 }),
        include_all_views: true,
        ..Default::default()
    }
}

/// Calls that need the disk, and are answered all the same.
async fn others_go_on(server: &TwoThreads, unloaded: &str, meanwhile: &str) {
    let mut games = server.games().await;
    let get = pb::GetGameRequest { game_id: unloaded.into(), viewer: None };
    in_time(&format!("GetGame {meanwhile}"), games.get_game(get)).await.unwrap();
    in_time(&format!("CreateGame {meanwhile}"), games.create_game(new_game(2))).await.unwrap();
    in_time(&format!("ListGames {meanwhile}"), games.list_games(pb::ListGamesRequest::default())).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_that_nobody_reads_hold_up_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let server = TwoThreads::start(&dir.path().join("data"));
    let unloaded = Player::create(server.games().await, 2, 1).await.game_id;
    let mut player = Player::create(server.games().await, 4, 2).await;
    player.play(60).await;
    let revision = player.game().await.revision;

    let mut audit = AuditServiceClient::new(server.small_windows().await);
    let replay = everything(&player.game_id);
    let mut replays = Vec::new();
    for _ in 0..UNREAD {
        replays.push(in_time("ReplayGame", audit.replay_game(replay.clone())).await.unwrap().into_inner());
    }
    others_go_on(&server, &unloaded, "beside unread replays").await;

    let log = pb::ReadLogRequest { game_id: player.game_id.clone(), include_secret: false };
    let mut logs = Vec::new();
    for _ in 0..UNREAD {
        logs.push(in_time("ReadLog", audit.read_log(log.clone())).await.unwrap().into_inner());
    }
    let mut admin = AdminServiceClient::new(server.small_windows().await);
    let mut backups = Vec::new();
    for _ in 0..2 {
        let backup = admin.backup(pb::BackupRequest { from_block: 0 });
        backups.push(in_time("Backup", backup).await.unwrap().into_inner());
    }
    let watch = pb::WatchGameRequest {
        game_id: player.game_id.clone(),
        after_revision: Some(0),
        include_views: true,
        ..Default::default()
    };
    let mut watcher = GameServiceClient::new(server.small_windows().await);
    let mut watches = Vec::new();
    for _ in 0..UNREAD {
        watches.push(in_time("WatchGame", watcher.watch_game(watch.clone())).await.unwrap().into_inner());
    }
    others_go_on(&server, &unloaded, "beside unread logs, backups and watches").await;

    // Who reads at last gets everything.
    for mut stream in replays.drain(..2) {
        for expected in 1..=revision {
            assert_eq!(in_time("a step", stream.message()).await.unwrap().unwrap().revision, expected);
        }
        assert!(stream.message().await.unwrap().is_none());
    }
    let mut messages = 0;
    let mut stream = logs.pop().unwrap();
    while in_time("a record", stream.message()).await.unwrap().is_some() {
        messages += 1;
    }
    assert_eq!(messages, revision + 1, "a header and the records");
    let mut stream = backups.pop().unwrap();
    while in_time("a block", stream.message()).await.unwrap().is_some() {}
    drop((replays, logs, backups, watches, watcher, admin, audit, player));
    server.stop.send(()).unwrap();
    server.thread.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn as_many_logs_and_replays_as_allowed_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let server = TwoThreads::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 4, 2).await;
    player.play(60).await;
    let mut audit = AuditServiceClient::new(server.small_windows().await);
    let log = pb::ReadLogRequest { game_id: player.game_id.clone(), include_secret: false };
    let replay = everything(&player.game_id);
    let mut replays = Vec::new();
    for _ in 0..MAX_STREAMS {
        replays.push(audit.replay_game(replay.clone()).await.unwrap());
    }
    for status in [audit.read_log(log).await.unwrap_err(), audit.replay_game(replay.clone()).await.unwrap_err()] {
        assert_eq!(
            (status.code(), details_of(&status).reason.as_str()),
            (Code::ResourceExhausted, "BUSY"),
            "{status:?}"
        );
    }
    replays.pop();
    // The place is free once the server has noticed; a caller does what BUSY says and tries again.
    let again = async {
        while let Err(status) = audit.replay_game(replay.clone()).await {
            assert_eq!(details_of(&status).reason, "BUSY");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    in_time("a place that is free", again).await;
    drop((replays, audit, player));
    server.stop.send(()).unwrap();
    server.thread.join().unwrap();
}

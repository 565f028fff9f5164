//! Damaged and lost files: the damage is named, nothing damaged passes for whole, and whatever is sound goes on.

mod bits;
mod files;
mod missing_files;
mod record;
mod start;

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use divelog_tests::{Player, Server};

use crate::faults::reconcile;

/// Opens a store that no server has open, as the server itself does: sled takes no other segment size.
fn open_sled(data: &Path) -> sled::Db {
    let config = sled::Config::new()
        .path(data)
        .segment_size(8 * 1024 * 1024)
        .mode(sled::Mode::HighThroughput)
        .flush_every_ms(None);
    // The last server's lock may outlive it by some milliseconds.
    let give_up = std::time::Instant::now() + crate::faults::TIMEOUT;
    loop {
        match config.open() {
            Ok(db) => return db,
            Err(error) if std::time::Instant::now() > give_up => panic!("{error}"),
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    }
}

/// A data folder with some games, closed in good order.
struct Filled {
    dir: tempfile::TempDir,
    /// The record hashes of each game.
    logs: BTreeMap<String, Vec<Bytes>>,
}

impl Filled {
    async fn new(games: u64, actions: usize) -> Filled {
        let dir = tempfile::tempdir().unwrap();
        let server = Server::start(&dir.path().join("data"));
        let client = server.games().await;
        // All at once, so that blocks hold records of several games.
        let playing = (0..games).map(|seed| {
            let client = client.clone();
            tokio::spawn(async move {
                let mut player = Player::create(client, 4, seed).await;
                player.play(actions).await;
                player.game_id
            })
        });
        let mut logs = BTreeMap::new();
        for player in playing.collect::<Vec<_>>() {
            let game_id = player.await.unwrap();
            let log = reconcile::read_log(&mut server.audit().await, &game_id).await;
            logs.insert(game_id, log.hashes);
        }
        server.stop();
        Filled { dir, logs }
    }

    /// Another run of the server, in which every game goes on.
    async fn play_on(&mut self, actions: usize) {
        let server = Server::start(&self.data());
        for (game_id, hashes) in &mut self.logs {
            let mut player = Player::of(server.games().await, game_id.clone(), 1);
            player.play(actions).await;
            *hashes = reconcile::read_log(&mut server.audit().await, game_id).await.hashes;
        }
        server.stop();
    }

    fn data(&self) -> std::path::PathBuf {
        self.dir.path().join("data")
    }

    /// A copy of the folder, for one more kind of damage.
    fn copy(&self, name: &str) -> std::path::PathBuf {
        let to = self.dir.path().join(name);
        std::fs::create_dir(&to).unwrap();
        for (file, bytes) in contents(&self.data()) {
            std::fs::write(to.join(file), bytes).unwrap();
        }
        to
    }

    /// All games are as they were.
    async fn is_whole(&self, server: &Server) {
        for (game_id, hashes) in &self.logs {
            assert_eq!(reconcile::read_log(&mut server.audit().await, game_id).await.hashes, *hashes);
        }
    }

    /// Some game goes on.
    async fn goes_on(&self, server: &Server) {
        let game_id = self.logs.keys().next().unwrap().clone();
        let mut player = Player::of(server.games().await, game_id, 1);
        let before = player.game().await.revision;
        player.play(1).await;
        assert_eq!(player.game().await.revision, before + 1);
    }
}

/// Every file of a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files =
        std::fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|file| file.file_type().unwrap().is_file());
    files.map(|file| (file.file_name().into_string().unwrap(), std::fs::read(file.path()).unwrap())).collect()
}

/// What a server that does not start says to its operator.
#[track_caller]
fn refused(data: &Path, flags: &[&str]) -> String {
    match Server::try_start(data, flags) {
        Ok(_) => panic!("the server started on {}", data.display()),
        Err((status, log)) => {
            assert_eq!(status.code(), Some(1), "{log}");
            println!("refused: {log}");
            log
        }
    }
}

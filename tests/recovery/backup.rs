//! A backup taken while games go on holds everything that was acknowledged before it began; a later run adds the rest; a
//! file that was cut is noticed, and continued.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use divelog_tests::{Player, Server};
use tokio::task::JoinSet;

use super::expected_games::{self, Game};
use super::{divelogd, text};
use crate::faults::TIMEOUT;

/// Players who do not stop until they are asked to, and the revisions that were acknowledged to them.
struct Table {
    players: JoinSet<()>,
    stop: Arc<AtomicBool>,
    acknowledged: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Table {
    async fn new(server: &Server, players: u64) -> Table {
        let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::<Mutex<BTreeMap<String, u64>>>::default());
        let mut table = Table { players: JoinSet::new(), stop, acknowledged };
        for seed in 0..players {
            let client = server.games().await;
            let (stop, acknowledged) = (Arc::clone(&table.stop), Arc::clone(&table.acknowledged));
            table.players.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let mut player = Player::create(client.clone(), 3, seed).await;
                    acknowledged.lock().unwrap().insert(player.game_id.clone(), 1);
                    while !stop.load(Ordering::Relaxed) {
                        let Some(answer) = player.step().await.unwrap() else { break };
                        let revision = answer.revision;
                        acknowledged.lock().unwrap().insert(player.game_id.clone(), revision);
                    }
                }
            });
        }
        table
    }

    fn acknowledged(&self) -> BTreeMap<String, u64> {
        self.acknowledged.lock().unwrap().clone()
    }

    /// Waits until so many more actions were acknowledged.
    async fn played(&self, more: u64) {
        let sum = |table: &Table| table.acknowledged().values().sum::<u64>();
        let (before, give_up) = (sum(self), Instant::now() + TIMEOUT);
        while sum(self) < before + more {
            assert!(Instant::now() < give_up, "{} actions were acknowledged, not {more}", sum(self) - before);
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    async fn stop(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        while let Some(player) = self.players.join_next().await {
            player.unwrap();
        }
    }
}

/// Restores a backup, serves it, and checks that every game has at least so many records, the same as the true ones.
async fn holds(backup: &Path, new: &Path, least: &BTreeMap<String, u64>, expected_games: &BTreeMap<String, Game>) {
    divelogd(&["restore", "--from", text(backup), "--data", text(new)]).ok();
    let server = Server::start(new);
    for (game_id, revision) in least {
        let game = expected_games::read(&server, game_id).await;
        assert!(game.records.len() as u64 >= *revision, "game {game_id}: {} of {revision} records", game.records.len());
        assert_eq!(game.records, expected_games[game_id].records[..game.records.len()], "game {game_id}");
        assert_eq!(game.secret, expected_games[game_id].secret);
    }
    // It is a store like any other.
    Player::create(server.games().await, 2, 9).await.play(usize::MAX).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_taken_in_the_middle_of_play_is_consistent_and_can_be_continued() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let (first, second) = (dir.path().join("first.dlbackup"), dir.path().join("second.dlbackup"));
    let table = Table::new(&server, 8).await;
    table.played(400).await;
    let before_first = table.acknowledged();
    let output = divelogd(&["backup", "--server", server.url(), "--to", text(&first), "-o", "json"]).ok();
    let taken: serde_json::Value = serde_json::from_str(&output).unwrap();
    assert_eq!(taken["continued"], false, "{output}");
    assert!(taken["added"].as_u64().unwrap() > 0 && taken["added"] == taken["end_block"], "{output}");
    assert_eq!(std::fs::metadata(&first).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::copy(&first, &second).unwrap();

    table.played(400).await;
    let before_second = table.acknowledged();
    let output = divelogd(&["backup", "--server", server.url(), "--to", text(&second), "-o", "json"]).ok();
    let more: serde_json::Value = serde_json::from_str(&output).unwrap();
    assert_eq!(more["continued"], true, "{output}");
    let ends = |taken: &serde_json::Value| taken["end_block"].as_u64().unwrap();
    assert_eq!(more["added"].as_u64().unwrap(), ends(&more) - ends(&taken), "{output}");
    let (short, long) = (std::fs::read(&first).unwrap(), std::fs::read(&second).unwrap());
    assert!(long.starts_with(&short) && long.len() > short.len(), "the second run has changed the first");

    // Cut in its last run: noticed, what the first run has is there, and the next run repairs it.
    let cut = dir.path().join("cut.dlbackup");
    std::fs::write(&cut, &long[..short.len() + (long.len() - short.len()) / 2]).unwrap();
    table.stop().await;
    let mut expected_games = BTreeMap::new();
    for game_id in before_second.keys() {
        expected_games.insert(game_id.clone(), expected_games::read(&server, game_id).await);
    }
    let output = divelogd(&["restore", "--from", text(&cut), "--data", text(&dir.path().join("from-cut"))]);
    assert!(output.code == 4 && output.stdout.contains("is cut off"), "{output:?}");
    divelogd(&["backup", "--server", server.url(), "--to", text(&cut)]).ok();
    server.stop();

    holds(&first, &dir.path().join("from-first"), &before_first, &expected_games).await;
    holds(&second, &dir.path().join("from-second"), &before_second, &expected_games).await;
    let all = expected_games.iter().map(|(game_id, game)| (game_id.clone(), game.records.len() as u64)).collect();
    holds(&cut, &dir.path().join("from-fixed"), &all, &expected_games).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_another_server_is_not_continued_and_a_whole_one_stays_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (Server::start(&dir.path().join("one")), Server::start(&dir.path().join("other")));
    for (server, seed) in [(&one, 1), (&other, 2)] {
        Player::create(server.games().await, 3, seed).await.play(20).await;
    }
    let file = dir.path().join("log.dlbackup");
    divelogd(&["backup", "--server", one.url(), "--to", text(&file)]).ok();
    let before = std::fs::read(&file).unwrap();
    // An address needs no scheme.
    let address = other.url().strip_prefix("http://").unwrap();
    let output = divelogd(&["backup", "--server", address, "--to", text(&file)]);
    assert!(output.code == 1 && output.stderr.contains("another server"), "{output:?}");
    assert!(std::fs::read(&file).unwrap() == before, "the refused run has changed the file");
    other.stop();
    one.stop();
    let output = divelogd(&["backup", "--server", "http://127.0.0.1:9", "--to", text(&file)]);
    assert!(output.code == 1 && output.stderr.contains("http://127.0.0.1:9: cannot connect"), "{output:?}");
    let output = divelogd(&["backup", "--server", "127.0.0.1", "--to", text(&file)]);
    assert!(output.code == 1 && output.stderr.contains("names no port"), "{output:?}");
}

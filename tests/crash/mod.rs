//! A killed server: what it acknowledged is there, what it showed is true, and what it left unanswered is done once.
//!
//! kill -9 leaves everything that was written to the page cache, so this shows nothing about the disk: `power_cut` does.

mod resume;
mod shutdown;

use std::sync::Arc;
use std::time::{Duration, Instant};

use divelog_tests::Server;

use crate::faults::reconcile::{self, Totals};
use crate::faults::{History, Round, SharedChoices, setting};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_in_the_middle_of_play_nothing_is_lost_doubled_or_shown_too_early() {
    let choices = Arc::new(SharedChoices::from_environment("crash"));
    let kills = setting("DIVELOG_CRASH_KILLS", 50);
    let started = Instant::now();
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let history = History::default();
    let mut found = Totals::default();
    for kill in 0..kills {
        let server = Server::start(&data);
        found += reconcile::reconcile(&server, &history).await;
        let before = history.acks();
        let round = Round::begin(&server, &history, &choices).await;
        // In most rounds play has begun, however busy the machine is; in some the kill comes before that.
        if kill % 5 != 4 {
            history.until_acks(before + 1).await;
        }
        // Not synchronisation: the moment of the kill is what varies.
        tokio::time::sleep(Duration::from_millis(5 + choices.below(295))).await;
        round.stop_signal().announce();
        server.kill();
        round.over().await;
    }
    let server = Server::start(&data);
    found += reconcile::reconcile(&server, &history).await;
    let all = reconcile::check_all(&server, &history).await;
    server.stop();
    println!(
        "crash: {kills} kills, {} acknowledged actions in {} games, {found:?}, in {:.1} s",
        history.acks(),
        all.logs,
        started.elapsed().as_secs_f32()
    );
    // Otherwise the kills came while nobody played.
    let in_play = kills - kills / 5;
    assert!(history.acks() as u64 >= in_play && found.open as u64 >= in_play, "{found:?}");
}

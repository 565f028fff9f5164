//! A power cut: what was acknowledged was on the disk, not only in memory.
//!
//! The data folder is an ext4 file system on an image whose journal only an explicit sync commits. In the middle of play
//! the server is frozen, the image is copied as the disk has received it, and the server starts again on the copy, where
//! nothing that was only in the page cache exists. Play goes on there until the next cut, so one history goes through
//! all of them. The answers are kept in this process, outside the image.
//!
//! It is an optimistic disk: it does not reorder writes and has no cache of its own to lose.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use divelog_tests::{Server, not_run};
use rustix::process::Signal;

use crate::faults::disk::{Mounted, copy_image, ext4_image, mount_image};
use crate::faults::reconcile::{self, Totals};
use crate::faults::{History, Round, SharedChoices, TIMEOUT, setting};

const IMAGE_BYTES: u64 = 512 * 1024 * 1024;

fn first_disk(image: &Path, data: &Path) -> Result<Mounted, String> {
    ext4_image(image, IMAGE_BYTES)?;
    mount_image(image, data)
}

/// Stops a process in all its threads: a thread inside a sync is not stopped before it has come back.
fn freeze(server: &Server) {
    server.signal(Signal::STOP);
    let give_up = Instant::now() + TIMEOUT;
    let stopped = |task: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(task.path().join("stat")).unwrap();
        // The state follows the name, which stands in parentheses and may hold anything.
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
    };
    let all_stopped = || {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", server.pid())).unwrap();
        tasks.map(Result::unwrap).all(stopped)
    };
    while !all_stopped() {
        assert!(Instant::now() < give_up, "the server does not stop at SIGSTOP");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_power_cut_everything_acknowledged_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut image = dir.path().join("disk-0");
    let mut disk = match first_disk(&image, &data) {
        Ok(disk) => Some(disk),
        Err(why) => return not_run("power_cut", &format!("this machine gives no loop device with ext4: {why}")),
    };
    let choices = Arc::new(SharedChoices::from_environment("power_cut"));
    let cuts = setting("DIVELOG_POWER_CUTS", 10);
    let started = Instant::now();
    let history = History::default();
    let mut found = Totals::default();
    for cut in 1..=cuts {
        // Without --accept-loss: a power cut is no loss.
        let server = Server::start(&data);
        found += reconcile::reconcile(&server, &history).await;
        let before = history.acks();
        let round = Round::begin(&server, &history, &choices).await;
        history.until_acks(before + 1).await;
        // Not synchronisation: the moment of the cut is what varies.
        tokio::time::sleep(Duration::from_millis(300 + choices.below(700))).await;
        round.stop_signal().announce();
        freeze(&server);
        let after = dir.path().join(format!("disk-{cut}"));
        copy_image(&image, &after);
        server.kill();
        round.over().await;
        // Unmounting writes everything out, but to the image that nobody looks at any more.
        drop(disk.take());
        std::fs::remove_file(&image).unwrap();
        disk = Some(mount_image(&after, &data).unwrap());
        image = after;
    }
    let server = Server::start(&data);
    found += reconcile::reconcile(&server, &history).await;
    let all = reconcile::check_all(&server, &history).await;
    server.stop();
    drop(disk);
    println!(
        "power_cut: {cuts} cuts, {} acknowledged actions in {} games, {found:?}, in {:.1} s",
        history.acks(),
        all.logs,
        started.elapsed().as_secs_f32()
    );
    assert!(history.acks() as u64 >= cuts && found.open as u64 >= cuts, "{found:?}");
}
